/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECOVERY_ENDED_H
#define SLU_LIFECYCLE_RECOVERY_ENDED_H

/* Runs that have ended but are not in the database. */

#include "burst_buffer/lifecycle/record.h"

/* Slurmctld says that this run has ended, and nothing is
 * known of it; a node says that it keeps what was to be staged out of one.
 * SLU_BUSY: slurmctld has not told of it. */
void slu_recover_ended(struct slu_buffers *b, const struct slu_job *job,
		       double now);
int slu_recover_doubted(struct slu_buffers *b, const struct slu_report *r,
			struct slu_answer *out, struct slu_err *err);
void slu_recover_free(struct slu_buffers *b);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECOVERY_ENDED_H
#define SLU_LIFECYCLE_RECOVERY_ENDED_H

/* Recovers runs that have ended but are not in the database. */

#include "burst_buffer/lifecycle/record.h"

/* slu_recover_ended: slurmctld reports the end of an unknown run. The other: a
 * node reports that it keeps data of an unknown run which was to be staged out;
 * SLU_BUSY: slurmctld has not reported that run. */
void slu_recover_ended(struct slu_buffers *b, const struct slu_job *job,
		       double now);
int slu_recover_doubted(struct slu_buffers *b, const struct slu_report *r,
			struct slu_answer *out, struct slu_err *err);
void slu_recover_free(struct slu_buffers *b);

#endif

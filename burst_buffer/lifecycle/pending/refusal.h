/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_REFUSAL_H
#define SLU_LIFECYCLE_REFUSAL_H

/* Holds a waiting job that cannot get what it asks for. */

#include "burst_buffer/lifecycle/record.h"

/* Holds the job, with this reason; but not where it may get it later without
 * its user's doing (SLU_BUSY, or a failure of the site): then it asks again. */
void slu_bb_refuse(struct slu_buffers *b, const struct slu_job *job,
		   const struct slu_err *why);

#endif

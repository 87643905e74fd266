/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_REFUSAL_H
#define SLU_LIFECYCLE_REFUSAL_H

/* What a waiting job cannot have is said to it. */

#include "burst_buffer/lifecycle/record.h"

/* The job is held, with this reason; but not where it may have it later without
 * doing anything (SLU_BUSY, and what failed is the site's): then it asks again.
 */
void slu_bb_refuse(struct slu_buffers *b, const struct slu_job *job,
		   const struct slu_err *why);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PERSISTENT_H
#define SLU_LIFECYCLE_PERSISTENT_H

/* Buffers that outlive jobs: made and destroyed. */

#include "burst_buffer/lifecycle/record.h"

/* Make and destroy what a waiting job's request says, in turn: what comes after
 * one that is still there waits for its room. -1: that cannot be stored. */
int slu_persistent_request(struct slu_buffers *b, const struct slu_job *job,
			   const struct slu_request *req, double now,
			   struct slu_err *err);
/* A buffer with such a number begins: it is stored and among the others. The
 * plan is taken over, also without success (NULL). */
struct slu_bb *slu_persistent_begin(struct slu_buffers *b,
				    const struct slu_job *job,
				    struct slu_plan *plan, double now,
				    struct slu_err *err);

#endif

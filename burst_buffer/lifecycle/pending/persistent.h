/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PERSISTENT_H
#define SLU_LIFECYCLE_PERSISTENT_H

/* Creates and destroys persistent buffers, which outlive jobs. */

#include "burst_buffer/lifecycle/record.h"

/* Creates and destroys what a waiting job's request names, in order: a buffer
 * that follows one which is still being destroyed waits for its space. -1: it
 * cannot be stored. */
int slu_persistent_request(struct slu_buffers *b, const struct slu_job *job,
			   const struct slu_request *req, double now,
			   struct slu_err *err);
/* Stores a buffer with such a number and adds it to the others. Takes over the
 * plan, also on failure (NULL). */
struct slu_bb *slu_persistent_store(struct slu_buffers *b,
				    const struct slu_job *job,
				    struct slu_plan *plan, double now,
				    struct slu_err *err);

#endif

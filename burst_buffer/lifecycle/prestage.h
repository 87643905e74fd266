/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PRESTAGE_H
#define SLU_LIFECYCLE_PRESTAGE_H

/* What is staged in before its job has nodes. */

#include "burst_buffer/lifecycle/record.h"

/* What is staged in before its job has nodes */
int slu_prestage_want(struct slu_buffers *b, const struct slu_job *job,
		      const struct slu_request *req, double now,
		      struct slu_err *err);
/* A run begins: what was staged in for it is no longer in its plan. *by: the
 * instance that has it, or NULL. */
void slu_prestage_take(const struct slu_buffers *b, uint32_t job_id,
		       struct slu_plan *plan, const struct slu_bb **by);
/* What goes in is no longer in the plan. */
void slu_prestage_only_out(struct slu_plan *plan);
/* A job is over that will not begin: nothing waits for it any more. */
int slu_prestage_gone(struct slu_buffers *b, uint32_t job_id, double now,
		      struct slu_err *err);

#endif

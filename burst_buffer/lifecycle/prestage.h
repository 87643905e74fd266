/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PRESTAGE_H
#define SLU_LIFECYCLE_PRESTAGE_H

/* Stage-in before the job has nodes. */

#include "burst_buffer/lifecycle/record.h"

/* Begins or continues the stage-in that a waiting job asks for. */
int slu_prestage_want(struct slu_buffers *b, const struct slu_job *job,
		      const struct slu_request *req, double now,
		      struct slu_err *err);
/* A run starts: removes from its plan what was staged in for it. *by: the
 * instance that has the data, or NULL. */
void slu_prestage_take(const struct slu_buffers *b, uint32_t job_id,
		       struct slu_plan *plan, const struct slu_bb **by);
/* Remove the stage-outs, or the stage-ins, from the plan. */
void slu_prestage_only_in(struct slu_plan *plan);
void slu_prestage_only_out(struct slu_plan *plan);
/* A job is over and will not start: what was staged in for it ends. */
int slu_prestage_end(struct slu_buffers *b, uint32_t job_id, double now,
		     struct slu_err *err);

#endif

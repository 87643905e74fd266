/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_EARLY_STAGE_IN_H
#define SLU_LIFECYCLE_EARLY_STAGE_IN_H

/* Early stage-in: stages a waiting job's data in before the job has nodes. */

#include "burst_buffer/lifecycle/record.h"

/* Begins or continues the stage-in that a waiting job asks for. */
int slu_early_stage_in_want(struct slu_buffers *b, const struct slu_job *job,
			    const struct slu_request *req, double now,
			    struct slu_err *err);
/* A run starts: removes from its plan what was staged in for it. *by: the
 * instance that has the data, or NULL. */
void slu_early_stage_in_hand_over(const struct slu_buffers *b, uint32_t job_id,
				  struct slu_plan *plan,
				  const struct slu_bb **by);
/* Removes the stage-outs, or the stage-ins, from the plan. */
void slu_plan_keep_stage_ins(struct slu_plan *plan);
void slu_plan_keep_stage_outs(struct slu_plan *plan);
/* A job is over and will not start: what was staged in for it ends. */
int slu_early_stage_in_end(struct slu_buffers *b, uint32_t job_id, double now,
			   struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cancels the stage-out of a job on request of its owner or of an
 * administrator. It then fails like any other, and the answer says where the
 * data is kept.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/fate.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"

/* The run of this job that is staging out, else its newest. */
static struct slu_bb *find_staging(const struct slu_buffers *b, uint32_t job_id)
{
	struct slu_bb *bb;

	for (bb = slu_bb_of(b, job_id); bb; bb = slu_bb_older(bb))
		if (bb->state == SLU_BB_STAGE_OUT)
			return bb;
	return slu_bb_of(b, job_id);
}

int slu_buffers_cancel(struct slu_buffers *b, const struct slu_cancel *cancel,
		       uint32_t uid, bool admin, double now,
		       struct slu_answer *out, struct slu_err *err)
{
	struct slu_bb *bb = find_staging(b, cancel->job_id);
	char *word;

	if (!bb)
		return slu_err(err, SLU_NOTFOUND,
			       "job %u has no file system (any more)",
			       (unsigned)cancel->job_id);
	if (uid != bb->plan.uid && !admin)
		return slu_err(err, SLU_DENIED, "job %u is not yours",
			       (unsigned)cancel->job_id);
	if (bb->state != SLU_BB_STAGE_OUT)
		return slu_err(err, SLU_INVALID, "job %u is not staging out%s",
			       (unsigned)cancel->job_id,
			       bb->end.at ? "" : "; scancel ends a job");
	if (slu_bb_cancel(b, bb,
			  uid == bb->plan.uid ? "its owner"
					      : "an administrator",
			  now, err) ||
	    slu_bb_reconcile(b, bb, now, err))
		return -1;
	word = strdup("abort");
	if (!word)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*out = (struct slu_answer){
		.word = word,
		.text = slu_bb_kept_where(bb),
		.success = (bb->end.outcome == SLU_OUTCOME_SUCCESS)};
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends buffers whose life is not tied to a job's end. A persistent buffer ends
 * when its owner destroys it or it expires, and no job uses it. A buffer that
 * stages in for a waiting job ends when the job has taken it over, is gone or
 * has not asked for 12 h (UNASKED), when stage-in has failed, or when the
 * persistent buffer that it uses is being destroyed.
 */
#include "config.h"
#include <stdio.h>
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/persistent_use.h"
#include "burst_buffer/lifecycle/reconcile/expiry.h"
#include "burst_buffer/lifecycle/reconcile/persistent_end.h"
#include "burst_buffer/lifecycle/record_facts.h"

/* Seconds for which data waits for a job that does not ask for it: Slurm does
 * not ask for a job that is held, and it may have been cancelled while sluiced
 * was down. */
#define UNASKED (12 * 3600.0)

static const char *why_end_staged(const struct slu_buffers *b,
				  const struct slu_bb *bb, double now)
{
	if (bb->persistent.destroy)
		return "its job is gone";
	if (bb->failure.text && slu_bb_released(bb, now))
		return "it could not be staged in";
	for (const struct slu_bb *x = b->first; x; x = x->next) {
		if (x->plan.staged == bb->id)
			return x->state >= SLU_BB_RUNNING || x->end.at > 0
				       ? "its job has taken it over"
				       : NULL;
		if (bb->plan.use && x->id == bb->plan.use &&
		    slu_persistent_goes(x))
			return "its buffer is to be destroyed";
	}
	return now >= bb->persistent.asked + UNASKED ? "no job has asked for it"
						     : NULL;
}

/* The reason to end it now; NULL: none. */
static const char *why_end(const struct slu_buffers *b, const struct slu_bb *bb,
			   double now)
{
	if (bb->failure.text && bb->state == SLU_BB_SETUP &&
	    slu_bb_released(bb, now))
		return "it could not be made";
	if (bb->persistent.users)
		return NULL;
	if (slu_persistent_goes(bb))
		return "destroyed";
	if (slu_expiry_left(b, bb, now) <= 0 && !bb->persistent.unsaved)
		return "its lifetime is over";
	return NULL;
}

/* Was a job that used it unable to stage out everything? */
static bool left_data(const struct slu_bb *user, const struct slu_bb *bb)
{
	return user->plan.use == bb->id && slu_bb_failed_with_data(user) &&
	       user->state >= SLU_BB_STAGE_OUT && slu_bb_has_data(user) &&
	       slu_bb_stages(user, true);
}

/* Record only the first failed stage-out. While one is recorded the buffer does
 * not expire, and only a forced destroy ends it, since we cannot tell what else
 * is missing. */
static int note_unsaved(struct slu_buffers *b, struct slu_bb *bb, double now,
			struct slu_err *err)
{
	const struct slu_bb *user = b->first;
	char line[400];

	if (bb->plan.early || bb->persistent.unsaved)
		return 0;
	while (user && !left_data(user, bb))
		user = user->next;
	if (!user)
		return 0;
	snprintf(line, sizeof(line), "stage-out of job %u: %.300s",
		 (unsigned)user->plan.job_id, user->failure.text);
	return slu_bb_set_unsaved(b->db, bb, line, now, err);
}

int slu_persistent_review(struct slu_buffers *b, struct slu_bb *bb, double now,
			  struct slu_err *err)
{
	const struct slu_bb_end how = {.outcome = SLU_OUTCOME_SUCCESS};
	const char *why;

	if (!bb->plan.persistent || bb->end.at > 0)
		return 0;
	if (note_unsaved(b, bb, now, err))
		return -1;
	bb->persistent.users = 0;
	for (const struct slu_bb *user = b->first; user; user = user->next)
		bb->persistent.users +=
			user->plan.use == bb->id && user->state != SLU_BB_DONE;
	why = bb->plan.early ? why_end_staged(b, bb, now) : why_end(b, bb, now);
	if (!why)
		return 0;
	if (slu_bb_set_ended(b->db, bb, &how, why, now, err))
		return -1;
	slu_bb_log(b, bb, SLU_INFO, "%s: %s", bb->plan.name, why);
	slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
	return 0;
}

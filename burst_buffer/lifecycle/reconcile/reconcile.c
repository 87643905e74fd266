/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes every step of a buffer that is due by its record: opens barriers,
 * records faults as failures, advances the state machine (transitions.h). It
 * looks at the facts and not at what happened last, so it is right after a
 * restart, after a message that was lost and after one that came twice.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/reconcile/faults.h"
#include "burst_buffer/lifecycle/effects/fate.h"
#include "burst_buffer/lifecycle/reconcile/hetjob.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/node_rows.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/reconcile/persistent_end.h"
#include "burst_buffer/lifecycle/effects/phase_metrics.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/lifecycle/reconcile/room_shares.h"

/* Barriers */

/* "out.done" never opens: there the node's answer follows from the state. */
static bool may_open(const struct slu_buffers *b, const struct slu_bb *bb,
		     const struct slu_bb_barrier *barrier, double now)
{
	return slu_bb_barrier_present(bb, barrier) &&
	       strcmp(barrier->name, "out.done") != 0 &&
	       (!bb->failure.text || bb->state == SLU_BB_TEARDOWN) &&
	       slu_bb_all_came(bb, barrier) &&
	       (strcmp(barrier->name, "ready") != 0 ||
		slu_hetjob_ready(b, bb, now));
}

static int open_barriers(struct slu_buffers *b, struct slu_bb *bb, double now,
			 struct slu_err *err)
{
	struct slu_bb_barrier *barrier;
	size_t g;

	for (g = 0; g < bb->n_barrier; g++) {
		barrier = &bb->barrier[g];
		if (barrier->open || !may_open(b, bb, barrier, now))
			continue;
		if (slu_bb_reshare_room(b, bb, barrier, now, err))
			return -1;
		if (!may_open(b, bb, barrier, now)) /* for lack of space */
			continue;
		if (slu_bb_open_barrier(b->db, bb, barrier, err))
			return -1;
		slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
	}
	return 0;
}

/* State machine */

static bool mounted(const struct slu_bb *bb)
{
	const struct slu_bb_barrier *barrier =
		slu_bb_find_barrier(bb, "mounted");

	return barrier && barrier->open;
}

static enum slu_bb_event setup_event(const struct slu_buffers *b,
				     const struct slu_bb *bb, double now)
{
	if (bb->end.at)
		return SLU_BB_ENDED;
	if (bb->failure.text)
		return 0;
	if (slu_bb_all_ready(bb) && slu_hetjob_ready(b, bb, now))
		return SLU_BB_READY;
	if (bb->state == SLU_BB_SETUP && mounted(bb) &&
	    slu_bb_stages(bb, false))
		return SLU_BB_MOUNTED;
	return 0;
}

/* The event that is due; 0: none. */
static enum slu_bb_event due(const struct slu_buffers *b,
			     const struct slu_bb *bb, double now)
{
	switch (bb->state) {
	case SLU_BB_SETUP:
	case SLU_BB_STAGE_IN:
		return setup_event(b, bb, now);
	case SLU_BB_RUNNING:
		if (!bb->end.at)
			return 0;
		if (slu_bb_has_data(bb))
			return SLU_BB_ENDED_DATA;
		return slu_hetjob_outlasts(b, bb) ? 0 : SLU_BB_ENDED;
	case SLU_BB_STAGE_OUT:
		if (!(bb->failure.text ? slu_bb_released(bb, now)
				       : slu_bb_stage_out_over(bb)))
			return 0;
		return slu_hetjob_outlasts(b, bb) ? 0 : SLU_BB_STAGED;
	case SLU_BB_TEARDOWN:
		return slu_bb_count(bb, SLU_IN(SLU_NODE_CLEAN) |
						SLU_IN(SLU_NODE_LOST)) ==
				       bb->plan.n_node
			       ? SLU_BB_GONE
			       : 0;
	case SLU_BB_DONE:
		return 0;
	}
	return 0;
}

static const char *const event_texts[] = {
	[SLU_BB_MOUNTED] = "mounted on every node",
	[SLU_BB_READY] = "ready on every node",
	[SLU_BB_ENDED] = "the job ended",
	[SLU_BB_ENDED_DATA] = "the job ended, data is to be staged out",
	[SLU_BB_STAGED] = "stage-out is over",
	[SLU_BB_GONE] = "no node has anything of it",
};

/* History text: stage-out is over, and how the data was verified. */
static const char *staged_text(const struct slu_bb *bb, char text[120])
{
	if (bb->failure.text && bb->failure.in == SLU_BB_RUNNING)
		return "nothing was staged out, as the run had failed";
	if (bb->failure.text || !slu_bb_stages(bb, true))
		return event_texts[SLU_BB_STAGED];
	snprintf(text, 120, "%s, verified %s", event_texts[SLU_BB_STAGED],
		 slu_bb_verified(bb));
	return text;
}

/* text: space for it. */
static const char *event_text(const struct slu_bb *bb, enum slu_bb_event event,
			      char text[120])
{
	if (event == SLU_BB_STAGED)
		return staged_text(bb, text);
	if (event == SLU_BB_ENDED_DATA && bb->failure.text)
		return event_texts[SLU_BB_ENDED];
	return event_texts[event];
}

/* The persistent buffer that this one uses, or the buffer whose stage-in it has
 * taken over, may end now, or has to note what could not be staged out. */
static void look_at_used(struct slu_buffers *b, const struct slu_bb *user)
{
	struct slu_bb *bb =
		user->plan.use || user->plan.staged ? b->first : NULL;

	for (; bb; bb = bb->next)
		if (bb->id == user->plan.use || bb->id == user->plan.staged)
			slu_bb_request_effects(b, bb, SLU_EFFECT_RECONCILE);
}

/* Other components of a heterogeneous job may have waited for this one. */
static void look_at_components(struct slu_buffers *b, const struct slu_bb *bb)
{
	struct slu_bb *one = bb->plan.het_job ? b->first : NULL;

	for (one = slu_hetjob_next(b, bb, one); one;
	     one = slu_hetjob_next(b, bb, one->next))
		slu_bb_request_effects(b, one, SLU_EFFECT_RECONCILE);
}

static int advance(struct slu_buffers *b, struct slu_bb *bb,
		   enum slu_bb_event event, double now, struct slu_err *err)
{
	const enum slu_bb_state was = bb->state;
	const char *from = slu_bb_name((int)was);
	double since = bb->since;
	char staged[120];
	char *kept = event == SLU_BB_GONE && slu_bb_keeps(bb, now)
			     ? slu_bb_kept_where(bb)
			     : NULL;
	const char *text = kept ? kept : event_text(bb, event, staged);
	int rc;

	rc = slu_bb_advance(b->db, bb, event, text, now, err);
	if (rc == 0)
		slu_bb_log(b, bb, SLU_INFO, "%s -> %s after %.1f s: %s", from,
			   slu_bb_name((int)bb->state), now - since, text);
	free(kept);
	if (rc)
		return -1;
	slu_bb_phase_over(b, bb, was, now - since);
	if (was == SLU_BB_STAGE_IN || was == SLU_BB_STAGE_OUT)
		bb->took[was == SLU_BB_STAGE_OUT] = now - since;
	slu_bb_forget_progress(bb);
	slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
	if (event == SLU_BB_STAGED)
		slu_bb_request_effects(b, bb, SLU_EFFECT_STAGED);
	if (bb->state == SLU_BB_RUNNING)
		slu_bb_request_effects(b, bb, SLU_EFFECT_EXTEND);
	look_at_used(b, bb);
	look_at_components(b, bb);
	return 0;
}

static int reconcile_one(struct slu_buffers *b, struct slu_bb *bb, double now,
			 struct slu_err *err)
{
	enum slu_bb_event event;

	if (slu_persistent_review(b, bb, now, err))
		return -1;
	do {
		if (slu_bb_find_fault(b, bb, now, err) ||
		    open_barriers(b, bb, now, err))
			return -1;
		event = due(b, bb, now);
		if (event && advance(b, bb, event, now, err))
			return -1;
	} while (event);
	if (bb->failure.text)
		look_at_used(b, bb);
	bb->keeps = slu_bb_keeps(bb, now);
	slu_bb_request_effects(b, bb, SLU_EFFECT_STATE);
	return 0;
}

int slu_bb_reconcile(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err)
{
	int rc = 0;

	slu_bb_request_effects(b, bb, SLU_EFFECT_RECONCILE);
	look_at_components(b, bb);
	while (rc == 0 && (bb = slu_bb_next_changed(b)))
		rc = reconcile_one(b, bb, now, err);
	slu_bb_carry_out(b, now);
	return rc;
}

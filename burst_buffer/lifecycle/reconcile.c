/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What follows from the facts. slu_bb_reconcile() looks at a buffer as it is
 * and takes every step that is due: barriers open, faults become failures, the
 * life goes on. It does not ask what happened last, so it is right after a
 * restart, after a message that was lost and after one that came twice.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/failure.h"
#include "burst_buffer/lifecycle/fate.h"
#include "burst_buffer/lifecycle/hetjob.h"
#include "burst_buffer/lifecycle/notifications.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/persistent_end.h"
#include "burst_buffer/lifecycle/persistent_use.h"
#include "burst_buffer/lifecycle/phase_metrics.h"
#include "burst_buffer/lifecycle/reconcile.h"
#include "burst_buffer/lifecycle/room_shares.h"
#include "common/size.h"
#include "common/str.h"

static bool is_lost_with_data(const struct slu_bb *bb, size_t i)
{
	return slu_bb_is_lost(bb, i) && slu_bb_holds(bb, i);
}

/* Did the job say that it can do without what was lost (tolerate=)? */
static bool tolerated(const struct slu_bb *bb)
{
	size_t i, lost = 0;

	for (i = 0; i < bb->plan.n_node; i++)
		lost += is_lost_with_data(bb, i);
	return lost <= bb->plan.tolerate;
}

/* Shares of request R that nodes of part P owed when they were lost (perhaps
 * they are back since, with nothing left), and that the job can do without, or
 * others have done. */
static size_t excused(const struct slu_bb *bb, size_t p, size_t r)
{
	size_t i, data = 0, here = 0;

	for (i = 0; i < bb->plan.n_node; i++) {
		const struct slu_bb_member *m = &bb->member[i];

		if ((m->shared >> r & 1) ||
		    (m->state != SLU_NODE_LOST && m->state != SLU_NODE_CLEAN))
			continue;
		data += slu_bb_holds(bb, i);
		here += m->part == p;
	}
	return tolerated(bb) && data <= bb->plan.tolerate ? here : 0;
}

/* Is all of request R where it should be? Either the shares of all nodes of
 * part P make the whole of it, or (without a common name space) each did a
 * whole of its own. */
static bool complete(const struct slu_bb *bb, size_t p, size_t r)
{
	const struct slu_bb_sum *sum = &bb->part[p].sum[r];
	const struct slu_bb_share *all = &sum->all;

	if (sum->n + excused(bb, p, r) < bb->part[p].n_node ||
	    (!sum->n && slu_bb_together(bb)))
		return false;
	return !sum->partly ||
	       (!sum->uneven && all->bytes == all->total_bytes &&
		all->files == all->total_files);
}

static int incomplete(struct slu_buffers *b, struct slu_bb *bb,
		      const struct slu_bb_part *part, size_t r, double now,
		      struct slu_err *err)
{
	const struct slu_bb_share *all = &part->sum[r].all;
	char done[SLU_SIZE_TEXT], total[SLU_SIZE_TEXT];

	return slu_bb_fail(b, bb, now, err,
			   "%s of %.120s is incomplete: %llu of %llu "
			   "files, %s of %s, told by %zu of %zu nodes",
			   bb->plan.stage[r].out ? "stage-out" : "stage-in",
			   bb->plan.stage[r].source,
			   (unsigned long long)all->files,
			   (unsigned long long)all->total_files,
			   slu_size_text(all->bytes, done),
			   slu_size_text(all->total_bytes, total),
			   part->sum[r].n, part->n_node);
}

/* The first of these requests of which something is not there; false: none. */
static bool find_incomplete(const struct slu_bb *bb, bool out, size_t *part,
			    size_t *request)
{
	uint64_t wanted = slu_bb_stages(bb, out);

	for (size_t r = 0; r < bb->plan.n_stage; r++)
		for (size_t p = 0; wanted >> r & 1 && p < bb->n_part; p++)
			if (!complete(bb, p, r)) {
				*part = p;
				*request = r;
				return true;
			}
	return false;
}

static int check_complete(struct slu_buffers *b, struct slu_bb *bb, bool out,
			  double now, struct slu_err *err)
{
	size_t p, r;

	return find_incomplete(bb, out, &p, &r)
		       ? incomplete(b, bb, &bb->part[p], r, now, err)
		       : 0;
}

/* Every node that could has come to the end of stage-out. */
static bool stage_out_over(const struct slu_bb *bb)
{
	const struct slu_bb_barrier *barrier =
		slu_bb_find_barrier(bb, "out.done");

	if (barrier)
		return slu_bb_all_came(bb, barrier);
	return slu_bb_count(bb,
			    SLU_IN(SLU_NODE_CLEAN) | SLU_IN(SLU_NODE_LOST)) ==
	       bb->plan.n_node;
}

static int lost_data(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err)
{
	char *hosts = slu_bb_hosts(bb, is_lost_with_data);
	int rc = slu_bb_fail(b, bb, now, err,
			     "%.200s was lost, and its data with it",
			     hosts ? hosts : "a node");

	free(hosts);
	return rc;
}

/* How the job ended is not known. Nothing depends on it any more where all that
 * may have been to be staged out was. */
static int end_in_doubt(struct slu_buffers *b, struct slu_bb *bb, double now,
			struct slu_err *err)
{
	size_t p, r;

	if (slu_bb_is_unheard(b, bb, now) &&
	    (!stage_out_over(bb) || !find_incomplete(bb, true, &p, &r)))
		return 0;
	return slu_bb_fail(b, bb, now, err,
			   "slurmctld cannot say whether the job succeeded");
}

/* A fault that only the whole shows. */
static int find_fault(struct slu_buffers *b, struct slu_bb *bb, double now,
		      struct slu_err *err)
{
	if (bb->failure.text)
		return 0;
	if (bb->state == SLU_BB_SETUP && !slu_bb_has_plan(bb))
		return slu_bb_fail(b, bb, now, err, "no plan can be made");
	if (bb->state <= SLU_BB_STAGE_IN && !bb->end.at && slu_bb_all_ready(bb))
		return check_complete(b, bb, false, now, err);
	if (bb->state != SLU_BB_STAGE_OUT)
		return 0;
	if (slu_bb_in_doubt(bb))
		return end_in_doubt(b, bb, now, err);
	if (!tolerated(bb))
		return lost_data(b, bb, now, err);
	return stage_out_over(bb) ? check_complete(b, bb, true, now, err) : 0;
}

/* Barriers */

/* "out.done" never opens: there the state says whether to go on. */
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
		if (!may_open(b, bb, barrier, now)) /* for want of room */
			continue;
		if (slu_bb_open_barrier(b->db, bb, barrier, err))
			return -1;
		slu_bb_wake(b, bb);
	}
	return 0;
}

/* The life */

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
				       : stage_out_over(bb)))
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

/* Said on the record: what was proven, and how. */
static const char *staged_text(const struct slu_bb *bb, char text[120])
{
	if (bb->failure.text || !slu_bb_stages(bb, true))
		return event_texts[SLU_BB_STAGED];
	snprintf(text, 120, "%s, verified %s", event_texts[SLU_BB_STAGED],
		 slu_bb_verified(bb));
	return text;
}

/* What this buffer uses, or has taken over, may end by now. */
static int reconcile_used(struct slu_buffers *b, const struct slu_bb *user,
			  double now, struct slu_err *err)
{
	struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next)
		if ((bb->id == user->plan.use || bb->id == user->plan.staged) &&
		    slu_bb_reconcile(b, bb, now, err))
			return -1;
	return 0;
}

static int go_on(struct slu_buffers *b, struct slu_bb *bb,
		 enum slu_bb_event event, double now, struct slu_err *err)
{
	const enum slu_bb_state was = bb->state;
	const char *from = slu_bb_name((int)was);
	double since = bb->since;
	char staged[120];
	char *kept = event == SLU_BB_GONE && slu_bb_keeps(bb, now)
			     ? slu_bb_kept_where(bb)
			     : NULL;
	const char *text = kept			    ? kept
			   : event == SLU_BB_STAGED ? staged_text(bb, staged)
						    : event_texts[event];
	int rc;

	/* again, if sluiced was stopped between the failure and this */
	if (event == SLU_BB_STAGED && bb->failure.text &&
	    bb->failure.in == SLU_BB_STAGE_OUT &&
	    slu_persistent_staged_out(b, bb, bb->failure.text, now, err))
		return -1;
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
	if (event == SLU_BB_STAGED)
		slu_bb_notify_staged(b, bb);
	slu_bb_forget_progress(bb);
	slu_bb_wake(b, bb);
	if (bb->state == SLU_BB_RUNNING)
		slu_bb_notify_extend(b, bb, now);
	return reconcile_used(b, bb, now, err);
}

static int reconcile_one(struct slu_buffers *b, struct slu_bb *bb, double now,
			 struct slu_err *err)
{
	enum slu_bb_event event;

	if (slu_persistent_review(b, bb, now, err))
		return -1;
	do {
		if (find_fault(b, bb, now, err) ||
		    open_barriers(b, bb, now, err))
			return -1;
		event = due(b, bb, now);
		if (event && go_on(b, bb, event, now, err))
			return -1;
	} while (event);
	bb->keeps = slu_bb_keeps(bb, now);
	slu_bb_notify(b, bb, now);
	return 0;
}

/* The other components of a heterogeneous job may have waited for this one. */
int slu_bb_reconcile(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err)
{
	struct slu_bb *one;

	if (reconcile_one(b, bb, now, err))
		return -1;
	if (!bb->plan.het_job)
		return 0;
	for (one = slu_hetjob_next(b, bb, b->first); one;
	     one = slu_hetjob_next(b, bb, one->next))
		if (one != bb && reconcile_one(b, one, now, err))
			return -1;
	return 0;
}

/* Nodes that boot: Slurm runs no prolog before all of them are up. */

bool slu_bb_boots(const struct slu_bb *bb)
{
	const unsigned began = SLU_IN(SLU_NODE_UP) | SLU_IN(SLU_NODE_READY) |
			       SLU_IN(SLU_NODE_DOWN);

	return bb->plan.boot_timeout && bb->state == SLU_BB_SETUP &&
	       slu_bb_count(bb, began) == 0;
}

int slu_bb_booted(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		  double now, struct slu_err *err)
{
	char took[SLU_TIME_TEXT], text[300];

	if (!slu_bb_boots(bb))
		return 0;
	snprintf(text, sizeof(text), "%.200s has booted after %s",
		 bb->plan.node[i].name,
		 slu_seconds_text(now - bb->since, took));
	slu_bb_log(b, bb, SLU_INFO, "%s", text);
	return slu_bb_locate(b, bb, err) ||
			       slu_bb_set_booted(b->db, bb, text, now, err)
		       ? -1
		       : 0;
}

/* Deadlines */

/* Seconds; 0: it waits for others, whose deadlines count. */
static int64_t timeout(const struct slu_buffers *b, const struct slu_bb *bb)
{
	if (bb->failure.text && bb->state < SLU_BB_TEARDOWN)
		return 0;

	switch (bb->state) {
	case SLU_BB_SETUP:
		if (slu_hetjob_waits(b, bb))
			return 0;
		return bb->plan.setup_timeout +
		       (slu_bb_boots(bb) ? bb->plan.boot_timeout : 0);
	case SLU_BB_STAGE_IN:
		return slu_hetjob_waits(b, bb) ? 0 : bb->plan.stage_in_timeout;
	case SLU_BB_STAGE_OUT:
		if (stage_out_over(bb) && slu_hetjob_outlasts(b, bb))
			return 0;
		return bb->plan.stage_out_timeout;
	case SLU_BB_TEARDOWN:
		return bb->plan.teardown_timeout;
	case SLU_BB_RUNNING:
	case SLU_BB_DONE:
		return 0;
	}
	return 0;
}

double slu_bb_deadline(const struct slu_buffers *b, const struct slu_bb *bb)
{
	int64_t seconds = timeout(b, bb);

	if (seconds <= 0)
		return 0;
	return fmax(bb->since + (double)seconds + bb->grace,
		    bb->unwitnessed ? b->loaded + SLU_BB_WITNESS : 0);
}

/* Late nodes of a teardown are given up, so that the others get on. */
static int give_up(struct slu_buffers *b, struct slu_bb *bb, double now,
		   struct slu_err *err)
{
	size_t i;

	bb->grace = now - bb->since; /* the others begin anew */
	for (i = 0; i < bb->plan.n_node; i++) {
		if (!slu_bb_is_late(bb, i))
			continue;
		if (slu_bb_fail(b, bb, now, err, "%s did not clean up in time",
				bb->plan.node[i].name) ||
		    (!bb->plan.persistent &&
		     slu_bb_set_order(b->db, bb, i, SLU_ORDER_DRAIN, NULL, now,
				      err)) ||
		    slu_bb_set_node(b->db, bb, i, SLU_NODE_LOSE, err))
			return -1;
		slu_bb_notify_order(b, bb, i);
	}
	return slu_bb_reconcile(b, bb, now, err);
}

static int fail_late(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err)
{
	char limit[SLU_TIME_TEXT];
	char *late = slu_bb_hosts(bb, slu_bb_is_late);
	int rc = slu_bb_fail(b, bb, now, err, "not %s after %s on %.200s",
			     slu_bb_boots(bb) ? "booted" : "done",
			     slu_seconds_text((double)timeout(b, bb), limit),
			     late ? late : "some nodes");

	free(late);
	return rc ? rc : slu_bb_reconcile(b, bb, now, err);
}

int slu_bb_timed_out(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err)
{
	if (bb->state == SLU_BB_TEARDOWN)
		return give_up(b, bb, now, err);
	return fail_late(b, bb, now, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes how long a buffer may stay in its state, by the timeouts of
 * sluice.conf, and acts when that time is over: in teardown it gives up the
 * nodes that have not finished, in any other state the buffer fails. Where its
 * nodes have to boot first, Slurm runs no prolog before all of them are up; the
 * time for set-up then begins with the first node that asks for the plan.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/reconcile/deadlines.h"
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/reconcile/faults.h"
#include "burst_buffer/lifecycle/reconcile/hetjob.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/node_rows.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "common/size.h"

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

/* Seconds that its present state may take; 0: no limit, as it has failed, or
 * waits for other components of the job, whose deadlines count. */
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
		if (slu_bb_stage_out_over(bb) && slu_hetjob_outlasts(b, bb))
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

/* At the deadline of a teardown the nodes that have not finished are given up,
 * so that the others can go on. */
static int give_up(struct slu_buffers *b, struct slu_bb *bb, double now,
		   struct slu_err *err)
{
	size_t i;

	bb->grace = now - bb->since; /* the others get the whole time again */
	for (i = 0; i < bb->plan.n_node; i++) {
		if (!slu_bb_is_waited_for(bb, i))
			continue;
		if (slu_bb_fail(b, bb, now, err, "%s did not clean up in time",
				bb->plan.node[i].name) ||
		    (!bb->plan.persistent &&
		     slu_bb_order(b, bb, i, SLU_ORDER_DRAIN, NULL, now, err)) ||
		    slu_bb_set_node(b->db, bb, i, SLU_NODE_LOSE, err))
			return -1;
	}
	return slu_bb_reconcile(b, bb, now, err);
}

static int fail_late(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err)
{
	char limit[SLU_TIME_TEXT];
	char *late = slu_bb_hosts(bb, slu_bb_is_waited_for);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles nodes that leave a job. A node that slurmctld has given up is lost,
 * and so is the data on it: before the job runs, the buffer fails. A node that
 * Slurm has released without a report that it is clean is drained.
 */
#include "config.h"
#include <stdio.h>
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/events/given_up_nodes.h"
#include "burst_buffer/lifecycle/node_rows.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "common/hostlist.h"

int slu_run_lose_node(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		      double now, struct slu_err *err)
{
	const char *name = bb->plan.node[i].name;
	char text[300];

	if (bb->member[i].state == SLU_NODE_CLEAN ||
	    bb->member[i].state == SLU_NODE_LOST)
		return 0;
	snprintf(text, sizeof(text), "%.200s is lost", name);
	if (bb->state <= SLU_BB_STAGE_IN && !bb->failure.text &&
	    slu_bb_fail(b, bb, now, err, "node %s", text))
		return -1;
	if (slu_bb_set_node(b->db, bb, i, SLU_NODE_LOSE, err))
		return -1;
	if (bb->member[i].state != SLU_NODE_LOST)
		return 0;
	slu_bb_log(b, bb, SLU_WARN, "%s", text);
	slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
	return slu_bb_note(b->db, bb, text, now, err);
}

/* The node may have cleaned up while sluiced was down, or after the database
 * was copied, so it gets time to report that. */
static int let_it_tell(struct slu_buffers *b, struct slu_bb *bb, size_t i)
{
	if (!bb->member[i].left)
		slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
	bb->member[i].left = true;
	return 0;
}

int slu_run_leave_node(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		       double now, struct slu_err *err)
{
	struct slu_bb_member *m = &bb->member[i];
	char text[300];

	if (bb->end.at <= 0 || m->state == SLU_NODE_CLEAN ||
	    m->state == SLU_NODE_LOST || m->order == SLU_ORDER_DRAIN)
		return 0;
	if (slu_bb_is_unheard(b, bb, now))
		return let_it_tell(b, bb, i);
	snprintf(text, sizeof(text), "%.200s left without having been cleaned",
		 bb->plan.node[i].name);
	if (slu_bb_order(b, bb, i, SLU_ORDER_DRAIN, text, now, err))
		return -1;
	slu_bb_log(b, bb, SLU_WARN, "%s", text);
	return 0;
}

int slu_runs_each_node(struct slu_buffers *b, uint32_t job_id, const char *list,
		       bool invert, slu_run_node_f *fn, double now,
		       struct slu_err *err)
{
	struct slu_bb *bb = slu_bb_of(b, job_id);
	struct slu_hosts hosts;
	size_t i;
	int rc = 0;

	if (!list || !bb)
		return 0;
	if (slu_hosts_parse(list, &hosts, err))
		return -1;
	slu_hosts_sort(&hosts);
	for (; bb && rc == 0; bb = slu_bb_older(bb)) {
		for (i = 0; rc == 0 && i < bb->plan.n_node; i++)
			if (slu_hosts_sorted_has(
				    &hosts, bb->plan.node[i].name) != invert)
				rc = fn(b, bb, i, now, err);
		if (rc == 0)
			rc = slu_bb_reconcile(b, bb, now, err);
	}
	slu_bb_carry_out(b, now);
	slu_hosts_free(&hosts);
	return rc;
}

int slu_buffers_job_nodes(struct slu_buffers *b,
			  const struct slu_job_nodes *nodes, double now,
			  struct slu_err *err)
{
	if (slu_runs_each_node(b, nodes->job_id, nodes->lost, false,
			       slu_run_lose_node, now, err))
		return -1;
	return slu_runs_each_node(b, nodes->job_id, nodes->left, false,
				  slu_run_leave_node, now, err);
}

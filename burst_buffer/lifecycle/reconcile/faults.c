/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds faults that no single node can see, and records them as the failure of
 * the buffer: nodes' shares of a stage request that are missing or do not add
 * up to the whole, and data that was on a node that was lost.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/reconcile/faults.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "common/size.h"

static bool is_lost_with_data(const struct slu_bb *bb, size_t i)
{
	return slu_bb_is_lost(bb, i) && slu_bb_holds(bb, i);
}

/* Does tolerate= allow for the data that was lost? */
static bool tolerated(const struct slu_bb *bb)
{
	size_t i, lost = 0;

	for (i = 0; i < bb->plan.n_node; i++)
		lost += is_lost_with_data(bb, i);
	return lost <= bb->plan.tolerate;
}

/* How many nodes of part P were lost before they had reported their share of
 * request R, where tolerate= allows that or other nodes have done their work.
 * They count even if they are back since, as their data is gone. */
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

/* Has all of request R reached its destination? Either the shares of all nodes
 * of part P add up to the whole, or (without a common name space) each node has
 * staged a whole of its own. */
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
			   "%s of %.120s is incomplete: %llu of %llu files, "
			   "%s of %s, reported by %zu of %zu nodes",
			   bb->plan.stage[r].out ? "stage-out" : "stage-in",
			   bb->plan.stage[r].source,
			   (unsigned long long)all->files,
			   (unsigned long long)all->total_files,
			   slu_size_text(all->bytes, done),
			   slu_size_text(all->total_bytes, total),
			   part->sum[r].n, part->n_node);
}

/* The first of these requests that is incomplete; false: none. */
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

bool slu_bb_stage_out_over(const struct slu_bb *bb)
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

/* How the job ended is not known. That only matters where something that might
 * have been staged out was not. */
static int end_in_doubt(struct slu_buffers *b, struct slu_bb *bb, double now,
			struct slu_err *err)
{
	size_t p, r;

	if (slu_bb_is_unheard(b, bb, now) &&
	    (!slu_bb_stage_out_over(bb) || !find_incomplete(bb, true, &p, &r)))
		return 0;
	return slu_bb_fail(b, bb, now, err,
			   "slurmctld cannot say whether the job succeeded");
}

int slu_bb_find_fault(struct slu_buffers *b, struct slu_bb *bb, double now,
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
	return slu_bb_stage_out_over(bb) ? check_complete(b, bb, true, now, err)
					 : 0;
}

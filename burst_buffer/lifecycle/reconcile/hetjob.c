/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the buffers of a heterogeneous job's components ready at the same time,
 * and keeps the first component's run until all have staged out. To Slurm each
 * component is a job with nodes of its own, so each has a buffer of its own.
 * But Slurm starts and requeues them together, launches their one script as
 * soon as the nodes of the first component (whose id is the job's) are ready,
 * and jobs that depend on the job look at that component alone.
 */
#include "config.h"
#include <math.h>
#include "burst_buffer/lifecycle/reconcile/hetjob.h"
#include "burst_buffer/lifecycle/record_facts.h"

/* Seconds within which slurmctld reports all components of a run. They start in
 * one scheduling cycle. If the last one cannot start, all of them wait until
 * credentials have expired (backfill.c: _het_job_kill_now(); AuthInfo's
 * cred_expire, 120 s) and start again, which does not count as a restart. */
#define TOGETHER 100.0
#define ALONE	 10.0

/* Is this the buffer of a component of the same run (or bb itself)? */
static bool same_run(const struct slu_buffers *b, const struct slu_bb *bb,
		     const struct slu_bb *other)
{
	return other->plan.het_job == bb->plan.het_job &&
	       other->restarts == bb->restarts &&
	       fabs(other->created - bb->created) < TOGETHER &&
	       slu_bb_of(b, other->plan.job_id) == other;
}

struct slu_bb *slu_hetjob_next(const struct slu_buffers *b,
			       const struct slu_bb *bb, struct slu_bb *from)
{
	while (from && !same_run(b, bb, from))
		from = from->next;
	return from;
}

static bool is_ready(const struct slu_bb *bb)
{
	return bb->ready > 0 ||
	       (!bb->failure.text && bb->end.at <= 0 && slu_bb_all_ready(bb));
}

/* Was it cancelled alone (scancel JOB+OFFSET) before it was ready? If the whole
 * job had been, the others would have ended by now. */
static bool is_done_without(const struct slu_bb *bb, double now)
{
	return !bb->failure.text && bb->end.at > 0 && now >= bb->end.at + ALONE;
}

bool slu_hetjob_ready(const struct slu_buffers *b, const struct slu_bb *bb,
		      double now)
{
	const struct slu_bb *one;
	size_t n = 0;

	if (!bb->plan.het_job)
		return true;
	for (one = slu_hetjob_next(b, bb, b->first); one;
	     one = slu_hetjob_next(b, bb, one->next)) {
		if (!is_ready(one) && !is_done_without(one, now))
			return false;
		n++;
	}
	return n >= bb->plan.het_buffers;
}

bool slu_hetjob_waits(const struct slu_buffers *b, const struct slu_bb *bb)
{
	const struct slu_bb *one;
	bool others = false;
	size_t n = 0;

	if (!bb->plan.het_job || !slu_bb_all_ready(bb))
		return false;
	for (one = slu_hetjob_next(b, bb, b->first); one;
	     one = slu_hetjob_next(b, bb, one->next)) {
		if (one->failure.text &&
		    one->failure.verdict != SLU_VERDICT_SENT)
			/* else no deadline would end the wait */
			return false;
		others |= !is_ready(one);
		n++;
	}
	return others && n >= bb->plan.het_buffers;
}

/* Does it have data to stage out, or might it, once slurmctld reports its
 * end? */
static bool may_stage_out(const struct slu_bb *bb)
{
	return bb->state == SLU_BB_STAGE_OUT ||
	       (bb->state == SLU_BB_RUNNING && slu_bb_has_data(bb));
}

bool slu_hetjob_outlasts(const struct slu_buffers *b, const struct slu_bb *bb)
{
	const struct slu_bb *one;

	if (!bb->plan.het_job || bb->plan.het_job != bb->plan.job_id ||
	    bb->end.at <= 0)
		return false;
	for (one = slu_hetjob_next(b, bb, b->first); one;
	     one = slu_hetjob_next(b, bb, one->next))
		if (one != bb && may_stage_out(one))
			return true;
	return false;
}

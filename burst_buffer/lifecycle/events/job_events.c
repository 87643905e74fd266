/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles slurmctld's messages about jobs: starts, ends, cancellations, and its
 * full state. Each run of a job has a buffer of its own, and slurmctld may
 * report an old run after a new one has started, or report twice, or not at
 * all; this file decides which run a message means.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/events/given_up_nodes.h"
#include "burst_buffer/lifecycle/events/job_runs.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/pending/predicted_nodes.h"
#include "burst_buffer/lifecycle/pending/early_stage_in.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/recovery/recovery_ended.h"
#include "burst_buffer/request/request.h"
#include "common/hostlist.h"
#include "common/str.h"

static bool same_nodes(const struct slu_bb *bb, const char *list)
{
	struct slu_hosts hosts;
	bool same;
	size_t i;

	if (!list || slu_hosts_parse(list, &hosts, NULL))
		return false;
	same = hosts.n == bb->plan.n_node;
	for (i = 0; same && i < hosts.n; i++)
		same = strcmp(hosts.name[i], bb->plan.node[i].name) == 0;
	slu_hosts_free(&hosts);
	return same;
}

/* A run that slurmctld does not know any more: it has ended, and none of its
 * nodes is completing. `job`: its last known state; NULL: not known. */
static int vanished(struct slu_buffers *b, struct slu_bb *bb,
		    const struct slu_job *job, double now, struct slu_err *err)
{
	size_t i;

	bb->unwitnessed = bb->loaded;
	if (slu_run_end(b, bb, job, now, err))
		return -1;
	for (i = 0; i < bb->plan.n_node; i++)
		if (slu_run_leave_node(b, bb, i, now, err))
			return -1;
	return 0;
}

/* Is this the buffer of the run that slurmctld says has started, or of a later
 * one? The start time moves when nodes had to be powered up; a run that has
 * ended cannot start again; a job that was submitted later only has the same
 * number. */
static bool same_run(const struct slu_bb *bb, const struct slu_job *job)
{
	if (job->restarts <= bb->restarts && job->start <= bb->job_start)
		return true;
	return bb->end.at <= 0 && job->restarts == bb->restarts &&
	       job->submit <= bb->job_start && same_nodes(bb, job->nodes);
}

static int started(struct slu_buffers *b, const struct slu_job *job, double now,
		   struct slu_err *err)
{
	struct slu_bb *bb = slu_bb_of(b, job->job_id), *old;
	bool known = bb && same_run(bb, job);

	for (old = known ? slu_bb_older(bb) : bb; old; old = slu_bb_older(old))
		if (vanished(b, old, job, now, err))
			return -1;
	if (!known)
		return slu_run_begin(b, job, now, err);
	if (bb->end.at > 0 || job->start <= bb->job_start)
		return 0;
	return slu_bb_set_start(b->db, bb, job->start, err);
}

/* With --no-kill Slurm removes a failed node from the job without a message, so
 * it is missing in the job's node list. Slurm resizes no job with a buffer in
 * any other way. */
static int taken_out(struct slu_buffers *b, struct slu_bb *bb,
		     const struct slu_job *job, double now, struct slu_err *err)
{
	struct slu_hosts hosts;
	int rc = 0;

	if (!bb || bb->plan.persistent || !job->nodes || !*job->nodes ||
	    job->start != bb->job_start || job->restarts != bb->restarts ||
	    slu_eq(job->state, "PENDING") || job->node_cnt >= bb->plan.n_node)
		return 0;
	if (slu_hosts_parse(job->nodes, &hosts, err))
		return -1;
	slu_hosts_sort(&hosts);
	for (size_t i = 0; rc == 0 && i < bb->plan.n_node; i++)
		if (!slu_hosts_sorted_has(&hosts, bb->plan.node[i].name))
			rc = slu_run_lose_node(b, bb, i, now, err);
	slu_hosts_free(&hosts);
	return rc;
}

static int ended(struct slu_buffers *b, const struct slu_job *job, double now,
		 struct slu_err *err)
{
	struct slu_bb *bb = slu_bb_of(b, job->job_id);

	/* a record without `ready` may have been made after the run began: what
	 * its nodes report then counts */
	if (!bb || bb->ready <= 0)
		slu_recover_ended(b, job, now);
	if (taken_out(b, slu_bb_of(b, job->job_id), job, now, err))
		return -1;
	for (bb = slu_bb_of(b, job->job_id); bb; bb = slu_bb_older(bb))
		if (slu_run_end(b, bb, job, now, err))
			return -1;
	if (!slu_eq(job->state, "PENDING") &&
	    slu_early_stage_in_end(b, job->job_id, now, err))
		return -1;
	return slu_runs_each_node(b, job->job_id, job->completing_nodes, true,
				  slu_run_leave_node, now, err);
}

/* Does it ask its nodes for something? Also if its request cannot be parsed, as
 * that has to be refused. */
static bool concerns_us(const struct slu_job *job)
{
	struct slu_request req;
	bool yes;

	if (!job->request || !*job->request)
		return false;
	if (slu_request_has_buffer(job->request))
		return true;
	if (slu_request_parse(job->request, NULL, &req, NULL))
		return true;
	yes = req.has_fs || req.n_stripe;
	slu_request_free(&req);
	return yes;
}

int slu_buffers_job(struct slu_buffers *b, const struct slu_job *job,
		    bool has_ended, double now, struct slu_err *err)
{
	int rc;

	if (!concerns_us(job))
		return 0;
	if (slu_runs_each_node(b, job->job_id, job->down_nodes, false,
			       slu_run_lose_node, now, err))
		return -1;
	rc = has_ended ? ended(b, job, now, err) : started(b, job, now, err);
	slu_bb_carry_out(b, now);
	return rc;
}

/* A job that was submitted after a run had ended is another job with the same
 * number. */
int slu_buffers_cancelled(struct slu_buffers *b,
			  const struct slu_job_cancelled *job, double now,
			  struct slu_err *err)
{
	struct slu_bb *bb = job->start ? slu_bb_of(b, job->job_id) : NULL;

	for (; bb; bb = slu_bb_older(bb))
		if (bb->state == SLU_BB_STAGE_OUT &&
		    (double)job->start <= bb->end.at &&
		    (slu_bb_cancel(b, bb, "scancel --hurry", now, err) ||
		     slu_bb_reconcile(b, bb, now, err)))
			return -1;
	if (!job->start && slu_bb_note_cancelled(b->db, job->job_id, now, err))
		return -1;
	if (!job->start)
		slu_predicted_end(b, job->job_id);
	return slu_early_stage_in_end(b, job->job_id, now, err);
}

/* slurmctld's full state includes jobs that are over, as long as it remembers
 * them. */
static bool is_over(const struct slu_job *job)
{
	return job->completing || !(slu_eq(job->state, "RUNNING") ||
				    slu_eq(job->state, "SUSPENDED"));
}

static int cmp_jobs(const void *a, const void *b)
{
	const struct slu_job *x = *(const struct slu_job *const *)a;
	const struct slu_job *y = *(const struct slu_job *const *)b;

	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

/* A run that is absent from the full state: all of its nodes have been
 * released. */
static int sync_one(struct slu_buffers *b, struct slu_bb *bb,
		    const struct slu_job *const *by_id, size_t n, double now,
		    struct slu_err *err)
{
	const struct slu_job key = {.job_id = bb->plan.job_id}, *one = &key;
	const struct slu_job *const *found;

	if (bb->plan.persistent)
		return 0;
	found = bsearch(&one, by_id, n, sizeof(*by_id), cmp_jobs);
	if (!found)
		return vanished(b, bb, NULL, now, err);
	if (is_over(*found) && !(*found)->completing)
		return vanished(b, bb, *found, now, err);
	return 0;
}

/* Keeps the first error; the other jobs are handled all the same. */
static void first(const struct slu_err *one, struct slu_err *all, int *rc)
{
	if (*rc == 0)
		*all = *one;
	*rc = -1;
}

int slu_buffers_sync(struct slu_buffers *b, const struct slu_job *jobs,
		     size_t n, double now, struct slu_err *err)
{
	const struct slu_job **by_id = calloc(n + 1, sizeof(*by_id));
	struct slu_err one, all;
	struct slu_bb *bb;
	size_t j;
	int rc = 0;

	if (!by_id)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (j = 0; j < n; j++)
		by_id[j] = &jobs[j];
	qsort(by_id, n, sizeof(*by_id), cmp_jobs);
	for (bb = b->first; bb; bb = bb->next)
		if (sync_one(b, bb, by_id, n, now, &one))
			first(&one, &all, &rc);
	free(by_id);
	for (j = 0; j < n; j++)
		if (slu_buffers_job(b, &jobs[j], is_over(&jobs[j]), now, &one))
			first(&one, &all, &rc);
	for (bb = b->first; bb; bb = bb->next) {
		slu_bb_resend_all(b, bb);
		slu_bb_request_effects(b, bb, SLU_EFFECT_VERDICT);
	}
	slu_bb_carry_out(b, now);
	return rc ? slu_err(err, all.kind, "%s", all.text) : 0;
}

int64_t slu_buffers_run(const struct slu_buffers *b, uint32_t job_id,
			uint64_t buffer)
{
	const struct slu_bb *bb = slu_bb_of(b, job_id);

	while (bb && bb->plan.buffer != buffer)
		bb = slu_bb_older(bb);
	return bb && !bb->plan.persistent ? bb->job_start : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What slurmctld says of jobs and of their nodes. Each run of a job has a
 * buffer of its own, and slurmctld may tell of an old run after a new one
 * began, twice, or not at all: which run a message means is decided here.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/effects.h"
#include "burst_buffer/lifecycle/failure.h"
#include "burst_buffer/lifecycle/fate.h"
#include "burst_buffer/lifecycle/notifications.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/prestage.h"
#include "burst_buffer/lifecycle/reconcile.h"
#include "burst_buffer/lifecycle/recovery_ended.h"
#include "burst_buffer/lifecycle/room_shares.h"
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/request.h"
#include "common/hostlist.h"
#include "common/size.h"
#include "common/str.h"

/* A run begins */

/* Its plan may be one that cannot be carried out; then *why says why not, and
 * *too_small for which nodes. */
static struct slu_bb *new_buffer(struct slu_buffers *b,
				 const struct slu_job *job, double now,
				 const struct slu_bb **by,
				 struct slu_buf *too_small, struct slu_err *why,
				 struct slu_err *err)
{
	struct slu_plan_site site = slu_bb_run_site(b);
	struct slu_bb *bb = calloc(1, sizeof(*bb));
	int rc = 0;

	site.too_small = too_small;

	*by = NULL;
	if (!bb) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	bb->state = SLU_BB_SETUP;
	bb->created = bb->since = now;
	bb->restarts = job->restarts;
	bb->job_start = job->start;
	bb->user = job->user ? strdup(job->user) : NULL;
	if (slu_plan_make(job, &site, &bb->plan, why))
		rc = slu_plan_bare(job, &bb->plan, err);
	else
		slu_prestage_take(b, job->job_id, &bb->plan, by);
	bb->plan.het_job = job->het_job;
	bb->plan.het_buffers = job->het_buffers;
	bb->full = why->kind == SLU_BUSY;
	if (rc == 0 && slu_bb_room(bb))
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	if (rc == 0)
		rc = slu_bb_insert(b->db, bb, job->name, err);
	if (rc == 0)
		return bb;
	slu_bb_free(bb);
	return NULL;
}

static int note_staged(struct slu_buffers *b, const struct slu_bb *bb,
		       const struct slu_bb *by, double now, struct slu_err *err)
{
	char took[SLU_TIME_TEXT], text[200];

	snprintf(text, sizeof(text),
		 "its data was staged in before, on %.80s, in %s",
		 by->plan.node[0].name,
		 slu_seconds_text(by->ready - by->created, took));
	return slu_bb_note(b->db, bb, text, now, err);
}

/* It is stored: whatever follows, it is alive. */
static int begin_stored(struct slu_buffers *b, struct slu_bb *bb,
			const struct slu_bb *by, const char *too_small,
			const char *why, double now, struct slu_err *err)
{
	slu_bb_join(b, bb);
	slu_bb_log(b, bb, SLU_INFO, "%s for %s on %zu nodes",
		   bb->plan.fs ? bb->plan.fs : "nothing",
		   bb->user ? bb->user : "somebody", bb->plan.n_node);
	slu_bb_put(b, bb, SLU_EFFECT_WAKE | SLU_EFFECT_EXTEND);
	if ((by && note_staged(b, bb, by, now, err)) ||
	    (!slu_bb_has_plan(bb) &&
	     slu_bb_too_small(b, bb, too_small, why, now, err)))
		return -1;
	return slu_bb_reconcile(b, bb, now, err);
}

static int begin_run(struct slu_buffers *b, const struct slu_job *job,
		     double now, struct slu_err *err)
{
	struct slu_buf too_small = {0};
	struct slu_err why = {0};
	const struct slu_bb *by;
	struct slu_bb *bb = new_buffer(b, job, now, &by, &too_small, &why, err);
	int rc =
		bb ? begin_stored(b, bb, by, too_small.data, why.text, now, err)
		   : -1;

	slu_buf_free(&too_small);
	return rc;
}

/* A run ends */

/* No node has asked what to do before its tasks. Of one that has begun before
 * us that is not known. */
static bool ran_without(const struct slu_buffers *b, const struct slu_bb *bb,
			const struct slu_bb_end *how, const char *state)
{
	return bb->state == SLU_BB_SETUP && !bb->failure.text && !bb->loaded &&
	       (double)bb->job_start >= floor(b->loaded) && !how->unlaunched &&
	       (how->outcome == SLU_OUTCOME_SUCCESS ||
		slu_eq(state, "FAILED") || slu_eq(state, "TIMEOUT")) &&
	       slu_bb_count(bb, SLU_IN(SLU_NODE_PLANNED)) == bb->plan.n_node;
}

/* Somebody has put it back before it was ready, and no failure of ours: its
 * user, or Slurm, as when a site's own Prolog fails. Who had not come then;
 * caller frees. NULL: that is not so. */
static char *missing(const struct slu_bb *bb, const struct slu_bb_end *how)
{
	return how->requeued && bb->ready <= 0 && !bb->failure.text &&
			       bb->state <= SLU_BB_STAGE_IN &&
			       slu_bb_has_plan(bb)
		       ? slu_bb_hosts(bb, slu_bb_is_late)
		       : NULL;
}

/* What becomes of it, for its history and the log. Caller frees; NULL: no
 * memory. */
static char *ending(const struct slu_buffers *b, const struct slu_bb *bb,
		    const struct slu_bb_end *how)
{
	struct slu_bb ended = *bb; /* only looked at */
	bool without = ran_without(b, bb, how, how->state);
	char *late = missing(bb, how), *out, *text;

	ended.end = *how;
	out = slu_bb_not_staged(&ended);
	text = slu_asprintf("job ended: %s%s%s%.200s%s%s%s%s", how->state,
			    how->requeued ? ", it runs again" : "",
			    late && *late ? "; put back while " : "",
			    late ? late : "",
			    late && *late ? " had not come (see sinfo -R)" : "",
			    out && *out ? "; " : "", out ? out : "",
			    without ? "; it ran without: no node asked what to "
				      "do, see what sluice-node probe says "
				      "there"
				    : "");
	free(late);
	free(out);
	return text;
}

/* A job that runs, and is not this one's next run, has taken its number. */
static bool is_ours(const struct slu_bb *bb, const struct slu_job *job)
{
	return job && job->state &&
	       (job->restarts > bb->restarts ||
		!(slu_eq(job->state, "RUNNING") ||
		  slu_eq(job->state, "SUSPENDED")));
}

/* Slurm has given up a node of it, which it says to nobody. */
static bool is_cut_short(const struct slu_bb *bb, const char *state)
{
	return bb->ready <= 0 && bb->state <= SLU_BB_STAGE_IN &&
	       !bb->failure.text && slu_bb_has_plan(bb) &&
	       (slu_eq(state, "NODE_FAIL") || slu_eq(state, "BOOT_FAIL"));
}

static int end_run(struct slu_buffers *b, struct slu_bb *bb,
		   const struct slu_job *job, double now, struct slu_err *err)
{
	const bool ours = is_ours(bb, job);
	const char *state = ours ? job->state : "UNKNOWN";
	struct slu_bb_end how = {
		.outcome = !ours			? SLU_OUTCOME_UNSURE
			   : slu_eq(state, "COMPLETED") ? SLU_OUTCOME_SUCCESS
							: SLU_OUTCOME_FAILED,
		.requeued = ours && (strcmp(state, "PENDING") == 0 ||
				     strncmp(state, "REQUEUE", 7) == 0 ||
				     job->restarts > bb->restarts),
		.unlaunched = ours && (job->unlaunched || job->hurry),
		.hurry = ours && job->hurry,
	};
	char *text;

	if (bb->end.at > 0)
		return 0;
	if (is_cut_short(bb, state) && slu_bb_cut_short(b, bb, state, now, err))
		return -1;
	slu_bb_carry_out(b, now); /* a verdict on a run that has not ended */
	slu_copy(how.state, sizeof(how.state), state);
	text = ending(b, bb, &how);
	if (!text)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_bb_set_ended(b->db, bb, &how, text, now, err)) {
		free(text);
		return -1;
	}
	slu_bb_log(b, bb, SLU_INFO, "%s", text);
	free(text);
	slu_bb_put(b, bb, SLU_EFFECT_WAKE);
	return slu_bb_reconcile(b, bb, now, err);
}

/* Nodes that slurmctld speaks of */

static int lose_node(struct slu_buffers *b, struct slu_bb *bb, size_t i,
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
	slu_bb_put(b, bb, SLU_EFFECT_WAKE);
	return slu_bb_note(b->db, bb, text, now, err);
}

/* It may have cleaned up while we were away, or since the database was copied.
 */
static int let_it_tell(struct slu_buffers *b, struct slu_bb *bb, size_t i)
{
	if (!bb->member[i].left)
		slu_bb_put(b, bb, SLU_EFFECT_WAKE);
	bb->member[i].left = true;
	return 0;
}

/* Slurm has given the node free. Unless it reported clean before, it must not
 * be used until it did. */
static int leave_node(struct slu_buffers *b, struct slu_bb *bb, size_t i,
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

typedef int node_f(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		   double now, struct slu_err *err);

/* fn for each node of the list (or, inverted, not in it) of all runs. */
static int for_nodes(struct slu_buffers *b, uint32_t job_id, const char *list,
		     bool invert, node_f *fn, double now, struct slu_err *err)
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
	if (for_nodes(b, nodes->job_id, nodes->lost, false, lose_node, now,
		      err))
		return -1;
	return for_nodes(b, nodes->job_id, nodes->left, false, leave_node, now,
			 err);
}

/* Jobs */

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

/* A run that slurmctld has left behind: it has ended, and no node of it is
 * completing. `job`: what is known of it; NULL: nothing. */
static int vanished(struct slu_buffers *b, struct slu_bb *bb,
		    const struct slu_job *job, double now, struct slu_err *err)
{
	size_t i;

	bb->unwitnessed = bb->loaded;
	if (end_run(b, bb, job, now, err))
		return -1;
	for (i = 0; i < bb->plan.n_node; i++)
		if (leave_node(b, bb, i, now, err))
			return -1;
	return 0;
}

/* Is this buffer of the run that slurmctld says has started, or of a later
 * one? The start moves when nodes had to be powered up; a run that ended
 * cannot start again, and what was submitted later has only its number. */
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
		return begin_run(b, job, now, err);
	if (bb->end.at > 0 || job->start <= bb->job_start)
		return 0;
	return slu_bb_set_start(b->db, bb, job->start, err);
}

/* Slurm takes a node that failed out of a job with --no-kill and tells nobody.
 * A job with a buffer is not resized otherwise. */
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
			rc = lose_node(b, bb, i, now, err);
	slu_hosts_free(&hosts);
	return rc;
}

static int ended(struct slu_buffers *b, const struct slu_job *job, double now,
		 struct slu_err *err)
{
	struct slu_bb *bb = slu_bb_of(b, job->job_id);

	/* or all that is known is what was begun anew for it */
	if (!bb || bb->ready <= 0)
		slu_recover_ended(b, job, now);
	if (taken_out(b, slu_bb_of(b, job->job_id), job, now, err))
		return -1;
	for (bb = slu_bb_of(b, job->job_id); bb; bb = slu_bb_older(bb))
		if (end_run(b, bb, job, now, err))
			return -1;
	if (!slu_eq(job->state, "PENDING") &&
	    slu_prestage_gone(b, job->job_id, now, err))
		return -1;
	return for_nodes(b, job->job_id, job->completing_nodes, true,
			 leave_node, now, err);
}

/* Does it ask for something of its nodes? One that cannot be read must be
 * refused. */
static bool concerns_us(const struct slu_job *job)
{
	struct slu_request req;
	bool yes;

	if (!job->request || !*job->request)
		return false;
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
	if (for_nodes(b, job->job_id, job->down_nodes, false, lose_node, now,
		      err))
		return -1;
	rc = has_ended ? ended(b, job, now, err) : started(b, job, now, err);
	slu_bb_carry_out(b, now);
	return rc;
}

/* One that began after a run had ended is another job. */
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
	return slu_prestage_gone(b, job->job_id, now, err);
}

/* slurmctld's whole state has jobs that are over too, while it remembers
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

/* Jobs of which no node is busy any more, known or not. */
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

/* The first error is the one that is told; the other jobs go on. */
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
		slu_bb_put_anew(b, bb);
		slu_bb_put(b, bb, SLU_EFFECT_VERDICT);
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

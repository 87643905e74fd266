/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Solves the assignment, by connecting the arbiter's parts: curves give the
 * bandwidth for a number of I/O nodes, divisions by a policy choose the
 * numbers, placement chooses the nodes. The arbiter has each running job's last
 * grant (running_jobs.c), and the owner of each I/O node. Any change of a job
 * since the last solve makes the job dirty; a solve passes dirty jobs to the
 * divisions, moves those whose grant has changed, and does not process others.
 */
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "select_io/ion/arbiter/learning.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

void slu_arbiter_patterns(struct slu_arbiter *a,
			  const struct slu_patterns *patterns)
{
	a->patterns = patterns;
	for (size_t i = 0; i < a->n_run; i++)
		slu_ion_find_choices(a, a->run[i]);
	slu_ion_touch_all(a);
}

int slu_arbiter_configure(struct slu_arbiter *a, const struct slu_conf *conf,
			  uint32_t compute_nodes, struct slu_err *err)
{
	if (compute_nodes == 0)
		return slu_err(err, SLU_INVALID, "there are no compute nodes");
	if (slu_ion_set_pool(a, &conf->io_nodes, err) < 0)
		return -1;
	if (a->policy != conf->ion_policy || a->remap != conf->remap_running)
		slu_ion_forget_fixed(a);
	a->policy = conf->ion_policy;
	a->compute_nodes = compute_nodes;
	a->max_per_job = conf->max_ions_per_job;
	if (slu_ion_take_fairness(a, conf) < 0)
		return nomem(err);
	a->direct = conf->direct_access;
	a->remap = conf->remap_running;
	a->explore = conf->explore;
	for (size_t i = 0; i < a->n_run; i++)
		if (slu_ion_find_choices(a, a->run[i]) < 0)
			return nomem(err);
	slu_ion_touch_all(a);
	return 0;
}

int slu_arbiter_distances(struct slu_arbiter *a, const struct slu_distances *m,
			  struct slu_err *err)
{
	struct slu_hop_distances *near = slu_hop_distances_new(m, err),
				 *old = a->near;
	int rc = 0;

	if (!near)
		return -1;
	a->near = near;
	for (size_t i = 0; i < a->pool.n; i++)
		a->node[i].place =
			slu_hop_distances_place(near, a->pool.name[i]);
	for (size_t i = 0; i < a->n_run && rc == 0; i++)
		rc = slu_ion_find_far(a, a->run[i]);
	slu_hop_distances_free(old);
	return rc < 0 ? nomem(err) : 0;
}

void slu_arbiter_clock(struct slu_arbiter *a, int64_t now)
{
	a->now = now;
}

void slu_arbiter_explore_by(struct slu_arbiter *a, slu_explore_f *fn, void *arg)
{
	a->hope = fn;
	a->hope_arg = arg;
}

/* Solving. */

static int tell(struct slu_arbiter *a, struct running *r, struct slu_err *err)
{
	struct slu_ion_job job;

	slu_ion_estimate(a, r);
	job = slu_ion_job_of(a, r);
	if (slu_ion_put(a, r, FREELY, &job, err) < 0)
		return -1;
	job.fixed = true;
	return a->remap ? 0 : slu_ion_put(a, r, IN_EFFECT, &job, err);
}

static int tell_all(struct slu_arbiter *a, struct slu_err *err)
{
	for (size_t i = 0; i < a->n_dirty; i++)
		if (tell(a, a->dirty[i], err) < 0)
			return -1;
	return 0;
}

/* May running jobs be moved to other I/O nodes? Not by STATIC. */
static bool may_move(const struct slu_arbiter *a)
{
	return a->remap && a->policy != SLU_ION_STATIC;
}

/* The divisions set an I/O node aside for sharing, which is superfluous while
 * jobs share one that a running job keeps. */
static bool shares_anothers(const struct slu_arbiter *a)
{
	const struct running *owner;

	if (may_move(a) || !a->n_sharing || a->shared == SLU_ION_NOBODY)
		return false;
	owner = slu_ion_find(a, a->node[a->shared].owner);
	return owner && slu_ion_holds(a, owner);
}

static int divide(struct slu_arbiter *a, int division, struct slu_err *err)
{
	bool more = division == slu_ion_granting_slot(a) && shares_anothers(a);

	slu_ion_division_rules(a->division[division], a->policy, a->pool_size,
			       more);
	slu_ion_division_limits(a->division[division], a->limit);
	return slu_ion_division_solve(a->division[division], NULL, err);
}

static void take_wanted(struct slu_arbiter *a)
{
	size_t n;
	const uint32_t *id = slu_ion_division_changed(a->division[FREELY], &n);

	for (size_t i = 0; i < n; i++) {
		struct running *r = slu_ion_find(a, id[i]);

		r->wanted = slu_ion_division_grant(a->division[FREELY],
						   r->slot[FREELY])
				    .ions;
		slu_ion_touch_answer(a, r);
	}
}

static int by_job(const void *a, const void *b)
{
	uint32_t x = ((const struct slu_ion_seat *)a)->job_id;
	uint32_t y = ((const struct slu_ion_seat *)b)->job_id;

	return (x > y) - (x < y);
}

/* The job with the largest grant, the newest among equals. */
static uint32_t most_of(const struct slu_arbiter *a)
{
	const struct running *most = NULL;

	for (size_t i = 0; i < a->n_run; i++)
		if (!most || a->run[i]->grant.ions >= most->grant.ions)
			most = a->run[i];
	return most ? most->job.job_id : SLU_ION_FREE;
}

/* The shared I/O node is another one now. */
static void touch_sharing(struct slu_arbiter *a)
{
	for (size_t i = 0; i < a->n_run; i++)
		if (a->run[i]->grant.shared)
			slu_ion_touch_answer(a, a->run[i]);
}

/* Places the dirty jobs, whose I/O nodes may have changed. */
static void place(struct slu_arbiter *a)
{
	size_t shared = a->shared;

	for (size_t i = 0; i < a->n_dirty; i++)
		a->seat[i] = (struct slu_ion_seat){
			.job_id = a->dirty[i]->job.job_id,
			.ions = a->dirty[i]->grant.ions,
			.far = a->dirty[i]->far,
		};
	if (a->n_dirty)
		qsort(a->seat, a->n_dirty, sizeof(*a->seat), by_job);
	slu_ion_place(a->node, a->pool.n, a->seat, a->n_dirty, a->n_sharing > 0,
		      a->n_sharing ? most_of(a) : 0, may_move(a), &a->shared);
	for (size_t i = 0; i < a->n_dirty; i++)
		slu_ion_find(a, a->seat[i].job_id)->have = a->seat[i].have;
	if (a->shared != shared)
		touch_sharing(a);
}

static bool same(struct slu_ion_grant a, struct slu_ion_grant b)
{
	return a.ions == b.ions && a.shared == b.shared;
}

static void grant(struct slu_arbiter *a, struct running *r,
		  struct slu_ion_grant grant)
{
	if (!r->granted) {
		r->since = a->now;
	} else if (!same(r->grant, grant)) {
		slu_ion_note_time(r, a->now);
		r->changed = true;
	}
	a->n_sharing -= r->grant.shared;
	r->grant = grant;
	a->n_sharing += r->grant.shared;
	r->granted = true;
}

/* Applies and places the grants, and notes in the divisions what each job
 * holds, for the next solve. */
static int settle(struct slu_arbiter *a, struct slu_err *err)
{
	int by = slu_ion_granting_slot(a);
	size_t n;
	const uint32_t *id = slu_ion_division_changed(a->division[by], &n);

	for (size_t i = 0; i < n; i++)
		slu_ion_touch(a, slu_ion_find(a, id[i]));
	for (size_t i = 0; i < a->n_dirty; i++) {
		struct running *r = a->dirty[i];

		grant(a, r,
		      slu_ion_division_grant(a->division[by], r->slot[by]));
	}
	place(a);
	if (tell_all(a, err) < 0)
		return -1;
	for (size_t i = 0; i < a->n_dirty; i++) {
		slu_ion_touch_answer(a, a->dirty[i]);
		if (slu_ion_explain(a, a->dirty[i]) < 0)
			return nomem(err); /* retried for all at the next one */
	}
	while (a->n_dirty > 0)
		a->dirty[--a->n_dirty]->dirty = false;
	return 0;
}

static bool explores(const struct slu_arbiter *a)
{
	return a->explore > 0 && a->policy == SLU_ION_MCKP && a->pool_size;
}

/* Marks the jobs with trials dirty: each solve begins without trials. */
static void touch_trials(struct slu_arbiter *a)
{
	for (size_t i = 0; a->trying && i < a->n_run; i++) {
		if (!a->run[i]->tries)
			continue;
		a->run[i]->tries = explores(a);
		slu_ion_touch(a, a->run[i]);
	}
}

static int resolve(struct slu_arbiter *a, struct slu_ion_proof *proof,
		   struct slu_err *err)
{
	slu_ion_touch_learnt(a);
	touch_trials(a);
	if (tell_all(a, err) < 0)
		return -1;
	if (divide(a, FREELY, err) < 0)
		return -1;
	take_wanted(a);
	if (!a->remap && divide(a, IN_EFFECT, err) < 0)
		return -1;
	if (explores(a) && slu_ion_explore(a, err) < 0)
		return -1;
	if (settle(a, err) < 0)
		return -1;
	slu_ion_update_forecasts(a);
	return slu_ion_division_bound(a->division[FREELY], proof, err);
}

static int answer(struct slu_arbiter *a, bool all, struct slu_assignment *out,
		  struct slu_err *err)
{
	struct slu_ion_proof proof;

	if (resolve(a, &proof, err) < 0)
		return -1;
	return slu_ion_answer(a, &proof, all, out) < 0 ? nomem(err) : 0;
}

int slu_arbiter_solve(struct slu_arbiter *a, struct slu_assignment *out,
		      struct slu_err *err)
{
	return answer(a, true, out, err);
}

int slu_arbiter_changes(struct slu_arbiter *a, struct slu_assignment *out,
			struct slu_err *err)
{
	return answer(a, false, out, err);
}

struct slu_arbiter *slu_arbiter_new(const struct slu_conf *conf,
				    uint32_t compute_nodes, struct slu_err *err)
{
	struct slu_arbiter *a = calloc(1, sizeof(*a));

	if (!a) {
		nomem(err);
		return NULL;
	}
	a->shared = SLU_ION_NOBODY;
	a->hope = slu_ion_optimistic_curve;
	a->curves = slu_curves_new(MAX_CURVES, err);
	for (int i = 0; i < DIVISIONS; i++)
		a->division[i] = slu_ion_division_new(err);
	if (!a->curves || !a->division[FREELY] || !a->division[IN_EFFECT] ||
	    slu_arbiter_configure(a, conf, compute_nodes, err) < 0) {
		slu_arbiter_free(a);
		return NULL;
	}
	return a;
}

void slu_arbiter_free(struct slu_arbiter *a)
{
	if (!a)
		return;
	for (size_t i = 0; i < a->n_run; i++)
		slu_ion_running_free(a->run[i]);
	free(a->run);
	free(a->dirty);
	free(a->unreported);
	free(a->gone);
	free(a->seat);
	slu_hosts_free(&a->pool);
	free(a->pool_text);
	free(a->node);
	free(a->by_name);
	slu_hop_distances_free(a->near);
	slu_curves_free(a->curves);
	slu_curves_free(a->in_training);
	slu_weights_free(&a->qos_weights);
	slu_weights_free(&a->account_weights);
	for (int i = 0; i < DIVISIONS; i++)
		slu_ion_division_free(a->division[i]);
	free(a);
}

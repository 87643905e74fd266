/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All policies are one knapsack. Each job has a range of its choices open: all
 * of them, a single one when its number is fixed, or none when it shares and
 * may not be changed. Lowering moves single ones down until the least of all
 * jobs fit in the pool; if they never do, the shared I/O node becomes an item
 * of every job that may be changed.
 */
#include <stdlib.h>
#include <string.h>
#include "select_io/ion/mckp.h"
#include "select_io/ion/policy.h"

struct range {
	size_t low, n; /* choice[low] .. choice[low + n - 1] */
	bool pinned;   /* what it holds may not be changed */
};

struct plan {
	const struct slu_ion_job *job;
	struct range *range;
	size_t n;
	uint32_t pool;
	uint64_t all_nodes, all_tasks; /* of the running jobs */
	uint32_t capacity;	       /* I/O nodes for jobs of their own */
	bool share;		       /* one more is there for all */
	double guess; /* MB/s with one I/O node for jobs without a curve */
};

size_t slu_ion_choices(uint32_t nodes, uint32_t limit, bool direct,
		       uint32_t *out, size_t max)
{
	size_t n = 0;

	if (direct || limit == 0)
		out[n++] = 0;
	for (uint32_t i = 1; i <= limit && i <= nodes && n < max; i++)
		if (nodes % i == 0)
			out[n++] = i;
	return n;
}

uint32_t slu_ion_round_down(uint64_t want, const uint32_t *choice, size_t n)
{
	while (n > 1 && choice[n - 1] > want)
		n--;
	return choice[n - 1];
}

uint32_t slu_ion_usual(uint32_t nodes, uint32_t compute, uint32_t ions,
		       const uint32_t *choice, size_t n)
{
	uint64_t want = ((uint64_t)nodes * ions + compute - 1) / compute;

	return slu_ion_round_down(want, choice, n);
}

/* Index of a number among the choices, or n. */
static size_t index_of(const struct slu_ion_job *job, uint32_t ions)
{
	size_t i = 0;

	while (i < job->n && job->choice[i] != ions)
		i++;
	return i;
}

/* round(pool x part / all) */
static uint64_t portion(uint32_t pool, uint32_t part, uint64_t all)
{
	return all ? ((uint64_t)pool * part * 2 + all) / (2 * all) : 0;
}

static uint32_t best_choice(const struct slu_ion_job *job)
{
	uint32_t best = job->choice[0];

	if (!slu_curve_known(job->curve))
		return job->usual;
	for (size_t i = 1; i < job->n; i++)
		if (slu_curve_at(job->curve, job->choice[i]) >
		    slu_curve_at(job->curve, best))
			best = job->choice[i];
	return best;
}

/* What a policy that knows a single number for each job asks for. */
static uint64_t asked(enum slu_ion_policy policy, const struct slu_ion_job *job,
		      const struct plan *p)
{
	switch (policy) {
	case SLU_ION_ZERO:
		return 0;
	case SLU_ION_ONE:
		return 1;
	case SLU_ION_SIZE:
		return portion(p->pool, job->nodes, p->all_nodes);
	case SLU_ION_PROCESS:
		return portion(p->pool, job->tasks, p->all_tasks);
	case SLU_ION_ORACLE:
		return best_choice(job);
	case SLU_ION_STATIC:
	case SLU_ION_MCKP:
	case SLU_ION_POLICIES:
		break;
	}
	return job->usual;
}

static struct range open_range(enum slu_ion_policy policy,
			       const struct slu_ion_job *job,
			       const struct plan *p)
{
	size_t held = index_of(job, job->held);
	bool fixed = job->holds && (job->fixed || policy == SLU_ION_STATIC);
	uint32_t one;

	if (fixed && job->shares)
		return (struct range){0, 0, true};
	if (fixed && held < job->n)
		return (struct range){held, 1, true};
	if (policy == SLU_ION_MCKP && slu_curve_known(job->curve))
		return (struct range){0, job->n, false};
	one = slu_ion_round_down(asked(policy, job, p), job->choice, job->n);
	return (struct range){index_of(job, one), 1, false};
}

/* I/O nodes of its own that job i takes at least. */
static uint32_t least(const struct plan *p, size_t i)
{
	const struct range *r = &p->range[i];

	return r->n ? p->job[i].choice[r->low] : 0;
}

/* Lower fixed numbers until the least of all jobs fit; false: they cannot. */
static bool lower(struct plan *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum += least(p, i);
	while (sum > p->capacity) {
		size_t most = p->n;

		for (size_t i = 0; i < p->n; i++)
			if (!p->range[i].pinned && p->range[i].low > 0 &&
			    (most == p->n || least(p, i) >= least(p, most)))
				most = i;
		if (most == p->n)
			return false;
		sum -= least(p, most);
		p->range[most].low--;
		sum += least(p, most);
	}
	return true;
}

static double guess_one(const struct slu_ion_job *job, size_t n)
{
	double sum = 0;
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (slu_curve_known(job[i].curve)) {
			sum += slu_curve_at(job[i].curve, 1);
			known++;
		}
	return known ? sum / (double)known : 1;
}

static double value(const struct plan *p, size_t i, uint32_t ions)
{
	const struct slu_curve *curve = p->job[i].curve;

	return slu_curve_known(curve) ? slu_curve_at(curve, ions) : p->guess;
}

static double shared_value(const struct plan *p, size_t i)
{
	return value(p, i, 1) / (double)p->n;
}

/* The items of job i; the shared I/O node, where it is one, is the last. */
static uint32_t make_items(const struct plan *p, size_t i,
			   struct slu_mckp_item *item, uint32_t *hold)
{
	const struct slu_ion_job *job = &p->job[i];
	const struct range *r = &p->range[i];
	uint32_t n = 0;

	*hold = SLU_MCKP_NONE;
	for (; n < r->n; n++) {
		uint32_t ions = job->choice[r->low + n];

		if (job->holds && !job->shares && job->held == ions)
			*hold = n;
		item[n] = (struct slu_mckp_item){ions, value(p, i, ions)};
	}
	if (r->n == 0 || (p->share && !r->pinned && least(p, i) > 0)) {
		if (job->holds && job->shares)
			*hold = n;
		item[n++] = (struct slu_mckp_item){0, shared_value(p, i)};
	}
	return n;
}

static struct slu_ion_grant make_grant(const struct plan *p, size_t i,
				       uint32_t chosen)
{
	const struct slu_ion_job *job = &p->job[i];
	const struct range *r = &p->range[i];
	struct slu_ion_grant grant = {.shared = chosen >= r->n};

	if (!grant.shared)
		grant.ions = job->choice[r->low + chosen];
	if (slu_curve_known(job->curve))
		grant.bandwidth = grant.shared ? shared_value(p, i)
					       : value(p, i, grant.ions);
	return grant;
}

/* Pose the knapsack, solve it, read the answer. */
static int solve(const struct plan *p, struct slu_mckp *solver,
		 struct slu_ion_grant *grant, struct slu_ion_proof *proof,
		 struct slu_err *err)
{
	size_t items = 0;
	struct slu_mckp_class *class = calloc(p->n + 1, sizeof(*class));
	uint32_t *choice = calloc(p->n + 1, sizeof(*choice));
	struct slu_mckp_solution s = {.choice = choice};
	struct slu_mckp_problem problem;
	struct slu_mckp_item *item, *at;
	struct slu_mckp_info info;
	int rc = -1;

	for (size_t i = 0; i < p->n; i++)
		items += p->range[i].n + 1;
	at = item = calloc(items + 1, sizeof(*item));
	if (!class || !choice || !item) {
		slu_err(err, SLU_NOMEM, "out of memory");
		goto out;
	}
	for (size_t i = 0; i < p->n; i++, at += class[i - 1].n) {
		class[i].item = at;
		class[i].n = make_items(p, i, at, &class[i].hold);
	}
	problem = (struct slu_mckp_problem){class, (uint32_t)p->n, p->capacity};
	if (slu_mckp_load(solver, &problem, err) < 0)
		goto out;
	slu_mckp_solve(solver, &s, &info);
	if (!s.feasible) {
		slu_err(err, SLU_INTERNAL,
			"%zu jobs do not fit on %u I/O nodes", p->n,
			p->capacity);
		goto out;
	}
	for (size_t i = 0; i < p->n; i++)
		grant[i] = make_grant(p, i, choice[i]);
	*proof = (struct slu_ion_proof){info.bound, info.gap, info.proved};
	rc = 0;
out:
	free(item);
	free(choice);
	free(class);
	return rc;
}

/* Lend what nobody uses to new jobs that were never seen with as much. By
 * their curves it is worth the same, so nothing is lost; the next solve takes
 * it back if it is needed. */
static void explore(const struct plan *p, struct slu_ion_grant *grant)
{
	uint32_t left = p->capacity;

	for (size_t i = 0; i < p->n; i++)
		left -= grant[i].ions;
	for (size_t i = 0; i < p->n; i++) {
		const struct slu_ion_job *job = &p->job[i];
		size_t next = index_of(job, grant[i].ions) + 1;

		if (job->holds || !slu_curve_known(job->curve) ||
		    grant[i].ions < slu_curve_most(job->curve) ||
		    next >= job->n || job->choice[next] - grant[i].ions > left)
			continue;
		left -= job->choice[next] - grant[i].ions;
		grant[i].ions = job->choice[next];
	}
}

/* Keep one I/O node for sharing, unless running jobs hold them all. */
static void share(struct plan *p, uint32_t pool)
{
	uint32_t pinned = 0;

	for (size_t i = 0; i < p->n; i++)
		pinned += p->range[i].pinned ? least(p, i) : 0;
	p->share = true;
	p->capacity = pinned < pool ? pool - 1 : pinned;
}

/* What each job may choose, lowered and shared until it fits. */
static void open_ranges(struct plan *p, enum slu_ion_policy policy,
			uint32_t pool)
{
	for (size_t i = 0; i < p->n; i++) {
		p->all_nodes += p->job[i].nodes;
		p->all_tasks += p->job[i].tasks;
	}
	for (size_t i = 0; i < p->n; i++)
		p->range[i] = open_range(policy, &p->job[i], p);
	for (size_t i = 0; i < p->n && !p->share; i++)
		if (p->range[i].pinned && p->job[i].shares)
			share(p, pool);
	if (!lower(p) && !p->share)
		share(p, pool);
}

int slu_ion_decide(enum slu_ion_policy policy, const struct slu_ion_job *job,
		   size_t n, uint32_t pool, struct slu_mckp *solver,
		   struct slu_ion_grant *grant, struct slu_ion_proof *proof,
		   struct slu_err *err)
{
	struct plan p = {.job = job,
			 .n = n,
			 .pool = pool,
			 .capacity = pool,
			 .guess = guess_one(job, n)};
	struct slu_ion_proof here = {.proved = true};
	int rc = 0;

	memset(grant, 0, n * sizeof(*grant));
	if (pool > 0) {
		p.range = calloc(n + 1, sizeof(*p.range));
		if (!p.range)
			return slu_err(err, SLU_NOMEM, "out of memory");
		open_ranges(&p, policy, pool);
		rc = solve(&p, solver, grant, &here, err);
		if (rc == 0 && policy == SLU_ION_MCKP && !p.share)
			explore(&p, grant);
		free(p.range);
	}
	if (rc == 0 && proof)
		*proof = here;
	return rc;
}

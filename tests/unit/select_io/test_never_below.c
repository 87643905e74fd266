/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that the policy MCKP never falls below STATIC, in random days with
 * failing I/O nodes, restarts, and with and without direct access and
 * remapping. Jobs are known completely, known for half of the numbers of I/O
 * nodes, or new. For comparison, STATIC is divided here by a simple algorithm,
 * the best division is found by trying all, and an arbiter with the policy
 * STATIC gets the same events.
 */
#include "config.h"
#include "tests/unit/arbiter_help.h"
#include "common/str.h"
#include "tests/unit/random.h"

#define IONS	6
#define COMPUTE 16
#define JOBS	7
#define MOST	8 /* I/O nodes of a job */
#define KNOWN	3 /* applications; the others are not */
#define APPS	5
#define EPS	0.01

struct world {
	uint64_t seed;
	bool remap, direct, breaks; /* things fail, slurmctld is restarted */
	bool partly;		    /* known jobs were not measured with all */
	double rate[APPS][MOST + 1];
	uint32_t told[KNOWN]; /* bit k: it was measured with k I/O nodes */
	struct slu_job job[JOBS];
	int app[JOBS];
	size_t n;
	uint32_t up;
	struct slu_arbiter *mckp, *fixed;
	struct slu_assignment last;
};

/* How often there was what is to be shown. */
static size_t events, mixed, shared, lowered, gained, unsure, compared;

static char *names[] = {"app0", "app1", "app2"};

static uint32_t pick(struct world *w, uint32_t below)
{
	return (uint32_t)slu_random(&w->seed, below);
}

static struct slu_arbiter *arbiter_of(const struct world *w,
				      enum slu_ion_policy policy)
{
	struct slu_conf conf = conf_of("ion[1-6]", policy);
	struct slu_arbiter *a;
	struct slu_err err;

	conf.remap_running = w->remap;
	conf.direct_access = w->direct;
	a = slu_arbiter_new(&conf, COMPUTE, &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	slu_hosts_free(&conf.io_nodes);
	for (int app = 0; app < KNOWN; app++)
		for (uint32_t nodes = 1; nodes <= 8; nodes++)
			for (uint32_t k = !w->direct; k <= MOST; k++)
				if (w->told[app] >> k & 1)
					learn(a, names[app], nodes, k,
					      w->rate[app][k]);
	return a;
}

/* What divides the job's nodes, for one that may have `most`. */
static bool is_choice(const struct world *w, size_t i, uint32_t k)
{
	return k == 0 ? w->direct
		      : k <= IONS && k <= MOST && !(w->job[i].node_cnt % k);
}

static uint32_t below(const struct world *w, size_t i, uint32_t k)
{
	while (k-- > 0)
		if (is_choice(w, i, k))
			return k;
	return UINT32_MAX;
}

/* STATIC of these very jobs, to the letter; false: they must share. */
static bool divide_static(const struct world *w, uint32_t *out)
{
	uint32_t pool = (uint32_t)__builtin_popcount(w->up), sum = 0;

	for (size_t i = 0; i < w->n; i++) {
		out[i] = (w->job[i].node_cnt * IONS + COMPUTE - 1) / COMPUTE;
		while (!is_choice(w, i, out[i]))
			out[i]--;
		sum += out[i];
	}
	while (sum > pool) {
		size_t most = JOBS;

		for (size_t i = 0; i < w->n; i++)
			if (below(w, i, out[i]) != UINT32_MAX &&
			    (most == JOBS || out[i] >= out[most]))
				most = i;
		if (most == JOBS)
			return false;
		sum -= out[most] - below(w, most, out[most]);
		out[most] = below(w, most, out[most]);
		lowered++;
	}
	return true;
}

/* Direct access alone says nothing of I/O nodes. */
static bool known(const struct world *w, size_t i)
{
	return w->app[i] < KNOWN && w->told[w->app[i]] >> 1;
}

/* What it reaches with so many; only as far as runs have told it, or really. */
static double rate_of(const struct world *w, size_t i, uint32_t k, bool really)
{
	if (k == 0 && !w->direct)
		return 0;
	if (!really && !(known(w, i) && w->told[w->app[i]] >> k & 1))
		return 0;
	return w->rate[w->app[i]][k];
}

/* The most that the known jobs can have, the others as little as may be. */
static double best_total(const struct world *w, size_t from, int room)
{
	double best = -1;

	if (from == w->n)
		return 0;
	for (int k = !w->direct; k <= room && k <= MOST; k++) {
		double rest;

		if (!is_choice(w, from, (uint32_t)k))
			continue;
		rest = best_total(w, from + 1, room - k);
		if (rest >= 0)
			rest += rate_of(w, from, (uint32_t)k, false);
		best = rest > best ? rest : best;
		if (!known(w, from))
			break;
	}
	return best;
}

static double reached(const struct world *w, const struct slu_assignment *a,
		      bool really)
{
	double sum = 0;

	for (size_t i = 0; i < w->n; i++)
		if (a->jobs[i].shared)
			sum += rate_of(w, i, 1, really) / (double)w->n;
		else
			sum += rate_of(w, i, a->jobs[i].in_effect, really);
	return sum;
}

/* Numbers may change: STATIC of this very set is there to compare with. */
static void check_remapped(const struct world *w,
			   const struct slu_assignment *now)
{
	uint32_t number[JOBS];
	double sum = 0, all = 0;

	if (!w->up || !divide_static(w, number))
		return;
	for (size_t i = 0; i < w->n; i++) {
		all += rate_of(w, i, number[i], true);
		sum += rate_of(w, i, number[i], false);
		unsure += rate_of(w, i, number[i], false) == 0;
		if (rate_of(w, i, number[i], false) == 0)
			expect(now->jobs[i].in_effect == number[i],
			       "job %u: %u, not %u", now->jobs[i].job_id,
			       now->jobs[i].in_effect, number[i]);
	}
	ck_assert_double_eq_tol(now->static_total, sum, EPS);
	ck_assert_double_ge(reached(w, now, true), all - EPS);
	gained += reached(w, now, true) > all + EPS;
	compared++;
}

static void check(struct world *w, const struct slu_assignment *now)
{
	double best = best_total(w, 0, __builtin_popcount(w->up));
	size_t strangers = 0;

	for (size_t i = 0; i < w->n; i++) {
		strangers += !known(w, i);
		shared += now->jobs[i].shared;
	}
	events++;
	mixed += strangers && strangers < w->n;
	ck_assert_uint_eq(now->n_jobs, w->n);
	ck_assert_double_eq_tol(now->total, reached(w, now, false), EPS);
	expect(now->total >= now->static_total - EPS, "%f, STATIC %f",
	       now->total, now->static_total);
	if (w->up) {
		ck_assert_double_ge(now->bound, now->total - EPS);
		ck_assert_double_ge(now->bound, best - EPS);
	}
	if (w->remap && w->up && !w->partly && !strangers && best >= 0)
		ck_assert_double_eq_tol(now->total, best, EPS);
	if (w->remap)
		check_remapped(w, now);
}

/* An arbiter whose policy is STATIC, and nothing has failed. */
static void check_beside(struct world *w, const struct slu_assignment *now)
{
	struct slu_assignment fixed;

	solve(w->fixed, &fixed);
	ck_assert_double_eq_tol(now->static_total, fixed.total, EPS);
	ck_assert_double_ge(reached(w, now, true),
			    reached(w, &fixed, true) - EPS);
	compared++;
	slu_msg_clear(&slu_assignment_desc, &fixed);
}

static void start_one(struct world *w, uint32_t id)
{
	static char fresh[JOBS * 1000][12];
	int app = (int)pick(w, APPS);
	struct slu_job job = make_job(id, NULL, 1 + pick(w, 8));
	struct slu_err err;

	if (w->n == JOBS)
		return;
	snprintf(fresh[id], sizeof(fresh[id]), "new%u", id);
	job.name = app < KNOWN ? names[app] : fresh[id];
	job.uid = app < KNOWN || pick(w, 2) ? 7 : 8;
	expect_ok(slu_arbiter_start(w->mckp, &job, &err), err);
	expect_ok(slu_arbiter_start(w->fixed, &job, &err), err);
	w->app[w->n] = app;
	w->job[w->n++] = job;
}

static void end_one(struct world *w)
{
	size_t i = pick(w, (uint32_t)w->n);

	slu_arbiter_end(w->mckp, w->job[i].job_id);
	slu_arbiter_end(w->fixed, w->job[i].job_id);
	w->n--;
	memmove(&w->job[i], &w->job[i + 1], (w->n - i) * sizeof(w->job[0]));
	memmove(&w->app[i], &w->app[i + 1], (w->n - i) * sizeof(w->app[0]));
}

static void resize_one(struct world *w)
{
	static char *hosts[] = {"n[1-8]", "n[1-9]"};
	struct slu_job *job = &w->job[pick(w, (uint32_t)w->n)];
	struct slu_err err;

	job->node_cnt = 1 + pick(w, 8);
	job->nodes = hosts[slu_eq(job->nodes, hosts[0])];
	expect_ok(slu_arbiter_start(w->mckp, job, &err), err);
}

static void break_something(struct world *w)
{
	struct slu_hosts down = {0};
	uint32_t what = pick(w, 4);
	struct slu_err err;
	char name[8];

	if (what == 0 && w->n) {
		resize_one(w);
	} else if (what == 1) {
		slu_arbiter_free(w->mckp);
		w->mckp = arbiter_of(w, SLU_ION_MCKP);
		expect_ok(slu_arbiter_set(w->mckp, w->job, w->n, &err), err);
		expect_ok(slu_arbiter_resume(w->mckp, &w->last, &err), err);
	} else {
		w->up ^= 1u << pick(w, IONS);
	}
	for (int i = 0; i < IONS; i++)
		if (!(w->up >> i & 1)) {
			snprintf(name, sizeof(name), "ion%d", i + 1);
			slu_hosts_add(&down, name);
		}
	slu_arbiter_unavailable(w->mckp, &down);
	slu_hosts_free(&down);
}

static void random_day(int way, uint64_t seed)
{
	struct world w = {.remap = way & 1,
			  .direct = way & 2,
			  .breaks = way & 4,
			  .partly = way & 8,
			  .seed = seed,
			  .up = (1u << IONS) - 1};
	struct slu_assignment now;

	for (int app = 0; app < APPS; app++)
		for (int k = 0; k <= MOST; k++)
			w.rate[app][k] = 1 + pick(&w, k % 3 ? 30 : 90);
	for (int app = 0; app < KNOWN; app++)
		w.told[app] = w.partly ? pick(&w, 1u << (MOST + 1)) : ~0u;
	w.mckp = arbiter_of(&w, SLU_ION_MCKP);
	w.fixed = arbiter_of(&w, SLU_ION_STATIC);
	for (uint32_t id = 1; id <= 80; id++) {
		uint32_t what = pick(&w, 10);

		if (what < 6)
			start_one(&w, id);
		else if (what < 9 && w.n)
			end_one(&w);
		else if (w.breaks)
			break_something(&w);
		solve(w.mckp, &now);
		check(&w, &now);
		if (!w.remap && !w.breaks)
			check_beside(&w, &now);
		slu_msg_clear(&slu_assignment_desc, &w.last);
		w.last = now;
	}
	slu_msg_clear(&slu_assignment_desc, &w.last);
	slu_arbiter_free(w.mckp);
	slu_arbiter_free(w.fixed);
}

START_TEST(test_never_below)
{
	for (uint64_t seed = 1; seed <= 60; seed++)
		for (int way = 0; way < 16; way++)
			random_day(way, seed * 8);
	printf("%zu events, known and unknown jobs in %zu; really compared "
	       "with STATIC after %zu, more than it after %zu; STATIC's number "
	       "of a job not measured %zu times\n",
	       events, mixed, compared, gained, unsure);
	ck_assert_uint_gt(mixed, events / 2);
	ck_assert_uint_gt(shared, 0);
	ck_assert_uint_gt(lowered, 0);
	ck_assert_uint_gt(gained, 0);
}
END_TEST

TEST_MAIN("never_below", test_never_below)

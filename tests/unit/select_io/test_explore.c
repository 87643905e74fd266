/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the exploration of numbers of I/O nodes: random days with an arbiter
 * that may try numbers without measurements, compared with one that may not.
 * Over time it loses at most its share of the best divisions' bandwidth; it is
 * never below STATIC; a number that a user has excluded is not tried; grants
 * fit the pool; and it finds better numbers than the other one.
 */
#include "config.h"
#include "tests/unit/arbiter_help.h"
#include "tests/unit/random.h"

#include <math.h>

#define JOBS 6
#define EPS  0.01

static char *names[] = {"app0", "app1", "app2", "app3"};

struct world {
	uint64_t seed;
	double rate[4][9];
	struct slu_job job[JOBS];
	int app[JOBS];
	size_t n;
	int64_t now;
	struct slu_arbiter *tries, *alike;
	double lost, best;		  /* MB/s now, */
	double all_lost, all_best, slack; /* MB so far */
};

static size_t tried, cost, events;

static uint32_t pick(struct world *w, uint32_t below)
{
	return (uint32_t)slu_random(&w->seed, below);
}

static struct slu_arbiter *arbiter_of(double explore, bool remap, bool direct)
{
	struct slu_conf conf = conf_of("ion[1-8]", SLU_ION_MCKP);
	struct slu_arbiter *a;
	struct slu_err err;

	conf.explore = explore;
	conf.remap_running = remap;
	conf.direct_access = direct;
	a = slu_arbiter_new(&conf, 24, &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	slu_hosts_free(&conf.io_nodes);
	return a;
}

static void both_start(struct world *w, uint32_t id)
{
	int app = (int)pick(w, 4);
	struct slu_job job = make_job(id, names[app], 8);
	struct slu_err err;

	if (w->n == JOBS)
		return;
	if (pick(w, 4) == 0)
		job.ion_max = 2;
	expect_ok(slu_arbiter_start(w->tries, &job, &err), err);
	expect_ok(slu_arbiter_start(w->alike, &job, &err), err);
	w->app[w->n] = app;
	w->job[w->n++] = job;
}

/* Both are taught what it reached where trials are made. */
static void both_end(struct world *w)
{
	size_t i = pick(w, (uint32_t)w->n);
	uint32_t id = w->job[i].job_id, had = slu_arbiter_held(w->tries, id);

	slu_arbiter_end(w->tries, id);
	slu_arbiter_end(w->alike, id);
	if (had <= 8) {
		learn(w->tries, names[w->app[i]], 8, had,
		      w->rate[w->app[i]][had]);
		learn(w->alike, names[w->app[i]], 8, had,
		      w->rate[w->app[i]][had]);
	}
	w->n--;
	memmove(&w->job[i], &w->job[i + 1], (w->n - i) * sizeof(w->job[0]));
	memmove(&w->app[i], &w->app[i + 1], (w->n - i) * sizeof(w->app[0]));
}

static double shared_rate(const struct slu_ion_share *share, size_t n)
{
	for (size_t k = 0; k < share->n_curve; k++)
		if (share->curve[k].ions == 1)
			return share->curve[k].bandwidth / (double)n;
	return 0;
}

/* What is in effect is what was counted, and there is so much. */
static void check_grants(const struct world *w, const struct slu_assignment *a)
{
	double sum = 0, shared = 0;
	uint32_t ions = 0;

	for (size_t i = 0; i < a->n_jobs; i++) {
		sum += a->jobs[i].bandwidth;
		ions += a->jobs[i].in_effect;
		if (a->jobs[i].shared)
			shared += shared_rate(&a->jobs[i], a->n_jobs);
		ck_assert_uint_le(a->jobs[i].in_effect, w->job[i].ion_max);
		tried += strstr(a->jobs[i].why, "; tries ") != NULL;
	}
	ck_assert_uint_le(ions, 8);
	ck_assert_double_eq_tol(sum, a->total, EPS);
}

/* What was put aside, and what it has cost since. */
static void account(struct world *w, double share, int64_t seconds)
{
	double passed = (double)seconds;

	w->all_lost += passed * w->lost;
	w->all_best += passed * w->best;
	/* between two events nothing can be changed */
	if (passed * w->lost > w->slack)
		w->slack = passed * w->lost;
	expect(w->all_lost <= share * w->all_best + w->slack + EPS,
	       "lost %f of %f", w->all_lost, w->all_best);
}

static void check(struct world *w, double share, bool remap)
{
	struct slu_assignment got, best;

	solve(w->tries, &got);
	solve(w->alike, &best);
	ck_assert_uint_eq(got.n_jobs, best.n_jobs);
	ck_assert_double_ge(got.bound, got.total - EPS);
	check_grants(w, &got);
	if (remap) {
		ck_assert_double_ge(got.total, got.static_total - EPS);
		w->lost = fmax(best.total - got.total, 0);
		w->best = best.total;
	}
	if (share == 0)
		ck_assert_double_eq_tol(got.total, best.total, EPS);
	events++;
	cost += got.total < best.total - EPS;
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_msg_clear(&slu_assignment_desc, &best);
}

static void random_day(double share, bool remap, bool direct, uint64_t seed)
{
	struct world w = {.seed = seed, .now = 1000000};

	w.tries = arbiter_of(share, remap, direct);
	w.alike = arbiter_of(0, remap, direct);
	for (int app = 0; app < 4; app++)
		for (int k = 0; k <= 8; k++)
			w.rate[app][k] = 20 + pick(&w, 50 + 20 * (uint32_t)k);
	for (uint32_t id = 1; id <= 200; id++) {
		int64_t seconds = pick(&w, 1000);

		if (pick(&w, 2))
			both_start(&w, id);
		else if (w.n)
			both_end(&w);
		account(&w, share, seconds);
		w.now += seconds;
		slu_arbiter_clock(w.tries, w.now);
		slu_arbiter_clock(w.alike, w.now);
		check(&w, share, remap);
	}
	slu_arbiter_free(w.tries);
	slu_arbiter_free(w.alike);
}

START_TEST(test_bounded)
{
	static const double shares[] = {0, 0.02, 0.1, 0.3};

	for (uint64_t seed = 1; seed <= 25; seed++)
		for (int way = 0; way < 16; way++)
			random_day(shares[way / 4], way & 1, way & 2,
				   seed * 100);
	printf("%zu events, %zu trials in force, after %zu of them less than "
	       "the best was predicted\n",
	       events, tried, cost);
	ck_assert_uint_gt(tried, 100);
	ck_assert_uint_gt(cost, 100);
}
END_TEST

/* An application that was measured with what STATIC gives it, 2; 4 are the
 * best, and free. */
static uint32_t found(double explore)
{
	struct slu_arbiter *a = arbiter_of(explore, true, false);
	struct slu_assignment got;
	uint32_t had = 0;

	slu_arbiter_clock(a, 1000000);
	for (uint32_t k = 1; k <= 8; k *= 2)
		learn(a, "big", 8, k, 2000);
	learn(a, "x", 8, 2, 100);
	for (uint32_t id = 10; id < 150; id += 2) {
		start(a, id, "big", 8);
		start(a, id + 1, "x", 8);
		slu_arbiter_clock(a, 1000000 + id * 1000);
		solve(a, &got);
		had = got.jobs[1].in_effect;
		slu_msg_clear(&slu_assignment_desc, &got);
		slu_arbiter_end(a, id);
		slu_arbiter_end(a, id + 1);
		learn(a, "x", 8, had, 50 * had);
	}
	slu_arbiter_free(a);
	return had;
}

START_TEST(test_exploration_finds_the_best_number)
{
	ck_assert_uint_eq(found(0), 2);
	ck_assert_uint_eq(found(0.01), 4);
}
END_TEST

/* A table, or a first measurement, by which direct access is best. */
START_TEST(test_wrong_zero)
{
	struct slu_arbiter *a = arbiter_of(0.2, true, true);
	struct slu_assignment got;
	uint32_t had = 0;

	learn(a, "big", 8, 0, 1);
	learn(a, "big", 8, 4, 2000);
	learn(a, "big", 8, 8, 2010);
	learn(a, "x", 4, 0, 90);
	learn(a, "x", 4, 1, 50);
	for (uint32_t id = 10; id < 150; id += 2) {
		start(a, id, "big", 8);
		start(a, id + 1, "x", 4);
		slu_arbiter_clock(a, 1000000 + id * 1000);
		solve(a, &got);
		had = got.jobs[1].in_effect;
		slu_msg_clear(&slu_assignment_desc, &got);
		slu_arbiter_end(a, id);
		slu_arbiter_end(a, id + 1);
		learn(a, "x", 4, had, had == 4 ? 300 : had ? 120 : 90);
	}
	ck_assert_uint_eq(had, 4);
	slu_arbiter_free(a);
}
END_TEST

TEST_MAIN("explore", test_bounded, test_exploration_finds_the_best_number,
	  test_wrong_zero)

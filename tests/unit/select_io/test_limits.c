/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests limits of I/O nodes for users and accounts, and weights of their
 * bandwidth, in random sets of jobs: the division is as good as the best one
 * (found by trying all), keeps the limits, and is not below STATIC under the
 * same limits; in one solve and through histories of starts, ends and changed
 * limits.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/division/division.h"

#define JOBS	7
#define CHOICES 5
#define EPS	0.01

struct set {
	uint64_t seed;
	struct slu_ion_division *d;
	uint32_t pool;
	uint32_t limit[SLU_ION_GROUPS];
	bool direct, fixed;
	struct slu_ion_job job[JOBS];
	struct slu_curve curve[JOBS];
	uint32_t choice[JOBS][CHOICES];
	uint32_t slot[JOBS];
	bool runs[JOBS];
	uint32_t age[JOBS], newest;
	struct slu_ion_grant grant[JOBS];
};

static size_t reached_limit, weighed, history;

static uint32_t pick(struct set *s, uint32_t n)
{
	return (uint32_t)slu_random(&s->seed, n);
}

static void new_limits(struct set *s)
{
	s->limit[SLU_ION_USER] = pick(s, 3) ? 1 + pick(s, 10) : 0;
	s->limit[SLU_ION_ACCOUNT] = pick(s, 3) ? 1 + pick(s, 16) : 0;
}

static void new_job(struct set *s, size_t i)
{
	uint32_t nodes = 1u << pick(s, 4), account = pick(s, 2);
	struct slu_ion_job *job = &s->job[i];

	*job = (struct slu_ion_job){.choice = s->choice[i], .nodes = nodes};
	job->n = slu_ion_choices(nodes, 8, s->direct, s->choice[i], CHOICES);
	job->usual = slu_ion_usual(nodes, 32, s->pool, s->choice[i], job->n);
	job->counts = pick(s, 3) ? 1 : 0.25 * (1 + pick(s, 12));
	job->group[SLU_ION_ACCOUNT] = account;
	job->group[SLU_ION_USER] = 10 * account + pick(s, 2);
	job->fixed = s->fixed;
	s->curve[i] = (struct slu_curve){0};
	for (uint32_t k = 0; k <= 8; k = k ? 2 * k : 1)
		slu_curve_add(&s->curve[i], k, 1 + pick(s, 400));
	job->curve = pick(s, 5) ? &s->curve[i] : NULL;
	s->slot[i] = SLU_ION_NEW;
	s->age[i] = ++s->newest;
	s->runs[i] = true;
}

static void put_all(struct set *s)
{
	struct slu_err err;

	for (size_t i = 0; i < JOBS; i++)
		if (s->runs[i])
			expect_ok(slu_ion_division_put(s->d, &s->slot[i],
						       s->age[i], &s->job[i],
						       &err),
				  err);
}

static void solve(struct set *s)
{
	struct slu_ion_proof proof;
	struct slu_err err;
	double total;

	slu_ion_division_rules(s->d, SLU_ION_MCKP, s->pool, false);
	slu_ion_division_limits(s->d, s->limit);
	expect_ok(slu_ion_division_solve(s->d, &proof, &err), err);
	total = slu_ion_division_total(s->d, false);
	expect(proof.bound >= total - EPS, "%f, bound %f", total, proof.bound);
	ck_assert(proof.proved);
	for (size_t i = 0; i < JOBS; i++)
		if (s->runs[i])
			s->grant[i] = slu_ion_division_grant(s->d, s->slot[i]);
}

/* The least that a job must be given here. */
static uint32_t least(const struct set *s, size_t i)
{
	if (!s->job[i].curve)
		return s->grant[i].ions; /* STATIC's */
	if (s->job[i].fixed && s->job[i].holds)
		return s->job[i].held;
	return s->job[i].choice[0];
}

enum what { LEAST, GIVEN };

static uint32_t sum_of(const struct set *s, const uint32_t *number,
		       enum what what, int g, uint64_t group)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < JOBS; i++)
		if (s->runs[i] && s->job[i].group[g] == group)
			sum += what == LEAST ? least(s, i) : number[i];
	return sum;
}

static bool keeps_limits(const struct set *s, const uint32_t *number)
{
	for (int g = 0; g < SLU_ION_GROUPS; g++)
		for (size_t i = 0; s->limit[g] && i < JOBS; i++) {
			uint64_t group = s->job[i].group[g];
			uint32_t least_sum = sum_of(s, number, LEAST, g, group);
			uint32_t limit = s->limit[g];

			limit = limit > least_sum ? limit : least_sum;
			if (s->runs[i] &&
			    sum_of(s, number, GIVEN, g, group) > limit)
				return false;
		}
	return true;
}

/* The most by trying everything, what is not known as it was given. */
static double best(const struct set *s, size_t from, uint32_t left,
		   uint32_t *number)
{
	const struct slu_ion_job *job = &s->job[from];
	double most = -1;

	if (from == JOBS)
		return keeps_limits(s, number) ? 0 : -1;
	number[from] = 0;
	if (!s->runs[from])
		return best(s, from + 1, left, number);
	for (size_t k = 0; k < job->n; k++) {
		double rest;

		number[from] = job->choice[k];
		if (number[from] > left ||
		    (!job->curve && number[from] != s->grant[from].ions))
			continue;
		rest = best(s, from + 1, left - number[from], number);
		if (rest >= 0 && job->curve)
			rest += job->counts *
				slu_curve_at(job->curve, number[from]);
		most = rest > most ? rest : most;
	}
	return most;
}

static void check(struct set *s)
{
	double worth = slu_ion_division_worth(s->d), most;
	double fixed = slu_ion_division_static_worth(s->d);
	uint32_t number[JOBS] = {0}, given[JOBS] = {0}, sum = 0;
	bool shared = false;

	expect(worth >= fixed - EPS, "%f, STATIC %f", worth, fixed);
	for (size_t i = 0; i < JOBS; i++) {
		given[i] = s->runs[i] ? s->grant[i].ions : 0;
		sum += given[i];
		shared = shared || (s->runs[i] && s->grant[i].shared);
		weighed += s->runs[i] && s->job[i].counts != 1;
	}
	ck_assert_uint_le(sum, s->pool);
	expect(keeps_limits(s, given), "limits %u, %u", s->limit[0],
	       s->limit[1]);
	if (shared || s->fixed)
		return;
	most = best(s, 0, s->pool, number);
	expect(fabs(worth - most) <= EPS, "%f, not %f", worth, most);
	for (int g = 0; g < SLU_ION_GROUPS; g++)
		for (size_t i = 0; s->limit[g] && i < JOBS; i++)
			reached_limit +=
				s->runs[i] &&
				sum_of(s, given, GIVEN, g,
				       s->job[i].group[g]) == s->limit[g];
}

static void start_set(struct set *s, uint64_t seed)
{
	*s = (struct set){.seed = seed * 77, .d = slu_ion_division_new(NULL)};
	s->pool = 1 + pick(s, 20);
	s->direct = pick(s, 2);
	new_limits(s);
}

START_TEST(test_best_of_all)
{
	static struct set s;

	for (uint64_t seed = 1; seed <= 500; seed++) {
		start_set(&s, seed);
		for (size_t i = 0; i < JOBS; i++)
			new_job(&s, i);
		put_all(&s);
		solve(&s);
		check(&s);
		slu_ion_division_free(s.d);
	}
	ck_assert_uint_gt(reached_limit, 300);
	ck_assert_uint_gt(weighed, 300);
}
END_TEST

static void hold_all(struct set *s)
{
	for (size_t i = 0; i < JOBS; i++) {
		s->job[i].holds = s->runs[i];
		s->job[i].held = s->grant[i].ions;
		s->job[i].shares = s->grant[i].shared;
	}
	put_all(s);
}

static void event(struct set *s)
{
	size_t i = pick(s, JOBS);

	if (pick(s, 8) == 0 && !s->fixed) {
		new_limits(s);
	} else if (!s->runs[i]) {
		new_job(s, i);
	} else {
		slu_ion_division_drop(s->d, s->slot[i]);
		s->runs[i] = false;
	}
	put_all(s);
}

/* Followed as well: what is held changes nothing but ties, unless it is fixed;
 * then limits are kept as long as they were there from the start. */
START_TEST(test_histories)
{
	static struct set s;

	for (uint64_t seed = 1; seed <= 40; seed++) {
		start_set(&s, seed + 1000);
		s.fixed = pick(&s, 2);
		for (int day = 0; day < 60; day++) {
			event(&s);
			solve(&s);
			check(&s);
			hold_all(&s);
			history++;
		}
		slu_ion_division_free(s.d);
	}
	ck_assert_uint_gt(history, 2000);
}
END_TEST

TEST_MAIN("limits", test_best_of_all, test_histories)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the division of tokens among jobs against the paper's equations written
 * down one by one, and invariants of random histories. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/tbf/tokens.h"
#include "tests/unit/select_io/token_oracle.h"

#define FEW_JOBS 12

static void put(struct slu_tokens *t, size_t i, const struct job *j)
{
	t->nodes[i] = j->nodes;
	t->demand[i] = j->demand;
	t->limit[i] = j->limit;
	t->tokens[i] = j->before;
	t->record[i] = j->record;
	t->remainder[i] = j->remainder;
}

static void take(const struct slu_tokens *t, size_t i, struct job *j)
{
	j->limit = t->limit[i];
	j->before = t->tokens[i];
	j->record = t->record[i];
	j->remainder = t->remainder[i];
}

/* A random period: who is active, and what it did. */
static size_t draw(uint64_t *seed, struct job *job, size_t n, size_t *who,
		   double per)
{
	size_t active = 0;

	for (size_t i = 0; i < n; i++) {
		if (slu_random(seed, 4) == 0)
			continue;
		job[i].demand =
			(double)(1 + slu_random(seed, 1 + 2 * (uint64_t)per));
		if (slu_random(seed, 3) == 0 && job[i].before >= 1)
			job[i].demand = job[i].before; /* throttled */
		who[active++] = i;
	}
	return active;
}

static void invent(uint64_t *seed, struct job *job, size_t n, uint64_t nodes)
{
	for (size_t i = 0; i < n; i++)
		job[i] = (struct job){
			.nodes = (double)(1 + slu_random(seed, nodes)),
			.before = -1,
			.limit = -1,
		};
}

/* One history, step by step beside the slow form. */
static void compare(uint64_t seed, bool literal, size_t jobs, uint64_t nodes)
{
	uint64_t improve = literal ? 0 : seed;
	struct slu_tokens_settings s = {
		.rate = 1 + (double)slu_random(&seed, 3000),
		.literal = literal,
		.hungry = improve & 1,
		.instant = improve & 2,
	};
	struct slu_tokens t = {0};
	struct job job[MAX_JOBS], some[MAX_JOBS];
	size_t who[MAX_JOBS], n = 1 + slu_random(&seed, jobs), active;
	double carry = 0, seconds = literal ? 1 : 0.1;

	invent(&seed, job, n, nodes);
	for (int period = 0; period < 30; period++) {
		active = draw(&seed, job, n, who, s.rate * seconds / (double)n);
		ck_assert_int_eq(slu_tokens_resize(&t, active, NULL), 0);
		for (size_t k = 0; k < active; k++) {
			some[k] = job[who[k]];
			put(&t, k, &some[k]);
		}
		slu_tokens_step(&s, &t, seconds);
		if (active > 0)
			step_slowly(&s, some, active, seconds, &carry);
		for (size_t k = 0; k < active; k++) {
			expect(t.tokens[k] == some[k].tokens &&
				       t.record[k] == some[k].record &&
				       t.limit[k] == some[k].limit &&
				       fabs(t.remainder[k] -
					    some[k].remainder) < 1e-6,
			       "seed %lu period %d job %zu: %g not %g, record %g "
			       "not %g, remainder %g not %g",
			       seed, period, k, t.tokens[k], some[k].tokens,
			       t.record[k], some[k].record, t.remainder[k],
			       some[k].remainder);
			take(&t, k, &job[who[k]]);
		}
	}
	slu_tokens_free(&t);
}

START_TEST(test_as_printed)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		compare(seed * 7919, true, FEW_JOBS, 50);
}
END_TEST

START_TEST(test_mended)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		compare(seed * 7919, false, FEW_JOBS, 50);
}
END_TEST

/* Many that are alike: who gets what is left over is decided by few bits of
 * the remainder, or by the index. */
START_TEST(test_alike)
{
	for (uint64_t seed = 1; seed <= 100; seed++)
		compare(seed * 7919, false, MAX_JOBS, 1 + seed % 3);
}
END_TEST

/* Tokens are never negative and sum up to T, records to nothing; remainders
 * stay small; limits are never below tokens. */
static void conserve(uint64_t seed, bool hungry, bool instant)
{
	struct slu_tokens_settings s = {
		.rate = 0.5 + (double)slu_random(&seed, 100000) / 7,
		.hungry = hungry,
		.instant = instant,
	};
	struct slu_tokens t = {0};
	struct job job[MAX_JOBS];
	size_t who[MAX_JOBS], n = 2 + slu_random(&seed, FEW_JOBS - 1), active;
	double given = 0, debt = 0, records;

	invent(&seed, job, n, 50);
	for (int period = 0; period < 200; period++) {
		double tokens = 0;

		active = draw(&seed, job, n, who, s.rate / 10 / (double)n);
		ck_assert_int_eq(slu_tokens_resize(&t, active, NULL), 0);
		for (size_t k = 0; k < active; k++)
			put(&t, k, &job[who[k]]);
		slu_tokens_step(&s, &t, 0.1);
		debt += active ? s.rate * 0.1 : 0;
		records = 0;
		for (size_t k = 0; k < active; k++) {
			expect(t.tokens[k] >= 0 && t.limit[k] >= t.tokens[k] &&
				       fabs(t.remainder[k]) < 3,
			       "seed %lu: %g tokens, limit %g, remainder %g",
			       seed, t.tokens[k], t.limit[k], t.remainder[k]);
			tokens += t.tokens[k];
			take(&t, k, &job[who[k]]);
		}
		for (size_t i = 0; i < n; i++)
			records += job[i].record;
		given += tokens;
		expect(fabs(given - debt) < 1 + 1e-6 && records == 0,
		       "seed %lu period %d: %.9g given of %.9g, records %g",
		       seed, period, given, debt, records);
	}
	slu_tokens_free(&t);
}

START_TEST(test_conservation)
{
	for (uint64_t seed = 1; seed <= 500; seed++)
		conserve(seed * 104729, seed & 1, seed & 2);
}
END_TEST

/* All jobs always want more: each gets its part, to a token or two. */
START_TEST(test_fairness)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t draw_seed = seed * 15485863;
		struct slu_tokens_settings s = {
			.rate = 1 + (double)slu_random(&draw_seed, 500),
			.hungry = seed & 1,
		};
		struct slu_tokens t = {0};
		size_t n = 1 + slu_random(&draw_seed, MAX_JOBS);
		double got[MAX_JOBS] = {0}, nodes = 0;

		ck_assert_int_eq(slu_tokens_resize(&t, n, NULL), 0);
		for (size_t i = 0; i < n; i++) {
			t.nodes[i] = (double)(1 + slu_random(&draw_seed, 64));
			t.tokens[i] = t.limit[i] = -1;
			nodes += t.nodes[i];
		}
		for (int period = 0; period < 1000; period++) {
			for (size_t i = 0; i < n; i++)
				t.demand[i] = 1e6;
			slu_tokens_step(&s, &t, 0.1);
			for (size_t i = 0; i < n; i++)
				got[i] += t.tokens[i];
		}
		for (size_t i = 0; i < n; i++)
			expect(fabs(got[i] -
				    s.rate * 100 * t.nodes[i] / nodes) < 3,
			       "seed %lu: %g of %g", seed, got[i],
			       s.rate * 100 * t.nodes[i] / nodes);
		slu_tokens_free(&t);
	}
}
END_TEST

/* Steady state of a job of 4 in 1,000 nodes at 100 tokens a second. */
static double small_job(bool literal)
{
	struct slu_tokens_settings s = {.rate = 1000, .literal = literal};
	struct slu_tokens t = {0};
	double got = 0;

	ck_assert_int_eq(slu_tokens_resize(&t, 3, NULL), 0);
	for (int i = 0; i < 3; i++) {
		t.nodes[i] = (double[]){4, 498.3, 497.7}[i];
		t.tokens[i] = t.limit[i] = -1;
	}
	for (int period = 0; period < 100; period++) {
		for (int i = 0; i < 3; i++)
			t.demand[i] = 1e6;
		slu_tokens_step(&s, &t, 0.1);
		got += t.tokens[0];
	}
	slu_tokens_free(&t);
	return got;
}

/* (24) as printed loses the part of a token that a small job has due. */
START_TEST(test_lost_remainder)
{
	expect(small_job(false) >= 39, "%g", small_job(false));
	expect(small_job(true) <= 20, "%g", small_job(true));
}
END_TEST

/* A job does a tenth of its part for `lends` periods, then all that it may,
 * beside others that always do: in how many periods more has it back all that
 * it lent, but for 5 %? Its part and theirs by nodes. */
static int periods_to_repay(double nodes, size_t n, int lends, double *lent)
{
	struct slu_tokens_settings s = {
		.rate = 1000, .hungry = true, .instant = true};
	struct slu_tokens t = {0};
	int period = 0;

	ck_assert_int_eq(slu_tokens_resize(&t, n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		t.nodes[i] = i ? 1 : nodes;
		t.tokens[i] = t.limit[i] = -1;
	}
	for (*lent = 0; period < lends || t.record[0] > 0.05 * *lent;
	     period++) {
		for (size_t i = 0; i < n; i++)
			t.demand[i] = fmax(t.limit[i], 10);
		if (period < lends)
			t.demand[0] =
				0.1 * s.rate * nodes / (nodes + (double)n - 1);
		slu_tokens_step(&s, &t, 1);
		*lent = fmax(*lent, t.record[0]);
		ck_assert(period < lends + 1000);
	}
	slu_tokens_free(&t);
	return period - lends;
}

/* As tokens.h says: half of the borrowers' tokens until that is what it lent.
 */
START_TEST(test_repaid)
{
	static const struct {
		double nodes;
		size_t jobs;
		int lends;
	} cases[] = {{1, 2, 4},	 {1, 2, 20}, {3, 2, 20},  {1, 4, 50},
		     {1, 10, 5}, {8, 3, 20}, {50, 51, 10}};

	each(c, cases)
	{
		double others = (double)c->jobs - 1, lent;
		int took = periods_to_repay(c->nodes, c->jobs, c->lends, &lent);
		double half = 500 * others / (others + c->nodes);

		expect(lent > 50 && took <= ceil(lent / half) + 3,
		       "%g nodes of %zu jobs: %g lent, %d periods", c->nodes,
		       c->jobs, lent, took);
	}
}
END_TEST

/* A thousand equal jobs: the same remainder for all is not special. */
START_TEST(test_many)
{
	struct slu_tokens_settings s = {.rate = 12345};
	struct slu_tokens t = {0};
	double got = 0;

	ck_assert_int_eq(slu_tokens_resize(&t, 5000, NULL), 0);
	for (int period = 0; period < 50; period++) {
		for (size_t i = 0; i < t.n; i++) {
			t.nodes[i] = 1;
			t.demand[i] = 10;
			if (period == 0)
				t.tokens[i] = t.limit[i] = -1;
		}
		slu_tokens_step(&s, &t, 0.1);
		for (size_t i = 0; i < t.n; i++)
			got += t.tokens[i];
	}
	ck_assert(fabs(got - 12345 * 5) < 1);
	slu_tokens_free(&t);
}
END_TEST

/* Only the job that is held back borrows; who lends may take it back at once.
 */
START_TEST(test_improvements)
{
	struct slu_tokens_settings s = {
		.rate = 100, .hungry = true, .instant = true};
	struct slu_tokens t = {0};

	ck_assert_int_eq(slu_tokens_resize(&t, 2, NULL), 0);
	for (int i = 0; i < 2; i++) {
		t.nodes[i] = i ? 1 : 9;
		t.tokens[i] = t.limit[i] = -1;
		t.demand[i] = i ? 10 : 2;
	}
	slu_tokens_step(&s, &t, 1);
	ck_assert(t.tokens[0] == 2 && t.tokens[1] == 98);
	ck_assert(t.limit[0] == 90 && t.limit[1] == 98);
	ck_assert(t.record[0] == 88 && t.record[1] == -88);
	slu_tokens_free(&t);
}
END_TEST

TEST_MAIN("tokens", test_as_printed, test_mended, test_alike, test_conservation,
	  test_fairness, test_lost_remainder, test_many, test_improvements,
	  test_repaid)

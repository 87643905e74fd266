/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the Markov chain that predicts what an application's next run writes,
 * against a simple oracle. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include <stdbool.h>
#include "job_submit/io/markov.h"

START_TEST(test_states)
{
	static const struct {
		double value;
		int state;
	} cases[] = {
		{100, 0},    {125, 0}, {75, 0},	    {74.99, -1}, {15, -1},
		{14.99, -2}, {-9, -2}, {125.01, 1}, {185, 1},	 {185.01, 2},
	};
	static const double back[] = {0, 50, 100, 150, 270};

	each(c, cases) expect(slu_markov_state(c->value, 100, 100) == c->state,
			      "%g", c->value);
	for (int s = -2; s <= 2; s++)
		ck_assert_double_eq_tol(slu_markov_value(s, 100, 100),
					back[s + 2], 1e-9);
	ck_assert_int_eq(slu_markov_state(7, 5, 0), 0); /* sigma 0 */
	ck_assert_double_eq_tol(slu_markov_value(-2, 1000, 100), 830, 1e-9);
}
END_TEST

START_TEST(test_stripes)
{
	ck_assert_uint_eq(slu_markov_stripes(0, 1024), 1);
	ck_assert_uint_eq(slu_markov_stripes(1024, 1024), 1);
	ck_assert_uint_eq(slu_markov_stripes(1025, 1024), 2);
	ck_assert_uint_gt(slu_markov_stripes(1e300, 1), 0);
}
END_TEST

static struct slu_markov taught(uint32_t order, const double *period, int n,
				int times)
{
	struct slu_markov m;

	slu_markov_init(&m, order);
	for (int i = 0; i < times; i++)
		slu_markov_learn(&m, period[i % n]);
	return m;
}

START_TEST(test_patterns)
{
	static const double same[] = {5e9}, two[] = {0, 8e9};
	static const double four[] = {1e9, 17e9, 0, 0};
	double next[6];
	struct slu_markov m;

	slu_markov_init(&m, 3);
	slu_markov_predict(&m, next, 3); /* nothing known */
	ck_assert_double_eq(next[0] + next[1] + next[2], 0);
	m = taught(3, same, 1, 3);
	slu_markov_predict(&m, next, 2);
	ck_assert_double_eq_tol(next[1], 5e9, 1);
	m = taught(3, two, 2, 20);
	slu_markov_predict(&m, next, 4);
	ck_assert_double_lt(next[0], 2e9);
	ck_assert_double_gt(next[1], 6e9);
	ck_assert_double_lt(next[2], 2e9);
	m = taught(3, four, 4, 21); /* 17e9, 0, 0, 1e9 come next */
	slu_markov_predict(&m, next, 5);
	ck_assert_double_gt(next[0], 9e9);
	for (int i = 1; i < 4; i++)
		ck_assert_double_lt(next[i], 5e9);
	ck_assert_double_gt(next[4], 9e9);
	/* One state does not tell the two zeros apart, three do. */
	m = taught(1, four, 4, 23);
	ck_assert_uint_le(slu_markov_length(&m), SLU_MARKOV_LENGTH);
}
END_TEST

/* What is not learnt yet does not matter, whatever is there. */
START_TEST(test_untrained_memory_does_not_matter)
{
	struct slu_markov m[2];
	uint64_t seed = 5;

	for (int i = 0; i < 2; i++) {
		memset(&m[i], 85 * i, sizeof(m[i]));
		slu_markov_init(&m[i], 3);
	}
	for (int n = 0; n < 40; n++) {
		double next[2][4], value = (double)slu_random(&seed, 3);

		for (size_t many = 1; many <= 4; many++) {
			for (int i = 0; i < 2; i++)
				slu_markov_predict(&m[i], next[i], many);
			ck_assert_mem_eq(next[0], next[1],
					 many * sizeof(next[0][0]));
		}
		for (int i = 0; i < 2; i++)
			slu_markov_learn(&m[i], value);
	}
}
END_TEST

/*
 * Algorithm 1 once more, with a table of transitions over all contexts of the
 * given length, for one training sequence.
 */
static double oracle(const double *value, size_t n, uint32_t order)
{
	double mean = 0, var = 0, deviation;
	int state[SLU_MARKOV_LENGTH], next = 0;

	for (size_t i = 0; i < n; i++)
		mean += value[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		var += (value[i] - mean) * (value[i] - mean);
	deviation = sqrt(var / (double)n);
	for (size_t i = 0; i < n; i++)
		state[i] = slu_markov_state(value[i], mean, deviation);
	for (uint32_t o = order; o > 0; o--) {
		int count[5] = {0}, most = 0;

		for (size_t i = o; i < n; i++) {
			bool same = true;

			for (uint32_t k = 1; k <= o; k++)
				same &= state[i - k] == state[n - k];
			if (same && ++count[state[i] + 2] >= most) {
				most = count[state[i] + 2];
				next = state[i];
			}
		}
		if (most)
			return slu_markov_value(next, mean, deviation);
	}
	return mean;
}

/* Any of four sizes that grow with time, or in every other stretch a period of
 * 1 to 12 of them: what repeats is not trained for. */
static double any_value(const double *before, size_t n, uint64_t *seed)
{
	size_t stretch = n / 60, period = 1 + stretch / 2 % 12;

	if (stretch % 2 && n % 60 >= period)
		return before[n - period];
	return (double)slu_random(seed, 4) * (double)(1 + n / 400);
}

/* The guess of each training length, and the length with the least error. */
START_TEST(test_oracle)
{
	uint64_t seed = 11;

	for (uint32_t order = 1; order <= SLU_MARKOV_MAX_ORDER; order++) {
		double error[SLU_MARKOV_LENGTHS] = {0}, all[1500];
		struct slu_markov m;

		slu_markov_init(&m, order);
		for (size_t n = 0; n < 1500; n++) {
			size_t length = slu_markov_length(&m);
			double got;

			all[n] = any_value(all, n, &seed);
			slu_markov_predict(&m, &got, 1);
			if (n) {
				double want, least = INFINITY;
				size_t use = n < length ? n : length;

				want = oracle(&all[n - use], use, order);
				ck_assert_double_eq_tol(got, want, 1e-6);
				for (size_t l = 0; l < SLU_MARKOV_LENGTHS; l++)
					if (n > 16)
						least = fmin(least, error[l]);
				ck_assert(n <= 16 || error[length / 2 - 1] <=
							     least + 1e-9);
			}
			for (size_t l = 0; n && l < SLU_MARKOV_LENGTHS; l++) {
				size_t use = n < 2 * l + 2 ? n : 2 * l + 2;
				double off = oracle(&all[n - use], use, order) -
					     all[n];

				error[l] = 0.9 * error[l] + 0.1 * off * off;
			}
			slu_markov_learn(&m, all[n]);
		}
	}
}
END_TEST

TEST_MAIN("markov", test_states, test_stripes, test_patterns,
	  test_untrained_memory_does_not_matter, test_oracle)

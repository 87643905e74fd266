/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests how a curve (bandwidth by number of I/O nodes) learns from single runs:
 * by the time with each number, with less weight for older runs, with its
 * uncertainty, and mixed with a performance table.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/curves/curves.h"

#define DAY 86400
#define NOW (1000 * (int64_t)DAY)

START_TEST(test_malformed_text)
{
	static const char *const bad[] = {
		"",
		"2",
		"2:",
		":3",
		"2:0",
		"2:-1",
		"2:1,",
		",2:1",
		"2:1;",
		"2:1 ",
		" 2:1",
		"-2:1",
		"2:inf",
		"2:nan",
		"2:1e10",
		"x:1",
		"2:1,,3:1",
		"4294967295:1",
		"99999999999999999999:1",
		"0:1,1:1,2:1,3:1,4:1,5:1,6:1,7:1,8:1,9:1,10:1,11:1,12:1,13:1,"
		"14:1,15:1,16:1",
	};
	struct slu_ion_times t = {0}, got;
	struct slu_err err;
	char *text;

	each(b, bad)
	{
		got.n = 77;
		expect(slu_ion_times_parse(*b, &got, &err) < 0 &&
			       err.kind == SLU_INVALID && got.n == 77,
		       "%s", *b);
	}
	ck_assert_int_eq(slu_ion_times_add(&t, 2, 1200), 0);
	ck_assert_int_eq(slu_ion_times_add(&t, 0, 300.5), 0);
	ck_assert_int_eq(slu_ion_times_add(&t, 2, 1), 0);
	ck_assert_int_eq(slu_ion_times_add(&t, 8, 0), 0);
	ck_assert_int_eq(slu_ion_times_add(&t, 2, SLU_ION_TIMES_LONG), -1);
	text = slu_ion_times_text(&t);
	ck_assert_str_eq(text, "2:1201,0:300.5");
	expect_ok(slu_ion_times_parse(text, &got, &err), err);
	ck_assert_uint_eq(got.n, 2);
	ck_assert_double_eq(slu_ion_times_sum(&got), 1501.5);
	free(text);
}
END_TEST

static void run(struct slu_curve *c, int64_t when, uint32_t ions,
		double bandwidth)
{
	struct slu_ion_times one = slu_ion_times_one(ions);

	slu_curve_add_run(c, when, &one, bandwidth);
}

static const struct slu_curve_point *at(const struct slu_curve *c,
					uint32_t ions)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->point[i].ions == ions)
			return &c->point[i];
	return NULL;
}

/* Weights are relative to the newest run, in any order of training. */
START_TEST(test_older_runs_weigh_less)
{
	static const int64_t end[] = {NOW - 60 * DAY, NOW - 30 * DAY, NOW};
	static const double reached[] = {40, 80, 160};
	static const int order[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
				       {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
	double mean = (0.25 * 40 + 0.5 * 80 + 160) / 1.75;

	each(o, order)
	{
		struct slu_curve c = {0};

		for (int i = 0; i < 3; i++)
			run(&c, end[(*o)[i]], 2, reached[(*o)[i]]);
		ck_assert_double_eq_tol(at(&c, 2)->mean, mean, 1e-9);
		ck_assert_double_eq_tol(at(&c, 2)->weight, 1.75, 1e-9);
		ck_assert_double_eq_tol(at(&c, 2)->squares,
					0.25 * (40 - mean) * (40 - mean) +
						0.5 * (80 - mean) *
							(80 - mean) +
						(160 - mean) * (160 - mean),
					1e-6);
		ck_assert_uint_eq(at(&c, 2)->runs, 3);
		ck_assert_int_eq(c.at, NOW);
	}
}
END_TEST

/* Times that are nonsense harm nothing. */
START_TEST(test_wrong_times)
{
	struct slu_curve c = {0};

	run(&c, 1, 2, 100);
	run(&c, INT64_MAX, 2, 200);
	run(&c, 2, 2, 100);
	run(&c, -5, 2, 100);
	run(&c, INT64_MIN, 4, 100);
	run(&c, 0, 4, 100);
	ck_assert(isfinite(slu_curve_at(&c, 2)) && slu_curve_at(&c, 2) >= 100);
	ck_assert(isfinite(slu_curve_error(&c, 2, INT64_MAX)));
	ck_assert(isfinite(slu_curve_deviation(at(&c, 4))));
}
END_TEST

static struct slu_ion_times random_times(uint64_t *seed)
{
	struct slu_ion_times t = {0};

	for (uint32_t k = 0; k <= 8; k = k ? 2 * k : 1)
		if (slu_random(seed, 2))
			slu_ion_times_add(&t, k,
					  1 + (double)slu_random(seed, 500));
	if (t.n == 0)
		t = slu_ion_times_one(1);
	return t;
}

/* Bayes' rule by the whole matrix: numbers that are believed to be normally
 * distributed, and a mean of them over the time that was measured. */
static void posterior(const struct slu_curve *c, const struct slu_ion_times *t,
		      double reached, double *out)
{
	double all = slu_ion_times_sum(t), m[16][17] = {{0}}, w[16], mean = 0;
	uint32_t n = t->n;

	for (uint32_t i = 0; i < n; i++) {
		w[i] = t->time[i].seconds / all;
		mean += w[i] * slu_curve_at(c, t->time[i].ions);
	}
	for (uint32_t i = 0; i < n; i++) {
		double at = slu_curve_at(c, t->time[i].ions);
		double e = slu_curve_error(c, t->time[i].ions, 0);
		double noise = 0.04 * mean * mean; /* a fifth */

		for (uint32_t k = 0; k < n; k++)
			m[i][k] = w[i] * w[k] / noise;
		m[i][i] += 1 / (e * e);
		m[i][n] = at / (e * e) + w[i] * reached / noise;
	}
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = n + 1; k != i && j-- > i;)
				m[k][j] -= m[i][j] * m[k][i] / m[i][i];
	for (uint32_t i = 0; i < n; i++)
		out[i] = m[i][n] / m[i][i];
}

START_TEST(test_bayes)
{
	size_t moved = 0, left = 0;
	uint64_t seed = 4;

	for (int round = 0; round < 3000; round++) {
		struct slu_curve c = {0}, got;
		struct slu_ion_times t = random_times(&seed);
		double reached = 90 + (double)slu_random(&seed, 80), want[16];

		for (uint32_t k = 0; k <= 8; k = k ? 2 * k : 1)
			run(&c, 0, k, 50 + (double)slu_random(&seed, 90));
		got = c;
		slu_curve_add_run(&got, 0, &t, reached);
		posterior(&c, &t, reached, want);
		for (uint32_t i = 0; i < t.n; i++) {
			const struct slu_curve_point *p =
				at(&got, t.time[i].ions);

			ck_assert_double_le(p->weight, 2);
			left += p->weight <= 1; /* it says next to nothing */
			if (p->weight <= 1)
				continue;
			expect(fabs(p->mean - want[i]) < 1e-6,
			       "round %d, %u: %f, not %f", round, p->ions,
			       p->mean, want[i]);
			moved++;
		}
	}
	ck_assert_uint_gt(moved, 2000);
	ck_assert_uint_gt(left, 500);
}
END_TEST

/* Nothing but runs that had two numbers, by turns more of one and of the other:
 * the curve is found. */
START_TEST(test_learns_from_changes)
{
	static const double really[] = {0, 100, 180, 0, 300};
	uint64_t seed = 9;
	struct slu_curve c = {0};

	for (int i = 0; i < 300; i++) {
		struct slu_ion_times t = {0};
		uint32_t a = 1u << slu_random(&seed, 3);
		uint32_t b = 1u << slu_random(&seed, 3);
		double x = 10 + (double)slu_random(&seed, 1000);
		double y = 10 + (double)slu_random(&seed, 1000);

		slu_ion_times_add(&t, a, x);
		slu_ion_times_add(&t, b, y);
		slu_curve_add_run(&c, 0, &t,
				  (x * really[a] + y * really[b]) / (x + y));
	}
	for (uint32_t k = 1; k <= 4; k *= 2)
		expect(fabs(slu_curve_at(&c, k) / really[k] - 1) < 0.1,
		       "%u: %f", k, slu_curve_at(&c, k));
}
END_TEST

START_TEST(test_error)
{
	struct slu_curve c = {0};
	double first, later;

	ck_assert_double_eq(slu_curve_error(&c, 1, 0), 0);
	run(&c, NOW, 2, 100);
	first = slu_curve_error(&c, 2, NOW);
	ck_assert_double_eq_tol(first, 20, 1e-9); /* a fifth, as usual */
	ck_assert_double_gt(slu_curve_error(&c, 4, NOW), first);
	ck_assert_double_gt(slu_curve_error(&c, 8, NOW),
			    slu_curve_error(&c, 4, NOW));
	ck_assert_double_gt(slu_curve_error(&c, 0, NOW), first);
	ck_assert_double_le(slu_curve_error(&c, 1 << 30, NOW), 100);
	for (int i = 0; i < 20; i++)
		run(&c, NOW, 2, i % 2 ? 101 : 99);
	ck_assert_double_lt(slu_curve_error(&c, 2, NOW), 2);
	later = slu_curve_error(&c, 2, NOW + 300 * DAY);
	ck_assert_double_gt(later, 10 * slu_curve_error(&c, 2, NOW));
	ck_assert_double_le(later, slu_curve_at(&c, 2));
}
END_TEST

/* Runs that take two seconds a MB beside their I/O, and a table of that. */
START_TEST(test_mix)
{
	static const double table[] = {0.5, 1, 2, 0, 8};
	struct slu_curve own = {0}, t = {0}, got;

	for (uint32_t k = 1; k <= 4; k *= 2)
		slu_curve_add(&t, k, table[k]);
	slu_curve_add(&own, 2, 1 / (2 + 1 / table[2]));
	slu_curve_mix(&own, &t, 0.5, &got);
	for (uint32_t k = 1; k <= 4; k *= 2)
		expect(fabs(slu_curve_at(&got, k) * (2 + 1 / table[k]) - 1) <
			       1e-9,
		       "%u: %f", k, slu_curve_at(&got, k));
	ck_assert_uint_eq(at(&got, 4)->runs, 0);
	ck_assert_double_eq(at(&got, 4)->weight, 0.5);
	ck_assert_uint_eq(at(&got, 2)->runs, 1);
	/* who hardly does any I/O gains nothing, whatever a table promises */
	t = own = (struct slu_curve){0};
	slu_curve_add(&t, 1, 1000);
	slu_curve_add(&t, 4, 1e6);
	slu_curve_add(&own, 1, 0.01);
	slu_curve_mix(&own, &t, 0.5, &got);
	ck_assert_double_eq_tol(slu_curve_at(&got, 4), 0.01, 1e-5);
	/* a table that is slower than what was measured */
	t = own = (struct slu_curve){0};
	slu_curve_add(&t, 1, 10);
	slu_curve_add(&t, 2, 20);
	slu_curve_add(&own, 1, 100);
	slu_curve_mix(&own, &t, 0.5, &got);
	ck_assert_double_eq_tol(slu_curve_at(&got, 2), 200, 1e-6);
	/* runs outweigh it, run by run */
	for (int i = 0; i < 9; i++)
		slu_curve_add(&own, 2, 100);
	slu_curve_mix(&own, &t, 1, &got);
	ck_assert_double_lt(fabs(slu_curve_at(&got, 2) - 100), 11);
}
END_TEST

TEST_MAIN("curve_runs", test_malformed_text, test_older_runs_weigh_less,
	  test_wrong_times, test_bayes, test_learns_from_changes, test_error,
	  test_mix)

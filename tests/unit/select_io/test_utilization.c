/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how busy runs kept a file system: by hand, and against sums over each
 * second. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include <string.h>
#include "select_io/bandwidth/utilization.h"

START_TEST(test_by_hand)
{
	struct slu_ended_run run[] = {
		{300, 400, 2, 60, 1}, /* alone */
		{0, 150, 2, 60, 1},   /* beside the next */
		{0, 150, 2, 40, 2},   {1000, 1100, 4, 0.5, 3}, /* noise */
		{300, 380, 2, 10, 2},
	};
	struct slu_utilization p;

	ck_assert_int_eq(slu_utilization_look(run, 5, 100, &p), 0);
	ck_assert_double_eq(p.highest, 100);
	ck_assert_double_eq(p.most_99, 100);
	ck_assert_double_eq(p.median, 70);
	ck_assert_double_eq_tol(p.busy, 150.0 / 350, 1e-9);
	ck_assert_double_eq(p.node_seconds, 2 * 300 + 2 * 100 + 2 * 80);
	ck_assert_double_eq(p.busy_node_seconds, 2 * 300);
	ck_assert_uint_eq(p.crowded, 0); /* they just fit */
	ck_assert_uint_eq(p.kinds, 2);
	ck_assert_double_eq_tol(p.slower, sqrt(1.5 * 150 / 80), 1e-9);
	/* of less there is no room for both */
	ck_assert_int_eq(slu_utilization_look(run, 5, 80, &p), 0);
	ck_assert_uint_eq(p.crowded, 2);
	/* what is not known is what was seen */
	ck_assert_int_eq(slu_utilization_look(run, 5, 0, &p), 0);
	ck_assert_double_eq(p.capacity, 100);
	ck_assert_int_eq(slu_utilization_look(run, 0, 0, &p), 0);
	ck_assert_double_eq(p.highest + p.median + p.busy + p.slower, 0);
}
END_TEST

/* Two hours of which one is busy, and in it five seconds with a wrong number of
 * bytes. */
START_TEST(test_short_wrong_run)
{
	const struct slu_ended_run right[] = {
		{0, 3600, 2, 60, 1},
		{0, 3600, 2, 40, 2},
		{3600, 7200, 2, 60, 1},
	};
	struct slu_ended_run run[4] = {{1000, 1005, 1, 1e9, 3}};
	struct slu_utilization p;

	memcpy(&run[1], right, sizeof(right));
	ck_assert_int_eq(slu_utilization_look(run, 4, 0, &p), 0);
	ck_assert_double_eq(p.highest, 100);
	ck_assert_double_eq(p.capacity, 100);
	ck_assert_double_eq(p.most_99, 100);
	ck_assert_double_eq_tol(p.busy, 0.5, 1e-9);
	ck_assert_double_eq_tol(p.busy_node_seconds, 2 * 2 * 3600 + 5, 1e-6);
	ck_assert_uint_eq(p.crowded, 0);
}
END_TEST

#define RUNS 30
#define LAST 300

/* The same, second by second. */
static void by_seconds(const struct slu_ended_run *run, size_t n, double c,
		       struct slu_utilization *out)
{
	double rate[LAST + 1] = {0}, any = 0, busy = 0;

	*out = (struct slu_utilization){.capacity = c};
	for (int t = 0; t < LAST; t++) {
		for (size_t i = 0; i < n; i++)
			if (run[i].start <= t && t < run[i].end)
				rate[t] += run[i].rate;
		out->highest = fmax(out->highest, rate[t]);
		any += rate[t] > 0;
		busy += rate[t] >= 0.8 * c;
	}
	out->busy = any > 0 ? busy / any : 0;
	for (size_t i = 0; i < n; i++) {
		if (run[i].rate <= 0.01 * c)
			continue;
		for (int t = (int)run[i].start; t < run[i].end; t++) {
			out->node_seconds += run[i].nodes;
			out->busy_node_seconds +=
				rate[t] >= 0.8 * c ? run[i].nodes : 0;
		}
		out->crowded += rate[(int)run[i].start] >
				fmax(c, run[i].rate) * (1 + 1e-9);
	}
}

START_TEST(test_random_against_simple_sums)
{
	uint64_t seed = 7;

	for (int round = 0; round < 500; round++) {
		struct slu_ended_run run[RUNS];
		size_t n = 1 + slu_random(&seed, RUNS);
		double c = 1 + (double)slu_random(&seed, 400);
		struct slu_utilization got, want;

		for (size_t i = 0; i < n; i++) {
			double start = (double)slu_random(&seed, LAST - 50);

			run[i] = (struct slu_ended_run){
				start,
				start + 1 + (double)slu_random(&seed, 49),
				1 + (double)slu_random(&seed, 8),
				(double)slu_random(&seed, 64),
				slu_random(&seed, 5)};
		}
		ck_assert_int_eq(slu_utilization_look(run, n, c, &got), 0);
		by_seconds(run, n, c, &want);
		expect(fabs(got.highest - want.highest) < 1e-9 &&
			       fabs(got.busy - want.busy) < 1e-9 &&
			       got.crowded == want.crowded &&
			       fabs(got.node_seconds - want.node_seconds) <
				       1e-6 &&
			       fabs(got.busy_node_seconds -
				    want.busy_node_seconds) < 1e-6,
		       "round %d: %g %g, %g %g, %zu %zu", round, got.highest,
		       want.highest, got.busy, want.busy, got.crowded,
		       want.crowded);
		expect(got.median <= got.most_99 && got.most_99 <= got.highest,
		       "%g %g", got.median, got.most_99);
	}
}
END_TEST

TEST_MAIN("past", test_by_hand, test_short_wrong_run,
	  test_random_against_simple_sums)

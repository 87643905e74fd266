/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the two-group rule of select_io/bandwidth/groups.h, which limits how
 * many jobs with much I/O run at a time: an example worked out by hand, and
 * random jobs against a search.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/bandwidth/groups.h"

/*
 * Four jobs of one node and 100 s wait: 0, 1, 5 and 10 bytes/s. The light half
 * are those with 0 and 1: 0.5 on average. One with 4 runs for another 100 s:
 * 20 bytes/s over 5 jobs are 4 by node; on ten nodes 35 above the light half,
 * of which 3.5 are taken.
 */
START_TEST(test_example)
{
	static const struct slu_demand runs = {1, 4, 100, 0};
	static const struct slu_demand waits[] = {{1, 10, 100, 0},
						  {1, 0, 100, 0},
						  {1, 5, 100, 0},
						  {1, 1, 100, 0}};
	struct slu_groups g;

	ck_assert_int_eq(slu_groups_divide(&runs, 1, waits, 4, 10, &g), 0);
	ck_assert_double_eq_tol(g.light, 1, 1e-12);
	ck_assert_double_eq_tol(g.mean, 0.5, 1e-12);
	ck_assert_double_eq_tol(g.target, 35, 1e-12);
	ck_assert_double_eq_tol(g.above, 3.5, 1e-12);
	/* heavy ones until 35 is reached, or passed by half a job */
	for (double above = 3.5; above <= 35 - 9.5 / 2; above += 9.5) {
		ck_assert(slu_groups_fit(&g, &waits[0]));
		slu_groups_begun(&g, &waits[0]);
	}
	ck_assert(!slu_groups_fit(&g, &waits[0]));
	ck_assert(slu_groups_fit(&g, &waits[1])); /* light ones always */
	ck_assert(slu_groups_fit(&g, &waits[3]));
	ck_assert_int_eq(slu_groups_divide(&runs, 1, waits, 0, 10, &g), 0);
	ck_assert(slu_groups_fit(&g, &waits[0])); /* nobody else waits */
}
END_TEST

/* If all jobs are equal, none counts as heavy: nodes do not idle. */
START_TEST(test_equal_jobs_share_evenly)
{
	struct slu_demand waits[20];
	struct slu_groups g;

	for (int i = 0; i < 20; i++)
		waits[i] = (struct slu_demand){2, 60, 10 + i, 0};
	ck_assert_int_eq(slu_groups_divide(waits, 10, waits, 20, 10, &g), 0);
	each(w, waits) ck_assert(slu_groups_fit(&g, w));
}
END_TEST

/* The light half by trying every limit. */
static double light_of(const struct slu_demand *waits, int n)
{
	double best = INFINITY, all = 0;

	for (int i = 0; i < n; i++)
		all += waits[i].nodes * waits[i].seconds;
	for (int i = 0; i < n; i++) {
		double limit = waits[i].rate / waits[i].nodes, half = 0;

		for (int k = 0; k < n; k++)
			if (waits[k].rate / waits[k].nodes <= limit)
				half += waits[k].nodes * waits[k].seconds;
		if (half >= all / 2)
			best = fmin(best, limit);
	}
	return best;
}

START_TEST(test_random_against_search)
{
	enum { MOST = 12 };
	struct slu_demand job[2 * MOST];
	uint64_t seed = 7;

	for (int round = 0; round < 3000; round++) {
		int n = 1 + (int)slu_random(&seed, MOST);
		int runs = (int)slu_random(&seed, MOST);
		double bytes = 0, area = 0, light = 0, light_area = 0,
		       above = 0;
		struct slu_groups g;

		for (int i = 0; i < n + runs; i++) {
			job[i] = (struct slu_demand){
				1 + (double)slu_random(&seed, 5),
				(double)slu_random(&seed, 6),
				1 + (double)slu_random(&seed, 50), 0};
			bytes += job[i].rate * job[i].seconds;
			area += job[i].nodes * job[i].seconds;
		}
		ck_assert_int_eq(slu_groups_divide(&job[n], (size_t)runs, job,
						   (size_t)n, 100, &g),
				 0);
		ck_assert_double_eq_tol(g.light, light_of(job, n), 1e-9);
		for (int i = 0; i < n; i++) {
			if (job[i].rate / job[i].nodes > g.light)
				continue;
			light += job[i].rate * job[i].seconds;
			light_area += job[i].nodes * job[i].seconds;
			ck_assert(slu_groups_fit(&g, &job[i]));
		}
		for (int i = n; i < n + runs; i++)
			above +=
				job[i].rate - job[i].nodes * light / light_area;
		ck_assert_double_eq_tol(g.mean, light / light_area, 1e-9);
		ck_assert_double_eq_tol(g.above, above, 1e-6);
		ck_assert_double_eq_tol(g.target, 100 * (bytes / area - g.mean),
					1e-6);
	}
}
END_TEST

TEST_MAIN("groups", test_example, test_equal_jobs_share_evenly,
	  test_random_against_search)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the estimate of the gain over STATIC in simulations with a known gain.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/ion/evaluation/gain.h"

#define APPS 24
#define RUNS 6

static double gauss(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)slu_random(seed, 1u << 30) / (1u << 30);
	return sum;
}

/* Applications with a true bandwidth under each policy; runs differ, and so
 * does what is believed of STATIC, by the error that is said. Returns the true
 * ratio. */
static double world(uint64_t *seed, size_t apps, struct slu_ion_run *run)
{
	double reached = 0, fixed = 0;

	for (size_t app = 0; app < apps; app++) {
		double of_static = 20 + (double)slu_random(seed, 400);
		double ours =
			of_static * (0.6 + (double)slu_random(seed, 300) / 100);
		double error = 0.1 * of_static;
		double believed = of_static + error * gauss(seed);

		for (size_t i = 0; i < RUNS; i++) {
			struct slu_ion_run *r = &run[app * RUNS + i];
			double s = 100 + (double)slu_random(seed, 3000);

			*r = (struct slu_ion_run){
				.app = app,
				.seconds = s,
				.reached = ours * exp(0.2 * gauss(seed) - 0.02),
				.f = {ours, believed, ours, error}};
			reached += ours * s;
			fixed += of_static * s;
		}
	}
	return reached / fixed;
}

static size_t inside(size_t apps, size_t worlds)
{
	static struct slu_ion_run run[APPS * RUNS];
	uint64_t seed = apps;
	size_t in = 0;

	for (size_t i = 0; i < worlds; i++) {
		double truth = world(&seed, apps, run);
		struct slu_ion_gain g;

		slu_ion_gain(run, apps * RUNS, &g);
		ck_assert(g.known && g.apps == apps);
		ck_assert_double_le(g.low, g.ratio);
		ck_assert_double_ge(g.high, g.ratio);
		in += g.low <= truth && truth <= g.high;
	}
	return in;
}

START_TEST(test_interval)
{
	static const size_t apps[] = {2, 3, 5, 10, APPS};

	each(n, apps)
	{
		size_t in = inside(*n, 1000);

		expect(in >= 930, "%zu applications: %zu of 1000", *n, in);
	}
}
END_TEST

START_TEST(test_too_little)
{
	struct slu_ion_run run[2] = {
		{.app = 1, .seconds = 10, .reached = 6, .f = {4, 3, 9, 0}},
		{.app = 1, .seconds = 30, .reached = 2, .f = {4, 3, 9, 0}}};
	struct slu_ion_gain g;

	slu_ion_gain(run, 0, &g);
	ck_assert(!g.known && g.runs == 0 && g.ratio == 0);
	slu_ion_gain(run, 2, &g);
	ck_assert(!g.known && g.apps == 1 && g.runs == 2);
	ck_assert_double_eq(g.reached, 3);
	ck_assert_double_eq(g.fixed, 3);
	ck_assert_double_eq(slu_ion_mean_error(run, 0), 0);
	ck_assert_double_eq_tol(slu_ion_mean_error(run, 2), (1 / 3.0 + 1) / 2,
				1e-9);
	run[0].f.fixed = run[1].f.fixed = 0;
	run[1].app = 2;
	slu_ion_gain(run, 2, &g);
	ck_assert(!g.known);
}
END_TEST

START_TEST(test_five_quantiles)
{
	double value[] = {5, 1, 4, 2, 3}, two[] = {10, 0}, one[] = {7};
	struct slu_ion_five f = slu_ion_five(value, 5);

	for (int k = 0; k < 5; k++)
		ck_assert_double_eq(f.at[k], k + 1);
	f = slu_ion_five(two, 2);
	ck_assert_double_eq(f.at[1], 2.5);
	f = slu_ion_five(one, 1);
	ck_assert_double_eq(f.at[0] + f.at[2] + f.at[4], 21);
	f = slu_ion_five(one, 0);
	ck_assert_double_eq(f.at[4], 0);
}
END_TEST

TEST_MAIN("gain", test_interval, test_too_little, test_five_quantiles)

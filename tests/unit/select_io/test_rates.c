/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the expected bandwidth of jobs, learned from runs of other jobs. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/bandwidth/rates.h"

static struct slu_rates *rates;

static void setup(void)
{
	struct slu_err err;

	rates = slu_rates_new(1000, &err);
	ck_assert_ptr_nonnull(rates);
}

static double said(uint32_t uid, const char *name)
{
	return slu_rates_foretell(rates, uid, name, 4, 1000).node;
}

static void learn(uint32_t uid, const char *name, double rate, int times)
{
	while (times--)
		slu_rates_learn(rates, uid, name, 4, 1000, rate * 4 * 1000);
}

START_TEST(test_learned_rates)
{
	setup();
	ck_assert_double_eq(said(1, "a"), 0); /* nobody knows anything */
	learn(1, "a", 100, 20);
	learn(1, "b", 2, 20);
	learn(2, "c", 1, 200);
	expect(fabs(said(1, "a") - 100) < 16, "%g", said(1, "a"));
	expect(fabs(said(1, "b") - 2) < 5, "%g", said(1, "b"));
	expect(fabs(said(2, "c") - 1) < 0.5, "%g", said(2, "c"));
	ck_assert_uint_eq(slu_rates_foretell(rates, 1, "a", 4, 1).runs, 20);
	/* another size of the same; what it does now counts most */
	ck_assert_double_eq_tol(slu_rates_foretell(rates, 1, "a", 1, 10).node,
				100, 1);
	learn(1, "a", 10, 8);
	expect(said(1, "a") < 25, "%g", said(1, "a"));
	slu_rates_forget(rates);
	ck_assert_double_eq(said(1, "a"), 0);
	slu_rates_free(rates);
}
END_TEST

/* A new name is taken to be what its user's jobs are, whatever it is. */
START_TEST(test_renamed)
{
	char name[32];

	setup();
	learn(2, "light", 1, 300);
	for (int i = 0; i < 50; i++) {
		snprintf(name, sizeof(name), "heavy%c%c", 'a' + i / 26,
			 'a' + i % 26);
		expect(i < 5 || said(1, name) > 70, "%s: %g", name,
		       said(1, name));
		ck_assert_uint_eq(
			slu_rates_foretell(rates, 1, name, 4, 1000).runs, 0);
		learn(1, name, 100, 1);
	}
	expect(said(3, "new") < 20, "%g", said(3, "new")); /* the site's */
	slu_rates_free(rates);
}
END_TEST

/* Between the least and the most that was ever learnt, finite, and the same
 * whatever else cannot be. */
START_TEST(test_rates_stay_within_bounds)
{
	static const double odd[] = {0, -1, NAN, INFINITY, -INFINITY};
	uint64_t seed = 11;
	char name[8];

	setup();
	for (int i = 0; i < 200; i++) {
		uint32_t uid = (uint32_t)slu_random(&seed, 300);
		double rate = 5 + (double)slu_random(&seed, 10), got;

		snprintf(name, sizeof(name), "n%c",
			 (char)('a' + slu_random(&seed, 20)));
		slu_rates_forget(rates);
		for (int k = 0; k < 3; k++) {
			double nodes = 1 + (double)slu_random(&seed, 9);

			slu_rates_learn(rates, uid, name, nodes, 50,
					nodes * 50 * rate);
			slu_rates_learn(rates, uid, name,
					odd[slu_random(&seed, 5)], 50, 1);
			slu_rates_learn(rates, uid, NULL, 1,
					odd[slu_random(&seed, 5)], 1);
		}
		got = slu_rates_foretell(rates, uid, name, 3, 20).node;
		ck_assert_double_eq_tol(got, rate, 1e-4 * rate);
		got = slu_rates_foretell(rates, uid, name, 3, 20).own;
		ck_assert_double_eq_tol(got, rate, 1e-4 * rate);
	}
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof(name), "n%c",
			 (char)('a' + slu_random(&seed, 20)));
		slu_rates_learn(rates, (uint32_t)slu_random(&seed, 3000), name,
				1 + (double)slu_random(&seed, 9),
				1 + (double)slu_random(&seed, 900),
				(double)slu_random(&seed, 1 << 20));
		ck_assert(isfinite(
			said((uint32_t)slu_random(&seed, 3000), name)));
		ck_assert_double_ge(said(1, name), 0);
	}
	slu_rates_free(rates);
}
END_TEST

TEST_MAIN("rates", test_learned_rates, test_renamed,
	  test_rates_stay_within_bounds)

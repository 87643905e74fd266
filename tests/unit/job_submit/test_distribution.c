/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the distribution of run times by which jobs are predicted: its
 * functions against exact ones, and the choice of the point with the smallest
 * expected loss.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <fenv.h>
#include <math.h>
#include "job_submit/predictor/distribution.h"

static const struct slu_loss usual_loss = {4000, {20, 0.4}, {20, 0.65}};

START_TEST(test_time)
{
	for (double s = 0; s < 1e8; s = s * 1.01 + 1) {
		double back = slu_logtime_seconds(slu_logtime(s));

		expect(fabs(back - s) <= 0.01 + 1.3e-4 * s, "%g: %g", s, back);
	}
	ck_assert_uint_eq(slu_logtime(0), 0);
	ck_assert_uint_eq(slu_logtime(-5), 0);
	ck_assert_uint_eq(slu_logtime(1e300), UINT16_MAX);
}
END_TEST

START_TEST(test_exp2)
{
	for (float x = -100; x < 126; x += 0.0137f) {
		double want = exp2((double)x);
		double off = fabs((double)slu_fast_exp2(x) - want) / want;

		expect(off < 4e-7, "%g: off by %g", (double)x, off);
	}
	ck_assert_float_le(slu_fast_exp2(-1e9f), 1e-30f);
}
END_TEST

/* The kernel's density adds up to its share. */
START_TEST(test_kernel)
{
	int centre = 30000;
	double sum = 0, worst = 0;

	for (int at = 0; at <= UINT16_MAX; at++) {
		sum += (double)slu_kernel_density(at, centre);
		worst = fmax(worst,
			     fabs(sum - (double)slu_kernel_below(at, centre)));
	}
	ck_assert_double_lt(worst, 0.06);
	ck_assert_double_eq_tol(sum, 1, 0.03);
	ck_assert_float_eq_tol(slu_kernel_below(centre, centre), 0.5f, 0.05f);
	ck_assert_float_gt(slu_kernel_below(centre + 3, centre),
			   slu_kernel_below(centre + 2, centre));
}
END_TEST

static void fill(struct slu_distribution *s, unsigned n, uint64_t *seed)
{
	for (unsigned i = 0; i < n; i++) {
		s->at[i] = (uint16_t)slu_random(seed, 40000);
		s->weight[i] = (float)(slu_random(seed, 1000) + 1);
	}
	slu_distribution_end(s, n);
}

START_TEST(test_order)
{
	uint64_t seed = 3;

	for (unsigned n = 0; n <= SLU_DISTRIBUTION_MAX; n++) {
		struct slu_distribution s, was;
		float sum = 0;

		fill(&s, n, &seed);
		if (n > 3) /* an exact repeat */
			s.at[3] = s.at[1];
		was = s;
		slu_distribution_sort(&s);
		ck_assert_uint_le(s.n, n);
		for (unsigned i = 0; i < s.n; i++) {
			sum += s.weight[i];
			ck_assert(i == 0 || s.at[i - 1] < s.at[i]);
		}
		ck_assert(n == 0 || fabsf(sum - 1) < 1e-4f);
		for (unsigned i = 0; i < n; i++) { /* all are still there */
			unsigned k = 0;

			while (k < s.n && abs(s.at[k] - was.at[i]) > 32)
				k++;
			ck_assert_uint_lt(k, s.n);
		}
	}
}
END_TEST

static double loss(const struct slu_distribution *s, double x,
		   const struct slu_loss *by)
{
	double sum = 0;

	for (unsigned i = 0; i < s->n; i++) {
		double run = slu_logtime_seconds(s->at[i]);
		double off = fabs(x - run);
		double met = by->any.worth * exp(-off / by->any.near);

		if (run >= SLU_DISTRIBUTION_LASTING)
			met += by->lasting.worth * exp(-off / by->lasting.near);
		sum += (double)s->weight[i] * (off / by->far - met);
	}
	return sum;
}

/* No point is better than the chosen one. */
START_TEST(test_chosen_point_is_best)
{
	uint64_t seed = 4;
	struct slu_distribution none = {0};

	ck_assert_double_eq(slu_distribution_choice(&none, &usual_loss), 0);
	for (int round = 0; round < 2000; round++) {
		struct slu_distribution s;
		struct slu_loss by = {
			.far = (double)slu_random(&seed, 5000) + 1,
			.any = {(double)slu_random(&seed, 500) + 20,
				(double)slu_random(&seed, 5) / 4},
			.lasting = {(double)slu_random(&seed, 3000) + 20,
				    (double)slu_random(&seed, 5) / 4},
		};
		double got;

		fill(&s, 1 + (unsigned)slu_random(&seed, 30), &seed);
		slu_distribution_sort(&s);
		got = loss(&s, slu_distribution_choice(&s, &by), &by);
		for (unsigned i = 0; i < s.n; i++) {
			double x = slu_logtime_seconds(s.at[i]);

			expect(got <= loss(&s, x, &by) +
					       1e-3 * fmax(1, fabs(got)),
			       "round %d, point %u", round, i);
		}
	}
}
END_TEST

/* The quantile is where the share is reached, also of what is left. */
START_TEST(test_quantile)
{
	uint64_t seed = 5;
	struct slu_distribution none = {0};

	ck_assert_double_eq(slu_distribution_quantile(&none, 0.5, 0), 0);
	for (int round = 0; round < 500; round++) {
		double p = (double)(slu_random(&seed, 98) + 1) / 100;
		double elapsed = (double)slu_random(&seed, 3) *
				 (double)slu_random(&seed, 9000);
		struct slu_distribution s;
		double q, past, at, before;

		fill(&s, 1 + (unsigned)slu_random(&seed, 30), &seed);
		slu_distribution_sort(&s);
		q = slu_distribution_quantile(&s, p, elapsed);
		past = elapsed > 0
			       ? slu_distribution_cdf(&s, slu_logtime(elapsed))
			       : 0;
		at = slu_distribution_cdf(&s, slu_logtime(q * 1.005));
		before = slu_distribution_cdf(&s, slu_logtime(q * 0.995));
		ck_assert_double_ge(q, elapsed);
		expect(at >= past + p * (1 - past) - 1e-3, "round %d", round);
		expect(q <= elapsed + 1 ||
			       before <= past + p * (1 - past) + 1e-3,
		       "round %d", round);
	}
}
END_TEST

/* Points of little weight and far from each other: no number becomes denormal,
 * which takes a processor a hundred times as long. */
START_TEST(test_no_denormal_numbers)
{
	for (unsigned apart = 1; apart < UINT16_MAX; apart += 97) {
		struct slu_distribution s = {
			.at = {0, (uint16_t)apart, UINT16_MAX},
			.weight = {0.001f, 0.998f, 0.001f}};

		slu_distribution_end(&s, 3);
		feclearexcept(FE_UNDERFLOW);
		slu_distribution_cdf(&s, UINT16_MAX / 2);
		slu_distribution_quantile(&s, 0.9995, 0);
		slu_distribution_choice(&s, &usual_loss);
		expect(!fetestexcept(FE_UNDERFLOW), "%u apart", apart);
	}
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_time,
				      test_exp2,
				      test_kernel,
				      test_order,
				      test_chosen_point_is_best,
				      test_quantile,
				      test_no_denormal_numbers};

	return run_tests("spread", tests, sizeof(tests) / sizeof(tests[0]));
}

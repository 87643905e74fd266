/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the prediction of the used share of a requested time limit: for all
 * jobs, for a user, for a user's request, and in an account. */
#include "config.h"
#include "tests/unit/harness.h"
#include <math.h>
#include "tests/unit/job_submit/predictor_fixture.h"
#include "tests/unit/random.h"
#include "job_submit/predictor/mixture.h"
#include "job_submit/predictor/request_shares.h"

#define BINS SLU_MIX_SHARE_BINS

static char account_a[] = "a", account_b[] = "b", account_c[] = "c";

static struct slu_job job_of(uint32_t uid, char *account, uint32_t minutes)
{
	struct slu_job job = make_job(uid, "x", 2, minutes, 0);

	job.account = account;
	return job;
}

static struct slu_inputs look(const struct slu_predictor *p, uint32_t uid,
			      char *account, uint32_t minutes)
{
	struct slu_job job = job_of(uid, account, minutes);
	struct slu_mixture mix;

	slu_mixture_read(p, &job, &mix);
	return mix.inputs;
}

static void check_weights(const struct slu_inputs *inputs)
{
	float sum = 0;

	for (int b = 0; b < BINS; b++) {
		expect(inputs->conditional[b] >= 0, "%d", b);
		sum += inputs->conditional[b];
	}
	ck_assert_float_eq_tol(sum, 1, 1e-5f);
}

static double seconds_of(const struct slu_inputs *inputs, int bin)
{
	return slu_logtime_seconds(inputs->at[SLU_MIX_LAGGED + bin]);
}

/* From half a per cent of the request to all of it, none of them much longer
 * than the one before it. */
START_TEST(test_bins)
{
	static const uint32_t minutes[] = {1,	 2,	7,	60,	1440,
					   1441, 10080, 525600, 3000000};
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);

	each(m, minutes)
	{
		struct slu_inputs inputs = look(p, 1, account_a, *m);
		const uint16_t *at = &inputs.at[SLU_MIX_LAGGED];

		ck_assert_uint_eq(inputs.n[SLU_EXPERT_SHARES], BINS);
		expect(at[0] >= slu_logtime(*m * 60 * 0.005), "%u", *m);
		expect(at[0] <= slu_logtime(*m * 60 * 0.01), "%u", *m);
		expect(at[BINS - 1] <= slu_logtime(*m * 60.0), "%u", *m);
		expect(at[BINS - 1] >= slu_logtime(*m * 60 * 0.8), "%u", *m);
		for (int b = 1; b < BINS; b++) {
			expect(at[b] > at[b - 1], "%u: %d", *m, b);
			expect(*m < 60 ||
				       seconds_of(&inputs, b) <=
					       1.5 * seconds_of(&inputs, b - 1),
			       "%u: %d", *m, b);
		}
		check_weights(&inputs);
	}
	slu_predictor_free(p);
}
END_TEST

/* Without a request there are none, and who has none teaches nothing of it. */
START_TEST(test_no_request)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_inputs before = look(p, 1, account_a, 600), after;

	for (int i = 0; i < 50; i++) {
		struct slu_job job = job_of(1, account_a, 0);

		job.end = job.start + 100 + i;
		slu_learn(p, &job);
	}
	after = look(p, 1, account_a, 0);
	ck_assert_uint_eq(after.n[SLU_EXPERT_SHARES], 0);
	ck_assert_float_eq(after.gating[SLU_EXPERT_SHARES], 0);
	after = look(p, 1, account_a, 600);
	check_weights(&after);
	for (int b = 0; b < BINS; b++)
		ck_assert_float_eq_tol(after.conditional[b],
				       before.conditional[b], 1e-5f);
	slu_predictor_free(p);
}
END_TEST

/* How far bins around this share of the request are believed. */
static float around(const struct slu_predictor *p, uint32_t uid, char *account,
		    uint32_t minutes, double share)
{
	struct slu_inputs inputs = look(p, uid, account, minutes);
	double want = share * minutes * 60;
	float sum = 0;

	check_weights(&inputs);
	for (int b = 0; b < BINS; b++)
		if (seconds_of(&inputs, b) > want / 1.5 &&
		    seconds_of(&inputs, b) < want * 1.5)
			sum += inputs.conditional[b];
	return sum;
}

static const uint32_t request[] = {600, 1200, 3000};

/* A job that takes about this share of one of the requests. */
static void take(struct slu_predictor *p, uint32_t uid, char *account,
		 double share, uint64_t *seed)
{
	struct slu_job job = job_of(uid, account, request[slu_random(seed, 3)]);
	double near = 0.9 + 0.01 * (double)slu_random(seed, 20);

	job.node_cnt = 1 + (uint32_t)slu_random(seed, 9);
	job.end = job.start +
		  llround(share * near * (double)job.limit_asked * 60);
	slu_learn(p, &job);
}

/* Where jobs of account a take a tenth, and of b four fifths. */
static struct slu_predictor *two_accounts(uint64_t *seed)
{
	struct slu_predictor *p = new_predictor(100000, 0.9, 0);

	for (uint32_t i = 0; i < 800; i++) {
		bool in_b = i % 2;

		take(p, 10 + i % 200, in_b ? account_b : account_a,
		     in_b ? 0.8 : 0.1, seed);
	}
	return p;
}

static double quantile(const struct slu_predictor *p, uint32_t uid,
		       char *account, uint32_t minutes, double share)
{
	struct slu_job job = job_of(uid, account, minutes);
	struct slu_outlook o;

	slu_predict_outlook(p, &job, &o);
	return slu_predict_quantile(p, &o, share, 0) / (minutes * 60.0);
}

/* What is usual in this account is believed more than in a third one. */
static void check_around(const struct slu_predictor *p, char *account,
			 uint32_t minutes, double share)
{
	float here = around(p, 9000, account, minutes, share);
	float there = around(p, 9000, account_c, minutes, share);

	expect(here > 0.45f, "%s, %u: %g", account, minutes, (double)here);
	expect(here > 1.4f * there, "%s, %u: %g, %g", account, minutes,
	       (double)here, (double)there);
	expect(there > 0.15f, "%s, %u: %g", account, minutes, (double)there);
}

/* Who is new is met with what is usual in the account; in a third one, with
 * what is usual anywhere. */
START_TEST(test_strangers)
{
	uint64_t seed = 1;
	struct slu_predictor *p = two_accounts(&seed);

	each(m, request)
	{
		double a = quantile(p, 9000, account_a, *m, 0.5);
		double b = quantile(p, 9001, account_b, *m, 0.5);

		expect(a > 0.07 && a < 0.15, "%u: %g", *m, a);
		expect(b > 0.6 && b < 1, "%u: %g", *m, b);
		a = quantile(p, 9000, account_a, *m, 0.75);
		expect(a < 0.3, "%u: %g", *m, a);
		b = quantile(p, 9001, account_b, *m, 0.25);
		expect(b > 0.4, "%u: %g", *m, b);
		check_around(p, account_a, *m, 0.1);
		check_around(p, account_b, *m, 0.8);
	}
	slu_predictor_free(p);
}
END_TEST

/* A user of account a who takes four fifths all the same; also of requests that
 * nobody has had. */
START_TEST(test_own)
{
	uint64_t seed = 2;
	struct slu_predictor *p = two_accounts(&seed);

	for (int i = 0; i < 200; i++) {
		take(p, 9000, account_a, 0.8, &seed);
		take(p, 10 + 2 * (uint32_t)i % 200, account_a, 0.1, &seed);
	}
	each(m, request)
	{
		float own = around(p, 9000, account_a, *m, 0.8);
		float other = around(p, 9001, account_a, *m, 0.8);
		double q = quantile(p, 9000, account_a, *m, 0.5);

		expect(own > 0.7f, "%u: %g", *m, (double)own);
		expect(other < 0.2f, "%u: %g", *m, (double)other);
		expect(q > 0.6, "%u: %g", *m, q);
	}
	ck_assert_float_gt(around(p, 9000, account_a, 7777, 0.8), 0.5f);
	ck_assert_float_lt(around(p, 9001, account_a, 7777, 0.8), 0.35f);
	slu_predictor_free(p);
}
END_TEST

/* A job that was sure to end in this bin. */
static void teach_bin(struct slu_predictor *p, const struct slu_inputs *inputs,
		      int bin, float worth)
{
	float density[BINS] = {0};

	density[bin] = 1;
	slu_shares_learn(p, inputs, density, inputs->conditional[bin], worth);
}

/* What is taught of one job is taught of all that have something in common with
 * it, the more the more. */
START_TEST(test_rows)
{
	static const struct {
		uint32_t uid;
		char *account;
		uint32_t minutes;
	} cases[] = {
		{1, account_a, 600}, /* it */
		{1, account_b, 600}, /* another account */
		{1, account_b, 500}, /* the user */
		{2, account_b, 500}, /* nothing */
	};
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_inputs inputs;
	float last = 1;

	for (int i = 0; i < 20; i++) {
		inputs = look(p, 1, account_a, 600);
		teach_bin(p, &inputs, 5, 1);
	}
	each(c, cases)
	{
		inputs = look(p, c->uid, c->account, c->minutes);
		expect(inputs.conditional[5] < 0.9f * last, "case %td: %g, %g",
		       c - cases, (double)inputs.conditional[5], (double)last);
		last = inputs.conditional[5];
	}
	ck_assert_float_gt(last, 1.2f / BINS); /* as any stranger's */
	inputs = look(p, 2, account_a, 600);
	ck_assert_float_gt(inputs.conditional[5], 1.2f * last);
	slu_predictor_free(p);
}
END_TEST

/* The logit of a bin over that of the first, of all rows. */
static double logit(const struct slu_predictor *p, struct slu_inputs inputs,
		    int bin)
{
	slu_shares_weigh(p, &inputs);
	return log((double)inputs.conditional[bin] /
		   (double)inputs.conditional[0]);
}

static double moved_by(struct slu_predictor *p, const struct slu_inputs *inputs)
{
	double before = logit(p, *inputs, 5);

	teach_bin(p, inputs, 5, 1);
	return logit(p, *inputs, 5) - before;
}

/* The hundredth time a lesson moves less than the first; but a row that it has
 * not been given to as it did at first. */
START_TEST(test_rates)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_inputs one = look(p, 1, account_a, 600);
	struct slu_inputs two = look(p, 2, account_b, 500);
	double first = moved_by(p, &one), last = first, now;

	for (int i = 2; i <= 100; i++) {
		now = moved_by(p, &one);
		expect(now > 0 && now < last + 1e-3, "%d: %g, %g", i, now,
		       last);
		last = now;
	}
	ck_assert_double_lt(last, first / 5);
	now = moved_by(p, &two);
	ck_assert_double_gt(now, 0.7 * first); /* three rows of four */
	ck_assert_double_lt(now, 0.85 * first);
	slu_predictor_free(p);
}
END_TEST

/* Logits move by the slope of the logarithm of what was predicted, all at one
 * rate, so that it would be predicted better; by nothing if nothing was, or if
 * all bins predicted it alike, or for no worth. */
START_TEST(test_gradient)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	uint64_t seed = 3;

	for (int i = 0; i < 100; i++) {
		struct slu_inputs inputs = look(p, 1, account_a, 600), then;
		float density[BINS], before = 0, after = 0;
		double by[BINS], slope[BINS], rate = 0, most = 0;

		for (int b = 0; b < BINS; b++) {
			density[b] = exp2f(-(float)slu_random(&seed, 10));
			before += inputs.conditional[b] * density[b];
		}
		slu_shares_learn(p, &inputs, density, 0, 1);
		slu_shares_learn(p, &inputs, density, before, 0);
		then = look(p, 1, account_a, 600);
		for (int b = 0; b < BINS; b++)
			ck_assert_float_eq(then.conditional[b],
					   inputs.conditional[b]);
		slu_shares_learn(p, &inputs, density, before, i % 2 ? 1 : 0.3f);
		then = look(p, 1, account_a, 600);
		for (int b = 0; b < BINS; b++) {
			slope[b] = (double)(inputs.conditional[b] *
					    (density[b] / before - 1));
			after += then.conditional[b] * density[b];
			by[b] = log((double)(then.conditional[b] /
					     inputs.conditional[b]));
		}
		for (int b = 0; b < BINS; b++)
			if (fabs(slope[b] - slope[0]) > most) {
				most = fabs(slope[b] - slope[0]);
				rate = (by[b] - by[0]) / (slope[b] - slope[0]);
			}
		for (int b = 0; b < BINS; b++)
			expect(fabs(by[b] - by[0] -
				    rate * (slope[b] - slope[0])) < 1e-4,
			       "%d: %d", i, b);
		expect(after > before, "%d: %g, %g", i, (double)after,
		       (double)before);
		check_weights(&then);
	}
	slu_predictor_free(p);
}
END_TEST

/* A lesson that is worth less moves less, when rates no longer depend on it. */
START_TEST(test_worth)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	struct slu_inputs inputs = look(p, 1, account_a, 600);
	double was, whole, half;

	for (int i = 0; i < 100; i++)
		teach_bin(p, &inputs, 5, 1);
	was = logit(p, inputs, 5);
	teach_bin(p, &inputs, 5, 0.5f);
	half = logit(p, inputs, 5) - was;
	whole = moved_by(p, &inputs);
	ck_assert_double_eq_tol(half / whole, 0.5, 0.03);
	slu_predictor_free(p);
}
END_TEST

TEST_MAIN("request_shares", test_bins, test_no_request, test_strangers,
	  test_own, test_rows, test_rates, test_gradient, test_worth)

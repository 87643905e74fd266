/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the forecast of pending jobs' starts by simulated queues. */
#include "config.h"
#include <math.h>
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "job_submit/simulation/start_forecast.h"

/* Every job takes so long, whatever is drawn; or a share of its limit. */
static double fixed(void *arg, size_t i, double share)
{
	const double *run = arg;

	(void)share;
	return run[i];
}

static double spread(void *arg, size_t i, double share)
{
	const struct slu_start_forecast_job *job = arg;
	double gone = job[i].elapsed > 0 ? (double)job[i].elapsed : 0;

	return gone + share * (double)(job[i].limit - gone);
}

static struct slu_start_forecast
predict(const struct slu_start_forecast_input *ask)
{
	struct slu_start_forecast out;
	struct slu_err err;

	expect_ok(slu_start_forecast_make(ask, &out, &err), err);
	return out;
}

/*
 * 4 nodes. A has 0 and 1, has run 50 of 100 s and asked for 1000; B has 2 and
 * 3, and takes 200 more. C waits for 4 nodes: after B. D (1 node, 300 s) is
 * behind C, and asks for 1000: C's plan is by limits, at 950, which D would
 * delay, so it waits, too, and follows C, whose nodes it takes the first of.
 */
START_TEST(test_by_hand)
{
	static const uint32_t low[] = {0, 1}, high[] = {2, 3};
	static const double run[] = {100, 300, 60, 300};
	const struct slu_start_forecast_job jobs[] = {{2, 50, 1000, low},
						      {2, 100, 1000, high},
						      {4, -1, 100, NULL},
						      {1, -1, 1000, NULL}};
	struct slu_start_forecast_input ask = {.job = jobs,
					       .n = 4,
					       .target = 2,
					       .machine = 4,
					       .nodes = 4,
					       .run = fixed,
					       .arg = (void *)(uintptr_t)run,
					       .samples = 5};
	struct slu_start_forecast got = predict(&ask);

	ck_assert_int_eq(slu_start_forecast_quantile(&got, 0.1), 200);
	ck_assert_int_eq(slu_start_forecast_quantile(&got, 0.9), 200);
	ck_assert_double_eq(slu_start_forecast_within(&got, 199), 0);
	ck_assert_double_eq(slu_start_forecast_within(&got, 200), 1);
	ck_assert_uint_eq(got.n_likely, 4);
	ck_assert_double_eq(got.sure, 1);
	slu_start_forecast_free(&got);
	ask.target = 3;
	got = predict(&ask);
	ck_assert_int_eq(slu_start_forecast_quantile(&got, 0.5), 260);
	ck_assert_uint_eq(got.n_likely, 1);
	ck_assert_uint_eq(got.likely[0], 0);
	slu_start_forecast_free(&got);
}
END_TEST

/* One job per node, and one that waits for the first of them that ends: the
 * oracle is the formula. Of n nodes that end evenly within 1000 s, none has by
 * t with (1 - t / 1000)^n. */
START_TEST(test_first_of_many)
{
	enum { N = 5, SAMPLES = 4000 };
	struct slu_start_forecast_job jobs[N + 1];
	uint32_t node[N];
	struct slu_start_forecast_input ask = {.job = jobs,
					       .n = N + 1,
					       .target = N,
					       .machine = N,
					       .nodes = N,
					       .run = spread,
					       .arg = jobs,
					       .samples = SAMPLES,
					       .seed = 7};
	struct slu_start_forecast got;
	double sum = 0;

	for (uint32_t i = 0; i < N; i++) {
		node[i] = i;
		jobs[i] =
			(struct slu_start_forecast_job){1, 100, 1100, &node[i]};
	}
	jobs[N] = (struct slu_start_forecast_job){1, -1, 100, NULL};
	got = predict(&ask);
	for (int64_t t = 100; t < 1000; t += 100)
		expect(fabs(slu_start_forecast_within(&got, t) -
			    (1 - pow(1 - (double)t / 1000, N))) < 0.03,
		       "%ld: %g", t, slu_start_forecast_within(&got, t));
	for (int i = 0; i < N; i++) {
		expect(fabs(got.node[i] - 1.0 / N) < 0.03, "%g", got.node[i]);
		sum += got.node[i];
	}
	ck_assert_double_eq_tol(sum, 1, 1e-9);
	ck_assert_double_lt(got.sure, 0.3);
	slu_start_forecast_free(&got);
}
END_TEST

/* Whatever runs and waits: as many nodes as asked for, none beyond, starts in
 * order; and the same answer to the same question. */
START_TEST(test_random_queues)
{
	enum { N = 40, NODES = 100 };
	static uint32_t node[NODES];
	uint64_t seed = 5;

	for (uint32_t i = 0; i < NODES; i++)
		node[i] = i;
	for (int round = 0; round < 30; round++) {
		struct slu_start_forecast_job jobs[N];
		struct slu_start_forecast_input ask = {.job = jobs,
						       .n = N,
						       .target = N - 1,
						       .machine = NODES,
						       .nodes = NODES,
						       .run = spread,
						       .arg = jobs,
						       .samples = 20,
						       .seed = seed};
		struct slu_start_forecast got, again;
		uint32_t used = 0;
		double sum = 0;

		for (int i = 0; i < N; i++) {
			int64_t size = 1 + (int64_t)slu_random(&seed, 20);
			int64_t gone = (int64_t)slu_random(&seed, 500);
			bool runs = i < 20 && used + size <= NODES;

			jobs[i] = (struct slu_start_forecast_job){
				size, runs ? gone : -1,
				gone + 1 + (int64_t)slu_random(&seed, 5000),
				runs ? &node[used] : NULL};
			used += runs ? (uint32_t)size : 0;
		}
		got = predict(&ask);
		again = predict(&ask);
		for (unsigned i = 0; i < got.n; i++) {
			ck_assert_int_ge(got.at[i], i ? got.at[i - 1] : 0);
			ck_assert_int_eq(got.at[i], again.at[i]);
		}
		for (int i = 0; i < NODES; i++)
			sum += got.node[i];
		ck_assert_double_eq_tol(sum, (double)jobs[N - 1].size, 1e-6);
		ck_assert_int_eq(got.n_likely, jobs[N - 1].size);
		ck_assert(got.sure > 0 && got.sure <= 1);
		slu_start_forecast_free(&got);
		slu_start_forecast_free(&again);
	}
}
END_TEST

/* More in use than there is (nodes that are draining): what ends is free. */
START_TEST(test_overfull)
{
	static const double run[] = {50, 70, 10};
	const struct slu_start_forecast_job jobs[] = {
		{3, 0, 100, NULL}, {3, 0, 100, NULL}, {2, -1, 100, NULL}};
	struct slu_start_forecast_input ask = {.job = jobs,
					       .n = 3,
					       .target = 2,
					       .machine = 4,
					       .run = fixed,
					       .arg = (void *)(uintptr_t)run,
					       .samples = 1};
	struct slu_start_forecast got = predict(&ask);

	ck_assert_int_eq(got.at[0], 50);
	slu_start_forecast_free(&got);
	slu_start_forecast_free(&got); /* harmless */
}
END_TEST

TEST_MAIN("start_forecast", test_by_hand, test_first_of_many,
	  test_random_queues, test_overfull)

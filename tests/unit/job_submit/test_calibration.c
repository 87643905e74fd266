/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the calibration of predicted run times: the share of jobs that end
 * below a predicted quantile must be that quantile. */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "tests/unit/job_submit/predictor_fixture.h"
#include "tests/unit/random.h"

static double uniform(uint64_t *seed)
{
	return ((double)slu_random(seed, 1 << 30) + 0.5) / (1 << 30);
}

/* Of run times without any order, each quantile holds its share. */
START_TEST(test_calibration)
{
	static const double share[] = {0.1, 0.5, 0.9, 0.95, 0.99};
	enum { JOBS = 20000, WARM = 2000 };
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	size_t within[5] = {0};
	uint64_t seed = 9;

	for (int i = 0; i < JOBS; i++) {
		double run = 1 - 1000 * log(uniform(&seed));
		struct slu_job job = make_job(1, "a", 2, 0, (int64_t)run);
		struct slu_outlook o;

		slu_predict_outlook(p, &job, &o);
		for (int q = 0; q < 5 && i >= WARM; q++)
			within[q] += floor(run) <=
				     slu_predict_quantile(p, &o, share[q], 0);
		slu_learn(p, &job);
	}
	for (int q = 0; q < 5; q++)
		ck_assert_double_eq_tol((double)within[q] / (JOBS - WARM),
					share[q], 0.01);
	slu_predictor_free(p);
}
END_TEST

/* The same where sixty at a time are submitted before the first of them ends,
 * so that their runs push out of the classes what was known of them. */
START_TEST(test_crowds)
{
	static const double share[] = {0.5, 0.9, 0.99};
	enum { CROWD = 60, CROWDS = 400, WARM = 50 };
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	size_t within[3] = {0};
	uint64_t seed = 10;

	for (int crowd = 0; crowd < CROWDS; crowd++) {
		struct slu_job job = make_job(1, "a", 2, 0, 0);
		struct slu_outlook o;

		job.submit = job.start = 1000 + crowd * 1000000;
		slu_predict_outlook(p, &job, &o);
		for (int i = 0; i < CROWD; i++) {
			double run = ceil(-1000 * log(uniform(&seed)));

			for (int q = 0; q < 3 && crowd >= WARM; q++)
				within[q] += run <= slu_predict_quantile(
							    p, &o, share[q], 0);
			job.end = job.start + (int64_t)run;
			slu_learn(p, &job);
		}
	}
	for (int q = 0; q < 3; q++)
		ck_assert_double_eq_tol((double)within[q] / CROWD /
						(CROWDS - WARM),
					share[q], 0.02);
	slu_predictor_free(p);
}
END_TEST

/* The same where jobs are submitted one by one, but each waits until thirty
 * others of its class have ended. */
START_TEST(test_queue)
{
	static const double share[] = {0.5, 0.9, 0.99};
	enum { JOBS = 20000, WAIT = 30, WARM = 4000 };
	static double said[JOBS][3];
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	size_t within[3] = {0};
	uint64_t seed = 12;

	for (int i = 0; i < JOBS + WAIT; i++) {
		struct slu_job job = make_job(1, "a", 2, 0, 0);
		struct slu_outlook o;
		double run = ceil(-1000 * log(uniform(&seed)));

		job.submit = 1000000 + i * 1000;
		slu_predict_outlook(p, &job, &o);
		for (int q = 0; q < 3 && i < JOBS; q++)
			said[i][q] = slu_predict_quantile(p, &o, share[q], 0);
		if (i < WAIT)
			continue;
		job.end = job.submit + 500;
		job.start = job.end - (int64_t)run;
		job.submit -= WAIT * 1000;
		for (int q = 0; q < 3 && i >= WARM + WAIT; q++)
			within[q] += run <= said[i - WAIT][q];
		slu_learn(p, &job);
	}
	for (int q = 0; q < 3; q++)
		ck_assert_double_eq_tol((double)within[q] / (JOBS - WARM),
					share[q], 0.02);
	slu_predictor_free(p);
}
END_TEST

enum { STREAM = 20000 };
struct stream {
	int64_t submit[STREAM], end[STREAM];
};

static int by_end(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Learns what has ended up to then, of `ended`: pairs of an end and a job. */
static int learn_until(struct slu_predictor *p, const struct stream *s,
		       int64_t (*ended)[2], int next, int64_t now)
{
	for (; next < STREAM && ended[next][0] <= now; next++) {
		struct slu_job job = make_job(1, "a", 2, 0, 0);

		job.submit = job.start = s->submit[ended[next][1]];
		job.end = ended[next][0];
		slu_learn(p, &job);
	}
	return next;
}

/* The median where a stream of jobs runs, some hundred at a time: the longer a
 * run, the more others end before it, until what was told of it is hard to
 * know. */
START_TEST(test_stream)
{
	enum { EVERY = 10, WARM = 4000 };
	static struct stream s;
	static int64_t ended[STREAM][2];
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	size_t within = 0;
	uint64_t seed = 13;
	int next = 0;

	for (int i = 0; i < STREAM; i++) {
		s.submit[i] = 1000000 + i * EVERY;
		s.end[i] =
			s.submit[i] + (int64_t)(100 * exp(5 * uniform(&seed)));
		ended[i][0] = s.end[i];
		ended[i][1] = i;
	}
	qsort(ended, STREAM, sizeof(ended[0]), by_end);
	for (int i = 0; i < STREAM; i++) {
		struct slu_job job = make_job(1, "a", 2, 0, 0);
		struct slu_outlook o;

		next = learn_until(p, &s, ended, next, s.submit[i]);
		job.submit = s.submit[i];
		slu_predict_outlook(p, &job, &o);
		within += i >= WARM &&
			  (double)(s.end[i] - s.submit[i]) <=
				  slu_predict_quantile(p, &o, 0.5, 0);
	}
	ck_assert_double_eq_tol((double)within / (STREAM - WARM), 0.5, 0.05);
	slu_predictor_free(p);
}
END_TEST

TEST_MAIN("calibration", test_calibration, test_crowds, test_queue, test_stream)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/predict: measures what predicting costs at a busy site: a
 * million made-up jobs of a thousand users (some have many more than others),
 * each with twenty programs, learnt by a predictor of the shipped size, then
 * predictions for 100,000 more. The clock's own time is subtracted.
 */
#include <stdio.h>
#include <stdlib.h>
#include "bench/measure.h"
#include "bench/predict.h"
#include "bench/predictor_job.h"
#include "job_submit/predictor/job_classes.h"
#include "job_submit/predictor/predict.h"
#include "tests/unit/random.h"

enum { JOBS = 1000000, ASKED = 100000, USERS = 1000, PROGRAMS = 20 };

static double uniform(uint64_t *seed)
{
	return (double)slu_random(seed, 1 << 30) / (1 << 30);
}

/* Each program has its usual size, request and run time; half of the runs are
 * repeats within a few seconds. */
struct slu_job predict_make(uint64_t *seed, int64_t now,
			    struct predict_text *text)
{
	double u = uniform(seed);
	uint32_t uid = (uint32_t)(u * u * u * USERS);
	uint64_t program = slu_random(seed, PROGRAMS);
	uint64_t own = uid * 1000 + program;
	uint32_t hours = 1 + (uint32_t)slu_random(&own, 24);
	uint32_t nodes = 1u << slu_random(&own, 6);
	double run = uniform(&own) * hours * 3600 + 20;

	if (slu_random(seed, 4) == 0)
		nodes *= 2;
	run *= slu_random(seed, 2) ? 1 + uniform(seed) * 0.002 : uniform(seed);
	snprintf(text->name, sizeof(text->name), "prog%c_%llu",
		 'a' + (char)program,
		 (unsigned long long)slu_random(seed, 1000));
	snprintf(text->account, sizeof(text->account), "p%u", uid / 10);
	return (struct slu_job){
		.uid = uid,
		.name = text->name,
		.account = text->account,
		.partition = "batch",
		.node_cnt = nodes,
		.limit_asked = hours * 60,
		.submit = now,
		.start = now + 60,
		.end = now + 61 + (int64_t)run,
	};
}

/* The time to read the clock, s. */
static double clock_cost(void)
{
	double before = bench_now();

	for (int i = 0; i < 1000; i++)
		bench_now();
	return (bench_now() - before) / 1001;
}

/* Processor time, s, to generate the jobs, and to learn them if p is given. No
 * clock is read in between: wall time would include other programs, and reading
 * this thread's clock is a system call. */
static double time_jobs(struct slu_predictor *p, uint64_t *seed)
{
	double before = bench_cpu();

	for (int64_t i = 0; i < JOBS; i++) {
		struct predict_text text;
		struct slu_job job = predict_make(seed, i, &text);

		if (p)
			slu_learn(p, &job);
	}
	return bench_cpu() - before;
}

static void time_predicting(const struct slu_predictor *p, uint64_t *seed,
			    double *spent)
{
	double clock = clock_cost();

	for (int64_t i = 0; i < ASKED; i++) {
		struct predict_text text;
		struct slu_job job = predict_make(seed, 10 * JOBS, &text);
		struct slu_prediction got;
		double before = bench_now();

		slu_predict(p, &job, &got);
		spent[i] = bench_now() - before - clock;
	}
	qsort(spent, ASKED, sizeof(*spent), bench_by_value);
}

int predict_cost(bool csv)
{
	struct slu_predictor *p = slu_predictor_new(
		SLU_PREDICT_CLASSES, PREDICTOR_QUANTILE, PREDICTOR_FLOOR, NULL);
	double *spent = calloc(ASKED, sizeof(*spent));
	int rc = p && spent ? 0 : -1;
	double learn, median, p99;
	uint64_t seed = 5, same = seed;

	if (rc == 0) {
		learn = time_jobs(p, &seed) - time_jobs(NULL, &same);
		time_predicting(p, &seed, spent);
		median = spent[ASKED / 2] * 1e9;
		p99 = spent[ASKED / 100 * 99] * 1e9;
		if (csv)
			printf("a million jobs,learn,s,%.3f,goal,1,%.3f\n"
			       "a million jobs,predict p99,ns,%.0f,goal,1000,"
			       "%.3f\n"
			       "a million jobs,class,bytes,%d,goal,100,%.3f\n",
			       learn, learn, p99, p99 / 1000, SLU_CLASS_BYTES,
			       SLU_CLASS_BYTES / 100.0);
		else
			printf("a million jobs learnt in %.2f s of processor "
			       "time; predict %.0f "
			       "ns (median), %.0f ns (p99); %d bytes per "
			       "class\n",
			       learn, median, p99, SLU_CLASS_BYTES);
	}
	slu_predictor_free(p);
	free(spent);
	return rc;
}

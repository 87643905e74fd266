/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the accuracy of predicted run times, by the shipped predictor and by
 * the rivals of rivals.h.
 *
 *	bench/predict [--csv] [--cost] [--replay[=ROWS]] [LOG...]
 */

/*
 * Every log is replayed in the order of submission, with only ended jobs known.
 * A log's program number stands for the job's name, its group for the account,
 * its queue for the partition; requests are whole minutes for ours, as in
 * Slurm.
 *
 * Besides the errors: calibration, the share of jobs that end below the 50, 90
 * and 99 % quantile, by tenths of the log; the distribution over users of the
 * median absolute error (ADA-FS, figure 5); the limits that the careful
 * quantile would give, and their extensions by the guard (late: with less than
 * a minute left; with limits of two minutes or more that happens only if
 * slurmctld does not respond for a minute, which no log shows); the precision
 * of warnings of too short a request (predict_warned.c); and the cost. --cost:
 * predict_cost.c; --replay: predict_replay.c.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/measure.h"
#include "bench/predict.h"
#include "bench/rivals.h"
#include "bench/predictor_job.h"
#include "bench/swf.h"
#include "job_submit/predictor/predict.h"
#include "job_submit/predictor/too_short.h"

enum { OURS = RIVALS, PREDICTORS, QUANTILES = 3, TENTHS = 10 };

static const double quantile[QUANTILES] = {0.5, 0.9, 0.99};
static const double cut[] = {0.1, 0.25, 0.5, 0.6, 0.75, 0.9};
#define CUTS (sizeof(cut) / sizeof(cut[0]))

static const char *name_of(int predictor)
{
	return predictor == OURS ? "ours" : rival_name[predictor];
}

/* One pass over a log: each predictor's value for each job. */
struct run {
	const struct swf_log *log;
	struct rivals *rivals;
	struct slu_predictor *ours;
	double *predicted[PREDICTORS];
	double *quantile[QUANTILES];
	double *granted;      /* limit, s: whole minutes, at most the request */
	bool *warned;	      /* its request was predicted to be too short */
	double *predict_time; /* s, per job */
	double learn_time;
	size_t lessons;
};

static void learn(void *arg, const struct swf_job *job)
{
	struct run *r = arg;
	struct predictor_names names;
	struct slu_job j = predictor_job(job, &names);
	double before;

	rivals_learn(r->rivals, job);
	before = bench_now();
	slu_learn(r->ours, &j);
	r->learn_time += bench_now() - before;
	r->lessons++;
}

static double predict(void *arg, const struct swf_job *job)
{
	struct run *r = arg;
	size_t i = (size_t)(job - r->log->job);
	struct predictor_names names;
	struct slu_job j = predictor_job(job, &names);
	struct slu_outlook outlook;
	struct slu_too_short is;
	struct slu_prediction got;
	double before;

	for (int s = 0; s < OURS; s++)
		r->predicted[s][i] =
			rivals_predict(r->rivals, (enum rival)s, job);
	before = bench_now();
	slu_predict(r->ours, &j, &got);
	r->predict_time[i] = bench_now() - before;
	r->granted[i] =
		fmin(ceil((double)got.careful / 60) * 60, (double)job->request);
	r->warned[i] = slu_predict_too_short(r->ours, &j, job->request, &is);
	slu_predict_outlook(r->ours, &j, &outlook);
	for (int q = 0; q < QUANTILES; q++)
		r->quantile[q][i] =
			slu_predict_quantile(r->ours, &outlook, quantile[q], 0);
	return (double)got.seconds;
}

static void run_free(struct run *r)
{
	rivals_free(r->rivals);
	slu_predictor_free(r->ours);
	for (int s = 0; s < PREDICTORS; s++)
		free(r->predicted[s]);
	for (int q = 0; q < QUANTILES; q++)
		free(r->quantile[q]);
	free(r->granted);
	free(r->warned);
	free(r->predict_time);
}

static int run_all(const struct swf_log *log, struct run *r)
{
	struct swf_predictor predictor = {learn, predict, r};
	size_t size = log->n + 1;
	bool ok = true;

	*r = (struct run){
		.log = log,
		.rivals = rivals_new(log->n),
		.ours = slu_predictor_new(8 * size, PREDICTOR_QUANTILE,
					  PREDICTOR_FLOOR, NULL),
		.granted = calloc(size, sizeof(double)),
		.warned = calloc(size, sizeof(bool)),
		.predict_time = calloc(size, sizeof(double)),
	};
	for (int s = 0; s < PREDICTORS; s++)
		ok &= (r->predicted[s] = calloc(size, sizeof(double))) != NULL;
	for (int q = 0; q < QUANTILES; q++)
		ok &= (r->quantile[q] = calloc(size, sizeof(double))) != NULL;
	if (!ok || !r->rivals || !r->ours || !r->granted || !r->warned ||
	    !r->predict_time)
		return -1;
	return swf_replay(log, &predictor, r->predicted[OURS]);
}

/* The quantile of n sorted numbers. */
static double rank(const double *x, size_t n, double share)
{
	return n ? x[(size_t)fmin(share * (double)n, (double)n - 1)] : 0;
}

static int64_t seconds(const struct swf_job *job)
{
	return job->end - job->start;
}

/* The share of the jobs from .. to - 1 that end within their quantile. */
static double share_within(const struct run *r, const double *said, size_t from,
			   size_t to)
{
	size_t within = 0;

	for (size_t i = from; i < to; i++)
		within += (double)seconds(&r->log->job[i]) <= said[i];
	return (double)within / (double)(to > from ? to - from : 1);
}

/* The largest deviation of a tenth after the first one, in percentage points.
 */
static double worst_tenth(const struct run *r, int q)
{
	double worst = 0;

	for (size_t t = 1; t < TENTHS; t++) {
		double off =
			share_within(r, r->quantile[q], r->log->n * t / TENTHS,
				     r->log->n * (t + 1) / TENTHS) -
			quantile[q];

		if (fabs(off) > fabs(worst))
			worst = off;
	}
	return 100 * worst;
}

struct by_user {
	int64_t user;
	double error;
};

static int by_user(const void *a, const void *b)
{
	const struct by_user *x = a, *y = b;

	if (x->user != y->user)
		return x->user < y->user ? -1 : 1;
	return (x->error > y->error) - (x->error < y->error);
}

/* The users' median absolute errors, sorted; returns their number. */
static size_t user_errors(const struct run *r, int predictor,
			  struct by_user *scratch, double *out)
{
	size_t n = r->log->n, users = 0, from = 0;

	for (size_t i = 0; i < n; i++)
		scratch[i] = (struct by_user){
			r->log->job[i].user,
			fabs(r->predicted[predictor][i] -
			     (double)seconds(&r->log->job[i]))};
	qsort(scratch, n, sizeof(*scratch), by_user);
	for (size_t i = 1; i <= n; i++)
		if (i == n || scratch[i].user != scratch[from].user) {
			out[users++] = (scratch[(from + i - 1) / 2].error +
					scratch[(from + i) / 2].error) /
				       2;
			from = i;
		}
	qsort(out, users, sizeof(*out), bench_by_value);
	return users;
}

/* Errors over all jobs, and over those of at least 600 s. */
static const int64_t at_least[] = {1, 600};

struct errors {
	struct swf_error of[2][PREDICTORS];
};

static int examine(const struct run *r, struct errors *out)
{
	for (int s = 0; s < PREDICTORS; s++)
		for (int from = 0; from < 2; from++)
			if (swf_error(r->log, r->predicted[s], at_least[from],
				      &out->of[from][s]) < 0)
				return -1;
	return 0;
}

/* The ratio of ours to the best rival, of medians or of means. */
static double ratio(const struct swf_error *e, bool median)
{
	double best = INFINITY;

	for (int s = 0; s < OURS; s++)
		best = fmin(best, median ? e[s].median : e[s].mean);
	return (median ? e[OURS].median : e[OURS].mean) / best;
}

static void print_errors(const struct errors *e)
{
	printf("  %-12s %10s %10s %18s %10s\n", "", "MedAE s", "MAE s",
	       "from 600 s: MedAE", "MAE");
	for (int s = 0; s < PREDICTORS; s++)
		printf("  %-12s %10.0f %10.0f %18.0f %10.0f\n", name_of(s),
		       e->of[0][s].median, e->of[0][s].mean, e->of[1][s].median,
		       e->of[1][s].mean);
	printf("  %-12s %10.3f %10.3f %18.3f %10.3f\n", "ours / best",
	       ratio(e->of[0], true), ratio(e->of[0], false),
	       ratio(e->of[1], true), ratio(e->of[1], false));
}

static void print_calibration(const struct run *r)
{
	for (int q = 0; q < QUANTILES; q++) {
		printf("  below %2.0f %%: %5.1f %%; off by tenths:",
		       100 * quantile[q],
		       100 * share_within(r, r->quantile[q], 0, r->log->n));
		for (size_t t = 0; t < TENTHS; t++)
			printf(" %+.1f",
			       100 * (share_within(r, r->quantile[q],
						   r->log->n * t / TENTHS,
						   r->log->n * (t + 1) /
							   TENTHS) -
				      quantile[q]));
		printf("\n");
	}
}

static int print_users(const struct run *r)
{
	static const int who[] = {RIVAL_REQUEST, OURS};
	struct by_user *scratch = calloc(r->log->n + 1, sizeof(*scratch));
	double *error = calloc(r->log->n + 1, sizeof(*error));
	int rc = scratch && error ? 0 : -1;

	for (size_t w = 0; rc == 0 && w < 2; w++) {
		size_t n = user_errors(r, who[w], scratch, error);

		printf("  %4zu users, median error of each, %-8s", n,
		       w ? "ours:" : "request:");
		for (size_t i = 0; i < CUTS; i++)
			printf(" %.0f%% %.2f h", 100 * cut[i],
			       rank(error, n, cut[i]) / 3600);
		printf("\n");
	}
	free(scratch);
	free(error);
	return rc;
}

static void print_cost(const struct run *r)
{
	qsort(r->predict_time, r->log->n, sizeof(double), bench_by_value);
	printf("  predict %.0f ns (median), %.0f ns (p99); learn %.0f ns "
	       "(mean); with the clock\n\n",
	       1e9 * rank(r->predict_time, r->log->n, 0.5),
	       1e9 * rank(r->predict_time, r->log->n, 0.99),
	       1e9 * r->learn_time / (double)(r->lessons ? r->lessons : 1));
}

static void print_csv(const char *log, const struct run *r,
		      const struct errors *e)
{
	static const char *const suffix[] = {"", " of jobs from 600 s"};

	for (int from = 0; from < 2; from++)
		for (int s = 0; s < OURS; s++) {
			const struct swf_error *us = &e->of[from][OURS];
			const struct swf_error *them = &e->of[from][s];

			printf("%s,MedAE%s,s,%.1f,%s,%.1f,%.3f\n", log,
			       suffix[from], us->median, name_of(s),
			       them->median, us->median / them->median);
			printf("%s,MAE%s,s,%.1f,%s,%.1f,%.3f\n", log,
			       suffix[from], us->mean, name_of(s), them->mean,
			       us->mean / them->mean);
		}
	for (int q = 0; q < QUANTILES; q++)
		printf("%s,worst tenth below quantile %g,points,%.2f,goal,2,"
		       "%.3f\n",
		       log, quantile[q], worst_tenth(r, q),
		       fabs(worst_tenth(r, q)) / 2);
}

static int print_result(const char *log, struct run *r, bool csv)
{
	struct errors e;

	if (examine(r, &e) < 0)
		return -1;
	if (csv) {
		print_csv(log, r, &e);
		predict_granted_csv(log, r->log, r->granted);
		predict_warned_csv(log, r->log, r->warned);
		return 0;
	}
	printf("%s: %zu jobs, %zu of at least 600 s\n", log, e.of[0][0].jobs,
	       e.of[1][0].jobs);
	print_errors(&e);
	print_calibration(r);
	if (print_users(r) < 0)
		return -1;
	predict_granted(r->log, r->granted);
	predict_warned(r->log, r->warned);
	print_cost(r);
	return 0;
}

static int do_log(const char *path, bool csv)
{
	const char *slash = strrchr(path, '/');
	struct swf_log log;
	struct slu_err err;
	struct run r;
	int rc;

	if (swf_load(path, &log, &err) < 0) {
		fprintf(stderr, "bench/predict: %s\n", err.text);
		return -1;
	}
	rc = run_all(&log, &r);
	if (rc == 0)
		rc = print_result(slash ? slash + 1 : path, &r, csv);
	if (rc < 0)
		fprintf(stderr, "bench/predict: out of memory\n");
	run_free(&r);
	swf_free(&log);
	return rc;
}

int main(int argc, char **argv)
{
	bool csv = false, cost = false;
	uint64_t rows = 0;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++)
		if (strcmp(argv[i], "--csv") == 0)
			csv = true;
		else if (strcmp(argv[i], "--cost") == 0)
			cost = true;
		else if (strcmp(argv[i], "--replay") == 0)
			rows = 1000000;
		else if (strncmp(argv[i], "--replay=", 9) == 0)
			rows = strtoull(argv[i] + 9, NULL, 10);
		else
			break;
	if ((i == argc && !cost && !rows) || (i < argc && argv[i][0] == '-')) {
		fprintf(stderr, "usage: bench/predict [--csv] [--cost] "
				"[--replay[=ROWS]] "
				"[LOG...]\n");
		return 2;
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	if (cost && predict_cost(csv) < 0)
		return 1;
	if (rows && predict_replay(rows, csv) < 0)
		return 1;
	for (; i < argc; i++)
		if (do_log(argv[i], csv) < 0)
			return 1;
	return 0;
}

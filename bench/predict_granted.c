/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/predict: measures how much shorter the time limits of
 * PredictMode=tighten are than the requested ones, how many of them the limit
 * guard (ctl/jobs/running/limit_guard.c) would have extended, and how many too
 * late. The limits are computed by the caller.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/predict.h"
#include "bench/predictor_job.h"
#include "job_submit/time_limit.h"

#define LATE	   60 /* s; a later extension counts as late */
#define OVER_ASKED 4  /* times the run time */

static int64_t seconds(const struct swf_job *job)
{
	return job->end - job->start;
}

struct granted {
	size_t lowered, extended, late;
	double granted, request, run; /* means, s */
	double share;		      /* mean of granted / request */
	/* of users whose requests are OVER_ASKED times their run times */
	size_t some;
	double some_granted, some_request;
};

/* The time before the limit at which the guard extends a job. */
static double extended_before(const struct swf_job *job, double limit)
{
	return (double)slu_limit_extended_before(
		(uint32_t)(limit / 60), job->number * 7 % SLU_LIMIT_LOOK);
}

static int by_owner(const void *a, const void *b)
{
	const struct swf_job *x = *(const struct swf_job *const *)a;
	const struct swf_job *y = *(const struct swf_job *const *)b;

	return (x->user > y->user) - (x->user < y->user);
}

/* Adds one user's jobs, if the requests are so much too long. */
static void add_user(const struct swf_log *log, const double *limit,
		     const struct swf_job **job, size_t n, struct granted *g)
{
	double request = 0, run = 0, granted = 0;

	for (size_t i = 0; i < n; i++) {
		double asked = (double)job[i]->request;

		request += asked;
		run += fmin((double)seconds(job[i]), asked);
		granted += limit[job[i] - log->job];
	}
	if (request < OVER_ASKED * run)
		return;
	g->some += n;
	g->some_granted += granted;
	g->some_request += request;
}

static void count_over_asked(const struct swf_log *log, const double *limit,
			     struct granted *g)
{
	size_t n = log->n, from = 0;
	const struct swf_job **job = calloc(n + 1, sizeof(*job));

	for (size_t i = 0; job && i < n; i++)
		job[i] = &log->job[i];
	if (job)
		qsort(job, n, sizeof(*job), by_owner);
	for (size_t i = 1; job && i <= n; i++)
		if (i == n || job[i]->user != job[from]->user) {
			add_user(log, limit, job + from, i - from, g);
			from = i;
		}
	free(job);
}

static struct granted count_granted(const struct swf_log *log,
				    const double *limit)
{
	double n = (double)(log->n ? log->n : 1);
	struct granted g = {0};

	for (size_t i = 0; i < log->n; i++) {
		const struct swf_job *job = &log->job[i];
		double request = (double)job->request, run, before;

		run = fmin((double)seconds(job), request);
		g.granted += limit[i] / n;
		g.request += request / n;
		g.run += run / n;
		g.share += limit[i] / request / n;
		if (limit[i] >= request)
			continue;
		before = extended_before(job, limit[i]);
		g.lowered++;
		g.extended += run > limit[i] - before;
		g.late += run > limit[i] - before && before < LATE;
	}
	count_over_asked(log, limit, &g);
	return g;
}

void predict_granted(const struct swf_log *log, const double *limit)
{
	struct granted g = count_granted(log, limit);
	double n = (double)(log->n ? log->n : 1);

	printf("  tighten (quantile %g, floor %d s): requests are %.1f times "
	       "the run times; granted %.2f of\n  them (mean of each: %.2f); "
	       "%.1f %% of the jobs lowered, %.2f %% extended, %.3f %% late\n",
	       PREDICTOR_QUANTILE, PREDICTOR_FLOOR, g.request / g.run,
	       g.granted / g.request, g.share, 100 * (double)g.lowered / n,
	       100 * (double)g.extended / n, 100 * (double)g.late / n);
	if (g.request < OVER_ASKED * g.run)
		printf("  (at most 0.5 is the goal where they are %d times; "
		       "here they are not)\n",
		       OVER_ASKED);
	if (g.some)
		printf("  to the %zu jobs of users whose requests are, granted "
		       "%.2f of them (goal 0.5)\n",
		       g.some, g.some_granted / g.some_request);
}

void predict_granted_csv(const char *name, const struct swf_log *log,
			 const double *limit)
{
	struct granted g = count_granted(log, limit);
	double late = (double)g.late / (double)(log->n ? log->n : 1);

	/* the goal is for requests of four times the run time */
	printf("%s,requests,of run time,%.3f,,,\n", name, g.request / g.run);
	if (g.request >= OVER_ASKED * g.run)
		printf("%s,limit granted,of request,%.3f,goal,0.5,%.3f\n", name,
		       g.granted / g.request, g.granted / g.request / 0.5);
	else
		printf("%s,limit granted,of request,%.3f,,,\n", name,
		       g.granted / g.request);
	if (g.some)
		printf("%s,limit granted to users who ask for 4 times or more,"
		       "of request,%.3f,goal,0.5,%.3f\n",
		       name, g.some_granted / g.some_request,
		       g.some_granted / g.some_request / 0.5);
	printf("%s,extended late,share,%.5f,goal,0.001,%.3f\n", name, late,
	       late / 0.001);
}

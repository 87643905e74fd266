/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps a log in the order of submission; a second order, by end, gives the
 * jobs that have ended when a job is submitted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/swf.h"
#include "common/proc.h"
#include "job_submit/ended.h"

#define MAX_TEXT ((size_t)1 << 30)

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* Columns (from 1): 1 number, 2 submit, 3 wait, 4 run, 5 processors used, 8
 * requested, 9 requested time, 11 status, 12 user, 13 group, 14 program, 15
 * queue. */
static int parse(const char *line, struct swf_job *job)
{
	double v[15];
	int used = 0;

	for (int i = 0; i < 15; i++, line += used)
		if (sscanf(line, "%lf%n", &v[i], &used) != 1)
			return -1;
	job->number = (int64_t)v[0];
	job->submit = (int64_t)v[1];
	job->start = job->submit + (v[2] > 0 ? (int64_t)v[2] : 0);
	job->end = job->start + (int64_t)v[3];
	job->procs = (int64_t)(v[7] > 0 ? v[7] : v[4]);
	job->request = (int64_t)v[8];
	job->user = (int64_t)v[11];
	job->group = (int64_t)v[12];
	job->program = (int64_t)v[13];
	job->queue = (int64_t)v[14];
	job->state = slu_swf_is_part((int64_t)v[10])
			     ? NULL
			     : slu_swf_state((int64_t)v[10], (int64_t)v[3],
					     job->request);
	return 0;
}

static int by_submit(const void *a, const void *b)
{
	const struct swf_job *x = a, *y = b;

	if (x->submit != y->submit)
		return x->submit < y->submit ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int parse_all(char *text, struct swf_log *log, struct slu_err *err)
{
	char *save = NULL;
	size_t lines = 1;

	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	log->job = calloc(lines, sizeof(*log->job));
	if (!log->job)
		return nomem(err);
	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct swf_job *job = &log->job[log->n];

		if (*line == ';')
			continue;
		if (parse(line, job) < 0)
			return slu_err(err, SLU_INVALID, "\"%.60s\"", line);
		log->n +=
			job->end > job->start && job->request > 0 && job->state;
	}
	qsort(log->job, log->n, sizeof(*log->job), by_submit);
	return 0;
}

int swf_load(const char *path, struct swf_log *out, struct slu_err *err)
{
	char *argv[] = {"gzip", "-dcf", (char *)(uintptr_t)path, NULL};
	struct slu_buf text = {.max = MAX_TEXT};
	struct swf_log log = {0};
	int rc = slu_run(argv, 60, &text, err);

	if (rc == 0)
		rc = parse_all(text.data ? text.data : (char[]){""}, &log, err);
	slu_buf_free(&text);
	if (rc < 0) {
		swf_free(&log);
		return slu_err_prefix(err, "%s", path);
	}
	*out = log;
	return 0;
}

void swf_free(struct swf_log *log)
{
	free(log->job);
	*log = (struct swf_log){0};
}

int swf_shake(const struct swf_log *log, int64_t most, uint16_t seed,
	      struct swf_log *out)
{
	unsigned short state[3] = {seed, 0, 0};

	*out = (struct swf_log){calloc(log->n + 1, sizeof(*out->job)), log->n};
	if (!out->job)
		return -1;
	for (size_t i = 0; i < log->n; i++) {
		struct swf_job *job = &out->job[i];
		int64_t by = nrand48(state) % (2 * most + 1) - most;

		*job = log->job[i];
		by = job->submit + by < 0 ? 0 : by;
		job->submit += by;
		job->start += by;
		job->end += by;
	}
	qsort(out->job, out->n, sizeof(*out->job), by_submit);
	return 0;
}

static int by_end(const void *a, const void *b)
{
	const struct swf_job *x = *(const struct swf_job *const *)a;
	const struct swf_job *y = *(const struct swf_job *const *)b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x > y) - (x < y);
}

int swf_replay(const struct swf_log *log, const struct swf_predictor *predictor,
	       double *predicted)
{
	const struct swf_job **ended = calloc(log->n + 1, sizeof(*ended));
	size_t known = 0;

	if (!ended)
		return -1;
	for (size_t i = 0; i < log->n; i++)
		ended[i] = &log->job[i];
	qsort(ended, log->n, sizeof(*ended), by_end);
	for (size_t i = 0; i < log->n; i++) {
		const struct swf_job *job = &log->job[i];

		for (; known < log->n && ended[known]->end <= job->submit;
		     known++)
			predictor->learn(predictor->arg, ended[known]);
		predicted[i] = predictor->predict(predictor->arg, job);
	}
	free(ended);
	return 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int swf_error(const struct swf_log *log, const double *predicted,
	      int64_t at_least, struct swf_error *out)
{
	double *error = calloc(log->n + 1, sizeof(*error)), sum = 0;
	size_t n = 0;

	if (!error)
		return -1;
	for (size_t i = 0; i < log->n; i++) {
		int64_t run = log->job[i].end - log->job[i].start;

		if (run < at_least)
			continue;
		error[n] = fabs(predicted[i] - (double)run);
		sum += error[n++];
	}
	qsort(error, n, sizeof(*error), ascending);
	*out = (struct swf_error){
		.median = n ? (error[(n - 1) / 2] + error[n / 2]) / 2 : 0,
		.mean = n ? sum / (double)n : 0,
		.jobs = n,
	};
	free(error);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes how busy ended runs kept a file system, from the total bandwidth at
 * each time (rate_steps.h). Prefix sums of the busy time before each step give
 * the busy time during a run as a difference of two.
 */
#include "select_io/bandwidth/utilization.h"

#include <math.h>
#include <stdlib.h>

#define BUSY   0.8  /* of the capacity in use */
#define NOISE  0.01 /* of the capacity */
#define MOSTLY 0.5  /* of a run in busy time */
#define HARDLY 0.1

/* Sums of the logarithms of the run times of one kind of run. */
struct kind {
	uint64_t kind;
	double busy, calm;
	size_t n_busy, n_calm;
};

static int by_start(const void *a, const void *b)
{
	double x = ((const struct slu_ended_run *)a)->start;
	double y = ((const struct slu_ended_run *)b)->start;

	return (x > y) - (x < y);
}

static int by_kind(const void *a, const void *b)
{
	uint64_t x = ((const struct slu_ended_run *)a)->kind;
	uint64_t y = ((const struct slu_ended_run *)b)->kind;

	return (x > y) - (x < y);
}

static int by_rate(const void *a, const void *b)
{
	double x = ((const struct slu_rate_step *)a)->rate;
	double y = ((const struct slu_rate_step *)b)->rate;

	return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double highest(const struct slu_rate_step *step, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		if (step[i].span > 0)
			most = fmax(most, step[i].rate);
	return most;
}

/* Busy seconds before each step, and as a share of all. */
static double sum_busy(struct slu_rate_step *step, size_t n, double capacity)
{
	double busy = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		step[i].busy = busy;
		if (step[i].rate >= BUSY * capacity)
			busy += step[i].span;
		if (step[i].rate > 0)
			all += step[i].span;
	}
	return all > 0 ? busy / all : 0;
}

static double busy_of(const struct slu_rate_step *step, size_t n,
		      const struct slu_ended_run *run)
{
	return slu_rate_step_at(step, n, run->end)->busy -
	       slu_rate_step_at(step, n, run->start)->busy;
}

static void sum_runs(const struct slu_ended_run *run, size_t n,
		     const struct slu_rate_step *step,
		     struct slu_utilization *out)
{
	for (size_t i = 0; i < n; i++) {
		double least = NOISE * out->capacity;

		if (!(run[i].rate > least))
			continue;
		out->node_seconds += run[i].nodes * (run[i].end - run[i].start);
		out->busy_node_seconds +=
			run[i].nodes * busy_of(step, 2 * n, &run[i]);
		/* those that begin at once count together */
		out->crowded +=
			slu_rate_step_at(step, 2 * n, run[i].start)->rate >
			fmax(out->capacity, run[i].rate) * (1 + 1e-9);
	}
}

static void add_run(struct kind *kind, const struct slu_ended_run *run,
		    double busy)
{
	double span = run->end - run->start;

	if (busy > MOSTLY * span) {
		kind->busy += log(span);
		kind->n_busy++;
	} else if (busy < HARDLY * span) {
		kind->calm += log(span);
		kind->n_calm++;
	}
}

static void end_kind(const struct kind *kind, double *ratio, size_t *n)
{
	if (kind->n_busy && kind->n_calm)
		ratio[(*n)++] = kind->busy / (double)kind->n_busy -
				kind->calm / (double)kind->n_calm;
}

/* The runs are sorted by kind. */
static void compare(const struct slu_ended_run *run, size_t n,
		    const struct slu_rate_step *step, double *ratio,
		    struct slu_utilization *out)
{
	struct kind kind = {0};

	for (size_t i = 0; i < n; i++) {
		if (!(run[i].rate > NOISE * out->capacity))
			continue;
		if (run[i].kind != kind.kind) {
			end_kind(&kind, ratio, &out->kinds);
			kind = (struct kind){.kind = run[i].kind};
		}
		add_run(&kind, &run[i], busy_of(step, 2 * n, &run[i]));
	}
	end_kind(&kind, ratio, &out->kinds);
	if (!out->kinds)
		return;
	qsort(ratio, out->kinds, sizeof(*ratio), by_value);
	out->slower =
		exp((ratio[(out->kinds - 1) / 2] + ratio[out->kinds / 2]) / 2);
}

/* Bytes/s that were moved at most for this share of the time in which any were;
 * the steps are in the order of their rates. */
static double quantile(const struct slu_rate_step *step, size_t n, double share)
{
	double all = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		all += step[i].rate > 0 ? step[i].span : 0;
	for (size_t i = 0; i < n; i++) {
		sum += step[i].rate > 0 ? step[i].span : 0;
		if (sum > 0 && sum >= share * all)
			return step[i].rate;
	}
	return 0;
}

int slu_utilization_look(struct slu_ended_run *run, size_t n, double capacity,
			 struct slu_utilization *out)
{
	struct slu_rate_step *step = calloc(2 * n + 1, sizeof(*step));
	double *ratio = calloc(n + 1, sizeof(*ratio));

	int rc = step && ratio ? 0 : -1;

	*out = (struct slu_utilization){.capacity = capacity};
	if (rc == 0 && n) {
		qsort(run, n, sizeof(*run), by_start);
		slu_rate_steps_make(run, n, step);
		rc = slu_rate_steps_limit(step, 2 * n);
	}
	if (rc == 0 && n) {
		out->highest = highest(step, 2 * n);
		if (!(capacity > 0))
			out->capacity = out->highest;
		out->busy = sum_busy(step, 2 * n, out->capacity);
		sum_runs(run, n, step, out);
		qsort(run, n, sizeof(*run), by_kind);
		compare(run, n, step, ratio, out);
		qsort(run, n, sizeof(*run), by_start);
		qsort(step, 2 * n, sizeof(*step), by_rate);
		out->most_99 = quantile(step, 2 * n, 0.99);
		out->median = quantile(step, 2 * n, 0.5);
	}
	free(step);
	free(ratio);
	return rc;
}

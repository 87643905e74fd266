/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the starts and ends of runs by time, and sums up their rates from step
 * to step.
 */
#include "select_io/bandwidth/rate_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LASTS 600.0 /* s, and */
#define PART  0.001 /* of the time */

static int by_time(const void *a, const void *b)
{
	double x = ((const struct slu_rate_step *)a)->at;
	double y = ((const struct slu_rate_step *)b)->at;

	return (x > y) - (x < y);
}

void slu_rate_steps_make(const struct slu_ended_run *run, size_t n,
			 struct slu_rate_step *step)
{
	double rate = 0, moved = 0;

	for (size_t i = 0; i < n; i++) {
		step[2 * i] = (struct slu_rate_step){.at = run[i].start,
						     .change = run[i].rate};
		step[2 * i + 1] = (struct slu_rate_step){
			.at = run[i].end, .change = -run[i].rate};
	}
	qsort(step, 2 * n, sizeof(*step), by_time);
	for (size_t i = 0; i < 2 * n; i++) {
		rate += step[i].change;
		step[i].rate = fmax(rate, 0);
		step[i].span = i + 1 < 2 * n ? step[i + 1].at - step[i].at : 0;
		step[i].moved = moved;
		moved += step[i].rate * step[i].span;
	}
}

/* Highest first. */
static int by_rate(const void *a, const void *b)
{
	double x = ((const struct slu_rate_step *)a)->rate;
	double y = ((const struct slu_rate_step *)b)->rate;

	return (x < y) - (x > y);
}

/* INFINITY: none has lasted. */
static double lasting_rate(const struct slu_rate_step *sorted, size_t n)
{
	double time = 0, had = 0;

	for (size_t i = 0; i < n; i++)
		time += sorted[i].rate > 0 ? sorted[i].span : 0;
	for (size_t i = 0; i < n && sorted[i].rate > 0; i++) {
		had += sorted[i].span;
		if (had >= fmax(LASTS, PART * time))
			return sorted[i].rate;
	}
	return INFINITY;
}

int slu_rate_steps_limit(struct slu_rate_step *step, size_t n)
{
	struct slu_rate_step *sorted = calloc(n + 1, sizeof(*sorted));
	double bound, moved = 0;

	if (!sorted)
		return -1;
	memcpy(sorted, step, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_rate);
	bound = lasting_rate(sorted, n);
	free(sorted);
	for (size_t i = 0; i < n; i++) {
		step[i].rate = fmin(step[i].rate, bound);
		step[i].moved = moved;
		moved += step[i].rate * step[i].span;
	}
	return 0;
}

const struct slu_rate_step *slu_rate_step_at(const struct slu_rate_step *step,
					     size_t n, double at)
{
	size_t low = 0, high = n;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (step[mid].at <= at)
			low = mid;
		else
			high = mid;
	}
	return &step[low];
}

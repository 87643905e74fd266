/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts the starts and ends of runs by time, and sums up their rates from cut
 * to cut.
 */
#include "select_io/bandwidth/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LASTS 600.0 /* s, and */
#define PART  0.001 /* of the time */

static int by_time(const void *a, const void *b)
{
	double x = ((const struct slu_cut *)a)->at;
	double y = ((const struct slu_cut *)b)->at;

	return (x > y) - (x < y);
}

void slu_cuts_make(const struct slu_ended_run *run, size_t n,
		   struct slu_cut *cut)
{
	double rate = 0, moved = 0;

	for (size_t i = 0; i < n; i++) {
		cut[2 * i] = (struct slu_cut){.at = run[i].start,
					      .change = run[i].rate};
		cut[2 * i + 1] = (struct slu_cut){.at = run[i].end,
						  .change = -run[i].rate};
	}
	qsort(cut, 2 * n, sizeof(*cut), by_time);
	for (size_t i = 0; i < 2 * n; i++) {
		rate += cut[i].change;
		cut[i].rate = fmax(rate, 0);
		cut[i].span = i + 1 < 2 * n ? cut[i + 1].at - cut[i].at : 0;
		cut[i].moved = moved;
		moved += cut[i].rate * cut[i].span;
	}
}

/* Highest first. */
static int by_rate(const void *a, const void *b)
{
	double x = ((const struct slu_cut *)a)->rate;
	double y = ((const struct slu_cut *)b)->rate;

	return (x < y) - (x > y);
}

/* INFINITY: none has lasted. */
static double lasting_rate(const struct slu_cut *sorted, size_t n)
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

int slu_cuts_bound(struct slu_cut *cut, size_t n)
{
	struct slu_cut *sorted = calloc(n + 1, sizeof(*sorted));
	double bound, moved = 0;

	if (!sorted)
		return -1;
	memcpy(sorted, cut, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_rate);
	bound = lasting_rate(sorted, n);
	free(sorted);
	for (size_t i = 0; i < n; i++) {
		cut[i].rate = fmin(cut[i].rate, bound);
		cut[i].moved = moved;
		moved += cut[i].rate * cut[i].span;
	}
	return 0;
}

const struct slu_cut *slu_cut_at(const struct slu_cut *cut, size_t n, double at)
{
	size_t low = 0, high = n;

	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (cut[mid].at <= at)
			low = mid;
		else
			high = mid;
	}
	return &cut[low];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ring of measurements. A clock that goes backwards empties the ring, and a
 * pause of more than `gap` seconds between two measurements counts as not busy.
 */
#include "select_io/bandwidth/busy_times.h"

#include <math.h>
#include <stdlib.h>

/* The i-th oldest. */
static const struct slu_busy_time *at(const struct slu_busy_times *b, size_t i)
{
	return &b->time[(b->next + SLU_BUSY_TIMES - b->n + i) % SLU_BUSY_TIMES];
}

void slu_busy_times_add(struct slu_busy_times *b, bool busy, int64_t now,
			int64_t gap)
{
	struct slu_busy_time last = {now, 0};
	int64_t span;

	if (!b->time)
		b->time = calloc(SLU_BUSY_TIMES, sizeof(*b->time));
	if (!b->time)
		return;
	if (b->n)
		last = *at(b, b->n - 1);
	if (now < last.at) {
		b->n = b->next = 0;
		last = (struct slu_busy_time){now, 0};
	}
	span = now - last.at;
	b->time[b->next] = (struct slu_busy_time){
		now, last.busy + (busy && span <= gap ? (double)span : 0)};
	b->next = (b->next + 1) % SLU_BUSY_TIMES;
	b->n += b->n < SLU_BUSY_TIMES;
}

/* Busy seconds until then: between two measurements it was evenly so. */
static double busy_until(const struct slu_busy_times *b, int64_t when)
{
	size_t low = 0, high = b->n - 1;
	const struct slu_busy_time *x, *y;

	if (when <= at(b, 0)->at)
		return at(b, 0)->busy;
	if (when >= at(b, high)->at)
		return at(b, high)->busy;
	while (high - low > 1) {
		size_t mid = (low + high) / 2;

		if (at(b, mid)->at <= when)
			low = mid;
		else
			high = mid;
	}
	x = at(b, low);
	y = at(b, high);
	return x->busy + (y->busy - x->busy) * (double)(when - x->at) /
				 (double)(y->at - x->at);
}

double slu_busy_times_share(const struct slu_busy_times *b, int64_t start,
			    int64_t end)
{
	if (b->n < 2 || end <= start)
		return 0;
	return fmin((busy_until(b, end) - busy_until(b, start)) /
			    (double)(end - start),
		    1);
}

void slu_busy_times_free(struct slu_busy_times *b)
{
	free(b->time);
	*b = (struct slu_busy_times){0};
}

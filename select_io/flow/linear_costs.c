/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linear costs where the cheapest targets have space for all requests: each
 * request gets the cheapest targets, as many as it wants. Only these are
 * selected and sorted, not all targets.
 */
#include "config.h"
#include "common/fast.h"
#include "select_io/flow/flow_private.h"

#include <string.h>

#define BUCKETS 1024
#define SPARE	256 /* more than needed: then a full sort is as fast */

/* Are there n targets with space for all requests? */
SLU_FAST static bool enough(const struct slu_flow_place *s, uint32_t n)
{
	uint32_t roomy = 0;

	for (uint32_t j = 0; j < s->p.n_targets; j++)
		roomy += s->room[j] >= s->active;
	return roomy >= n;
}

/* The range of costs of targets that can be used. */
SLU_FAST static void range(const struct slu_flow_place *s, double *lo,
			   double *hi)
{
	const double *restrict cost = s->cost;
	double least = SLU_PLACE_MAX_COST, most = 0;

	for (uint32_t j = 0; j < s->p.n_targets; j++) {
		double c = s->room[j] ? cost[j] : SLU_PLACE_MAX_COST;
		double d = s->room[j] ? cost[j] : 0;

		least = c < least ? c : least;
		most = d > most ? d : most;
	}
	*lo = least;
	*hi = most;
}

/* The bucket of each target; unusable targets go behind the last one. */
SLU_FAST static void find_buckets(struct slu_flow_place *s, double lo,
				  double scale)
{
	const double *restrict cost = s->cost;
	uint32_t *restrict bucket = s->order;

	for (uint32_t j = 0; j < s->p.n_targets; j++) {
		double at = (cost[j] - lo) * scale;

		at = at > BUCKETS - 1 ? BUCKETS - 1 : at < 0 ? 0 : at;
		bucket[j] = s->room[j] ? (uint32_t)(int32_t)at : BUCKETS;
	}
}

/* Collects the targets of the first buckets that together have n. Returns their
 * number; 0: there are fewer, or far more. */
static uint32_t gather(struct slu_flow_place *s, uint32_t n)
{
	uint32_t size[BUCKETS + 1] = {0}, sum = 0, last = 0, got = 0;
	const uint32_t *bucket = s->order;

	for (uint32_t j = 0; j < s->p.n_targets; j++)
		size[bucket[j]]++;
	while (last < BUCKETS && sum < n)
		sum += size[last++];
	if (sum < n || sum > n + SPARE)
		return 0;
	for (uint32_t j = 0; j < s->p.n_targets; j++) {
		s->keys[got] = (struct slu_place_key){s->cost[j], j};
		got += bucket[j] < last;
	}
	return got;
}

static void sort(struct slu_place_key *a, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct slu_place_key k = a[i];
		uint32_t at = i;

		for (; at > 0 && a[at - 1].cost > k.cost; at--)
			a[at] = a[at - 1];
		a[at] = k;
	}
}

/* The k-th of the sorted requests gets the first want[k] targets. */
static void hand_out(struct slu_flow_place *s, uint32_t n)
{
	uint32_t left = s->active;

	for (uint32_t j = 0; j < n; j++)
		s->order[j] = s->keys[j].j;
	for (uint32_t k = 0; k < s->active; k++) {
		uint32_t i = s->who[k];

		memcpy(s->chosen + s->first[i], s->order,
		       s->want[k] * sizeof(*s->chosen));
		s->got[i] = s->want[k];
	}
	memset(s->count, 0, s->p.n_targets * sizeof(*s->count));
	for (uint32_t j = 0; j < n; j++) {
		while (s->want[left - 1] <= j)
			left--;
		s->count[s->order[j]] = left;
	}
}

bool slu_place_linear_fast(struct slu_flow_place *s)
{
	uint32_t n = s->active ? s->want[0] : 0, got;
	double lo, hi;

	if (n == 0 || n > SPARE || !enough(s, n))
		return false;
	range(s, &lo, &hi);
	if (hi - lo < SLU_PLACE_ALIKE)
		return false;
	find_buckets(s, lo, BUCKETS / (hi - lo));
	got = gather(s, n);
	if (got == 0)
		return false;
	sort(s->keys, got);
	for (uint32_t k = 0; k < n; k++)
		if (s->room[s->keys[k].j] < s->active)
			return false;
	hand_out(s, n);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts targets by cost, equal ones by number. Costs that are spread over their
 * range go into buckets of equal width in one pass; clustered ones are sorted
 * by a radix sort of their upper bits, in two passes; if most of these are
 * equal too, by comparison.
 */
#include "config.h"
#include "common/fast.h"
#include "select_io/flow/flow_private.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096 /* at most */
#define CROWD	4    /* most targets per bucket, averaged over targets */
#define DIGIT	11   /* bits */

SLU_FAST static void range(const double *restrict cost, uint32_t n, double *lo,
			   double *hi)
{
	double least = SLU_PLACE_MAX_COST, most = 0;

	for (uint32_t j = 0; j < n; j++) {
		least = cost[j] < least ? cost[j] : least;
		most = cost[j] > most ? cost[j] : most;
	}
	*lo = least;
	*hi = most;
}

SLU_FAST static void find_buckets(const double *restrict cost, uint32_t n,
				  double lo, double scale,
				  uint32_t *restrict bucket)
{
	for (uint32_t j = 0; j < n; j++)
		bucket[j] = (uint32_t)(int32_t)((cost[j] - lo) * scale);
}

/* Computes where each bucket begins. False: one has too many targets. */
static bool lay_out_buckets(uint32_t *size, uint32_t buckets, uint32_t n)
{
	uint64_t crowd = 0;

	for (uint32_t k = 0, sum = 0; k < buckets; k++) {
		uint32_t here = size[k];

		crowd += (uint64_t)here * here;
		size[k] = sum;
		sum += here;
	}
	return crowd <= (uint64_t)CROWD * n;
}

static void insert_sorted(const double *cost, uint32_t *order, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t j = order[i], at = i;

		for (; at > 0 && cost[order[at - 1]] > cost[j]; at--)
			order[at] = order[at - 1];
		order[at] = j;
	}
}

static bool by_buckets(struct slu_flow_place *s)
{
	uint32_t size[BUCKETS], m = s->p.n_targets;
	uint32_t buckets = s->leaves < BUCKETS ? (uint32_t)s->leaves : BUCKETS;
	uint32_t *bucket = (uint32_t *)s->keys;
	double lo, hi;

	range(s->cost, m, &lo, &hi);
	if (hi - lo < SLU_PLACE_ALIKE)
		return false;
	memset(size, 0, buckets * sizeof(*size));
	/* scaled by buckets - 1, so that the index of the highest cost is valid
	 * however it is rounded */
	find_buckets(s->cost, m, lo, (buckets - 1) / (hi - lo), bucket);
	for (uint32_t j = 0; j < m; j++)
		size[bucket[j]]++;
	if (!lay_out_buckets(size, buckets, m))
		return false;
	for (uint32_t j = 0; j < m; j++)
		s->order[size[bucket[j]]++] = j;
	insert_sorted(s->cost, s->order, m);
	return true;
}

static int by_cost(const void *a, const void *b)
{
	const struct slu_place_key *x = a, *y = b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? -1 : 1;
	return x->j < y->j ? -1 : 1;
}

/* The upper bits of the cost as a float, which sort as it does since it is not
 * negative, and the target. */
static uint64_t entry_of(double cost, uint32_t j)
{
	float rough = (float)cost;
	uint32_t bits;

	memcpy(&bits, &rough, sizeof(bits));
	bits &= INT32_MAX; /* -0.0 is 0 */
	return (uint64_t)(bits >> (31 - 2 * DIGIT)) << 32 | j;
}

/* One pass of a radix sort, by DIGIT bits. */
static void pass(const uint64_t *from, uint64_t *to, uint32_t n, uint32_t *size,
		 int shift)
{
	for (uint32_t k = 0, sum = 0; k < 1u << DIGIT; k++) {
		uint32_t here = size[k];

		size[k] = sum;
		sum += here;
	}
	for (uint32_t i = 0; i < n; i++)
		to[size[from[i] >> shift & ((1u << DIGIT) - 1)]++] = from[i];
}

/* Radix sort by the digits in which most costs differ; the others are sorted by
 * insertion. False: too many have to be moved. */
static bool radix(struct slu_flow_place *s)
{
	uint32_t low[1u << DIGIT] = {0}, high[1u << DIGIT] = {0};
	uint32_t m = s->p.n_targets, *order = s->order;
	uint64_t *a = (uint64_t *)s->keys, *b = a + m;
	const double *cost = s->cost;

	for (uint32_t j = 0; j < m; j++) {
		a[j] = entry_of(cost[j], j);
		low[a[j] >> 32 & ((1u << DIGIT) - 1)]++;
		high[a[j] >> (32 + DIGIT)]++;
	}
	pass(a, b, m, low, 32);
	pass(b, a, m, high, 32 + DIGIT);
	for (uint32_t i = 0, moves = 0; i < m; i++) {
		uint32_t j = (uint32_t)a[i], at = i;

		while (at > 0 && a[at - 1] >> 32 == a[i] >> 32 &&
		       cost[order[at - 1]] > cost[j]) {
			order[at] = order[at - 1];
			at--;
			if (++moves > 8 * m)
				return false; /* too many are equal */
		}
		order[at] = j;
	}
	return true;
}

void slu_place_order(struct slu_flow_place *s)
{
	uint32_t m = s->p.n_targets;

	if (by_buckets(s) || radix(s))
		return;
	for (uint32_t j = 0; j < m; j++)
		s->keys[j] = (struct slu_place_key){s->cost[j], j};
	qsort(s->keys, m, sizeof(*s->keys), by_cost);
	for (uint32_t j = 0; j < m; j++)
		s->order[j] = s->keys[j].j;
}

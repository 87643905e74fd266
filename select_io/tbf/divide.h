/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TBF_DIVIDE_H
#define SLU_TBF_DIVIDE_H

/*
 * Whole tokens from parts that are not, for tokens.c: (21) to (25) of the
 * paper, largest remainders first. Inline, so that the loops are compiled for
 * the widest registers of each processor: include common/fast.h first of all.
 *
 * Who gets the tokens that rounding left over is not found by sorting: the
 * remainders are counted in buckets, whole buckets are served, and only in the
 * bucket in which the tokens run out the first are looked for.
 */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/fast.h"

#define BUCKETS 512
#define BLOCK	16 /* read at once, behind the last too */

struct entry {
	double remainder;
	uint32_t index;
};

SLU_INLINE double most(double a, double b)
{
	return a > b ? a : b;
}

SLU_INLINE double least(double a, double b)
{
	return a < b ? a : b;
}

SLU_INLINE double sum(const double *v, size_t n)
{
	double part[8] = {0}, all = 0;
	size_t i;

	for (i = 0; i + 8 <= n; i += 8)
		for (size_t k = 0; k < 8; k++)
			part[k] += v[i + k];
	for (; i < n; i++)
		all += v[i];
	for (size_t k = 0; k < 8; k++)
		all += part[k];
	return all;
}

/* Is a served before b? By `sign` times the remainder, then by index. */
SLU_INLINE bool sooner(const struct entry *a, const struct entry *b,
		       double sign)
{
	double x = sign * a->remainder, y = sign * b->remainder;

	return x != y ? x > y : a->index < b->index;
}

/* Those that are served first to the front, in any order (Hoare's find). */
static void select_first(struct entry *e, size_t n, size_t count, double sign)
{
	size_t from = 0, to = n;

	while (to - from > 1) {
		struct entry pivot = e[from + (to - from - 1) / 2];
		size_t i = from, k = to - 1;

		for (;; i++, k--) {
			struct entry swap;

			while (sooner(&e[i], &pivot, sign))
				i++;
			while (sooner(&pivot, &e[k], sign))
				k--;
			if (i >= k)
				break;
			swap = e[i];
			e[i] = e[k];
			e[k] = swap;
		}
		if (count == k + 1)
			return;
		if (count < k + 1)
			to = k + 1;
		else
			from = k + 1;
	}
}

/* A number of tokens to be divided: part * each is what each would get, whole
 * what it gets. */
struct division {
	const double *restrict part;
	double each;
	double *restrict whole, *restrict remainder;
	size_t n;
	/* scratch, n each; BLOCK keys behind the last can be read */
	int32_t *key;
	struct entry *order;
	bool literal;
};

/* The bucket of each remainder; who may not give is in one of its own. */
SLU_INLINE void find_keys(const struct division *d, double step)
{
	const double *restrict remainder = d->remainder;
	const double *restrict whole = d->whole;
	int32_t *restrict key = d->key;
	double none = step > 0 || d->literal ? -1e300 : 0;

	for (size_t i = 0; i < d->n; i++) {
		double at = (remainder[i] + 1) * (BUCKETS / 2);

		at = least(most(at, 0), BUCKETS - 1);
		key[i] = (int32_t)(whole[i] > none ? at : BUCKETS);
	}
}

/* The bucket in which the count is reached when one goes from the top (or the
 * bottom); *count is left as what is still wanted of that bucket. */
static int32_t find_edge(const struct division *d, bool from_top, size_t *count)
{
	uint32_t size[BUCKETS + 1] = {0};
	int32_t edge = from_top ? BUCKETS - 1 : 0;

	for (size_t i = 0; i < d->n; i++)
		size[d->key[i]]++;
	while (size[edge] < *count) {
		*count -= size[edge];
		edge += from_top ? -1 : 1;
	}
	return edge;
}

/* Those in a bucket, to `order`. They are few: most blocks have none. */
SLU_INLINE size_t find_members(const struct division *d, int32_t edge)
{
	const int32_t *restrict key = d->key;
	struct entry *restrict order = d->order;
	size_t n = 0, i = 0;

	for (; i < d->n; i += BLOCK) {
		size_t end = i + BLOCK < d->n ? i + BLOCK : d->n;
		int32_t hits = 0;

		for (size_t k = i; k < i + BLOCK; k++)
			hits += key[k] == edge;
		for (size_t k = i; hits && k < end; k++)
			if (key[k] == edge)
				order[n++] = (struct entry){d->remainder[k],
							    (uint32_t)k};
	}
	return n;
}

/* One token more (step 1) or less (-1) for `count` of those that may: the
 * largest remainders first, or the smallest. There are that many. */
SLU_INLINE void one_each(const struct division *d, size_t count, double step,
			 bool largest)
{
	const int32_t *restrict key = d->key;
	double *restrict whole = d->whole, *restrict remainder = d->remainder;
	struct entry *restrict order = d->order;
	int32_t edge;
	size_t n = 0;

	find_keys(d, step);
	edge = find_edge(d, largest, &count);
	for (size_t i = 0; i < d->n; i++) {
		bool in = largest ? key[i] > edge && key[i] < BUCKETS
				  : key[i] < edge;
		double change = in ? step : 0;

		whole[i] += change;
		remainder[i] -= change;
	}
	n = find_members(d, edge);
	if (count < n)
		select_first(order, n, count, largest ? 1 : -1);
	for (size_t k = 0; k < count; k++) {
		d->whole[order[k].index] += step;
		d->remainder[order[k].index] -= step;
	}
}

static size_t who_may_give(const struct division *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->literal || d->whole[i] > 0;
	return n;
}

/* (23) to (25) without the mistake: what was rounded away before counts.
 * Returns the tokens. */
SLU_INLINE int64_t round_down(const struct division *d)
{
	const double *restrict part = d->part;
	double *restrict whole = d->whole, *restrict remainder = d->remainder;
	double each = d->each;
	int64_t sum = 0;

	for (size_t i = 0; i < d->n; i++) {
		double all = part[i] * each + remainder[i];
		int32_t down = (int32_t)most(all, 0);

		whole[i] = (double)down;
		remainder[i] = all - (double)down;
		sum += down;
	}
	return sum;
}

/* As printed. */
static double round_literally(const struct division *d)
{
	for (size_t i = 0; i < d->n; i++) {
		double raw = d->part[i] * d->each;

		d->whole[i] = floor(raw + d->remainder[i]);
		d->remainder[i] = raw - d->whole[i];
	}
	return sum(d->whole, d->n);
}

/* Divide exactly `total` whole tokens. */
SLU_INLINE void divide(const struct division *d, double total)
{
	double left = total -
		      (d->literal ? round_literally(d) : (double)round_down(d));
	size_t givers;

	while (left > 0) {
		size_t count = left < (double)d->n ? (size_t)left : d->n;

		one_each(d, count, 1, true);
		left -= (double)count;
	}
	while (left < 0 && (givers = who_may_give(d)) > 0) {
		size_t count = -left < (double)givers ? (size_t)-left : givers;

		one_each(d, count, -1, d->literal);
		left += (double)count;
	}
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBF_TOKEN_SELECTION_H
#define SLU_SELECT_IO_TBF_TOKEN_SELECTION_H

/*
 * Chooses the jobs with the largest remainders, for token_rounding.h, without
 * sorting. Each remainder has a key, itself as a float; the key above which
 * there are as many as wanted is found by counting, and only the remainders
 * between two keys are compared, where counting would take long. Inline, so
 * that the loops are compiled for the widest registers of each processor:
 * include common/fast.h first of all.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/fast.h"

/* Keys: larger remainders, which are rare, all have the key LIMIT. NONE: the
 * job takes no part; CHOSEN: it was chosen by comparison. */
#define SLU_DIVIDE_KEY_LIMIT  2.0f
#define SLU_DIVIDE_KEY_NONE   -3.0f
#define SLU_DIVIDE_KEY_CHOSEN 3.0f
/* The search for a key ends when at most FEW remainders are left between two
 * keys and PATIENCE passes were made, or after LOOKS passes: many remainders
 * are equal then. */
#define SLU_DIVIDE_FEW	    16
#define SLU_DIVIDE_PATIENCE 4
#define SLU_DIVIDE_LOOKS    24
#define SLU_DIVIDE_BLOCK    32 /* keys read at once, also past the end */

struct entry {
	double remainder;
	uint32_t index;
};

/* Does a come before b? By `sign` times the remainder, then by index. */
SLU_INLINE bool sooner(const struct entry *a, const struct entry *b,
		       double sign)
{
	double x = sign * a->remainder, y = sign * b->remainder;

	return x != y ? x > y : a->index < b->index;
}

/* Moves the `count` that come first to the front, in any order (quickselect).
 */
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

/* Tokens, divided: job i gets whole[i] + more_of(i); the latter is not
 * subtracted from its remainder yet. */
struct division {
	double *restrict remainder;
	double *restrict whole;
	size_t n, takers; /* takers: those with a key */
	double step; /* 1 or -1 token for those whose key is above `edge` */
	float edge;
	/* scratch, n each; of key SLU_DIVIDE_BLOCK more can be read */
	float *restrict key;
	struct entry *restrict order;
	bool literal;
};

/* A copy of what more_of() reads, so that the compiler need not assume that a
 * loop changes it. */
struct rest {
	const float *key;
	double step;
	float edge;
};

SLU_INLINE struct rest rest_of(const struct division *d)
{
	return (struct rest){d->key, d->step, d->edge};
}

SLU_INLINE double more_of(struct rest rest, size_t i)
{
	return rest.key[i] > rest.edge ? rest.step : 0;
}

SLU_INLINE float key_of(double remainder)
{
	float key = (float)remainder;

	key = key > -SLU_DIVIDE_KEY_LIMIT ? key : -SLU_DIVIDE_KEY_LIMIT;
	return key < SLU_DIVIDE_KEY_LIMIT ? key : SLU_DIVIDE_KEY_LIMIT;
}

SLU_INLINE size_t count_above(const struct division *d, float edge)
{
	const float *restrict key = d->key;
	uint32_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += key[i] > edge;
	return n;
}

/* Collects in `order` those with lo < key <= hi; returns how many. They are
 * few, so most blocks have none. */
SLU_INLINE size_t find_between(const struct division *d, float lo, float hi)
{
	const float *restrict key = d->key;
	struct entry *restrict order = d->order;
	size_t n = 0;

	for (size_t i = 0; i < d->n; i += SLU_DIVIDE_BLOCK) {
		size_t end = i + SLU_DIVIDE_BLOCK < d->n ? i + SLU_DIVIDE_BLOCK
							 : d->n;
		int32_t hits = 0;

		for (size_t k = i; k < i + SLU_DIVIDE_BLOCK; k++)
			hits += (key[k] > lo) & (key[k] <= hi);
		for (size_t k = i; hits && k < end; k++)
			if (key[k] > lo && key[k] <= hi)
				order[n++] = (struct entry){d->remainder[k],
							    (uint32_t)k};
	}
	return n;
}

/* Two keys that enclose the wanted one: at least as many as wanted are above
 * lo, at most as many above hi. */
struct keys {
	float lo, hi;
	size_t below, above;
};

/* Encloses the key above which `count` keys are. The first guess takes
 * remainders to be uniform on [0, 1); then regula falsi, aimed half a job off
 * so that both ends move; later every other step is bisection. */
SLU_INLINE void narrow(const struct division *d, size_t count, size_t takers,
		       struct keys *k)
{
	double aim = (double)count;
	float mid = (float)(1 - aim / (double)takers);

	for (int look = 0;
	     look < SLU_DIVIDE_LOOKS && mid > k->lo && mid < k->hi; look++) {
		size_t above = count_above(d, mid);
		double part;

		if (above >= count) {
			k->lo = mid;
			k->below = above;
			aim = (double)count - 0.5;
		} else {
			k->hi = mid;
			k->above = above;
			aim = (double)count + 0.5;
		}
		if (k->below == count || k->above == count ||
		    (look > SLU_DIVIDE_PATIENCE &&
		     k->below - k->above <= SLU_DIVIDE_FEW))
			return;
		part = ((double)k->below - aim) / (double)(k->below - k->above);
		if (look == 0)
			mid += (float)(((double)above - aim) / (double)takers);
		else if (look > 5 && look % 2)
			mid = k->lo + (k->hi - k->lo) / 2;
		else
			mid = k->lo + (float)part * (k->hi - k->lo);
	}
}

/* Chooses `count` of `takers`, 0 < count < takers, by the highest keys: those
 * above d->edge. */
SLU_INLINE void choose(struct division *d, size_t count, size_t takers,
		       double sign)
{
	struct keys k = {SLU_DIVIDE_KEY_NONE, SLU_DIVIDE_KEY_LIMIT, takers, 0};
	size_t n;

	narrow(d, count, takers, &k);
	d->edge = k.below == count ? k.lo : k.hi;
	if (k.below == count || k.above == count)
		return;
	n = find_between(d, k.lo, k.hi);
	select_first(d->order, n, count - k.above, sign);
	for (size_t i = 0; i < count - k.above; i++)
		d->key[d->order[i].index] = SLU_DIVIDE_KEY_CHOSEN;
}

#endif

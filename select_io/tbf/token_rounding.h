/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBF_TOKEN_ROUNDING_H
#define SLU_SELECT_IO_TBF_TOKEN_ROUNDING_H

/*
 * Whole tokens from parts that are not, for tokens.c: (21) to (25) of the
 * paper, largest remainders first. Inline, so that the loops are compiled for
 * the widest registers of each processor: include common/fast.h first of all.
 *
 * Who gets the tokens that rounding left over is not found by sorting. Each
 * remainder has a key, itself in half the bits; the key is searched above which
 * there are as many as there are tokens, by counting, and only where that takes
 * long remainders between two keys are compared. Nobody is given a token
 * here: who reads the result adds more_of(), so that an array is gone through
 * once less.
 */

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/fast.h"

#define SLU_DIVIDE_KEY_LIMIT \
	2.0f /* remainders are seldom as large: all alike */
#define SLU_DIVIDE_KEY_NONE   -3.0f /* of who takes no part */
#define SLU_DIVIDE_KEY_CHOSEN 3.0f
#define SLU_DIVIDE_FEW                                        \
	16 /* between two keys: then they are compared, after \
	    */
#define SLU_DIVIDE_PATIENCE 4 /* looks, and at last after */
#define SLU_DIVIDE_LOOKS \
	24 /* the same remainders, mostly: as many as there are */
#define SLU_DIVIDE_BLOCK 32 /* read at once, behind the last too */

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
			part[k] = slu_as_written(part[k] + v[i + k]);
	for (; i < n; i++)
		all = slu_as_written(all + v[i]);
	for (size_t k = 0; k < 8; k++)
		all = slu_as_written(all + part[k]);
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

/* A number of tokens, divided: job i has whole[i] of them, and more_of() it,
 * which its remainder does not know yet. */
struct division {
	double *restrict remainder;
	double *restrict whole;
	size_t n, takers; /* takers: with a key */
	double step; /* a token more or less for those whose key is above */
	float edge;
	/* scratch, n each; SLU_DIVIDE_BLOCK keys behind the last can be read */
	float *restrict key;
	struct entry *restrict order;
	bool literal;
};

/* The end of it, by value: no loop has to look whether it has changed. */
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

/* Those above lo and not above hi, to `order`. Where they are few most blocks
 * have none. */
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

/* Two keys: above the lower there are no fewer than wanted, above the upper no
 * more. */
struct keys {
	float lo, hi;
	size_t below, above;
};

/* As if remainders were spread evenly from 0 to 1; then by secants. Each look
 * is a little behind the aim, so that the far end moves too; later every other
 * is halving. */
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

/* Choose `count` of `takers`, 0 < count < takers: the highest keys first. */
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

/* The keys of those that may give: the smallest remainders are highest, or to
 * the letter the largest. How many they are. */
SLU_INLINE size_t find_givers(const struct division *d)
{
	const double *restrict remainder = d->remainder;
	const double *restrict whole = d->whole;
	float *restrict key = d->key;
	uint32_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		bool gives = key[i] != SLU_DIVIDE_KEY_NONE &&
			     (d->literal || whole[i] > 0);
		float up = key_of(remainder[i]);

		key[i] = !gives ? SLU_DIVIDE_KEY_NONE : d->literal ? up : -up;
		n += gives;
	}
	return n;
}

/* Those whose key is above the edge really get it. */
SLU_INLINE void give_now(struct division *d)
{
	struct rest rest = rest_of(d);

	for (size_t i = 0; i < d->n; i++) {
		double more = more_of(rest, i);

		d->whole[i] += more;
		d->remainder[i] -= more;
	}
	d->edge = SLU_DIVIDE_KEY_CHOSEN;
}

/* More were dealt than there are: back from those that have some. */
static void take_back(struct division *d, double many)
{
	size_t givers;

	d->step = -1;
	while (many > 0 && (givers = find_givers(d)) > 0) {
		d->edge = SLU_DIVIDE_KEY_NONE;
		if (many < (double)givers) {
			choose(d, (size_t)many, givers, d->literal ? 1 : -1);
			return;
		}
		give_now(d);
		many -= (double)givers;
	}
}

/* What rounding has left over, or dealt too much, among those with a key. */
SLU_INLINE void settle(struct division *d, double left)
{
	size_t takers = d->takers;

	d->step = 1;
	d->edge = SLU_DIVIDE_KEY_CHOSEN;
	if (left < 0)
		take_back(d, -left);
	for (; takers > 0 && left >= (double)takers; left -= (double)takers) {
		d->edge = SLU_DIVIDE_KEY_NONE;
		give_now(d);
	}
	if (takers > 0 && left > 0)
		choose(d, (size_t)left, takers, 1);
}

/* (23) to (25) without the mistake: what was rounded away before counts.
 * Returns what is left. */
SLU_INLINE double round_down(struct division *d, const double *restrict part,
			     double each, double total, bool some)
{
	double *restrict remainder = d->remainder, *restrict whole = d->whole;
	float *restrict key = d->key;
	double dealt = 0, takers = 0; /* both alike: no lane is converted */

	SLU_INDEPENDENT
	for (size_t i = 0; i < d->n; i++) {
		double all = slu_as_written(part[i] * each + remainder[i]);
		bool out = some && !(part[i] > 0);
		double down = floor(out ? 0 : most(all, 0));

		all -= down;
		whole[i] = down;
		remainder[i] = all;
		key[i] = out ? SLU_DIVIDE_KEY_NONE : key_of(all);
		dealt += down;
		takers += out ? 0.0 : 1.0;
	}
	d->takers = (size_t)takers;
	return total - dealt;
}

/* As printed. */
static double round_literally(struct division *d, const double *part,
			      double each)
{
	double all = 0;

	d->takers = 0;
	for (size_t i = 0; i < d->n; i++) {
		double raw = part[i] * each, down;

		d->whole[i] = 0;
		d->key[i] = SLU_DIVIDE_KEY_NONE;
		if (!(part[i] > 0))
			continue;
		down = floor(raw + d->remainder[i]);
		d->remainder[i] = raw - down;
		d->whole[i] = down;
		d->key[i] = key_of(d->remainder[i]);
		d->takers++;
		all += down;
	}
	return all;
}

/* Divide exactly `total` whole tokens by part[i] * each among those with a part
 * > 0; without `some` these are all. */
SLU_INLINE void divide(struct division *d, const double *part, double each,
		       double total, bool some)
{
	settle(d, d->literal ? total - round_literally(d, part, each)
			     : round_down(d, part, each, total, some));
}

#endif

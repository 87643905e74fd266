/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBF_TOKEN_ROUNDING_H
#define SLU_SELECT_IO_TBF_TOKEN_ROUNDING_H

/*
 * Rounds tokens to whole numbers for tokens.c: equations (21) to (25) of
 * AdapTBF, largest remainders first. token_selection.h chooses which jobs get
 * the tokens that rounding leaves; they are not added here: the reader of the
 * result adds more_of(), which saves a pass over the arrays. Inline, for the
 * reason given in token_selection.h.
 */

#include <math.h>
#include "select_io/tbf/token_selection.h"

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

/* Sets the keys of those that may give a token back, the smallest remainder
 * highest; returns how many they are. */
SLU_INLINE size_t find_givers(const struct division *d)
{
	const double *restrict remainder = d->remainder;
	const double *restrict whole = d->whole;
	float *restrict key = d->key;
	uint32_t n = 0;

	for (size_t i = 0; i < d->n; i++) {
		bool gives = key[i] != SLU_DIVIDE_KEY_NONE && whole[i] > 0;

		key[i] = gives ? -key_of(remainder[i]) : SLU_DIVIDE_KEY_NONE;
		n += gives;
	}
	return n;
}

/* Adds more_of() to whole[] and subtracts it from the remainders. */
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

/* Takes `many` tokens back from those that have some, as more were given than
 * there are. */
static void take_back(struct division *d, double many)
{
	size_t givers;

	d->step = -1;
	while (many > 0 && (givers = find_givers(d)) > 0) {
		d->edge = SLU_DIVIDE_KEY_NONE;
		if (many < (double)givers) {
			choose(d, (size_t)many, givers, -1);
			return;
		}
		give_now(d);
		many -= (double)givers;
	}
}

/* Gives what rounding has left over, or takes back what it gave too much. */
SLU_INLINE void give_rest(struct division *d, double left)
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

/* (23) to (25) with a correction: remainders of earlier rounds count. Returns
 * how many tokens are left. */
SLU_INLINE double round_down(struct division *d, const double *restrict part,
			     double each, double total, bool some)
{
	double *restrict remainder = d->remainder, *restrict whole = d->whole;
	float *restrict key = d->key;
	double dealt = 0,
	       takers = 0; /* both double: nothing is converted in the loop */

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

/* (23) to (25) as printed. Returns how many tokens are given. */
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
		d->takers++;
		all += down;
	}
	return all;
}

/* As printed: one token after the other for the largest remainder of those with
 * a part, which changes with it, until as many are given as there are. With an
 * excess that is the same job each time, whose remainder grows. */
static void correct_literally(struct division *d, const double *part,
			      double left)
{
	double step = left < 0 ? -1 : 1;

	for (; d->takers > 0 && left != 0; left -= step) {
		size_t best = d->n;

		for (size_t i = 0; i < d->n; i++)
			if (part[i] > 0 &&
			    (best == d->n ||
			     d->remainder[i] > d->remainder[best]))
				best = i;
		d->whole[best] += step;
		d->remainder[best] -= step;
	}
	d->step = 1;
	d->edge = SLU_DIVIDE_KEY_CHOSEN; /* nothing more is to be given */
}

/* Divides exactly `total` whole tokens in proportion to part[i] * each among
 * the jobs with part > 0; some: there are others, too. */
SLU_INLINE void divide(struct division *d, const double *part, double each,
		       double total, bool some)
{
	if (d->literal)
		correct_literally(d, part,
				  total - round_literally(d, part, each));
	else
		give_rest(d, round_down(d, part, each, total, some));
}

#endif

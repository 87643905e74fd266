/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The token step. Everything is in flat arrays of doubles, one loop after the
 * other, so that a thousand jobs cost microseconds; what is not is in divide.h.
 * A thousand jobs are more than the first cache holds: what several steps need
 * is read once.
 *
 * Invariants without `literal`: tokens >= 0; they sum up to floor(T * seconds +
 * carry); each step moves as many tokens and records as it takes.
 */
#include "common/fast.h"
#include "select_io/tbf/tokens.h"
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/tbf/divide.h"

#define PUBLIC	    6	   /* arrays */
#define HUNGRY_FROM 0.9	   /* of the limit */
#define EPSILON	    1e-9   /* T * seconds is seldom exact */
#define DIVISOR	    1.0	   /* in (3) and (12), instead of less, */
#define NO_DIVISOR  1e-200 /* and to the letter: next to 0 */

/* Of one step, n each. */
struct work {
	double *restrict share;	 /* the initial allocation */
	double *restrict use;	 /* u of (3) */
	double *restrict factor; /* DF of (6) */
	double *restrict over;	 /* the surplus; what is reclaimed */
	double *restrict moved;	 /* what redistribution gave (took) */
	double *restrict part;	 /* factors of those that have lent, */
	double *restrict rest;	 /* their remainders, */
	double *restrict got;	 /* and what they get back */
	struct entry *order;
	int32_t *key;
	uint32_t *who; /* has lent */
	double nodes;  /* of all */
	double smallest;
	bool mended;
};

/* Bytes for one job in all of these. */
#define JOB_BYTES                                               \
	((PUBLIC + 8) * sizeof(double) + sizeof(struct entry) + \
	 sizeof(int32_t) + sizeof(uint32_t))

int slu_tokens_resize(struct slu_tokens *t, size_t n, struct slu_err *err)
{
	size_t cap = n > 64 ? n + n / 2 : 64;
	double *memory;

	if (n <= t->cap) {
		t->n = n;
		return 0;
	}
	memory = calloc(cap, JOB_BYTES);
	if (!memory)
		return slu_err(err, SLU_NOMEM, "tokens of %zu jobs", n);
	free(t->memory);
	t->memory = memory;
	t->cap = cap;
	t->n = n;
	t->nodes = memory;
	t->demand = memory + cap;
	t->limit = memory + 2 * cap;
	t->tokens = memory + 3 * cap;
	t->record = memory + 4 * cap;
	t->remainder = memory + 5 * cap;
	return 0;
}

void slu_tokens_free(struct slu_tokens *t)
{
	free(t->memory);
	*t = (struct slu_tokens){0};
}

static struct work scratch(const struct slu_tokens *t)
{
	size_t cap = t->cap;
	double *m = t->memory + PUBLIC * cap;
	struct entry *order = (struct entry *)(m + 8 * cap);

	return (struct work){
		.share = m,
		.use = m + cap,
		.factor = m + 2 * cap,
		.over = m + 3 * cap,
		.moved = m + 4 * cap,
		.part = m + 5 * cap,
		.rest = m + 6 * cap,
		.got = m + 7 * cap,
		.order = order,
		.key = (int32_t *)(order + cap),
		.who = (uint32_t *)(order + cap) + cap,
	};
}

/* (1), (2): the tokens by priority. */
SLU_INLINE void by_priority(const struct slu_tokens_settings *s,
			    struct slu_tokens *t, const struct work *w,
			    double seconds)
{
	double exact = s->rate * seconds + (s->literal ? 0 : t->carry);
	double budget = floor(exact + EPSILON);
	double each = s->rate * seconds / w->nodes;

	t->carry = most(exact - budget, 0);
	divide(&(struct division){t->nodes, each, w->share, t->remainder, t->n,
				  w->key, w->order, s->literal},
	       budget);
}

/* (3), (4), (6) */
SLU_INLINE void factors(const struct slu_tokens *t, const struct work *w)
{
	const double *restrict tokens = t->tokens, *restrict share = w->share;
	const double *restrict demand = t->demand, *restrict nodes = t->nodes;
	double *restrict use = w->use, *restrict factor = w->factor;
	double *restrict over = w->over;
	double per_node = 1 / w->nodes, smallest = w->smallest;

	for (size_t i = 0; i < t->n; i++) {
		/* exact: tokens are whole; and no load depends on it */
		double unknown = tokens[i] < 0 ? share[i] - tokens[i] : 0;
		double u = demand[i] / most(tokens[i] + unknown, smallest);

		use[i] = u;
		factor[i] = u * (nodes[i] * per_node) + (u > 1 ? u : 0);
	}
	for (size_t i = 0; i < t->n; i++)
		over[i] = most(share[i] - demand[i], 0);
}

SLU_INLINE bool is_hungry(const struct slu_tokens *t, const struct work *w,
			  size_t i)
{
	double limit = t->limit[i] < 0 ? w->share[i] : t->limit[i];

	return t->demand[i] >= HUNGRY_FROM * limit;
}

/* While a job used up what it was allowed, only such jobs borrow. */
SLU_INLINE void prefer_hungry(const struct slu_tokens *t, const struct work *w)
{
	size_t any = 0;

	for (size_t i = 0; i < t->n; i++)
		any += is_hungry(t, w, i);
	for (size_t i = 0; i < t->n && any; i++)
		w->factor[i] = is_hungry(t, w, i) ? t->nodes[i] : 0;
}

/* (5), (7), (8): lend the surplus. */
SLU_INLINE void redistribute(const struct slu_tokens_settings *s,
			     struct slu_tokens *t, const struct work *w)
{
	double *restrict moved = w->moved, *restrict tokens = t->tokens;
	double *restrict record = t->record;
	const double *restrict share = w->share, *restrict over = w->over;
	double total = sum(over, t->n);

	divide(&(struct division){w->factor, total / sum(w->factor, t->n),
				  moved, t->remainder, t->n, w->key, w->order,
				  s->literal},
	       total);
	for (size_t i = 0; i < t->n; i++) {
		moved[i] -= over[i];
		tokens[i] = share[i] + moved[i];
		record[i] -= moved[i];
	}
}

/* (9): who has lent, before and after redistribution. With `hungry`, only who
 * wants it back: the factor of the others is 0. */
SLU_INLINE size_t find_lenders(const struct slu_tokens_settings *s,
			       const struct slu_tokens *t, const struct work *w)
{
	double factor = s->hungry ? 0 : -1;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		w->who[n] = (uint32_t)i;
		n += (t->record[i] > 0) & (t->record[i] + w->moved[i] > 0) &
		     (w->factor[i] > factor);
	}
	return n;
}

/* (12), (13): one coefficient for all, from the n jobs that have lent. */
SLU_INLINE double coefficient(const struct slu_tokens *t, const struct work *w,
			      size_t n)
{
	double c = 0;

	for (size_t k = 0; k < n; k++) {
		size_t i = w->who[k];
		double later = t->demand[i] / most(t->tokens[i], w->smallest);

		c += t->nodes[i] / w->nodes *
		     (most(w->use[i], 1) + most(1 - later, 0)) / 2;
	}
	return c;
}

/* (10), (14) to (17): take from jobs that have borrowed; returns how much. */
SLU_INLINE double reclaim(struct slu_tokens *t, const struct work *w, double c)
{
	double *restrict take = w->over, *restrict tokens = t->tokens;
	double *restrict record = t->record;
	const double *restrict moved = w->moved;

	c = least(c, w->mended ? 1 : c); /* no more than it has */
	for (size_t i = 0; i < t->n; i++) {
		double part = least(c * tokens[i], -(record[i] + moved[i]));

		part = record[i] < 0 ? part : 0;
		part = most(least(part, INT32_MAX), 0);
		take[i] = (double)(int32_t)part;
	}
	for (size_t i = 0; i < t->n; i++) {
		tokens[i] -= take[i];
		record[i] += take[i];
	}
	return sum(take, t->n);
}

/* (18) to (20): give it to the n that have lent. */
SLU_INLINE void repay(const struct slu_tokens_settings *s, struct slu_tokens *t,
		      const struct work *w, size_t n, double total)
{
	double all = 0;

	for (size_t k = 0; k < n; k++)
		all += w->factor[w->who[k]];
	for (size_t k = 0; k < n; k++) {
		w->part[k] = w->factor[w->who[k]];
		w->rest[k] = t->remainder[w->who[k]];
	}
	divide(&(struct division){w->part, total / all, w->got, w->rest, n,
				  w->key, w->order, s->literal},
	       total);
	for (size_t k = 0; k < n; k++) {
		size_t i = w->who[k];

		t->remainder[i] = w->rest[k];
		t->tokens[i] += w->got[k];
		t->record[i] -= w->got[k];
	}
}

SLU_INLINE void compensate(const struct slu_tokens_settings *s,
			   struct slu_tokens *t, const struct work *w)
{
	size_t n = find_lenders(s, t, w);
	double total = n > 0 ? reclaim(t, w, coefficient(t, w, n)) : 0;

	if (total > 0)
		repay(s, t, w, n, total);
}

SLU_INLINE void set_limits(const struct slu_tokens_settings *s,
			   const struct slu_tokens *t, const struct work *w)
{
	const double *restrict tokens = t->tokens, *restrict share = w->share;
	double *restrict limit = t->limit;
	double part = s->instant ? 1 : 0;

	for (size_t i = 0; i < t->n; i++)
		limit[i] = most(tokens[i], part * share[i]);
}

SLU_FAST void slu_tokens_step(const struct slu_tokens_settings *s,
			      struct slu_tokens *t, double seconds)
{
	struct work w = scratch(t);

	if (t->n == 0)
		return;
	w.nodes = sum(t->nodes, t->n);
	w.mended = !s->literal;
	w.smallest = s->literal ? NO_DIVISOR : DIVISOR;
	by_priority(s, t, &w, seconds);
	factors(t, &w);
	if (s->hungry)
		prefer_hungry(t, &w);
	redistribute(s, t, &w);
	compensate(s, t, &w);
	set_limits(s, t, &w);
}

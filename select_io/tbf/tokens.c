/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The token step. Everything is in flat arrays, one loop without branches after
 * the other, so that a thousand jobs cost microseconds; what is not is in
 * divide.h. A thousand jobs are more than the first cache holds: each loop does
 * all that can be done before the next sum over all jobs is known, and stores
 * nothing that the next can as well work out again.
 *
 * Invariants without `literal`: tokens >= 0; they sum up to floor(T * seconds +
 * carry); each step moves as many tokens and records as it takes.
 */
#define SLU_ANY_ORDER
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
#define EPSILON	    1e-9   /* T * seconds, C * tokens are seldom exact */
#define DIVISOR	    1.0	   /* in (3) and (12), instead of less, */
#define NO_DIVISOR  1e-100 /* and to the letter: next to 0 */

/* Of one step, n each. */
struct work {
	struct division d;
	double *restrict factor; /* DF of (6); then of those that have lent */
	double *restrict owed;	 /* no more may be reclaimed */
	double *restrict share;	 /* the initial allocation */
	double factors;		 /* the sum of those of (6) */
	double nodes;		 /* of all */
	double smallest;
	double limit; /* of what is reclaimed of one job: all together is a
		       * whole number */
	bool mended;
};

/* Bytes for one job in all of these. */
#define JOB_BYTES \
	((PUBLIC + 4) * sizeof(double) + sizeof(struct entry) + sizeof(float))
#define SPARE_BYTES (BLOCK * sizeof(float))

int slu_tokens_resize(struct slu_tokens *t, size_t n, struct slu_err *err)
{
	size_t cap = n > 64 ? n + n / 2 : 64;
	double *memory;

	if (n <= t->cap) {
		t->n = n;
		return 0;
	}
	memory = calloc(1, cap * JOB_BYTES + SPARE_BYTES);
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

static struct work scratch(const struct slu_tokens_settings *s,
			   const struct slu_tokens *t)
{
	size_t cap = t->cap;
	double *m = t->memory + PUBLIC * cap;
	struct entry *order = (struct entry *)(m + 4 * cap);

	return (struct work){
		.d = {.remainder = t->remainder,
		      .whole = m,
		      .n = t->n,
		      .order = order,
		      .key = (float *)(order + cap),
		      .literal = s->literal},
		.factor = m + cap,
		.owed = m + 2 * cap,
		.share = m + 3 * cap,
		.nodes = sum(t->nodes, t->n),
		.smallest = s->literal ? NO_DIVISOR : DIVISOR,
		.limit = s->literal ? INT32_MAX / (double)t->n : INT32_MAX,
		.mended = !s->literal,
	};
}

/* (1), (2): the tokens by priority. */
SLU_INLINE void by_priority(const struct slu_tokens_settings *s,
			    struct slu_tokens *t, struct work *w,
			    double seconds)
{
	double exact = s->rate * seconds + (s->literal ? 0 : t->carry);
	double budget = floor(exact + EPSILON);

	t->carry = most(exact - budget, 0);
	divide(&w->d, t->nodes, s->rate * seconds / w->nodes, budget, false);
}

/* (5): the surplus. And jobs that used up what they were allowed: while there
 * are some only they borrow, their factor is their nodes. */
SLU_INLINE double find_surplus(const struct slu_tokens *t, struct work *w,
			       bool prefer_hungry)
{
	const double *restrict limit = t->limit, *restrict nodes = t->nodes;
	const double *restrict demand = t->demand;
	const double *restrict whole = w->d.whole;
	double *restrict remainder = t->remainder, *restrict factor = w->factor;
	double *restrict share = w->share;
	struct rest rest = rest_of(&w->d);
	double surplus = 0, factors = 0;

	SLU_INDEPENDENT
	for (size_t i = 0; i < t->n; i++) {
		double more = more_of(rest, i);
		double all = whole[i] + more;
		double allowed = limit[i] < 0 ? all : limit[i];
		double hungry =
			demand[i] >= HUNGRY_FROM * allowed ? nodes[i] : 0;

		share[i] = all;
		remainder[i] -= more;
		surplus += most(all - demand[i], 0);
		factors += hungry;
		if (prefer_hungry)
			factor[i] = hungry;
	}
	w->factors = prefer_hungry ? factors : 0;
	return surplus;
}

/* (3), (4), (6) */
SLU_INLINE void factors(const struct slu_tokens *t, struct work *w)
{
	const double *restrict tokens = t->tokens, *restrict nodes = t->nodes;
	const double *restrict demand = t->demand, *restrict share = w->share;
	double *restrict factor = w->factor;
	double per_node = 1 / w->nodes, smallest = w->smallest;

	SLU_INDEPENDENT
	for (size_t i = 0; i < t->n; i++) {
		double u = demand[i] /
			   most(tokens[i] < 0 ? share[i] : tokens[i], smallest);
		double part = slu_as_written(nodes[i] * per_node);

		factor[i] = u * part + (u > 1 ? u : 0);
	}
	w->factors = sum(factor, t->n);
}

/* (7), (8): lend the surplus. Then, for (10) and (14), what may be reclaimed
 * of each: who has borrowed, before and after. And (9), who has lent, before
 * and after; with `hungry`, only who wants it back: only their factors stay.
 * Returns the coefficient, (12), (13), which is 0 when nobody has lent. */
SLU_INLINE double redistribute(struct slu_tokens *t, struct work *w,
			       double surplus)
{
	double *restrict tokens = t->tokens, *restrict record = t->record;
	double *restrict remainder = t->remainder, *restrict factor = w->factor;
	double *restrict owed = w->owed;
	const double *restrict demand = t->demand, *restrict nodes = t->nodes;
	const double *restrict share = w->share, *restrict whole = w->d.whole;
	double smallest = w->smallest, limit = w->limit;
	double urge = 0; /* the addends of (12) */
	struct rest rest;

	divide(&w->d, factor, surplus / w->factors, surplus, true);
	rest = rest_of(&w->d);
	SLU_INDEPENDENT
	for (size_t i = 0; i < t->n; i++) {
		double more = more_of(rest, i), part = share[i];
		double move = whole[i] + more - most(part - demand[i], 0);
		double before =
			most(tokens[i] < 0 ? part : tokens[i], smallest);
		double after = most(part + move, smallest);
		double both = demand[i] / (before * after);
		double least_owed = least(record[i], record[i] - move);
		double owes =
			most(record[i], record[i] - move) < 0 ? -record[i] : 0;
		double lent = least(least_owed, factor[i]);

		/* max(1, u) + max(0, 1 - u later) with one division */
		both = most(both * after, 1) + most(1 - both * before, 0);
		urge += lent > 0 ? nodes[i] * both : 0;
		factor[i] = lent > 0 ? factor[i] : 0;
		owed[i] = least(owes, limit);
		remainder[i] -= more;
		tokens[i] = part + move;
		record[i] -= move;
	}
	urge /= 2 * w->nodes;
	return least(urge, w->mended ? 1 : urge); /* no more than it has */
}

/* (14): what is taken of a job that has borrowed. */
SLU_INLINE double taken(double c, double tokens, double owed)
{
	double part = slu_as_written(c * tokens); /* twice the same */

	return floor(most(least(part + EPSILON, owed), 0));
}

/* (15) to (17): how much that is of all of them; repay() takes it. */
SLU_INLINE double reclaim(const struct slu_tokens *t, const struct work *w,
			  double c)
{
	const double *restrict tokens = t->tokens, *restrict owed = w->owed;
	double all = 0;

	for (size_t i = 0; i < t->n; i++)
		all += taken(c, tokens[i], owed[i]);
	return all;
}

/* (18) to (20): give it to those that have lent. Then, the limits: with
 * `instant`, no less than the part by priority. */
SLU_INLINE void repay(const struct slu_tokens_settings *s, struct slu_tokens *t,
		      struct work *w, double c, double total)
{
	double *restrict tokens = t->tokens, *restrict record = t->record;
	double *restrict remainder = t->remainder, *restrict limit = t->limit;
	const double *restrict got = w->d.whole, *restrict share = w->share;
	const double *restrict owed = w->owed;
	double part = s->instant ? 1 : 0;
	struct rest rest;

	divide(&w->d, w->factor, total / sum(w->factor, t->n), total, true);
	rest = rest_of(&w->d);
	SLU_INDEPENDENT
	for (size_t i = 0; i < t->n; i++) {
		double more = more_of(rest, i);
		double back = got[i] + more - taken(c, tokens[i], owed[i]);

		remainder[i] -= more;
		record[i] -= back;
		back += tokens[i];
		tokens[i] = back;
		limit[i] = most(back, part * share[i]);
	}
}

SLU_INLINE void set_limits(const struct slu_tokens_settings *s,
			   const struct slu_tokens *t, const struct work *w)
{
	const double *restrict tokens = t->tokens, *restrict share = w->share;
	double *restrict limit = t->limit;
	double part = s->instant ? 1 : 0;

	SLU_INDEPENDENT
	for (size_t i = 0; i < t->n; i++)
		limit[i] = most(tokens[i], part * share[i]);
}

SLU_FAST void slu_tokens_step(const struct slu_tokens_settings *s,
			      struct slu_tokens *t, double seconds)
{
	struct work w = scratch(s, t);
	double surplus, c, back;

	if (t->n == 0)
		return;
	by_priority(s, t, &w, seconds);
	if (s->hungry)
		surplus = find_surplus(t, &w, true);
	else
		surplus = find_surplus(t, &w, false);
	if (w.factors == 0)
		factors(t, &w);
	c = redistribute(t, &w, surplus);
	back = c > 0 ? reclaim(t, &w, c) : 0;
	if (back > 0)
		repay(s, t, &w, c, back);
	else
		set_limits(s, t, &w);
}

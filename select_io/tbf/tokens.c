/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the token step (tokens.h): equations (1) to (20) of AdapTBF, on flat
 * arrays, by one branch-free loop after the other, so that a thousand jobs take
 * microseconds; the exception is token_rounding.h. Each loop does all that is
 * possible before the next sum over all jobs is needed. Repayments are
 * determined before the surplus is lent, so that lending and reclaiming are one
 * loop.
 *
 * Invariants without `literal`: tokens >= 0; their sum is floor(T * seconds +
 * carry), T the target's rate; each step conserves the sums of tokens and of
 * records.
 */
#define SLU_ANY_ORDER
#define SLU_UNFUSED /* equal jobs have equal remainders, at any index */
#include "common/fast.h"
#include "select_io/tbf/tokens.h"
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/tbf/token_rounding.h"

#define LINE	     64 /* cache line: arrays do not share one */
#define STAGGER	     (5 * LINE / sizeof(double)) /* see slu_tokens_resize() */
#define PUBLIC	     6	    /* arrays of struct slu_tokens */
#define HUNGRY_FROM  0.9    /* of the limit */
#define RECLAIM_MOST 0.5    /* of a borrower's tokens, by need */
#define EPSILON	     1e-9   /* rounding error of T * seconds and C * tokens */
#define DIVISOR	     1.0    /* lower bound of divisors in (3) and (12), and */
#define NO_DIVISOR   1e-100 /* with `literal`, where they may be nearly 0 */

/* Arrays of one step, n each. */
struct work {
	struct division d;
	double *restrict factor; /* DF of (6); later of the lenders */
	double *restrict share;	 /* the initial allocation */
	/* The jobs that have lent, and their values. */
	uint32_t *restrict lender;
	double *restrict remainder;
	size_t lenders;
	double factors; /* the sum of the factors of (6) */
	double nodes;	/* of all jobs */
	double smallest;
	double debt_limit; /* of one job: all together is a whole number */
	double budget;	   /* tokens of the next period */
	bool mended;
	bool by_need; /* some are hungry: only they borrow and are repaid */
};

/* Bytes per job of all arrays, public and private. */
#define JOB_BYTES                                               \
	((PUBLIC + 4) * sizeof(double) + sizeof(struct entry) + \
	 sizeof(uint32_t) + sizeof(float))
#define SPARE_BYTES (SLU_DIVIDE_BLOCK * sizeof(float))

/* Arrays lie an odd number of cache lines apart: with a multiple of 4 KiB all
 * would compete for the same few lines of the cache, and a load would wait for
 * the store to another array that ends in the same 12 bits. */
int slu_tokens_resize(struct slu_tokens *t, size_t n, struct slu_err *err)
{
	size_t least_cap = n > 64 ? n + n / 2 : 64;
	size_t cap = (least_cap + LINE - 1) / LINE * LINE + STAGGER;
	double *memory;

	if (n <= t->cap) {
		t->n = n;
		return 0;
	}
	memory = aligned_alloc(LINE, cap * JOB_BYTES + SPARE_BYTES);
	if (!memory)
		return slu_err(err, SLU_NOMEM, "tokens of %zu jobs", n);
	memset(memory, 0, cap * JOB_BYTES + SPARE_BYTES);
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
	uint32_t *lender = (uint32_t *)(order + cap);

	return (struct work){
		.d = {.remainder = t->remainder,
		      .whole = m,
		      .n = t->n,
		      .order = order,
		      .key = (float *)(lender + cap),
		      .literal = s->literal},
		.factor = m + cap,
		.share = m + 2 * cap,
		.remainder = m + 3 * cap,
		.lender = lender,
		.nodes = sum(t->nodes, t->n),
		.smallest = s->literal ? NO_DIVISOR : DIVISOR,
		.debt_limit = s->literal ? INT32_MAX / (double)t->n : INT32_MAX,
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
	w->budget = budget;
	divide(&w->d, t->nodes, s->rate * seconds / w->nodes, budget, false);
}

/* (5): the surplus. While there are hungry jobs, which used up their limit,
 * only these borrow, with their nodes as factor. */
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
	w->by_need = w->factors > 0;
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

/* Lists the jobs for which both are positive. */
SLU_INLINE size_t list_positive(const double *restrict a,
				const double *restrict b, size_t n,
				uint32_t *restrict list)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i += 64) {
		size_t some = n - i < 64 ? n - i : 64;
		uint64_t bits = 0;

		for (size_t k = 0; k < some; k++)
			bits |= (uint64_t)(least(a[i + k], b[i + k]) > 0) << k;
		for (; bits; bits &= bits - 1)
			list[count++] = (uint32_t)i + __builtin_ctzll(bits);
	}
	return count;
}

/* (12): how much a lender that has `now` tokens needs its tokens back. */
SLU_INLINE double urge_of(const struct slu_tokens *t, const struct work *w,
			  size_t i, double now)
{
	double had = t->tokens[i] < 0 ? w->share[i] : t->tokens[i];
	double demand = t->demand[i];

	return t->nodes[i] * (most(demand / most(had, w->smallest), 1) +
			      most(1 - demand / most(now, w->smallest), 0));
}

/* (9) to (13): the jobs that have lent, before and after the redistribution;
 * with `hungry` only those that need their tokens back. These are few, so the
 * following steps use a list of them. Returns the coefficient, which is 0 if
 * none has lent. By need, what they have lent is reclaimed as fast as leaves
 * the borrowers half of what they have, instead of (13). */
SLU_INLINE double find_lenders(const struct slu_tokens *t, struct work *w)
{
	const double *restrict record = t->record, *restrict factor = w->factor;
	const double *restrict demand = t->demand, *restrict share = w->share;
	uint32_t *restrict lender = w->lender;
	struct rest rest = rest_of(&w->d);
	double urge = 0, all_lent = 0; /* the addends of (12); of (8) */
	size_t n = 0, n_before = list_positive(record, factor, t->n, lender);

	for (size_t k = 0; k < n_before; k++) {
		size_t i = lender[k];
		double got = w->d.whole[i] + more_of(rest, i);
		double now = got + least(share[i], demand[i]);
		double lent = record[i] - (now - share[i]);

		if (!(lent > 0))
			continue;
		lender[n++] = (uint32_t)i;
		if (!w->by_need)
			urge += urge_of(t, w, i, now);
		all_lent += lent;
	}
	w->lenders = n;
	if (w->by_need)
		return least(all_lent / most(w->budget, 1), RECLAIM_MOST);
	urge /= 2 * w->nodes;
	return least(urge, w->mended ? 1 : urge); /* no more than it has */
}

/* (8): lends the surplus. (14) to (17): reclaims from borrowers, before and
 * after it, the part C of their tokens, at most what they had borrowed before.
 * Then the limits: with `instant`, at least the part by priority. Returns the
 * sum that is reclaimed. */
SLU_INLINE double lend_and_reclaim(const struct slu_tokens_settings *s,
				   struct slu_tokens *t, struct work *w,
				   double c)
{
	double *restrict tokens = t->tokens, *restrict record = t->record;
	double *restrict remainder = t->remainder, *restrict limit = t->limit;
	const double *restrict demand = t->demand, *restrict share = w->share;
	const double *restrict whole = w->d.whole;
	double part = s->instant ? 1 : 0, debt_limit = w->debt_limit, all = 0;
	struct rest rest = rest_of(&w->d);

	SLU_INDEPENDENT
	for (size_t i = 0; i < t->n; i++) {
		double more = more_of(rest, i);
		double now = whole[i] + more + least(share[i], demand[i]);
		double lent = record[i] - (now - share[i]);
		double debt = least(lent < 0 ? -record[i] : 0, debt_limit);
		double asked = slu_as_written(c * now);
		double taken = floor(most(least(asked + EPSILON, debt), 0));

		now -= taken;
		all += taken;
		remainder[i] -= more;
		record[i] = lent + taken;
		tokens[i] = now;
		limit[i] = most(now, part * share[i]);
	}
	return all;
}

/* (18) to (20): gives the reclaimed `total` to the jobs that have lent; by
 * need, in proportion to what each has lent, so that none gets more. */
SLU_INLINE void repay(const struct slu_tokens_settings *s, struct slu_tokens *t,
		      struct work *w, double total)
{
	const uint32_t *restrict lender = w->lender;
	double part = s->instant ? 1 : 0;
	struct division d = w->d;
	struct rest rest;

	d.n = w->lenders;
	d.remainder = w->remainder;
	for (size_t k = 0; k < d.n; k++) {
		w->factor[k] = w->by_need ? t->record[lender[k]]
					  : w->factor[lender[k]];
		d.remainder[k] = t->remainder[lender[k]];
	}
	divide(&d, w->factor, total / sum(w->factor, d.n), total, true);
	rest = rest_of(&d);
	for (size_t k = 0; k < d.n; k++) {
		size_t i = lender[k];
		double more = more_of(rest, k), got = d.whole[k] + more;

		t->remainder[i] = d.remainder[k] - more;
		t->record[i] -= got;
		t->tokens[i] += got;
		t->limit[i] = most(t->tokens[i], part * w->share[i]);
	}
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
	divide(&w.d, w.factor, surplus / w.factors, surplus, true); /* (7) */
	c = find_lenders(t, &w);
	back = lend_and_reclaim(s, t, &w, c);
	if (back > 0)
		repay(s, t, &w, back);
}

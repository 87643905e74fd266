/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The token step. Everything is in flat arrays of doubles, one loop after the
 * other, so that a thousand jobs cost microseconds. The only thing that is not
 * a plain loop is who gets the tokens that rounding left over: the remainders
 * are counted in buckets, whole buckets are served, and only in the bucket in
 * which the tokens run out the first are looked for. A thousand jobs are more
 * than the first cache holds: what several steps need is read once.
 *
 * Invariants without `literal`: tokens >= 0; they sum up to floor(T * seconds +
 * carry); each step moves as many tokens and records as it takes.
 */
#include "select_io/tbf/tokens.h"
#include "common/fast.h"
#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC	    6 /* arrays */
#define BUCKETS	    512
#define BLOCK	    16	   /* read at once, behind the last too */
#define HUNGRY_FROM 0.9	   /* of the limit */
#define EPSILON	    1e-9   /* T * seconds is seldom exact */
#define DIVISOR	    1.0	   /* in (3) and (12), instead of less, */
#define NO_DIVISOR  1e-200 /* and to the letter: next to 0 */

struct entry {
	double remainder;
	uint32_t index;
};

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
	const struct work *w; /* key, order */
	bool literal;
};

/* The bucket of each remainder; who may not give is in one of its own. */
SLU_INLINE void find_keys(const struct division *d, double step)
{
	const double *restrict remainder = d->remainder;
	const double *restrict whole = d->whole;
	int32_t *restrict key = d->w->key;
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
		size[d->w->key[i]]++;
	while (size[edge] < *count) {
		*count -= size[edge];
		edge += from_top ? -1 : 1;
	}
	return edge;
}

/* Those in a bucket, to `order`. They are few: most blocks have none. */
SLU_INLINE size_t find_members(const struct division *d, int32_t edge)
{
	const int32_t *restrict key = d->w->key;
	struct entry *restrict order = d->w->order;
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
	const int32_t *restrict key = d->w->key;
	double *restrict whole = d->whole, *restrict remainder = d->remainder;
	struct entry *restrict order = d->w->order;
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
				  w, s->literal},
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
				  moved, t->remainder, t->n, w, s->literal},
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
	divide(&(struct division){w->part, total / all, w->got, w->rest, n, w,
				  s->literal},
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

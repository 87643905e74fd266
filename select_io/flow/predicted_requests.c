/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaves out predicted requests that do not fit beside the current ones, the
 * farthest in the future first; and places a single request by a fast path.
 * Feasibility is monotonic in the number that is left out, so that number is
 * found by bisection.
 */
#include "config.h"
#include "select_io/flow/min_cost_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPARE  64  /* candidates beyond those needed, before pruning */
#define SAMPLE 256 /* targets in the sample for a first bound */
#define SPREAD 4   /* the sample's share of more, for few stripes */

struct far {
	uint32_t ahead, i;
};

static int by_distance(const void *a, const void *b)
{
	const struct far *x = a, *y = b;

	if (x->ahead != y->ahead)
		return x->ahead > y->ahead ? -1 : 1;
	return x->i > y->i ? -1 : 1;
}

/* Solves without the `out` farthest requests. */
static int solve_without(const struct slu_place_problem *p,
			 const struct far *far, size_t n, size_t out,
			 uint32_t *stripes, struct slu_flow_place **place,
			 struct slu_place_solution *solution,
			 struct slu_err *err)
{
	struct slu_place_problem less = *p;

	memcpy(stripes, p->stripes, p->n_requests * sizeof(*stripes));
	for (size_t k = 0; k < n && k < out; k++)
		stripes[far[k].i] = 0;
	less.stripes = stripes;
	slu_place_free(*place);
	*place = slu_place_setup(&less, err);
	if (!*place)
		return -1;
	slu_place_solve(*place, solution);
	return 0;
}

int slu_place_predicted(const struct slu_place_problem *p,
			const uint32_t *ahead, bool *left_out,
			struct slu_flow_place **place,
			struct slu_place_solution *solution,
			struct slu_err *err)
{
	size_t n = 0, lo = 0, hi, tried;
	struct far *far = malloc((p->n_requests + 1) * sizeof(*far));
	uint32_t *stripes = malloc((p->n_requests + 1) * sizeof(*stripes));
	int ret = far && stripes ? 0 : slu_err(err, SLU_NOMEM, "requests");

	*place = NULL;
	for (uint32_t i = 0; ret == 0 && i < p->n_requests; i++)
		if (ahead[i] > 0)
			far[n++] = (struct far){ahead[i], i};
	if (ret == 0)
		qsort(far, n, sizeof(*far), by_distance);
	hi = n; /* without any predicted request */
	for (tried = 0; ret == 0; tried = lo + (hi - lo) / 2) {
		ret = solve_without(p, far, n, tried, stripes, place, solution,
				    err);
		if (ret == 0 && solution->placed < solution->wanted &&
		    tried < hi)
			lo = tried + 1;
		else
			hi = tried;
		if (ret || (lo == hi && tried == hi))
			break;
	}
	if (ret == 0)
		memset(left_out, 0, p->n_requests * sizeof(*left_out));
	for (size_t k = 0; ret == 0 && k < hi; k++)
		left_out[far[k].i] = true;
	free(far);
	free(stripes);
	if (ret) {
		slu_place_free(*place);
		*place = NULL;
	}
	return ret;
}

static inline double price(const struct slu_place_target *t, bool convex)
{
	return t->cost + (convex ? t->step : 0);
}

static bool dearer(const struct slu_place_target *t, bool convex, uint32_t a,
		   uint32_t b)
{
	double x = price(&t[a], convex), y = price(&t[b], convex);

	return x != y ? x > y : a > b;
}

/* Restores a max-heap. */
static void sink(const struct slu_place_target *t, bool convex, uint32_t *heap,
		 uint32_t n, uint32_t at)
{
	uint32_t j = heap[at], child;

	while ((child = 2 * at + 1) < n) {
		if (child + 1 < n &&
		    dearer(t, convex, heap[child + 1], heap[child]))
			child++;
		if (!dearer(t, convex, heap[child], j))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = j;
}

/* Moves the `stripes` cheapest candidates to the front, unsorted (Hoare's
 * quickselect). Returns the cost of the dearest of them. */
static double keep_cheapest(const struct slu_place_target *t, bool convex,
			    uint32_t *chosen, uint32_t have, uint32_t stripes)
{
	uint32_t from = 0, to = have, i, k;
	double most = 0;

	while (to - from > 1) {
		uint32_t pivot = chosen[from + (to - from - 1) / 2];

		for (i = from, k = to - 1;; i++, k--) {
			uint32_t swap;

			while (dearer(t, convex, pivot, chosen[i]))
				i++;
			while (dearer(t, convex, chosen[k], pivot))
				k--;
			if (i >= k)
				break;
			swap = chosen[i];
			chosen[i] = chosen[k];
			chosen[k] = swap;
		}
		if (stripes == k + 1)
			break;
		if (stripes < k + 1)
			to = k + 1;
		else
			from = k + 1;
	}
	for (i = 0; i < stripes; i++)
		if (most < price(&t[chosen[i]], convex))
			most = price(&t[chosen[i]], convex);
	return most;
}

/* An estimate from a sample of an upper bound of the cost of half as many again
 * as the `stripes` cheapest. */
static double guess_bound(const struct slu_place_target *t, uint32_t n,
			  uint32_t stripes, bool convex)
{
	double least[SAMPLE], rank = 1.5 * SAMPLE * stripes / n + SPREAD;
	uint32_t most = rank < SAMPLE ? (uint32_t)rank : SAMPLE;

	for (uint32_t k = 0; k < SAMPLE; k++) {
		const struct slu_place_target *s = &t[(uint64_t)k * n / SAMPLE];
		double cost = s->room > 0 ? price(s, convex) : INFINITY;
		uint32_t at = k < most ? k : most;

		for (; at > 0 && least[at - 1] > cost; at--)
			if (at < most)
				least[at] = least[at - 1];
		if (at < most)
			least[at] = cost;
	}
	return nextafter(least[most - 1], INFINITY);
}

/* Adds the targets from .. to - 1 that cost less than the bound; branch-free.
 */
static inline uint32_t add_below(const struct slu_place_target *t,
				 uint32_t from, uint32_t to, bool convex,
				 double bound, uint32_t *chosen, uint32_t have)
{
	for (uint32_t j = from; j < to; j++) {
		chosen[have] = j;
		have += (t[j].room > 0) & (price(&t[j], convex) < bound);
	}
	return have;
}

/* Adds all targets that cost less than the bound; when they are several times
 * too many, the dearest are dropped and the bound is lowered. */
static uint32_t take_below(const struct slu_place_target *t, uint32_t n,
			   uint32_t stripes, bool convex, double bound,
			   uint32_t *chosen)
{
	uint64_t limit = 4 * (uint64_t)stripes + SPARE;
	uint32_t have = 0, from = 0, to;

	for (; from < n && stripes > 0; from = to) {
		to = n - from > limit - have ? from + (uint32_t)(limit - have)
					     : n;
		have = convex ? add_below(t, from, to, true, bound, chosen,
					  have)
			      : add_below(t, from, to, false, bound, chosen,
					  have);
		if (have == limit) {
			bound = keep_cheapest(t, convex, chosen, have, stripes);
			have = stripes;
		}
	}
	if (have > stripes) {
		keep_cheapest(t, convex, chosen, have, stripes);
		have = stripes;
	}
	return have;
}

uint32_t slu_place_one(const struct slu_place_target *t, uint32_t n,
		       uint32_t stripes, bool convex, uint32_t *chosen)
{
	uint32_t have = 0;

	if (n > 4 * SAMPLE && stripes < n / 4)
		have = take_below(t, n, stripes, convex,
				  guess_bound(t, n, stripes, convex), chosen);
	if (have < stripes) /* the sample was not representative */
		have = take_below(t, n, stripes, convex, INFINITY, chosen);
	for (uint32_t i = have / 2; i-- > 0;)
		sink(t, convex, chosen, have, i);
	for (uint32_t last = have; last > 1; last--) {
		uint32_t top = chosen[0];

		chosen[0] = chosen[last - 1];
		chosen[last - 1] = top;
		sink(t, convex, chosen, last - 1, 0);
	}
	return have;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places the stripes of requests on targets (min_cost_flow.h), in two steps:
 * the number of stripes on each target, then the assignment of requests to
 * targets.
 *
 * Numbers with linear costs: targets in the order of cost take one stripe from
 * as many requests as they have space for; linear_costs.c is a fast path where
 * the cheapest have space for all. Convex costs: see convex_costs.c.
 *
 * Assignment: a target takes from the requests with the largest remainders
 * (stripes not yet placed). Requests are kept sorted by remainder, in runs of
 * equals; the last of a run are taken, so that the order is preserved.
 */
#include "config.h"
#include "select_io/flow/flow_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int check(const struct slu_place_problem *p, struct slu_err *err)
{
	if (p->n_targets > SLU_PLACE_MAX || p->n_requests > SLU_PLACE_MAX)
		return slu_err(err, SLU_INVALID,
			       "too many targets or requests");
	for (uint32_t j = 0; j < p->n_targets; j++) {
		const struct slu_place_target *t = &p->target[j];

		if (!(t->cost >= 0 && t->cost <= SLU_PLACE_MAX_COST))
			return slu_err(err, SLU_INVALID,
				       "target %u: its cost is out of range",
				       j);
		if (p->convex &&
		    !(t->step > 0 && t->step <= SLU_PLACE_MAX_COST))
			return slu_err(err, SLU_INVALID,
				       "target %u: its step is out of range",
				       j);
	}
	return 0;
}

static void *take(char **memory, size_t n, size_t size)
{
	void *p = *memory;

	*memory += (n * size + 15) & ~(size_t)15;
	return p;
}

/* Lays out all arrays in one block; memory NULL: only computes its size. */
static size_t lay_out(struct slu_flow_place *s, char *memory)
{
	size_t m = s->p.n_targets, r = s->p.n_requests;
	size_t tree = s->p.convex ? 2 * s->leaves : 0;
	size_t places = s->p.convex ? 2 * m : m;
	char *at = memory;

	s->count = take(&at, m, sizeof(*s->count));
	s->room = take(&at, m, sizeof(*s->room));
	s->order = take(&at, m, sizeof(*s->order));
	s->cost = take(&at, places, sizeof(*s->cost));
	s->step = take(&at, places, sizeof(*s->step));
	s->per_step = take(&at, places, sizeof(*s->per_step));
	s->rooms = take(&at, places, sizeof(*s->rooms));
	s->id = take(&at, places, sizeof(*s->id));
	s->level = take(&at, m, sizeof(*s->level));
	s->want = take(&at, r, sizeof(*s->want));
	s->run = take(&at, r + 1, sizeof(*s->run));
	s->who = take(&at, r, sizeof(*s->who));
	s->first = take(&at, r + 1, sizeof(*s->first));
	s->got = take(&at, r, sizeof(*s->got));
	s->slot = take(&at, r, sizeof(*s->slot));
	s->at_least = take(&at, m + r + 2, sizeof(*s->at_least));
	s->most = take(&at, m + 2, sizeof(*s->most));
	s->keys = take(&at, 2 * m, sizeof(*s->keys));
	s->least = take(&at, tree, sizeof(*s->least));
	s->add = take(&at, tree, sizeof(*s->add));
	s->chosen = take(&at, s->slots, sizeof(*s->chosen));
	return (size_t)(at - memory);
}

struct slu_flow_place *slu_place_setup(const struct slu_place_problem *problem,
				       struct slu_err *err)
{
	struct slu_flow_place *s;

	if (check(problem, err))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		goto nomem;
	s->p = *problem;
	for (uint32_t i = 0; i < problem->n_requests; i++) {
		uint32_t d = problem->stripes[i];

		s->slots += d < problem->n_targets ? d : problem->n_targets;
	}
	for (s->leaves = 1; s->leaves < problem->n_targets;)
		s->leaves *= 2;
	s->memory = malloc(lay_out(s, NULL) + 1);
	if (!s->memory)
		goto nomem;
	lay_out(s, s->memory);
	return s;
nomem:
	slu_err(err, SLU_NOMEM, "placement of %u requests on %u targets",
		problem->n_requests, problem->n_targets);
	slu_place_free(s);
	return NULL;
}

void slu_place_free(struct slu_flow_place *s)
{
	if (!s)
		return;
	free(s->memory);
	free(s);
}

/* Numbers 0 .. n - 1 sorted by falling key (up to limit), stable: a
 * counting sort. bucket has limit + 1 entries. */
static void sort_falling(const uint32_t *key, uint32_t n, uint32_t limit,
			 uint32_t *bucket, uint32_t *out)
{
	memset(bucket, 0, (limit + 1) * sizeof(*bucket));
	for (uint32_t i = 0; i < n; i++)
		bucket[key[i]]++;
	for (uint32_t k = limit, sum = 0; k + 1 > 0; k--) {
		uint32_t here = bucket[k];

		bucket[k] = sum;
		sum += here;
	}
	for (uint32_t i = 0; i < n; i++)
		out[bucket[key[i]]++] = i;
}

/* A request gets at most one stripe on every target. */
static void prepare(struct slu_flow_place *s)
{
	uint32_t m = s->p.n_targets, r = s->p.n_requests, at = 0, most = 0;

	s->wanted = 0;
	for (uint32_t i = 0; i < r; i++) {
		uint32_t d = s->p.stripes[i];

		s->wanted += d;
		s->got[i] = d < m ? d : m;
		most = s->got[i] > most ? s->got[i] : most;
		s->first[i] = at;
		at += s->got[i];
	}
	sort_falling(s->got, r, most, s->at_least, s->who);
	for (uint32_t k = 0; k < r; k++) {
		s->want[k] = s->got[s->who[k]];
		s->slot[k] = s->first[s->who[k]];
	}
	s->active = r;
	while (s->active > 0 && s->want[s->active - 1] == 0)
		s->active--;
	slu_place_load(s);
}

void slu_place_load(struct slu_flow_place *s)
{
	for (uint32_t j = 0; j < s->p.n_targets; j++) {
		uint32_t room = s->p.target[j].room;

		s->cost[j] = s->p.target[j].cost;
		s->room[j] = room < s->active ? room : s->active;
		if (!s->p.convex)
			continue;
		s->step[j] = s->p.target[j].step;
		s->per_step[j] = s->step[j] > 0 ? 1 / s->step[j] : 0;
		s->rooms[j] = s->room[j];
		s->id[j] = j;
	}
}

/* Assigns target j to the requests at from .. to - 1. */
static void give(struct slu_flow_place *s, uint32_t from, uint32_t to,
		 uint32_t j)
{
	uint32_t *restrict slot = s->slot, *restrict chosen = s->chosen;

	for (uint32_t k = from; k < to; k++)
		chosen[slot[k]++] = j;
}

static void find_runs(struct slu_flow_place *s)
{
	s->n_runs = 0;
	for (uint32_t k = 0; k < s->active; k++) {
		if (k == 0 || s->want[k] != s->want[k - 1])
			s->run[s->n_runs++].value = s->want[k];
		s->run[s->n_runs - 1].end = k + 1;
	}
}

/* Merges a run into the next one, which begins where the former ends. */
static void drop_run(struct slu_flow_place *s, uint32_t q)
{
	s->n_runs--;
	memmove(&s->run[q], &s->run[q + 1], (s->n_runs - q) * sizeof(*s->run));
}

/* The requests of a run from `at` on become a run with one less. */
static void split_run(struct slu_flow_place *s, uint32_t q, uint32_t at)
{
	struct slu_place_run *run = &s->run[q];

	if (q + 1 == s->n_runs || run[1].value != run->value - 1) {
		memmove(run + 1, run, (s->n_runs - q) * sizeof(*run));
		s->n_runs++;
		run[1].value--;
	}
	run->end = at;
}

/* Target j takes x stripes, x <= active requests. */
static void hand_out(struct slu_flow_place *s, uint32_t j, uint32_t x)
{
	uint32_t q = 0, from, at;

	for (; s->run[q].end < x; q++)
		s->run[q].value--;
	from = q ? s->run[q - 1].end : 0;
	at = s->run[q].end - (x - from);
	give(s, 0, from, j);
	give(s, at, s->run[q].end, j);
	if (at > from)
		split_run(s, q, at);
	else if (q + 1 < s->n_runs &&
		 s->run[q + 1].value == s->run[q].value - 1)
		drop_run(s, q);
	else
		s->run[q].value--;
	if (q > 0 && q < s->n_runs && s->run[q - 1].value == s->run[q].value)
		drop_run(s, q - 1);
	while (s->n_runs > 0 && s->run[s->n_runs - 1].value == 0)
		s->n_runs--;
	s->active = s->n_runs ? s->run[s->n_runs - 1].end : 0;
}

static void solve_linear(struct slu_flow_place *s)
{
	memset(s->count, 0, s->p.n_targets * sizeof(*s->count));
	for (uint32_t k = 0; k < s->p.n_targets && s->active > 0; k++) {
		uint32_t j = s->order[k];
		uint32_t x = s->room[j] < s->active ? s->room[j] : s->active;

		if (x == 0)
			continue;
		s->count[j] = x;
		hand_out(s, j, x);
	}
}

/* most[k]: stripes of all requests on any k targets, sum of min(stripes, k). */
void slu_place_bounds(struct slu_flow_place *s)
{
	uint32_t left = s->active;

	s->most[0] = 0;
	for (uint32_t n = 1; n <= s->p.n_targets; n++) {
		while (left > 0 && s->want[left - 1] < n)
			left--;
		s->most[n] = s->most[n - 1] + left;
	}
}

static void solve_convex(struct slu_flow_place *s)
{
	slu_place_bounds(s);
	if (!slu_place_fill(s)) {
		slu_place_load(s);
		slu_place_greedy(s);
	}
	for (uint32_t k = 0; k < s->p.n_targets; k++)
		if (s->count[s->order[k]] > 0)
			hand_out(s, s->order[k], s->count[s->order[k]]);
}

/* Counts the stripes that each request got. */
static void count_got(struct slu_flow_place *s)
{
	for (uint32_t k = 0; k < s->p.n_requests; k++) {
		uint32_t i = s->who[k];

		s->got[i] = s->slot[k] - s->first[i];
	}
}

static void solve(struct slu_flow_place *s)
{
	slu_place_order(s);
	find_runs(s);
	if (s->p.convex)
		solve_convex(s);
	else
		solve_linear(s);
	count_got(s);
}

/* The cost of all stripes on a target. */
static inline double cost_on(const struct slu_flow_place *s, uint32_t j)
{
	const struct slu_place_target *t = &s->p.target[j];
	double x = s->count[j];

	return x * (s->p.convex ? t->cost + t->step * (x + 1) / 2 : t->cost);
}

/* Two accumulators, so that additions do not wait for each other. */
static void sum_up(const struct slu_flow_place *s,
		   struct slu_place_solution *out)
{
	uint32_t n = s->p.n_targets, j;
	uint64_t placed = 0;
	double even = 0, odd = 0;

	for (j = 0; j + 1 < n; j += 2) {
		even += cost_on(s, j);
		odd += cost_on(s, j + 1);
		placed += (uint64_t)s->count[j] + s->count[j + 1];
	}
	if (j < n) {
		even += cost_on(s, j);
		placed += s->count[j];
	}
	out->cost = even + odd;
	out->placed = placed;
}

void slu_place_solve(struct slu_flow_place *s, struct slu_place_solution *out)
{
	prepare(s);
	if (s->p.convex || !slu_place_linear_fast(s))
		solve(s);
	*out = (struct slu_place_solution){
		.wanted = s->wanted,
		.count = s->count,
		.chosen = s->chosen,
		.first = s->first,
		.got = s->got,
	};
	sum_up(s, out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places equal files so that each is spread over failure domains (servers,
 * racks). Targets, servers and racks are the nodes of a tree with one root;
 * each has its children in a heap keyed by the marginal cost of a stripe below
 * them. A stripe goes from the root to the cheapest leaf, and the heaps on the
 * path are updated. min_cost_flow.h says why the greedy algorithm is exact.
 */
#include "config.h"
#include "select_io/flow/min_cost_flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tree {
	const struct slu_place_alike *p;
	uint32_t n, root;	/* nodes: targets, servers, racks, root */
	uint32_t *parent;	/* of a node but the root */
	uint32_t *first, *size; /* of its children's heap, in `child` */
	uint32_t *child, *tie, *count;
	double *key; /* marginal cost; INFINITY: no space */
};

/* splitmix64: a permutation of 64-bit numbers that looks like chance. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static uint32_t tie_of(uint64_t seed, uint32_t node)
{
	return seed ? (uint32_t)mix(mix(seed) + node) : node;
}

static bool before(const struct tree *t, uint32_t a, uint32_t b)
{
	if (t->key[a] != t->key[b])
		return t->key[a] < t->key[b];
	return t->tie[a] != t->tie[b] ? t->tie[a] < t->tie[b] : a < b;
}

static void sink(struct tree *t, uint32_t node, uint32_t at)
{
	uint32_t *heap = t->child + t->first[node], n = t->size[node], next;
	uint32_t u = heap[at];

	while ((next = 2 * at + 1) < n) {
		if (next + 1 < n && before(t, heap[next + 1], heap[next]))
			next++;
		if (!before(t, heap[next], u))
			break;
		heap[at] = heap[next];
		at = next;
	}
	heap[at] = u;
}

/* The surcharge of the next stripe below a node where files have some already.
 */
static double again(const struct tree *t, uint32_t node)
{
	const struct slu_place_alike *p = t->p;
	uint32_t each = t->count[node] / p->files;

	return node == t->root			    ? 0
	       : node < p->n_targets + p->n_servers ? p->again * each
						    : p->rack_again * each;
}

static void set_leaf(struct tree *t, uint32_t j)
{
	const struct slu_place_target *target = &t->p->target[j];
	uint32_t x = t->count[j];

	t->key[j] = x >= target->room || x >= t->p->files ? INFINITY
		    : t->p->convex ? target->cost + target->step * (x + 1.0)
				   : target->cost;
}

static void set_inner(struct tree *t, uint32_t node)
{
	t->key[node] = t->size[node] ? t->key[t->child[t->first[node]]] +
					       again(t, node)
				     : INFINITY;
}

static void find_parents(struct tree *t)
{
	const struct slu_place_alike *p = t->p;
	uint32_t servers = p->n_targets, racks = servers + p->n_servers;

	for (uint32_t j = 0; j < p->n_targets; j++)
		t->parent[j] = servers + p->server[j];
	for (uint32_t s = 0; s < p->n_servers; s++)
		t->parent[servers + s] = p->rack ? racks + p->rack[s] : t->root;
	for (uint32_t r = racks; r < t->root; r++)
		t->parent[r] = t->root;
}

/* Builds the tree: children by their numbers, then heaps, lower nodes first. */
static void grow(struct tree *t)
{
	find_parents(t);
	for (uint32_t v = 0; v < t->root; v++)
		t->size[t->parent[v]]++;
	for (uint32_t v = 0, at = 0; v < t->n; at += t->size[v++])
		t->first[v] = at;
	memset(t->size, 0, t->n * sizeof(*t->size));
	for (uint32_t v = 0; v < t->root; v++) {
		uint32_t up = t->parent[v];

		t->child[t->first[up] + t->size[up]++] = v;
		t->tie[v] = tie_of(t->p->seed, v);
	}
	for (uint32_t v = 0; v < t->n; v++) {
		if (v < t->p->n_targets) {
			set_leaf(t, v);
			continue;
		}
		for (uint32_t i = t->size[v] / 2; i-- > 0;)
			sink(t, v, i);
		set_inner(t, v);
	}
}

/* Takes the cheapest stripe of all; returns its cost. INFINITY: no space. */
static double take(struct tree *t)
{
	double price = t->key[t->root];
	uint32_t v = t->root;

	if (price == INFINITY)
		return price;
	while (v >= t->p->n_targets)
		v = t->child[t->first[v]];
	t->count[v]++;
	set_leaf(t, v);
	while (v != t->root) {
		v = t->parent[v];
		t->count[v]++;
		sink(t, v, 0);
		set_inner(t, v);
	}
	return price;
}

/* Deals the stripes to files round robin, target by target and server by
 * server: no file gets two stripes on a target, and each file gets an even
 * share of every server and rack. */
static void deal(const struct tree *t, uint32_t node, uint32_t *k,
		 uint32_t *chosen, uint32_t *got)
{
	const struct slu_place_alike *p = t->p;

	for (uint32_t i = 0; node >= p->n_targets && i < t->size[node]; i++)
		deal(t, t->child[t->first[node] + i], k, chosen, got);
	for (uint32_t x = 0; node < p->n_targets && x < t->count[node]; x++) {
		uint32_t file = (*k)++ % p->files;

		chosen[(size_t)file * p->stripes + got[file]++] = node;
	}
}

/* By cost; among equals in a pseudorandom order that depends on the file. */
static void sort(const struct slu_place_alike *p, uint32_t file,
		 uint32_t *chosen, uint32_t n)
{
	const uint64_t seed = p->seed ? p->seed + file : 0;

	for (uint32_t i = 1; i < n; i++) {
		uint32_t j = chosen[i], at = i, other;

		for (; at > 0; at--) {
			other = chosen[at - 1];
			if (p->target[other].cost < p->target[j].cost ||
			    (p->target[other].cost == p->target[j].cost &&
			     tie_of(seed, other) <= tie_of(seed, j)))
				break;
			chosen[at] = other;
		}
		chosen[at] = j;
	}
}

static void *cut(char **memory, size_t n, size_t size)
{
	void *p = *memory;

	*memory += n * size;
	return p;
}

static void plant(struct tree *t, char *memory)
{
	char *at = memory;

	t->key = cut(&at, t->n, sizeof(*t->key));
	t->parent = cut(&at, t->n, sizeof(*t->parent));
	t->first = cut(&at, t->n, sizeof(*t->first));
	t->size = cut(&at, t->n, sizeof(*t->size));
	t->child = cut(&at, t->n, sizeof(*t->child));
	t->tie = cut(&at, t->n, sizeof(*t->tie));
	t->count = cut(&at, t->n, sizeof(*t->count));
}

static int check(const struct slu_place_alike *p, struct slu_err *err)
{
	bool ok = p->files > 0 && p->files <= SLU_PLACE_MAX &&
		  p->n_targets <= SLU_PLACE_MAX && p->again >= 0 &&
		  p->rack_again >= 0 &&
		  (uint64_t)p->files * p->stripes <= UINT32_MAX;

	for (uint32_t j = 0; ok && j < p->n_targets; j++)
		ok = p->server[j] < p->n_servers && p->target[j].cost >= 0 &&
		     p->target[j].cost <= SLU_PLACE_MAX_COST &&
		     (!p->convex || (p->target[j].step > 0 &&
				     p->target[j].step <= SLU_PLACE_MAX_COST));
	for (uint32_t s = 0; ok && p->rack && s < p->n_servers; s++)
		ok = p->rack[s] < p->n_racks;
	return ok ? 0 : slu_err(err, SLU_INVALID, "a number is out of range");
}

int slu_place_alike(const struct slu_place_alike *p, uint32_t *chosen,
		    uint32_t *got, double *cost, struct slu_err *err)
{
	struct tree t = {.p = p};
	uint32_t k = 0, racks = p->rack ? p->n_racks : 0;
	double price = 0;
	char *memory;

	if (check(p, err))
		return -1;
	t.root = p->n_targets + p->n_servers + racks;
	t.n = t.root + 1;
	memory = calloc(t.n, sizeof(double) + 6 * sizeof(uint32_t));
	if (!memory)
		return slu_err(err, SLU_NOMEM, "%u targets", p->n_targets);
	plant(&t, memory);
	grow(&t);
	*cost = 0;
	for (uint32_t n = p->files * p->stripes; n > 0; n--, *cost += price)
		if ((price = take(&t)) == INFINITY)
			break;
	memset(got, 0, p->files * sizeof(*got));
	deal(&t, t.root, &k, chosen, got);
	for (uint32_t i = 0; i < p->files; i++)
		sort(p, i, chosen + (size_t)i * p->stripes, got[i]);
	free(memory);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that cannot hold an equal share of a file system that they make
 * together give what they can, and the others the rest: all give the same up
 * to a level, and those with less room all of it, as water fills a vessel.
 */
#include "config.h"
#include <stdlib.h>
#include "burst_buffer/plan/plan.h"
#include "common/str.h"

/* Of what is said to be free, a part in so many is the file system's own. */
#define OWN  32
#define MOST (UINT64_C(1) << 60) /* bytes; where the map does not know */
/* A node with less than this part of an equal share is refused. */
#define LEAST 8

/* The largest share that fits into so much room. */
static uint64_t usable(const struct slu_plan *plan, uint64_t room)
{
	uint64_t low = 0, high, top, middle;

	room = room < MOST ? room : MOST;
	top = high = room - room / OWN;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (slu_plan_takes(plan, middle) > top)
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* Nodes of one file system that give room to it, and what they are to give
 * together. */
struct vessel {
	struct slu_plan *plan;
	const size_t *node;
	size_t n;
	const uint64_t *room;
	uint64_t enough;
};

static bool gives(const struct vessel *v, size_t i)
{
	return !v->plan->node[v->node[i]].client;
}

/* What all give together at this level; never above `enough`. */
static uint64_t filled(const struct vessel *v, uint64_t level)
{
	uint64_t sum = 0, room, one;

	for (size_t i = 0; i < v->n; i++) {
		if (!gives(v, i))
			continue;
		room = v->room[v->node[i]];
		one = room < level ? room : level;
		if (one >= v->enough - sum)
			return v->enough;
		sum += one;
	}
	return sum;
}

/* The lowest level at which all give enough, between two that do not and do. */
static uint64_t find_level(const struct vessel *v, uint64_t low, uint64_t high)
{
	uint64_t middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (filled(v, middle) == v->enough)
			high = middle;
		else
			low = middle;
	}
	return high;
}

static bool share(const struct vessel *v)
{
	struct slu_plan_node *node = v->plan->node;
	bool fits = true;
	uint64_t level, room;

	for (size_t i = 0; i < v->n; i++) {
		if (!gives(v, i))
			continue;
		room = v->room[v->node[i]];
		fits = fits && node[v->node[i]].capacity <= room;
		if (room < node[v->node[i]].capacity / LEAST)
			return false;
	}
	if (fits || filled(v, v->enough) < v->enough)
		return false;
	level = find_level(v, 0, v->enough);
	for (size_t i = 0; i < v->n; i++) {
		room = v->room[v->node[i]];
		if (gives(v, i))
			node[v->node[i]].capacity = room < level ? room : level;
	}
	return true;
}

/* The part's nodes give what they would have, had each given the same. */
static bool share_part(struct vessel v)
{
	v.enough = 0;
	for (size_t i = 0; i < v.n; i++)
		if (gives(&v, i))
			v.enough += v.plan->node[v.node[i]].capacity;
	return share(&v);
}

int slu_plan_share(struct slu_plan *plan, uint64_t *room, bool *some,
		   struct slu_err *err)
{
	struct vessel v = {plan, NULL, plan->n_node, room, plan->capacity};
	size_t *node = slu_plan_by_part(plan), end;

	*some = false;
	if (!node)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; i < plan->n_node; i++)
		room[i] = usable(plan, room[i]);
	v.node = node;
	if (plan->n_node && !plan->node[0].part)
		*some = share(&v);
	for (size_t i = 0; i < plan->n_node && plan->node[0].part; i = end) {
		end = slu_plan_part_end(plan, node, i);
		v.node = node + i;
		v.n = end - i;
		*some |= share_part(v);
	}
	free(node);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes that cannot hold an equal share of a file system that they make
 * together give what they can, and the others the rest: all give the same up
 * to a level, and those with less room all of it, as water fills a vessel.
 */
#include "config.h"
#include <stdlib.h>
#include "burst_buffer/image.h"
#include "burst_buffer/plan.h"
#include "common/str.h"

/* Of what is said to be free, a part in so many is the file system's own. */
#define OWN  32
#define MOST (UINT64_C(1) << 60) /* bytes; where the map does not know */
/* A node with less than this part of an equal share is refused. */
#define LEAST 8

/* The largest share that fits into so much room. */
static uint64_t usable(uint64_t room)
{
	uint64_t low = 0, high, top, middle;

	room = room < MOST ? room : MOST;
	top = high = room - room / OWN;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (slu_image_size(middle) > top)
			high = middle;
		else
			low = middle;
	}
	return low;
}

/* Nodes of one file system, and what they are to give together. */
struct vessel {
	const struct slu_plan *plan;
	const char *part; /* NULL: the plan is not split */
	const uint64_t *room;
	uint64_t enough;
};

static bool gives(const struct vessel *v, size_t i)
{
	const struct slu_plan_node *node = &v->plan->node[i];

	return !node->client && (!v->part || slu_eq(node->part, v->part));
}

/* What all give together at this level; never above `enough`. */
static uint64_t filled(const struct vessel *v, uint64_t level)
{
	uint64_t sum = 0, one;

	for (size_t i = 0; i < v->plan->n_node; i++) {
		if (!gives(v, i))
			continue;
		one = v->room[i] < level ? v->room[i] : level;
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

static bool share(struct slu_plan *plan, const struct vessel *v)
{
	bool fits = true;
	uint64_t level;

	for (size_t i = 0; i < plan->n_node; i++) {
		if (!gives(v, i))
			continue;
		fits = fits && plan->node[i].capacity <= v->room[i];
		if (v->room[i] < plan->node[i].capacity / LEAST)
			return false;
	}
	if (fits || filled(v, v->enough) < v->enough)
		return false;
	level = find_level(v, 0, v->enough);
	for (size_t i = 0; i < plan->n_node; i++)
		if (gives(v, i))
			plan->node[i].capacity =
				v->room[i] < level ? v->room[i] : level;
	return true;
}

/* The part's nodes give what they would have, had each given the same. */
static bool share_part(struct slu_plan *plan, const char *part,
		       const uint64_t *room)
{
	struct vessel v = {plan, part, room, 0};

	for (size_t i = 0; i < plan->n_node; i++)
		v.enough += gives(&v, i) ? plan->node[i].capacity : 0;
	return share(plan, &v);
}

bool slu_plan_share(struct slu_plan *plan, uint64_t *room)
{
	struct vessel whole = {plan, NULL, room, plan->capacity};
	bool some = false;

	for (size_t i = 0; i < plan->n_node; i++)
		room[i] = usable(room[i]);
	if (!plan->n_node || !plan->node[0].part)
		return share(plan, &whole);
	for (size_t i = 0; i < plan->n_node; i++)
		if (slu_plan_first_of_part(plan, i))
			some |= share_part(plan, plan->node[i].part, room);
	return some;
}

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

/* What all give together at this level; never above `enough`. */
static uint64_t filled(const struct slu_plan *plan, const uint64_t *room,
		       uint64_t level, uint64_t enough)
{
	uint64_t sum = 0, one;

	for (size_t i = 0; i < plan->n_node; i++) {
		if (plan->node[i].client)
			continue;
		one = room[i] < level ? room[i] : level;
		if (one >= enough - sum)
			return enough;
		sum += one;
	}
	return sum;
}

/* The lowest level at which all give enough, between two that do not and do. */
static uint64_t find_level(const struct slu_plan *plan, const uint64_t *room,
			   uint64_t low, uint64_t high)
{
	uint64_t middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (filled(plan, room, middle, plan->capacity) ==
		    plan->capacity)
			high = middle;
		else
			low = middle;
	}
	return high;
}

bool slu_plan_share(struct slu_plan *plan, uint64_t *room)
{
	bool fits = true;
	uint64_t level;

	for (size_t i = 0; i < plan->n_node; i++) {
		if (plan->node[i].client)
			continue;
		room[i] = usable(room[i]);
		fits = fits && plan->node[i].capacity <= room[i];
		if (room[i] < plan->node[i].capacity / LEAST)
			return false;
	}
	if (fits ||
	    filled(plan, room, plan->capacity, plan->capacity) < plan->capacity)
		return false;
	level = find_level(plan, room, 0, plan->capacity);
	for (size_t i = 0; i < plan->n_node; i++)
		if (!plan->node[i].client)
			plan->node[i].capacity =
				room[i] < level ? room[i] : level;
	return true;
}

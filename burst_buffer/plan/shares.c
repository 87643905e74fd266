/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides a file system's capacity among the nodes that make it, where not all
 * have space for an equal share (water filling): all give the same up to a
 * level, and nodes with less space give all of it. Nodes with very little give
 * nothing.
 */
#include "config.h"
#include <stdlib.h>
#include "burst_buffer/plan/places.h"
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"
#include "burst_buffer/storage/image.h"

/* Of the free space a part in OWN is for the file system's own use, plus this:
 * an image that turns out to be too small is made again, larger. */
#define OWN   32
#define SLACK (UINT64_C(2) << 20)
#define MOST  (UINT64_C(1) << 60) /* bytes; where the map does not know */
/* A node with less than this part of an equal share gives nothing: files that
 * hash to it would soon fill it. */
#define LEAST 8

uint64_t slu_share_usable(uint64_t room)
{
	room = room < MOST ? room : MOST;
	room -= room / OWN;
	return room > SLACK ? room - SLACK : 0;
}

uint64_t slu_plan_fits(const struct slu_plan *plan, uint64_t room)
{
	const uint64_t top = slu_share_usable(room);
	uint64_t low = 0, high = top, middle;

	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (slu_plan_takes(plan, middle) > top)
			high = middle;
		else
			low = middle;
	}
	return low;
}

struct giver {
	uint64_t room; /* for a share, at most an equal one */
	size_t at;     /* in the plan */
};

/* Nodes of one file system that may give capacity, best first, and how much so
 * many of them are to give together. */
struct vessel {
	struct slu_plan_node *node; /* of the plan */
	const uint64_t *room;	    /* bytes of each node of the plan */
	struct giver *giver;
	size_t n, wanted;
	uint64_t equal, enough;
};

/* Nodes with enough space in the order of the plan. */
static int better_first(const void *a, const void *b)
{
	const struct giver *x = a, *y = b;

	if (x->room != y->room)
		return x->room < y->room ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

/* What the first n give together at this level; never above `enough`. */
static uint64_t filled(const struct vessel *v, size_t n, uint64_t level)
{
	uint64_t sum = 0, room, one;

	for (size_t i = 0; i < n; i++) {
		room = v->room[v->giver[i].at];
		one = room < level ? room : level;
		if (one >= v->enough - sum)
			return v->enough;
		sum += one;
	}
	return sum;
}

/* The lowest level at which the first n give enough. */
static uint64_t find_level(const struct vessel *v, size_t n)
{
	uint64_t low = 0, high = v->enough, middle;

	if (n == v->wanted && v->giver[n - 1].room == v->equal)
		return v->equal;
	while (high - low > 1) {
		middle = low + (high - low) / 2;
		if (filled(v, n, middle) == v->enough)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* How many nodes give: the wanted number of the best ones. 0: not possible. */
static size_t choose(struct vessel *v, bool all)
{
	size_t n = v->n < v->wanted ? v->n : v->wanted;

	qsort(v->giver, v->n, sizeof(*v->giver), better_first);
	while (n && v->giver[n - 1].room < v->equal / LEAST) {
		if (all)
			return 0;
		n--;
	}
	return filled(v, n, v->enough) == v->enough ? n : 0;
}

/* Sets what the node gives; does that change it? */
static bool give(struct slu_plan_node *node, uint64_t capacity)
{
	const bool changed = node->capacity != capacity;

	node->capacity = capacity;
	node->client = capacity == 0;
	return changed;
}

static bool share(struct vessel *v, bool all)
{
	size_t n = choose(v, all);
	uint64_t level = n ? find_level(v, n) : 0, room;
	bool changed = false;

	for (size_t i = 0; n && i < v->n; i++) {
		room = i < n ? v->room[v->giver[i].at] : 0;
		changed |= give(&v->node[v->giver[i].at],
				room < level ? room : level);
	}
	return changed;
}

/* A node that gives nothing may give something if its storage is known. */
static bool may_give(const struct slu_plan_node *node)
{
	return !node->client || (node->storage && *node->storage);
}

/* Nodes from[0..n) are a file system of their own. */
static bool share_part(struct slu_plan *plan, size_t givers,
		       const uint64_t *room, const size_t *from, size_t n,
		       struct giver *giver)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);
	struct vessel v = {.node = plan->node, .room = room, .giver = giver};

	v.equal = plan->capacity / givers + (plan->capacity % givers != 0);
	for (size_t i = 0; i < n; i++) {
		const size_t at = from[i];

		v.wanted += at < givers;
		if (may_give(&plan->node[at]))
			giver[v.n++] = (struct giver){
				room[at] < v.equal ? room[at] : v.equal, at};
	}
	v.enough = n == plan->n_node ? plan->capacity : v.wanted * v.equal;
	return share(&v, type && type->all_nodes);
}

int slu_plan_share(struct slu_plan *plan, size_t givers, const uint64_t *room,
		   bool *changed, struct slu_err *err)
{
	struct giver *giver = calloc(plan->n_node + 1, sizeof(*giver));
	size_t *node = slu_plan_by_part(plan), end = plan->n_node;
	const bool split = plan->n_node && plan->node[0].part;

	*changed = false;
	if (!node || !giver) {
		free(node);
		free(giver);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	for (size_t i = 0; givers && i < plan->n_node; i = end) {
		end = split ? slu_plan_part_end(plan, node, i) : plan->n_node;
		*changed |= share_part(plan, givers, room, node + i, end - i,
				       giver);
	}
	free(giver);
	free(node);
	return 0;
}

/* Parts of `share` for each of the first n of those that giver[] has in
 * order. */
static void pour(const struct vessel *v, size_t n, uint64_t *bytes)
{
	const uint64_t level = find_level(v, n);
	uint64_t left = v->enough, one;

	for (size_t i = 0; i < v->n; i++) {
		one = i < n ? v->room[v->giver[i].at] : 0;
		one = one < level ? one : level;
		one = one < left ? one : left;
		bytes[v->giver[i].at] = one;
		left -= one;
	}
}

int slu_share_divide(uint64_t share, const uint64_t *room, size_t n,
		     uint64_t *bytes, bool *fits, struct slu_err *err)
{
	struct giver *giver = calloc(n + 1, sizeof(*giver));
	struct vessel v = {.room = room,
			   .giver = giver,
			   .n = n,
			   .wanted = n,
			   .equal = share / n + (share % n != 0),
			   .enough = share};
	size_t some;

	if (!giver)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		giver[i] = (struct giver){room[i] < v.equal ? room[i] : v.equal,
					  i};
	some = choose(&v, false);
	if (!some && filled(&v, n, share) == share)
		some = n;
	*fits = some > 0;
	if (some)
		pour(&v, some, bytes);
	free(giver);
	return 0;
}

uint64_t slu_plan_manifests(const struct slu_plan *plan, uint64_t capacity)
{
	uint64_t manifests = 0;

	for (size_t i = 0; i < plan->n_stage; i++)
		manifests +=
			plan->stage[i].out ? slu_manifest_size(capacity) : 0;
	return manifests;
}

uint64_t slu_plan_takes(const struct slu_plan *plan, uint64_t capacity)
{
	return slu_image_size(capacity + slu_plan_manifests(plan, capacity));
}

uint64_t slu_plan_device_takes(const struct slu_plan *plan,
			       const struct slu_plan_node *node, size_t k)
{
	return slu_image_size(slu_plan_device(node, k).capacity +
			      slu_plan_manifests(plan, node->capacity));
}

uint64_t slu_plan_node_takes(const struct slu_plan *plan,
			     const struct slu_plan_node *node)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < slu_plan_devices(node); k++)
		sum += slu_plan_device_takes(plan, node, k);
	return sum;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Spreads a node's share over several of its devices (NodeDevices=all): as
 * equally as their room allows where files go to the device that has space, in
 * equal parts where the file system places pieces of files evenly. Each device
 * has an image of its own, with room for the manifests of all stage-outs, as
 * any of them may get these.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/plan/places.h"
#include "burst_buffer/storage/image.h"
#include "common/str.h"

uint64_t slu_plan_part_fits(uint64_t room)
{
	return slu_image_fits(slu_share_usable(room));
}

/* The largest part of a share that fits on a device. The node's share, and so
 * its manifests, may not be known yet: they are no larger than the plan's. */
static uint64_t part_fits(const struct slu_plan *plan,
			  const struct slu_place *place, bool told)
{
	const uint64_t fits = slu_plan_part_fits(slu_place_room(place, told));
	const uint64_t manifests = slu_plan_manifests(plan, plan->capacity);

	return fits > manifests ? fits - manifests : 0;
}

uint64_t slu_places_fit(const struct slu_plan *plan,
			const struct slu_places *places, bool told)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < places->n; k++)
		sum += part_fits(plan, &places->at[k], told);
	return sum;
}

static bool fits_on(const struct slu_plan *plan, uint64_t part, size_t devices,
		    const struct slu_places *places)
{
	size_t n = 0;

	for (size_t k = 0; k < places->n; k++)
		n += part_fits(plan, &places->at[k], true) >= part;
	return n >= devices;
}

size_t slu_places_even(const struct slu_plan *plan,
		       const struct slu_places *places)
{
	size_t devices = SIZE_MAX;

	for (size_t i = 0; i < plan->n_node; i++)
		if (!plan->node[i].client && places[i].n < devices)
			devices = places[i].n;
	for (size_t i = 0; devices && i < plan->n_node;) {
		const uint64_t share = plan->node[i].capacity;

		if (plan->node[i].client ||
		    fits_on(plan, share / devices + share % devices, devices,
			    &places[i])) {
			i++;
			continue;
		}
		devices--;
		i = 0;
	}
	return devices;
}

/* The room for a part at this directory. */
static uint64_t room_at(const struct slu_plan *plan,
			const struct slu_places *places, const char *storage,
			bool told)
{
	for (size_t k = 0; k < places->n; k++)
		if (slu_eq(places->at[k].storage, storage))
			return part_fits(plan, &places->at[k], told);
	return 0;
}

/* Those with a part first. */
static int larger_first(const void *a, const void *b)
{
	const struct slu_plan_device *x = a, *y = b;

	if (x->capacity != y->capacity)
		return x->capacity < y->capacity ? 1 : -1;
	return strcmp(x->storage, y->storage);
}

/* node->storage must have a part, where there is a share at all. */
static void give(struct slu_plan_node *node, const uint64_t *bytes)
{
	uint64_t home = bytes[0];

	for (size_t k = 0; k < node->n_more; k++)
		node->more[k].capacity = bytes[k + 1];
	qsort(node->more, node->n_more, sizeof(*node->more), larger_first);
	if (!home && node->n_more && node->more[0].capacity) {
		char *storage = node->storage;

		node->storage = node->more[0].storage;
		node->more[0].storage = storage;
		node->more[0].capacity = 0;
		qsort(node->more, node->n_more, sizeof(*node->more),
		      larger_first);
	}
}

/* The place with the most room beside what is promised, if the whole share fits
 * there without a reserve; NULL: none. */
static const struct slu_place *place_for_all(const struct slu_plan *plan,
					     uint64_t share,
					     const struct slu_places *places)
{
	uint64_t most = slu_plan_takes(plan, share);
	const struct slu_place *best = NULL;

	for (size_t k = 0; k < places->n; k++)
		if (slu_place_room(&places->at[k], false) >= most) {
			best = &places->at[k];
			most = slu_place_room(best, false);
		}
	return best;
}

/* Divides the share among n devices with so much room each. */
static int divide(const struct slu_plan *plan, const struct slu_plan_node *node,
		  const struct slu_places *places, bool told,
		  const uint64_t *room, uint64_t *bytes, bool *fits,
		  struct slu_err *err)
{
	const size_t n = 1 + node->n_more;
	const struct slu_place *all;

	if (slu_share_divide(node->capacity, room, n, bytes, fits, err))
		return -1;
	all = *fits || told ? NULL
			    : place_for_all(plan, node->capacity, places);
	for (size_t k = 0; all && k < n; k++)
		bytes[k] =
			slu_eq(slu_plan_device(node, k).storage, all->storage)
				? node->capacity
				: 0;
	*fits |= all != NULL;
	return 0;
}

static void settle(struct slu_plan_node *node, const uint64_t *bytes,
		   bool *changed)
{
	for (size_t k = 0; k <= node->n_more; k++)
		*changed |= slu_plan_device(node, k).capacity != bytes[k];
	give(node, bytes);
}

int slu_places_spread(const struct slu_plan *plan, struct slu_plan_node *node,
		      const struct slu_places *places, bool told, bool *fits,
		      bool *changed, struct slu_err *err)
{
	const size_t n = 1 + node->n_more;
	uint64_t *room = calloc(2 * n, sizeof(*room)), *bytes = room + n;
	int rc;

	if (!room)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t k = 0; k < n; k++)
		room[k] = room_at(plan, places,
				  slu_plan_device(node, k).storage, told);
	rc = divide(plan, node, places, told, room, bytes, fits, err);
	if (!rc && *fits)
		settle(node, bytes, changed);
	free(room);
	return rc;
}

/* The device with the most room that has no part yet. */
static size_t roomiest(const uint64_t *room, const uint64_t *bytes, size_t n)
{
	size_t best = n;

	for (size_t k = 0; k < n; k++)
		if (!bytes[k] && (best == n || room[k] > room[best]))
			best = k;
	return best;
}

int slu_places_spread_even(const struct slu_plan *plan,
			   struct slu_plan_node *node,
			   const struct slu_places *places, size_t devices,
			   bool *changed, struct slu_err *err)
{
	const size_t n = 1 + node->n_more;
	const uint64_t share = node->capacity;
	uint64_t *room = calloc(2 * n, sizeof(*room)), *bytes = room + n;

	if (!room)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t k = 0; k < n; k++)
		room[k] = room_at(plan, places,
				  slu_plan_device(node, k).storage, true);
	for (size_t k = 0; k < devices && k < n; k++)
		bytes[roomiest(room, bytes, n)] = share / devices;
	for (size_t k = 0; k < n; k++)
		if (bytes[k]) {
			bytes[k] += share % devices;
			break;
		}
	settle(node, bytes, changed);
	free(room);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up how much of its nodes' storage a new plan cannot have, since other
 * buffers use it: several jobs may run on a node. A buffer's share counts on
 * each node until the node has reported clean; after a failed stage-out, as
 * long as the node keeps the data.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/reconcile/node_usage.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/plan/plan.h"
#include "sysmap/database/planner_storage.h"

static int by_name(const void *a, const void *b)
{
	const struct slu_plan_node *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Finds the plan's entry for the node of `mine` whose storage lies in the same
 * file system; NULL: none. A node has an entry for each of its devices; most
 * can be told apart by the directory alone. Where the resource map does not
 * know the file system, only the same directory counts. */
static const struct slu_plan_node *
find_place(struct slu_db *map, const struct slu_plan *plan,
	   const struct slu_plan_node **sorted,
	   const struct slu_plan_node *mine)
{
	const struct slu_plan_node **found =
		bsearch(&mine, sorted, plan->n_node, sizeof(*sorted), by_name);
	const struct slu_plan_node **const end = sorted + plan->n_node;

	while (found && found > sorted && !by_name(found - 1, &mine))
		found--;
	for (const struct slu_plan_node **at = found;
	     at && at < end && !by_name(at, &mine); at++)
		if (slu_eq((*at)->storage, mine->storage))
			return *at;
	for (; found && found < end && !by_name(found, &mine); found++)
		if (slu_storage_same(map, mine->name, (*found)->storage,
				     mine->storage))
			return *found;
	return NULL;
}

/* What is added up. */
struct usage {
	struct slu_db *map;
	const struct slu_plan *plan;
	const struct slu_plan_node **sorted; /* of the plan, by name */
	uint64_t *promised, *own;
};

/* Adds what the buffer takes on the k-th device of its node i. */
static void add_device(const struct usage *u, const struct slu_bb *bb, size_t i,
		       size_t k)
{
	const bool left = bb->state == SLU_BB_DONE && bb->keeps &&
			  bb->plan.uid == u->plan->uid;
	const uint64_t takes = slu_bb_device_takes(bb, i, k);
	struct slu_plan_node mine = bb->plan.node[i];
	const struct slu_plan_node *at;

	mine.storage = slu_plan_device(&bb->plan.node[i], k).storage;
	at = find_place(u->map, u->plan, u->sorted, &mine);
	if (!at || (at->client && !u->plan->givers))
		return;
	u->promised[at - u->plan->node] += takes;
	u->own[at - u->plan->node] += left ? takes : 0;
}

static void add_buffer(const struct usage *u, const struct slu_bb *bb)
{
	for (size_t i = 0; i < bb->plan.n_node; i++)
		if (slu_bb_takes(bb, i))
			for (size_t k = 0;
			     k < slu_plan_devices(&bb->plan.node[i]); k++)
				add_device(u, bb, i, k);
}

int slu_bb_node_usage(void *buffers, const struct slu_plan *plan,
		      uint64_t *promised, uint64_t *own, struct slu_err *err)
{
	const struct slu_buffers *b = buffers;
	const struct slu_plan_node **sorted =
		calloc(plan->n_node + 1, sizeof(*sorted));
	const struct usage u = {b->db, plan, sorted, promised, own};
	const struct slu_bb *bb;
	size_t i;

	if (!sorted)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (i = 0; i < plan->n_node; i++)
		sorted[i] = &plan->node[i];
	qsort(sorted, plan->n_node, sizeof(*sorted), by_name);
	/* a persistent buffer is done even if a node could not clean up; no job
	 * may be given that space, as the node is not drained for it */
	for (bb = b->first; bb; bb = bb->next)
		if (plan->givers && bb->id == plan->buffer)
			continue; /* its own */
		else if (bb->state != SLU_BB_DONE || bb->plan.persistent ||
			 bb->keeps)
			add_buffer(&u, bb);
	free(sorted);
	return 0;
}

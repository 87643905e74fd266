/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a node's storage other buffers use, as several jobs may run
 * there. A node counts until it has reported clean; after a failed stage-out,
 * as long as it keeps the data.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/node_usage.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/plan/plan.h"
#include "sysmap/database/planner_storage.h"

static int by_name(const void *a, const void *b)
{
	const struct slu_plan_node *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Do both lie in one file system of the node? Where the resource map does not
 * say, only if they are in one directory. */
static bool shares(struct slu_db *map, const struct slu_plan_node *a,
		   const struct slu_plan_node *b)
{
	return slu_eq(a->storage, b->storage) ||
	       slu_storage_same(map, a->name, a->storage, b->storage);
}

static void add_buffer(struct slu_db *map, const struct slu_bb *bb,
		       const struct slu_plan *plan,
		       const struct slu_plan_node **sorted, uint64_t *promised,
		       uint64_t *own)
{
	const bool left = bb->state == SLU_BB_DONE && bb->keeps &&
			  bb->plan.uid == plan->uid;
	const struct slu_plan_node *mine, **found;
	uint64_t takes;
	size_t i;

	for (i = 0; i < bb->plan.n_node; i++) {
		mine = &bb->plan.node[i];
		takes = slu_bb_takes(bb, i);
		if (!takes)
			continue;
		found = bsearch(&mine, sorted, plan->n_node, sizeof(*sorted),
				by_name);
		if (!found || ((*found)->client && !plan->givers) ||
		    !shares(map, *found, mine))
			continue;
		promised[*found - plan->node] += takes;
		own[*found - plan->node] += left ? takes : 0;
	}
}

int slu_bb_node_usage(void *buffers, const struct slu_plan *plan,
		      uint64_t *promised, uint64_t *own, struct slu_err *err)
{
	const struct slu_buffers *b = buffers;
	const struct slu_plan_node **sorted =
		calloc(plan->n_node + 1, sizeof(*sorted));
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
			add_buffer(b->db, bb, plan, sorted, promised, own);
	free(sorted);
	return 0;
}

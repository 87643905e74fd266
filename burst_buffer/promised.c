/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is promised already: several jobs may run on one node, and none of them
 * is to be given what another has. A node counts until it has reported clean.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/live.h"

static int by_name(const void *a, const void *b)
{
	const struct slu_plan_node *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static void add_buffer(const struct slu_bb *bb, const struct slu_plan *plan,
		       const struct slu_plan_node **sorted, uint64_t *promised)
{
	const struct slu_plan_node *mine, **found;
	size_t i;

	for (i = 0; i < bb->plan.n_node; i++) {
		mine = &bb->plan.node[i];
		if (mine->client || bb->member[i].state == SLU_NODE_CLEAN)
			continue;
		found = bsearch(&mine, sorted, plan->n_node, sizeof(*sorted),
				by_name);
		if (found && slu_eq((*found)->storage, mine->storage))
			promised[*found - plan->node] += mine->capacity;
	}
}

int slu_bb_promised(void *buffers, const struct slu_plan *plan,
		    uint64_t *promised, struct slu_err *err)
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
	/* a persistent one is done though a node could not clean up; no job may
	 * come upon it, as the node is not drained for it */
	for (bb = b->first; bb; bb = bb->next)
		if (bb->state != SLU_BB_DONE || bb->plan.persistent)
			add_buffer(bb, plan, sorted, promised);
	free(sorted);
	return 0;
}

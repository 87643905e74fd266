/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drains nodes that could not clean up, and resumes them when they are clean. A
 * node is drained because of a buffer, as its record says, or because of data
 * that belongs to no run that sluiced knows; the latter is kept in memory only.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/drained_nodes.h"
#include "common/str.h"

bool slu_bb_wants_drained(const struct slu_buffers *b, const char *node)
{
	const struct slu_bb *bb;
	long i;

	for (bb = b->first; bb; bb = bb->next) {
		i = slu_bb_index(bb, node);
		if (i >= 0 && bb->member[i].order == SLU_ORDER_DRAIN)
			return true;
	}
	return false;
}

char *slu_bb_drain_reason(const struct slu_bb *bb, size_t i)
{
	return slu_asprintf("sluice: the file system of job %u (%s) is not "
			    "cleaned up",
			    (unsigned)bb->plan.job_id,
			    bb->plan.node[i].storage);
}

/* Notes it for later questions; lost without memory. reason "": it is clean. */
static void note_dirty(struct slu_buffers *b, const char *node,
		       const char *reason)
{
	struct slu_bb_dirty *d = b->dirty, *grown;
	size_t i = 0;

	while (i < b->n_dirty && strcmp(d[i].node, node))
		i++;
	if (i < b->n_dirty) {
		free(d[i].node);
		free(d[i].reason);
		d[i] = d[--b->n_dirty];
	}
	if (!*reason)
		return;
	grown = realloc(d, (b->n_dirty + 1) * sizeof(*grown));
	if (!grown)
		return;
	b->dirty = grown;
	d = &grown[b->n_dirty];
	*d = (struct slu_bb_dirty){strdup(node), strdup(reason)};
	if (d->node && d->reason) {
		b->n_dirty++;
		return;
	}
	free(d->node);
	free(d->reason);
}

void slu_buffers_dirty(struct slu_buffers *b, const char *node,
		       const char *what)
{
	struct slu_node_order order = {
		.node = (char *)(uintptr_t)node,
		.reason = slu_asprintf("sluice: a leftover cannot be removed: "
				       "%.200s",
				       what),
	};

	if (order.reason)
		note_dirty(b, node, *what ? order.reason : "");
	if (order.reason && *what)
		b->ops->drain(b->arg, &order);
	else if (order.reason && !slu_bb_wants_drained(b, node))
		b->ops->resume(b->arg, &order);
	free(order.reason);
}

void slu_bb_dirty_free(struct slu_buffers *b)
{
	for (size_t i = 0; i < b->n_dirty; i++) {
		free(b->dirty[i].node);
		free(b->dirty[i].reason);
	}
	free(b->dirty);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_ROOM_SHARES_H
#define SLU_LIFECYCLE_ROOM_SHARES_H

/* Checks that the nodes have the space that a plan wants, by what they report
 * at the barrier "room", and adapts their shares. */

#include "burst_buffer/lifecycle/barriers.h"

/* What sluiced knows for the plan of a run. */
struct slu_plan_site slu_bb_run_site(struct slu_buffers *b);
/* The same for a job that waits: the space that other buffers use on its nodes
 * is ignored. */
struct slu_plan_site slu_bb_waiting_site(struct slu_buffers *b);

/* All nodes have arrived at a barrier. If it is that one: give each node a
 * share for which it has space, where the file system allows uneven shares;
 * else fail the buffer and requeue the job without the nodes that lack space.
 * Harmless twice. */
int slu_bb_reshare_room(struct slu_buffers *b, struct slu_bb *bb,
			const struct slu_bb_barrier *barrier, double now,
			struct slu_err *err);

/* Fails a buffer that has no plan because of `why`: these nodes (host list;
 * NULL: the reason is another one) lack space. */
int slu_bb_too_small(struct slu_buffers *b, struct slu_bb *bb,
		     const char *nodes, const char *why, double now,
		     struct slu_err *err);

#endif

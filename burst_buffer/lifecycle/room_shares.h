/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_ROOM_SHARES_H
#define SLU_LIFECYCLE_ROOM_SHARES_H

/* Whether the nodes have room for what a plan wants of them, as they tell at
 * the barrier "room". */

#include "burst_buffer/lifecycle/barriers.h"

/* What a plan for a run of a job is made from. */
struct slu_plan_site slu_bb_run_site(struct slu_buffers *b);

/* All have come to a barrier; if it is that one: give each what it has room
 * for, where the file system allows that, or let the buffer fail, and its job
 * be put back without those that have none. Harmless twice. */
int slu_bb_reshare_room(struct slu_buffers *b, struct slu_bb *bb,
			const struct slu_bb_barrier *barrier, double now,
			struct slu_err *err);

/* It has no plan, as `why` says: these nodes (host list; NULL: it is not for
 * any of them) are too small for it. */
int slu_bb_too_small(struct slu_buffers *b, struct slu_bb *bb,
		     const char *nodes, const char *why, double now,
		     struct slu_err *err);

#endif

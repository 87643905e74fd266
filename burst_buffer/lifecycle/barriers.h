/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_BARRIERS_H
#define SLU_LIFECYCLE_BARRIERS_H

/*
 * The barriers of a buffer, at which its nodes wait until all have arrived, and
 * learn each other's attributes (text that a node brings along, such as the
 * address of its server).
 */

#include "burst_buffer/lifecycle/record.h"

/* At this barrier nodes report how much free space they have, before they make
 * anything. */
#define SLU_BB_ROOM "room"

/* NULL: no node has arrived at a barrier of this name. */
struct slu_bb_barrier *slu_bb_find_barrier(const struct slu_bb *bb,
					   const char *name);
/* The barrier of this name, created if there is none. NULL: too many barriers,
 * or no memory. */
struct slu_bb_barrier *slu_bb_barrier(struct slu_bb *bb, const char *name);
/* Node i has arrived with this attribute, which is taken over. */
void slu_bb_barrier_attr(struct slu_bb_barrier *barrier, size_t i, char *attr);
/* Drops the answer that was built for its nodes (barrier_answer.h). */
void slu_bb_barrier_forget_answer(struct slu_bb_barrier *barrier);
/* Have all nodes arrived that are still expected? */
bool slu_bb_all_came(const struct slu_bb *bb,
		     const struct slu_bb_barrier *barrier);
/* Is it a barrier of the present state? */
bool slu_bb_barrier_present(const struct slu_bb *bb,
			    const struct slu_bb_barrier *barrier);
/* The barrier at which nodes wait now; NULL: none. */
const struct slu_bb_barrier *slu_bb_closed_barrier(const struct slu_bb *bb);
/* Do the others wait for node i? It is not at this barrier, or, where there is
 * none (NULL), has not finished. */
bool slu_bb_is_late_at(const struct slu_bb *bb,
		       const struct slu_bb_barrier *closed, size_t i);
bool slu_bb_is_waited_for(const struct slu_bb *bb, size_t i);
/* Is node i no longer expected there (slu_bb_is_replaced())? */
bool slu_bb_barrier_shut(const struct slu_bb *bb,
			 const struct slu_bb_barrier *barrier, size_t i);
/* The answer to node i at a barrier of `down`; false: it has to wait. A node
 * that was given up does not wait for others, nor they for it. */
bool slu_bb_barrier_down(const struct slu_bb *bb,
			 const struct slu_bb_barrier *barrier, size_t i,
			 const char **word);

/* Do its nodes still have to boot, so that none has asked for the plan yet? */
bool slu_bb_boots(const struct slu_bb *bb);

#endif

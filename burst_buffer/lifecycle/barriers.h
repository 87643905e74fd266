/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_BARRIERS_H
#define SLU_LIFECYCLE_BARRIERS_H

/* The barriers of a buffer, at which its nodes meet: who has come, with what,
 * and what those are answered who ask. */

#include "burst_buffer/lifecycle/record.h"

/* Where nodes tell what room they have, before they make anything. */
#define SLU_BB_ROOM "room"

/* NULL: nobody has come to one of this name. */
struct slu_bb_barrier *slu_bb_find_barrier(const struct slu_bb *bb,
					   const char *name);
/* The barrier of this name; made when it is new. NULL: too many, or no memory.
 */
struct slu_bb_barrier *slu_bb_barrier(struct slu_bb *bb, const char *name);
/* Node i has come with this, which it takes. */
void slu_bb_barrier_attr(struct slu_bb_barrier *barrier, size_t i, char *attr);
/* Has everyone come who is still to come? */
bool slu_bb_all_came(const struct slu_bb *bb,
		     const struct slu_bb_barrier *barrier);
/* Is it a barrier of the present state? */
bool slu_bb_barrier_present(const struct slu_bb *bb,
			    const struct slu_bb_barrier *barrier);
/* The one at which nodes wait now; NULL: at none. */
const struct slu_bb_barrier *slu_bb_closed_barrier(const struct slu_bb *bb);
/* Does node i hold the others up: it is not at this barrier, or, where there is
 * none (NULL), not done? */
bool slu_bb_is_late_at(const struct slu_bb *bb,
		       const struct slu_bb_barrier *closed, size_t i);
bool slu_bb_is_late(const struct slu_bb *bb, size_t i);
/* Appends the answer to who asks at it: this word, and what each has brought.
 * Kept, for all ask for the same. */
int slu_bb_barrier_answer(const struct slu_bb *bb,
			  struct slu_bb_barrier *barrier, const char *word,
			  struct slu_buf *out, struct slu_err *err);
/* Is node i no longer expected there, see slu_bb_is_replaced()? */
bool slu_bb_barrier_shut(const struct slu_bb *bb,
			 const struct slu_bb_barrier *barrier, size_t i);
/* What node i is told at a barrier of down; false: to wait. One that was lost
 * waits for nobody, and nobody for it. */
bool slu_bb_barrier_down(const struct slu_bb *bb,
			 const struct slu_bb_barrier *barrier, size_t i,
			 const char **word);

/* Its nodes have to boot first, and none of them has asked what to do. */
bool slu_bb_boots(const struct slu_bb *bb);

#endif

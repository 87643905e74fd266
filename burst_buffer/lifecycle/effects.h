/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_EFFECTS_H
#define SLU_LIFECYCLE_EFFECTS_H

/*
 * What is to be done about a buffer outside of its record. Who notes a fact or
 * decides only puts effects; slu_bb_carry_out() does them once all that follows
 * is decided and stored, from the record as it is then. So each buffer has a
 * set of them and no list: what is put twice is done once, and putting cannot
 * fail.
 */

#include "burst_buffer/lifecycle/record.h"

enum slu_bb_effect {
	/* Something that it depends on has changed: see reconcile.h. */
	SLU_EFFECT_RECONCILE = 1 << 0,
	/* Its nodes that wait may have an answer now. */
	SLU_EFFECT_WAKE = 1 << 1,
	/* slurmctld is told the verdict, unless it has done it. */
	SLU_EFFECT_VERDICT = 1 << 2,
	/* Nodes are drained or resumed: those of slu_bb_order(). */
	SLU_EFFECT_ORDERS = 1 << 3,
	/* Its user is told that all of it was staged out. */
	SLU_EFFECT_STAGED = 1 << 4,
	/* The job is given back the time that it has waited. */
	SLU_EFFECT_EXTEND = 1 << 5,
	/* The mirror and squeue's reason follow, if they change. */
	SLU_EFFECT_STATE = 1 << 6,
};

void slu_bb_put(struct slu_buffers *b, struct slu_bb *bb, unsigned effects);
/* All that slurmctld was told of it before, whether it changed or not; but no
 * verdict, which waits until slurmctld has said whether the job runs anew. */
void slu_bb_put_anew(struct slu_buffers *b, struct slu_bb *bb);
/* Store this order for node i, with a line of history (NULL: none), and put
 * it. */
int slu_bb_order(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		 enum slu_bb_order order, const char *text, double now,
		 struct slu_err *err);
/* The next that is to be reconciled, which it is no more; NULL: none. */
struct slu_bb *slu_bb_next_changed(struct slu_buffers *b);
/* Do what was put. What was to be reconciled by now is not any more. */
void slu_bb_carry_out(struct slu_buffers *b, double now);

#endif

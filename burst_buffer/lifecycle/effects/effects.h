/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_EFFECTS_H
#define SLU_LIFECYCLE_EFFECTS_H

/*
 * Effects: commands to slurmctld, notifications and wake-ups that follow from a
 * change of a buffer's record. Code that notes a fact or decides only requests
 * effects; slu_bb_carry_out() does them from the record as it is when
 * everything is decided and stored. A buffer has a set of effects and no list,
 * so that what is requested twice is done once and a request cannot fail.
 */

#include "burst_buffer/lifecycle/record.h"

enum slu_bb_effect {
	/* A buffer that it depends on has changed: see reconcile.h. */
	SLU_EFFECT_RECONCILE = 1 << 0,
	/* Waiting requests of its nodes may have an answer now. */
	SLU_EFFECT_WAKE = 1 << 1,
	/* Send slurmctld the verdict, unless it has carried it out. */
	SLU_EFFECT_VERDICT = 1 << 2,
	/* Drain or resume nodes, by slu_bb_order(). */
	SLU_EFFECT_ORDERS = 1 << 3,
	/* Tell the user that everything was staged out. */
	SLU_EFFECT_STAGED = 1 << 4,
	/* Give the job back the time that set-up has taken. */
	SLU_EFFECT_EXTEND = 1 << 5,
	/* Update the mirror and squeue's reason, if they change. */
	SLU_EFFECT_STATE = 1 << 6,
};

void slu_bb_request_effects(struct slu_buffers *b, struct slu_bb *bb,
			    unsigned effects);
/* Requests that slurmctld gets everything again, changed or not; except a
 * verdict, which waits until slurmctld has reported whether the job runs
 * again. */
void slu_bb_resend_all(struct slu_buffers *b, struct slu_bb *bb);
/* Store this order for node i, with a line of history (NULL: none), and request
 * its effect. */
int slu_bb_order(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		 enum slu_bb_order order, const char *text, double now,
		 struct slu_err *err);
/* Takes the next buffer that has to be reconciled from the queue; NULL:
 * none. */
struct slu_bb *slu_bb_next_changed(struct slu_buffers *b);
/* Do the effects that were requested. Nothing may be waiting to be
 * reconciled. */
void slu_bb_carry_out(struct slu_buffers *b, double now);

#endif

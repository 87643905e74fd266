/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_DEADLINES_H
#define SLU_LIFECYCLE_DEADLINES_H

/* Deadlines: how long a buffer may stay in a state, also where its nodes have
 * to boot first, and what follows when that time is over. */

#include "burst_buffer/lifecycle/record.h"

/* Node i asks for the plan: if the nodes were booting, set-up begins now, and
 * the history gets these words. */
#define SLU_BB_BOOTED "has booted after"
int slu_bb_booted(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		  double now, struct slu_err *err);
/* Seconds; 0: this state has no deadline. */
double slu_bb_deadline(const struct slu_buffers *b, const struct slu_bb *bb);
/* Acts on a deadline that has passed. */
int slu_bb_timed_out(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_HETJOB_H
#define SLU_LIFECYCLE_HETJOB_H

/*
 * Coordinates the buffers of a heterogeneous job, each of whose components may
 * have one. For the buffer of any other job the answers are: ready, does not
 * wait, does not outlast.
 */

#include "burst_buffer/lifecycle/record.h"

/* May its nodes start the job, because all components are set up? */
bool slu_hetjob_ready(const struct slu_buffers *b, const struct slu_bb *bb,
		      double now);
/* Is it set up while others are still being set up? */
bool slu_hetjob_waits(const struct slu_buffers *b, const struct slu_bb *bb);
/* Has the run ended, and must its nodes stay allocated because data of other
 * components is still being staged out? */
bool slu_hetjob_outlasts(const struct slu_buffers *b, const struct slu_bb *bb);
/* Iterates over the buffers of all components of bb's run, bb included: the
 * first one from `from` on; NULL: there are no more. */
struct slu_bb *slu_hetjob_next(const struct slu_buffers *b,
			       const struct slu_bb *bb, struct slu_bb *from);

#endif

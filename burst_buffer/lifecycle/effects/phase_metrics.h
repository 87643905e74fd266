/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PHASE_METRICS_H
#define SLU_LIFECYCLE_PHASE_METRICS_H

/* Counts the phases of buffers, summed over all jobs, for /metrics. */

#include "burst_buffer/lifecycle/record.h"

/* A phase has ended after so many seconds; a phase has failed; so has one with
 * a verdict on the job. */
void slu_bb_phase_over(struct slu_buffers *b, const struct slu_bb *bb,
		       enum slu_bb_state state, double seconds);
void slu_bb_phase_failed(struct slu_buffers *b, enum slu_bb_state state);
void slu_bb_phase_verdict(struct slu_buffers *b, enum slu_bb_state state,
			  enum slu_on_failure what);

#endif

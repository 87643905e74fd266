/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_FAULTS_H
#define SLU_LIFECYCLE_FAULTS_H

/* Finds faults of a buffer that show only when all of its nodes are looked at
 * together. */

#include "burst_buffer/lifecycle/record.h"

/* If there is such a fault and no failure yet, record it as one. */
int slu_bb_find_fault(struct slu_buffers *b, struct slu_bb *bb, double now,
		      struct slu_err *err);
/* Have all nodes that could do so reached the end of stage-out? */
bool slu_bb_stage_out_over(const struct slu_bb *bb);

#endif

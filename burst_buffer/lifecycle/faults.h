/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_FAULTS_H
#define SLU_LIFECYCLE_FAULTS_H

/* Faults of a buffer that only all of its nodes together show. */

#include "burst_buffer/lifecycle/record.h"

/* If there is one now, and it has not failed yet, it has failed. */
int slu_bb_find_fault(struct slu_buffers *b, struct slu_bb *bb, double now,
		      struct slu_err *err);
/* Has every node that could come to the end of stage-out? */
bool slu_bb_stage_out_over(const struct slu_bb *bb);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PERSISTENT_END_H
#define SLU_LIFECYCLE_PERSISTENT_END_H

/* Ends buffers whose life is not tied to a job's end: persistent ones, and
 * those of early stage-in. */

#include "burst_buffer/lifecycle/record.h"

/* Counts the jobs that use it, notes what they could not stage out, and ends it
 * if it is time. */
int slu_persistent_review(struct slu_buffers *b, struct slu_bb *bb, double now,
			  struct slu_err *err);

#endif

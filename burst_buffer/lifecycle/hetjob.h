/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_HETJOB_H
#define SLU_LIFECYCLE_HETJOB_H

/* The components of a heterogeneous job, each of which may have a buffer of its
 * own. A buffer of another job is ready, waits for nobody and outlasts nobody.
 */

#include "burst_buffer/lifecycle/record.h"

/* May its nodes let the job begin, as all components are set up? */
bool slu_hetjob_ready(const struct slu_buffers *b, const struct slu_bb *bb,
		      double now);
/* It is set up, and others are not, and are being so? */
bool slu_hetjob_waits(const struct slu_buffers *b, const struct slu_bb *bb);
/* The run is over, and its nodes may not be freed yet, as others' data is still
 * being staged out? */
bool slu_hetjob_outlasts(const struct slu_buffers *b, const struct slu_bb *bb);
/* The buffers of all components of the same run, bb's own among them: the first
 * from this one on; NULL: there is no more. */
struct slu_bb *slu_hetjob_next(const struct slu_buffers *b,
			       const struct slu_bb *bb, struct slu_bb *from);

#endif

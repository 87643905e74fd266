/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_JOB_RUNS_H
#define SLU_LIFECYCLE_JOB_RUNS_H

/* A run of a job begins and ends. */

#include "burst_buffer/lifecycle/record.h"

/* Make its buffer. One that cannot have a plan is made, too, and has failed. */
int slu_run_begin(struct slu_buffers *b, const struct slu_job *job, double now,
		  struct slu_err *err);
/* It has ended, as the job says; NULL, or another job: nobody knows how. Twice
 * is once. */
int slu_run_end(struct slu_buffers *b, struct slu_bb *bb,
		const struct slu_job *job, double now, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_JOB_RUNS_H
#define SLU_LIFECYCLE_JOB_RUNS_H

/* Begins and ends a run of a job, which has a buffer of its own. */

#include "burst_buffer/lifecycle/record.h"

/* In the history of a run that went on without its file system; BufferHistory
 * is searched for it, also as older sluiced wrote it. */
#define SLU_RAN_WITHOUT "; it ran without"
#define SLU_RAN_WITHOUT_WHY                                \
	" its file system: no node asked what to do, see " \
	"sluice-node probe there"

/* Makes the run's buffer; if no plan is possible, one that has failed. */
int slu_run_begin(struct slu_buffers *b, const struct slu_job *job, double now,
		  struct slu_err *err);
/* The run has ended, as the job says; NULL, or another job: it is not known
 * how. A second call does no harm. */
int slu_run_end(struct slu_buffers *b, struct slu_bb *bb,
		const struct slu_job *job, double now, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_FAILURE_H
#define SLU_LIFECYCLE_FAILURE_H

/* Records the failure of a buffer: only the first one, with a verdict, which is
 * what slurmctld is to do with the job (requeue, hold, fail ...). */

#include "burst_buffer/lifecycle/record.h"

/* Records a failure; later ones are only lines of history. */
int slu_bb_fail(struct slu_buffers *b, struct slu_bb *bb, double now,
		struct slu_err *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* The same for a request that can never work, as this node reports: the job is
 * held where it would have been requeued. */
int slu_bb_mistaken(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		    const char *why, double now, struct slu_err *err);
/* These nodes (host list) lack space for their share, as `text` says: the job
 * is requeued without them, where it would have been requeued. */
int slu_bb_no_room(struct slu_buffers *b, struct slu_bb *bb, const char *nodes,
		   const char *text, double now, struct slu_err *err);
/* A server on this node has died under the running job: OnServerLoss. */
int slu_bb_lose_server(struct slu_buffers *b, struct slu_bb *bb,
		       const char *node, const char *why, double now,
		       struct slu_err *err);
/* Slurm has ended the run with this state because of a node, before the file
 * system was ready. Slurm decides about the job, which only gets the reason. */
int slu_bb_cut_short(struct slu_buffers *b, struct slu_bb *bb,
		     const char *state, double now, struct slu_err *err);
/* A user or an administrator cancels it, unless it has failed already: the job
 * has run and is not run again. */
int slu_bb_cancel(struct slu_buffers *b, struct slu_bb *bb, const char *who,
		  double now, struct slu_err *err);

#endif

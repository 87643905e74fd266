/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_FAILURE_H
#define SLU_LIFECYCLE_FAILURE_H

/* A buffer fails, by itself or by somebody's wish. */

#include "burst_buffer/lifecycle/record.h"

/* The first failure counts; later ones become history. */
int slu_bb_fail(struct slu_buffers *b, struct slu_bb *bb, double now,
		struct slu_err *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* The same, for what the job asks for can never work, as this node says: it is
 * held where it would have been requeued. */
int slu_bb_mistaken(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		    const char *why, double now, struct slu_err *err);
/* These nodes (host list) have no room for their share, as `text` says: the job
 * is put back without them, where it would have been requeued. */
int slu_bb_no_room(struct slu_buffers *b, struct slu_bb *bb, const char *nodes,
		   const char *text, double now, struct slu_err *err);
/* A server on this node has ended under the running job: OnServerLoss. */
int slu_bb_lose_server(struct slu_buffers *b, struct slu_bb *bb,
		       const char *node, const char *why, double now,
		       struct slu_err *err);
/* Slurm has ended the run, with this state, for a node of it, before it was
 * ready: the job, which Slurm puts back or ends as it likes, only hears why. */
int slu_bb_cut_short(struct slu_buffers *b, struct slu_bb *bb,
		     const char *state, double now, struct slu_err *err);
/* A failure that somebody wants, unless there is one: the job, which has run,
 * is not run again. */
int slu_bb_cancel(struct slu_buffers *b, struct slu_bb *bb, const char *who,
		  double now, struct slu_err *err);

#endif

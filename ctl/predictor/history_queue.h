/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_HISTORY_QUEUE_H
#define SLU_CTL_HISTORY_QUEUE_H

/*
 * Queues the rows of ended jobs for sluiced's database: a row is kept until
 * sluiced answers `stored`, and sent again after a reconnect. When the queue is
 * full, the oldest row is lost. Only a window of rows is unanswered at a time,
 * so that the socket stays free for urgent messages. One thread.
 */

#include "ctl/link/link.h"
#include "wire/job.h"

struct slu_history_queue {
	struct slu_job *row; /* a ring */
	size_t cap, head, n;
	size_t sent;   /* of these, from head on */
	uint64_t lost; /* since this was last logged */
};

int slu_history_queue_init(struct slu_history_queue *h, size_t cap);
void slu_history_queue_fini(struct slu_history_queue *h);
/* Copies *job; if it is full the oldest row is lost (and counted). */
int slu_history_queue_add(struct slu_history_queue *h,
			  const struct slu_job *job);
/* Send as many as the window allows. */
int slu_history_queue_send(struct slu_history_queue *h, struct slu_link *link,
			   struct slu_err *err);
/* sluiced has stored it, which it reports once for each time it was sent; it
 * may not be in the queue any more. */
void slu_history_queue_stored(struct slu_history_queue *h, uint32_t job_id,
			      int64_t start);
/* The i-th row that is not stored yet, from 0; job_id 0: it has been stored.
 * NULL: there are no more. Borrowed. */
const struct slu_job *slu_history_queue_at(const struct slu_history_queue *h,
					   size_t i);
/* A new connection: all are sent again. */
void slu_history_queue_resend(struct slu_history_queue *h);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_HISTORY_QUEUE_H
#define SLU_CTL_HISTORY_QUEUE_H

/*
 * Ended jobs on their way into sluiced's database: kept, bounded, until it
 * says `stored`, and sent again after a reconnect. A window keeps the socket
 * free for what is urgent. One thread.
 */

#include "ctl/link/link.h"
#include "wire/job.h"

struct slu_history {
	struct slu_job *row; /* a ring */
	size_t cap, head, n;
	size_t sent;   /* of these, from head on */
	uint64_t lost; /* since it was said last */
};

int slu_history_init(struct slu_history *h, size_t cap);
void slu_history_fini(struct slu_history *h);
/* Copies *job; when full the oldest row is lost (and counted). */
int slu_history_add(struct slu_history *h, const struct slu_job *job);
/* Send what the window allows. */
int slu_history_send(struct slu_history *h, struct slu_link *link,
		     struct slu_err *err);
/* The peer has stored it, which is said once for each time it was sent; it may
 * or may not be among ours. */
void slu_history_stored(struct slu_history *h, uint32_t job_id, int64_t start);
/* The i-th that is not stored yet, from 0; job_id 0: it is by now. NULL: there
 * are no more. Borrowed. */
const struct slu_job *slu_history_at(const struct slu_history *h, size_t i);
/* A new connection: all are to be sent again. */
void slu_history_again(struct slu_history *h);

#endif

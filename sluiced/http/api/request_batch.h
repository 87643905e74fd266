/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_REQUEST_BATCH_H
#define SLU_SLUICED_REQUEST_BATCH_H

/*
 * Handles requests of many nodes in one database transaction: all that have
 * arrived in one turn of the loop share one fsync, and are answered after the
 * commit. Messages to slurmctld that they cause are sent after it too
 * (control_socket.h queues). When the commit fails, all are answered "try
 * again" and the state in memory is loaded again from the database; the next
 * batch is then delayed, so that a full disk leaves time for everything else
 * (breaker.h).
 */

#include <stdbool.h>
#include "sluiced/breaker.h"
#include "sluiced/event_loop.h"

struct slu_db;
struct slu_log;
struct slu_req;

struct slu_request_batch_ops {
	void (*handle)(void *arg, struct slu_req *req);
	/* Answer with what the handler left in req->out, or with req->err if
	 * req->rc is -1. */
	void (*reply)(void *arg, struct slu_req *req);
	/* A commit has failed: what is in memory is not in the database. */
	void (*lost)(void *arg);
	void *arg;
};

struct slu_request_batch {
	struct slu_loop *loop;
	struct slu_db *db;
	const struct slu_log *log;
	struct slu_request_batch_ops ops;
	struct slu_timer timer;
	struct slu_req *waiting, **waiting_tail; /* to be handled */
	struct slu_req *held, **held_tail;	 /* to be answered */
	bool open;
	struct slu_breaker broken; /* a commit has failed */
};

void slu_request_batch_init(struct slu_request_batch *batch,
			    struct slu_loop *loop, struct slu_db *db,
			    const struct slu_log *log,
			    const struct slu_request_batch_ops *ops);
/* Handle it in the next turn. */
void slu_request_batch_add(struct slu_request_batch *batch,
			   struct slu_req *req);
/* Handle the rest now, at the end of the program. */
void slu_request_batch_flush(struct slu_request_batch *batch);

/* Around everything else that handles requests of nodes. Fails if another
 * process writes the database for longer than SQLite waits, which is logged,
 * and for a while after a failed commit; no transaction is open then. */
int slu_request_batch_begin(struct slu_request_batch *batch,
			    struct slu_err *err);
void slu_request_batch_end(struct slu_request_batch *batch);
/* Reply now, or after the commit of this turn. */
void slu_request_batch_answer(struct slu_request_batch *batch,
			      struct slu_req *req);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles requests of nodes in batches (request_batch.h). A request is in one
 * of two lists: waiting to be handled, or handled and waiting for the commit.
 * In both libmicrohttpd has it suspended, so that it cannot be freed meanwhile.
 */
#include "sluiced/http/api/request_batch.h"

#include "common/clock.h"
#include "common/log.h"
#include "sluiced/http/request.h"
#include "store/db.h"

#define TURN_MAX 1024 /* requests, so that other work gets done */

static void reply(struct slu_request_batch *batch, struct slu_req *req)
{
	batch->ops.reply(batch->ops.arg, req);
}

void slu_request_batch_answer(struct slu_request_batch *batch,
			      struct slu_req *req)
{
	if (!batch->open) {
		reply(batch, req);
		return;
	}
	req->next = NULL;
	*batch->held_tail = req;
	batch->held_tail = &req->next;
}

int slu_request_batch_begin(struct slu_request_batch *batch,
			    struct slu_err *err)
{
	if (slu_breaker_open(&batch->broken, slu_now_mono()))
		return slu_err(err, SLU_IO, "the database cannot be written");
	batch->open = slu_db_begin_group(batch->db, err) == 0;
	if (!batch->open)
		slu_log(batch->log, SLU_ERROR, "%s", err->text);
	return batch->open ? 0 : -1;
}

/* The commit has failed: the prepared answers are void. */
static void take_back(struct slu_request_batch *batch,
		      const struct slu_err *why)
{
	slu_log(batch->log, SLU_ERROR, "%s", why->text);
	slu_db_rollback(batch->db);
	for (struct slu_req *req = batch->held; req; req = req->next) {
		req->rc =
			slu_err(&req->err, SLU_IO, "try again: %s", why->text);
		slu_buf_reset(&req->out);
	}
	batch->ops.lost(batch->ops.arg);
}

void slu_request_batch_end(struct slu_request_batch *batch)
{
	struct slu_req *req, *next;
	struct slu_err err;
	double began;

	if (!batch->open)
		return;
	began = slu_now_mono();
	if (slu_db_commit(batch->db, &err) < 0) {
		take_back(batch, &err);
		slu_breaker_trip(&batch->broken, began, slu_now_mono());
	}
	batch->open = false;
	for (req = batch->held; req; req = next) {
		next = req->next;
		reply(batch, req);
	}
	batch->held = NULL;
	batch->held_tail = &batch->held;
}

static struct slu_req *take(struct slu_request_batch *batch)
{
	struct slu_req *req = batch->waiting;

	batch->waiting = req->next;
	if (!batch->waiting)
		batch->waiting_tail = &batch->waiting;
	return req;
}

/* All at once: one by one each would wait for the database as long as this one
 * has. */
static void put_off(struct slu_request_batch *batch, const struct slu_err *why)
{
	struct slu_req *req;

	while (batch->waiting) {
		req = take(batch);
		req->rc =
			slu_err(&req->err, SLU_IO, "try again: %s", why->text);
		reply(batch, req);
	}
}

static void run(void *arg)
{
	struct slu_request_batch *batch = arg;
	struct slu_err err;

	if (slu_request_batch_begin(batch, &err) < 0) {
		put_off(batch, &err);
		return;
	}
	for (int n = 0; batch->waiting && n < TURN_MAX; n++)
		batch->ops.handle(batch->ops.arg, take(batch));
	slu_request_batch_end(batch);
	if (batch->waiting)
		slu_timer_soon(batch->loop, &batch->timer, 0);
}

void slu_request_batch_init(struct slu_request_batch *batch,
			    struct slu_loop *loop, struct slu_db *db,
			    const struct slu_log *log,
			    const struct slu_request_batch_ops *ops)
{
	*batch = (struct slu_request_batch){
		.loop = loop,
		.db = db,
		.log = log,
		.ops = *ops,
		.timer = {.fn = run, .arg = batch},
	};
	batch->waiting_tail = &batch->waiting;
	batch->held_tail = &batch->held;
}

void slu_request_batch_add(struct slu_request_batch *batch, struct slu_req *req)
{
	req->next = NULL;
	*batch->waiting_tail = req;
	batch->waiting_tail = &req->next;
	slu_timer_soon(batch->loop, &batch->timer, 0);
}

void slu_request_batch_flush(struct slu_request_batch *batch)
{
	while (batch->waiting)
		run(batch);
	slu_timer_stop(batch->loop, &batch->timer);
}

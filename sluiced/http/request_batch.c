/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Requests are in one of two lists: waiting to be handled, and handled but
 * waiting for the commit. Both kinds are suspended, so that they cannot be
 * freed meanwhile.
 */
#include "sluiced/http/routes.h"

#define TURN_MAX 1024 /* requests, so that other work gets done */

static void reply(struct slu_daemon *d, struct slu_req *req)
{
	slu_routes_reply(d, req, &req->out, req->rc < 0 ? &req->err : NULL);
}

void slu_request_batch_answer(struct slu_daemon *d, struct slu_req *req)
{
	if (!d->turn.open) {
		reply(d, req);
		return;
	}
	req->next = NULL;
	*d->turn.held_tail = req;
	d->turn.held_tail = &req->next;
}

int slu_request_batch_begin(struct slu_daemon *d, struct slu_err *err)
{
	if (slu_breaker_open(&d->turn.broken, slu_now_mono()))
		return slu_err(err, SLU_IO, "the database cannot be written");
	d->turn.open = slu_db_begin_group(d->db, err) == 0;
	if (!d->turn.open)
		slu_log(d->log, SLU_ERROR, "%s", err->text);
	return d->turn.open ? 0 : -1;
}

/* The commit has failed: the prepared answers are void. */
static void take_back(struct slu_daemon *d, const struct slu_err *why)
{
	slu_log(d->log, SLU_ERROR, "%s", why->text);
	d->metrics.lost_turns++;
	slu_db_rollback(d->db);
	for (struct slu_req *req = d->turn.held; req; req = req->next) {
		req->rc =
			slu_err(&req->err, SLU_IO, "try again: %s", why->text);
		slu_buf_reset(&req->out);
	}
	slu_daemon_restart_buffers(d);
}

void slu_request_batch_end(struct slu_daemon *d)
{
	struct slu_req *req, *next;
	struct slu_err err;
	double began;

	if (!d->turn.open)
		return;
	began = slu_now_mono();
	if (slu_db_commit(d->db, &err) < 0) {
		take_back(d, &err);
		slu_breaker_trip(&d->turn.broken, began, slu_now_mono());
	}
	d->turn.open = false;
	for (req = d->turn.held; req; req = next) {
		next = req->next;
		reply(d, req);
	}
	d->turn.held = NULL;
	d->turn.held_tail = &d->turn.held;
}

static struct slu_req *take(struct slu_request_batch *turn)
{
	struct slu_req *req = turn->waiting;

	turn->waiting = req->next;
	if (!turn->waiting)
		turn->waiting_tail = &turn->waiting;
	return req;
}

/* All at once: one by one each would wait for the database as long as this one
 * has. */
static void put_off(struct slu_daemon *d, const struct slu_err *why)
{
	struct slu_buf none = {0};
	struct slu_err again;

	slu_err(&again, SLU_IO, "try again: %s", why->text);
	while (d->turn.waiting)
		slu_routes_reply(d, take(&d->turn), &none, &again);
}

static void run(void *arg)
{
	struct slu_daemon *d = arg;
	struct slu_err err;

	if (slu_request_batch_begin(d, &err) < 0) {
		put_off(d, &err);
		return;
	}
	for (int n = 0; d->turn.waiting && n < TURN_MAX; n++)
		slu_routes_handle(d, take(&d->turn));
	slu_request_batch_end(d);
	if (d->turn.waiting)
		slu_timer_soon(d->loop, &d->turn.timer, 0);
}

void slu_request_batch_init(struct slu_daemon *d)
{
	d->turn = (struct slu_request_batch){.timer = {.fn = run, .arg = d}};
	d->turn.waiting_tail = &d->turn.waiting;
	d->turn.held_tail = &d->turn.held;
}

void slu_request_batch_add(struct slu_daemon *d, struct slu_req *req)
{
	req->next = NULL;
	*d->turn.waiting_tail = req;
	d->turn.waiting_tail = &req->next;
	slu_timer_soon(d->loop, &d->turn.timer, 0);
}

void slu_request_batch_flush(struct slu_daemon *d)
{
	while (d->turn.waiting)
		run(d);
	slu_timer_stop(d->loop, &d->turn.timer);
}

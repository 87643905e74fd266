/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the buffers that are alive at sluiced's start, frees them at its end,
 * takes slurmctld's answers to commands, and does what is due at a time
 * (slu_buffers_tick()). Messages about jobs are handled in job_events.c, those
 * of nodes in node_requests.c.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/reconcile/deadlines.h"
#include "burst_buffer/lifecycle/effects/drained_nodes.h"
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/reconcile/expiry.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/node_rows.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/lifecycle/pending/predicted_nodes.h"
#include "burst_buffer/lifecycle/recovery/recovery.h"
#include "burst_buffer/lifecycle/recovery/recovery_ended.h"
#include "burst_buffer/request/site/fstype.h"

#define EXTEND_INTERVAL 10.0
#define TICK_MOST	60.0

/* Start and end */

struct slu_buffers *slu_buffers_load(struct slu_db *db,
				     const struct slu_conf *conf,
				     const unsigned char key[SLU_BUFFERS_KEY],
				     const struct slu_buffers_ops *ops,
				     void *arg, double now, struct slu_err *err)
{
	struct slu_buffers *b = calloc(1, sizeof(*b));
	struct slu_err why;
	struct slu_bb *bb;

	if (!b) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	*b = (struct slu_buffers){
		.db = db, .conf = conf, .ops = ops, .arg = arg, .loaded = now};
	memcpy(b->key, key, SLU_BUFFERS_KEY);
	if (slu_bb_load(b, now, err)) {
		slu_buffers_free(b);
		return NULL;
	}
	for (bb = b->first; bb; bb = bb->next) {
		slu_bb_resend_all(b, bb);
		if (slu_bb_reconcile(b, bb, now, &why))
			slu_bb_log(b, bb, SLU_ERROR, "%s", why.text);
	}
	return b;
}

void slu_buffers_free(struct slu_buffers *b)
{
	struct slu_bb *bb;

	if (!b)
		return;
	while ((bb = b->first)) {
		b->first = bb->next;
		slu_bb_free(bb);
	}
	slu_bb_dirty_free(b);
	slu_predicted_free(b);
	slu_recover_free(b);
	explicit_bzero(b->key, sizeof(b->key));
	free(b);
}

/* Answers to our commands */

static const char verdict_done[] = "slurmctld has carried out the verdict";

/* slurmctld saves its state some seconds after it has acted. If it is killed
 * before that, the verdict is lost there and has to be sent again. */
static void verdict_in_force(struct slu_buffers *b, struct slu_bb *bb,
			     double now)
{
	bb->failure.done_at = now;
	if (!bb->failure.answered)
		slu_bb_log(b, bb, SLU_INFO, "%s", verdict_done);
	bb->failure.answered = true;
}

static int verdict_refused(struct slu_buffers *b, struct slu_bb *bb,
			   const char *text, double now, struct slu_err *err)
{
	char line[400];

	snprintf(line, sizeof(line), "slurmctld refused the verdict: %.300s",
		 text ? text : "");
	if (slu_bb_set_verdict_done(b->db, bb, line, now, err))
		return -1;
	slu_bb_log(b, bb, SLU_WARN, "%s", line);
	return 0;
}

int slu_buffers_verdict_done(struct slu_buffers *b, uint32_t job_id, bool ok,
			     const char *text, double now, struct slu_err *err)
{
	struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next) {
		if ((bb->plan.job_id != job_id && bb->plan.creator != job_id) ||
		    bb->failure.verdict != SLU_VERDICT_SENT)
			continue;
		if (ok)
			verdict_in_force(b, bb, now);
		else if (verdict_refused(b, bb, text, now, err))
			return -1;
		slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
		if (slu_bb_reconcile(b, bb, now, err))
			return -1;
	}
	return 0;
}

void slu_buffers_resumed(struct slu_buffers *b, const char *node, double now)
{
	struct slu_bb *bb;
	long i;

	for (bb = b->first; bb; bb = bb->next) {
		i = slu_bb_index(bb, node);
		if (i >= 0 && bb->member[i].order == SLU_ORDER_RESUME)
			bb->member[i].resumed = now;
	}
}

void slu_buffers_disconnected(struct slu_buffers *b)
{
	struct slu_bb *bb;
	size_t i;

	for (bb = b->first; bb; bb = bb->next) {
		bb->failure.done_at = 0;
		for (i = 0; i < bb->plan.n_node; i++)
			bb->member[i].resumed = 0;
	}
}

/* Questions */

int slu_buffers_hello(struct slu_buffers *b, struct slu_hello_daemon *out,
		      struct slu_err *err)
{
	struct slu_hello_daemon hello = {.version = SLU_WIRE_VERSION};
	struct slu_bb *bb;
	size_t n = 0;

	for (bb = b->first; bb; bb = bb->next)
		n++;
	hello.buffers = calloc(n + 1, sizeof(*hello.buffers));
	for (bb = b->first; hello.buffers && bb; bb = bb->next) {
		if (bb->state == SLU_BB_DONE)
			continue;
		if (slu_bb_mirror(bb, &hello.buffers[hello.n_buffers]))
			break;
		hello.n_buffers++;
	}
	if (!hello.buffers || bb) {
		slu_msg_clear(&slu_hello_daemon_desc, &hello);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	*out = hello;
	return 0;
}

void slu_buffers_each(const struct slu_buffers *b, slu_buffers_f *fn, void *arg)
{
	const struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next)
		if (bb->state != SLU_BB_DONE)
			fn(arg, slu_bb_name((int)bb->state));
}

uint64_t slu_buffers_held(const struct slu_buffers *b, const char *pool)
{
	uint64_t size = 0;

	for (const struct slu_bb *bb = b->first; bb; bb = bb->next)
		if (bb->state != SLU_BB_DONE && slu_eq(bb->plan.pool, pool))
			size += bb->plan.capacity;
	return size;
}

/* Bytes of kept data of this buffer that count for this pool. */
static uint64_t kept_of(const struct slu_bb *bb, const char *pool)
{
	const struct slu_fstype *type = slu_fstype_find(bb->plan.driver);
	uint64_t size = 0;

	if (bb->state != SLU_BB_DONE || !bb->keeps ||
	    !slu_eq(bb->plan.pool, pool))
		return 0;
	if (type && type->remote)
		return bb->plan.capacity;
	for (size_t i = 0; i < bb->plan.n_node; i++)
		size += slu_bb_takes(bb, i);
	return size;
}

static void add_user(struct slu_buf *by, uint32_t uid, uint64_t size)
{
	const struct slu_pool_kept one = {.uid = uid, .size = size};
	struct slu_pool_kept *user = (struct slu_pool_kept *)(void *)by->data;

	for (size_t i = 0; i < by->len / sizeof(one); i++)
		if (user[i].uid == uid) {
			user[i].size += size;
			return;
		}
	slu_buf_add(by, &one, sizeof(one));
}

uint64_t slu_buffers_kept(const struct slu_buffers *b, const char *pool,
			  struct slu_buf *by)
{
	uint64_t sum = 0, size;

	for (const struct slu_bb *bb = b->first; bb; bb = bb->next) {
		size = kept_of(bb, pool);
		if (size)
			add_user(by, bb->plan.uid, size);
		sum += size;
	}
	return sum;
}

/* Time */

/* Forgets orders that slurmctld has carried out and saved. */
static int drop_resumes(struct slu_buffers *b, struct slu_bb *bb, double now,
			double *next, struct slu_err *err)
{
	struct slu_bb_member *m;
	double at;
	size_t i;

	for (i = 0; i < bb->plan.n_node; i++) {
		m = &bb->member[i];
		at = m->resumed + SLU_BB_SAVED;
		if (m->resumed <= 0)
			continue;
		if (now < at)
			*next = at < *next ? at : *next;
		else if (slu_bb_set_order(b->db, bb, i, SLU_ORDER_NONE, NULL,
					  now, err))
			return -1;
		else
			m->resumed = 0;
	}
	return 0;
}

/* Forgets a verdict that slurmctld has carried out and saved. */
static int drop_verdict(struct slu_buffers *b, struct slu_bb *bb, double now,
			double *next, struct slu_err *err)
{
	double at = bb->failure.done_at + SLU_BB_SAVED;

	if (bb->failure.done_at <= 0)
		return 0;
	if (now < at) {
		*next = at < *next ? at : *next;
		return 0;
	}
	if (slu_bb_set_verdict_done(b->db, bb, verdict_done, now, err))
		return -1;
	bb->failure.done_at = 0;
	return 0;
}

/* Does what is due at `now`; lowers *next to the time when something is due
 * again. */
static int tick_one(struct slu_buffers *b, struct slu_bb *bb, double now,
		    double *next, struct slu_err *err)
{
	double at = slu_bb_deadline(b, bb), left;

	if (slu_expiry_age(b, bb, err) || drop_resumes(b, bb, now, next, err) ||
	    drop_verdict(b, bb, now, next, err))
		return -1;
	if (bb->plan.persistent && slu_bb_reconcile(b, bb, now, err))
		return -1;
	left = bb->plan.persistent ? slu_expiry_left(b, bb, now) : 0;
	if (left > 0 && now + left < *next)
		*next = now + left;
	slu_bb_notify_delayed(b, bb, now, next);
	if (at > 0 && now >= at) {
		if (slu_bb_timed_out(b, bb, now, err))
			return -1;
		at = slu_bb_deadline(b, bb);
	}
	if (at > 0 && at < *next)
		*next = at;
	at = bb->failure.at + SLU_BB_BOUND;
	if (bb->failure.verdict == SLU_VERDICT_SENT &&
	    !bb->failure.bound_seen && now >= at) {
		bb->failure.bound_seen = true;
		slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
		if (slu_bb_reconcile(b, bb, now, err))
			return -1;
	}
	if (bb->failure.verdict == SLU_VERDICT_SENT &&
	    !bb->failure.bound_seen && at < *next)
		*next = at;
	if (bb->state > SLU_BB_STAGE_IN || bb->end.at > 0 || bb->failure.text)
		return 0;
	if (bb->plan.het_job && slu_bb_reconcile(b, bb, now, err))
		return -1;
	if (now >= bb->extended + EXTEND_INTERVAL)
		slu_bb_request_effects(b, bb, SLU_EFFECT_EXTEND);
	if (now + EXTEND_INTERVAL < *next)
		*next = now + EXTEND_INTERVAL;
	return 0;
}

/* By how much to shift a time stamp; 0 if it was taken with the new clock. */
static double moved(double time, double now, double step)
{
	bool old = step > 0 ? time <= now - step : time > now;

	return time > 0 && old ? step : 0;
}

void slu_buffers_clock(struct slu_buffers *b, double now, double step)
{
	struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next) {
		bb->grace += moved(bb->since, now, step);
		bb->failure.at += moved(bb->failure.at, now, step);
		bb->persistent.asked += moved(bb->persistent.asked, now, step);
		bb->failure.done_at += moved(bb->failure.done_at, now, step);
		bb->extended += moved(bb->extended, now, step);
		bb->notified.progress +=
			moved(bb->notified.progress, now, step);
		bb->notified.at += moved(bb->notified.at, now, step);
		for (size_t i = 0; i < bb->plan.n_node; i++)
			bb->member[i].resumed +=
				moved(bb->member[i].resumed, now, step);
	}
}

static void drop_over(struct slu_buffers *b, double now)
{
	struct slu_bb *bb, *next;

	for (bb = b->first; bb; bb = next) {
		next = bb->next;
		bb->keeps = slu_bb_keeps(bb, now);
		if (slu_bb_over(bb, now)) {
			slu_bb_leave(b, bb);
			slu_bb_free(bb);
		}
	}
}

double slu_buffers_tick(struct slu_buffers *b, double now)
{
	double next = now + TICK_MOST;
	struct slu_err err;
	struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next)
		if (tick_one(b, bb, now, &next, &err))
			slu_bb_log(b, bb, SLU_ERROR, "%s", err.text);
	slu_bb_carry_out(b, now);
	drop_over(b, now);
	return next > now ? next - now : 0;
}

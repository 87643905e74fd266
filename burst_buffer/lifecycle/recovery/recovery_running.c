/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repairs records of running jobs after an older database was restored, or one
 * was damaged. (1) The record is missing: slurmctld reports the job, a new
 * record is made, and a node that is already set up supplies plan and buffer
 * number; they are adopted only if they match the plan computed here. (2) The
 * record is still in setup: the first node that says it was ready moves it on,
 * so that data is staged out.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/pending/early_stage_in.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/lifecycle/recovery/recovery_running.h"
#include "burst_buffer/lifecycle/reconcile/room_shares.h"
#include "burst_buffer/lifecycle/row_changes.h"
#include "burst_buffer/plan/plan.h"
#include "common/str.h"

/* Largest plausible number of runs since the backup was made. */
#define LEAP (UINT64_C(1) << 32)

/* Has no node asked for its plan? Then either no prolog has started yet, or all
 * of them had ended before the record was made. */
static bool untouched(const struct slu_bb *bb)
{
	return bb->state == SLU_BB_SETUP && !bb->end.at && !bb->failure.text &&
	       !bb->plan.persistent &&
	       slu_bb_count(bb, SLU_IN(SLU_NODE_PLANNED)) == bb->plan.n_node;
}

/* Is this the number of an earlier run of the job? Then the node is behind. A
 * record that was marked broken does not count. */
static int was_earlier(struct slu_db *db, const struct slu_bb *bb,
		       uint64_t buffer, struct slu_err *err)
{
	struct slu_rows *rows;
	int rc;

	if (buffer == bb->id)
		return 0;
	rows = slu_db_query(db, err,
			    "SELECT 1 FROM Buffer WHERE BID = ? AND JobID = ?"
			    " AND Broken IS NULL",
			    "II", (int64_t)buffer, (int64_t)bb->plan.job_id);
	if (!rows)
		return -1;
	rc = slu_db_step(rows, err);
	slu_db_done(rows);
	return rc;
}

/* A node's plan is compared with the plan that was just made from the job's own
 * request, and only what this file names is taken over: root on one node must
 * not be able to reach others through it. */

static bool same_node(const struct slu_plan_node *a,
		      const struct slu_plan_node *b)
{
	return slu_eq(a->name, b->name) && slu_eq(a->part, b->part) &&
	       a->client == b->client;
}

static bool is_among(const struct slu_plan_node *node, size_t n,
		     const char *storage)
{
	bool is = false;

	for (size_t k = 0; !is && k < n; k++)
		is = slu_eq(slu_plan_device(node, k).storage, storage);
	return is;
}

/* Is each device of the offer's node i another one on which its share may lie,
 * and are their parts what it gives? On which of like devices a share lies
 * depended on what else lay there. */
static bool may_lie_there(struct slu_buffers *buffers, const struct slu_plan *a,
			  const struct slu_plan *b, size_t i)
{
	const struct slu_plan_site site = slu_bb_run_site(buffers);
	const struct slu_plan_node *node = &b->node[i];
	uint64_t left = node->capacity;
	bool may = slu_eq(a->node[i].storage, node->storage) ||
		   slu_plan_may_lie_in(a, i, node->storage, &site);

	for (size_t k = 0; may && k < node->n_more; k++) {
		may = node->more[k].capacity <= left &&
		      !is_among(node, k + 1, node->more[k].storage) &&
		      slu_plan_may_lie_in(a, i, node->more[k].storage, &site);
		left -= node->more[k].capacity;
	}
	return may;
}

static bool same_nodes(struct slu_buffers *buffers, const struct slu_plan *a,
		       const struct slu_plan *b)
{
	bool same = a->n_node == b->n_node;

	for (size_t i = 0; same && i < a->n_node; i++)
		same = same_node(&a->node[i], &b->node[i]) &&
		       may_lie_there(buffers, a, b, i);
	return same;
}

static bool same_stage(const struct slu_stage *a, const struct slu_stage *b)
{
	return a->out == b->out && slu_eq(a->source, b->source) &&
	       slu_eq(a->destination, b->destination) &&
	       slu_eq(a->type, b->type) && slu_eq(a->on, b->on) &&
	       a->content == b->content && a->apart == b->apart;
}

static bool same_stages(const struct slu_plan *a, const struct slu_plan *b)
{
	bool same = a->n_stage == b->n_stage;

	for (size_t i = 0; same && i < a->n_stage; i++)
		same = same_stage(&a->stage[i], &b->stage[i]);
	return same;
}

/* Layouts depend on the load of the targets when the job started, so they are
 * not compared. */
static bool same_stripes(const struct slu_plan *a, const struct slu_plan *b)
{
	bool same = a->n_stripe == b->n_stripe;

	for (size_t i = 0; same && i < a->n_stripe; i++)
		same = slu_eq(a->stripe[i].target, b->stripe[i].target) &&
		       slu_eq(a->stripe[i].program, b->stripe[i].program);
	return same;
}

static bool same_job(struct slu_buffers *buffers, const struct slu_plan *a,
		     const struct slu_plan *b)
{
	return a->job_id == b->job_id && a->restarts == b->restarts &&
	       a->uid == b->uid && a->gid == b->gid && slu_eq(a->fs, b->fs) &&
	       slu_eq(a->driver, b->driver) && a->capacity == b->capacity &&
	       a->use == b->use && a->use_job == b->use_job && !b->persistent &&
	       !b->early && same_nodes(buffers, a, b) && same_stages(a, b) &&
	       same_stripes(a, b);
}

/* Nodes may have uneven shares, by the space they had; together they give what
 * was asked for, each share rounded up. */
static bool shares_fit(const struct slu_plan *plan)
{
	uint64_t left = plan->capacity + 2 * plan->n_node;

	for (size_t i = 0; i < plan->n_node; i++) {
		const struct slu_plan_node *node = &plan->node[i];

		if (node->capacity > (node->client ? 0 : left))
			return false;
		left -= node->capacity;
	}
	return true;
}

/* Numbers only grow, and no restored database is older than this. */
static bool number_fits(const struct slu_bb *bb, uint64_t number)
{
	return number <= bb->id || number - bb->id <= LEAP;
}

static int take_devices(struct slu_plan_node *ours,
			const struct slu_plan_node *offer, struct slu_err *err)
{
	struct slu_plan_node now = {
		.storage = strdup(offer->storage),
		.more = calloc(offer->n_more + 1, sizeof(*now.more))};
	bool all = now.storage && now.more;

	for (; all && now.n_more < offer->n_more; now.n_more += all) {
		const struct slu_plan_device *from = &offer->more[now.n_more];
		char *storage = strdup(from->storage);

		all = storage;
		now.more[now.n_more] =
			(struct slu_plan_device){storage, from->capacity};
	}
	if (all) {
		struct slu_plan_node was = {.storage = ours->storage,
					    .more = ours->more,
					    .n_more = ours->n_more};

		ours->storage = now.storage;
		ours->more = now.more;
		ours->n_more = now.n_more;
		now = was;
	}
	slu_msg_clear(&slu_plan_node_desc, &now);
	return all ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

static int take_nodes(struct slu_plan *ours, const struct slu_plan *offer,
		      struct slu_err *err)
{
	for (size_t i = 0; i < ours->n_node; i++) {
		ours->node[i].capacity = offer->node[i].capacity;
		if (take_devices(&ours->node[i], &offer->node[i], err))
			return -1;
	}
	return 0;
}

/* Completes the plan that was made here by what only the node knows: the
 * buffer's number, the shares and where they lie, and that data was staged in
 * before the run (by which instance is not known any more, and that number may
 * be reused). */
static int take_plan(struct slu_buffers *b, struct slu_plan *ours,
		     const struct slu_plan *offer, struct slu_err *err)
{
	if (offer->staged && !ours->staged)
		slu_plan_keep_stage_outs(ours);
	if (!same_job(b, ours, offer) || !shares_fit(offer))
		return slu_err(err, SLU_INVALID,
			       "the node's plan is not one of job %u",
			       (unsigned)ours->job_id);
	ours->buffer = offer->buffer;
	return take_nodes(ours, offer, err);
}

static int put_rows(struct slu_db *db, const struct slu_bb *bb, uint64_t number,
		    const char *plan, const char *text, double now,
		    struct slu_err *err)
{
	int64_t id = (int64_t)bb->id;

	/* Later runs get higher numbers. */
	if (slu_db_exec(db, err,
			"UPDATE sqlite_sequence SET seq = max(seq, ?)"
			" WHERE name = 'Buffer'",
			"I", (int64_t)number) < 0)
		return -1;
	/* how long set-up took is not known: no time is given back for it */
	if (slu_db_exec(db, err,
			"UPDATE Buffer SET Plan = ?, State = ?, Since = ?,"
			" Ready = ? WHERE BID = ? AND State = ?",
			"siddIi", plan, (int)SLU_BB_RUNNING, now,
			(double)bb->job_start, id, (int)bb->state) != 1 ||
	    slu_db_exec(db, err,
			"UPDATE BufferNode SET State = ? WHERE BID = ?", "iI",
			(int)SLU_NODE_READY, id) < 0)
		return -1;
	return slu_rows_history(db, bb->id, SLU_BB_RUNNING, text, now, err);
}

static int put(struct slu_buffers *b, const struct slu_bb *bb,
	       const struct slu_plan *plan, const char *text, double now,
	       struct slu_err *err)
{
	char *json = slu_encode_text(&slu_plan_desc, plan);
	int rc = -1;

	if (!json)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_db_begin(b->db, err) == 0) {
		rc = put_rows(b->db, bb, plan->buffer, json, text, now, err);
		if (rc || slu_db_commit(b->db, err)) {
			slu_db_rollback(b->db);
			rc = -1;
		}
	}
	free(json);
	return rc;
}

/* Memory follows the database. */
static void become(struct slu_bb *bb, struct slu_bb *with, double now)
{
	for (size_t i = 0; i < with->plan.n_node; i++)
		with->member[i].state = SLU_NODE_READY;
	slu_bb_exchange(bb, with);
	bb->state = SLU_BB_RUNNING;
	bb->since = now;
	bb->ready = (double)bb->job_start;
}

/* Makes a new record with the plan that bb is to have. */
static struct slu_bb *make(struct slu_buffers *b, const struct slu_bb *bb,
			   const struct slu_plan *offer, struct slu_err *err)
{
	struct slu_bb *with;
	struct slu_plan plan;

	if (slu_bb_copy_plan(&bb->plan, &plan, err))
		return NULL;
	if (take_plan(b, &plan, offer, err)) {
		slu_msg_clear(&slu_plan_desc, &plan);
		return NULL;
	}
	with = slu_bb_with_plan(&plan);
	if (!with)
		slu_err(err, SLU_NOMEM, "out of memory");
	return with;
}

static int adopt(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		 const struct slu_plan *offer, double now, struct slu_err *err)
{
	struct slu_bb *with = make(b, bb, offer, err);
	char text[300];
	int rc;

	if (!with)
		return -1;
	snprintf(text, sizeof(text),
		 "taken over from %.200s as %llu: the database is older", node,
		 (unsigned long long)offer->buffer);
	rc = put(b, bb, &with->plan, text, now, err);
	if (rc == 0)
		become(bb, with, now);
	slu_bb_free(with);
	if (rc)
		return -1;
	slu_bb_log(b, bb, SLU_WARN, "%s", text);
	slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
	slu_bb_resend_all(b, bb);
	return slu_bb_reconcile(b, bb, now, err);
}

static int hear(struct slu_buffers *b, struct slu_bb *bb,
		const struct slu_node_ask *ask, double now, struct slu_err *err)
{
	struct slu_plan offer;
	int rc;

	if (slu_decode_text(&slu_plan_desc, ask->plan, strlen(ask->plan),
			    &offer, err))
		return -1;
	if (offer.buffer != ask->buffer || !number_fits(bb, offer.buffer))
		rc = slu_err(err, SLU_INVALID,
			     "%llu cannot be the number of a buffer of job "
			     "%u",
			     (unsigned long long)offer.buffer,
			     (unsigned)ask->job_id);
	else
		rc = adopt(b, bb, ask->node, &offer, now, err);
	slu_msg_clear(&slu_plan_desc, &offer);
	return rc;
}

/* Sets all nodes ready, also those that count as clean because they never asked
 * for the plan. */
static int set_ready(struct slu_buffers *b, struct slu_bb *bb,
		     struct slu_err *err)
{
	if (slu_db_exec(b->db, err,
			"UPDATE BufferNode SET State = ? WHERE BID = ? AND"
			" State <> ?",
			"iIi", (int)SLU_NODE_READY, (int64_t)bb->id,
			(int)SLU_NODE_LOST) < 0)
		return -1;
	for (size_t i = 0; i < bb->plan.n_node; i++)
		if (bb->member[i].state != SLU_NODE_LOST)
			bb->member[i].state = SLU_NODE_READY;
	return 0;
}

/* Removes the recorded failure of set-up, which did not fail: no node is ready
 * before all are. Its verdict may have ended the job, but the data is saved. */
static int forgive(struct slu_buffers *b, struct slu_bb *bb, double now,
		   struct slu_err *err)
{
	char text[500];

	if (!bb->failure.text)
		return 0;
	snprintf(text, sizeof(text), "was wrong: %.450s", bb->failure.text);
	if (slu_db_exec(b->db, err,
			"UPDATE Buffer SET Failure = NULL, FailedIn = NULL,"
			" FailedAt = NULL, Verdict = ?, What = NULL,"
			" Without = NULL"
			" WHERE BID = ?",
			"iI", (int)SLU_VERDICT_NONE, (int64_t)bb->id) < 0 ||
	    slu_bb_note(b->db, bb, text, now, err))
		return -1;
	free(bb->failure.text);
	free(bb->failure.without);
	bb->failure.text = bb->failure.without = NULL;
	bb->failure.verdict = SLU_VERDICT_NONE;
	bb->failure.answered = bb->failure.bound_seen = false;
	bb->failure.at = bb->failure.done_at = 0;
	return 0;
}

/* Is the record behind? In a persistent buffer the servers of other nodes are
 * not known then: `serve` sets it up again. */
static bool is_behind(const struct slu_bb *bb)
{
	return bb->ready <= 0 && !bb->plan.persistent &&
	       !(bb->failure.text && bb->failure.in > SLU_BB_STAGE_IN) &&
	       slu_bb_next(bb->state, SLU_BB_RAN);
}

int slu_recover_ran(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		    double now, struct slu_err *err)
{
	char text[300];

	if (!is_behind(bb))
		return 0;
	snprintf(text, sizeof(text),
		 "%.200s says that the job has run: the database is older",
		 node);
	if (set_ready(b, bb, err) || forgive(b, bb, now, err) ||
	    slu_bb_advance(b->db, bb, SLU_BB_RAN, text, now, err))
		return -1;
	slu_bb_log(b, bb, SLU_WARN, "%s", text);
	slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
	slu_bb_resend_all(b, bb);
	return slu_bb_reconcile(b, bb, now, err);
}

int slu_recover_running(struct slu_buffers *b, const struct slu_node_ask *ask,
			double now, struct slu_err *err)
{
	struct slu_bb *bb = slu_bb_of(b, ask->job_id);
	int rc;

	if (!ask->ready || !ask->buffer || !bb || !untouched(bb) ||
	    slu_bb_index(bb, ask->node) < 0)
		return 0;
	rc = was_earlier(b->db, bb, ask->buffer, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	return ask->plan ? hear(b, bb, ask, now, err) : 1;
}

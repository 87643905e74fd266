/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs that the database has lost: it was restored, as it was before they
 * began. slurmctld tells of a job that runs, of which nothing is known, and so
 * a buffer is begun for it that no prolog will ever come for. But the job's
 * nodes know better: they are ready, and have their plan. With that the buffer
 * becomes theirs, under the number that they know it by, before it is too late
 * to be set up; what the job has written is staged out as if nothing had been.
 */
#include "config.h"
#include <string.h>
#include "burst_buffer/live.h"
#include "burst_buffer/plan.h"
#include "common/str.h"

/* Nobody has asked for its plan: either no prolog has begun yet, or all were
 * over before it was made. */
static bool untouched(const struct slu_bb *bb)
{
	return bb->state == SLU_BB_SETUP && !bb->ended && !bb->failure &&
	       !bb->plan.persistent &&
	       slu_bb_count(bb, SLU_IN(SLU_NODE_PLANNED)) == bb->plan.n_node;
}

/* Is this number one of the job's earlier runs? Then the node is behind. */
static int was_earlier(struct slu_db *db, const struct slu_bb *bb,
		       uint64_t buffer, struct slu_err *err)
{
	struct slu_rows *rows;
	int rc;

	if (buffer == bb->id)
		return 0;
	rows = slu_db_query(db, err,
			    "SELECT 1 FROM Buffer WHERE BID = ? AND JobID = ?",
			    "II", (int64_t)buffer, (int64_t)bb->plan.job_id);
	if (!rows)
		return -1;
	rc = slu_db_step(rows, err);
	slu_db_done(rows);
	return rc;
}

static bool same_job(const struct slu_plan *a, const struct slu_plan *b)
{
	bool same = a->job_id == b->job_id && a->uid == b->uid &&
		    a->gid == b->gid && a->n_node == b->n_node &&
		    !b->persistent;

	for (size_t i = 0; same && i < a->n_node; i++)
		same = slu_eq(a->node[i].name, b->node[i].name);
	return same;
}

static int put_rows(struct slu_db *db, const struct slu_bb *bb,
		    const char *plan, const char *text, double now,
		    struct slu_err *err)
{
	int64_t id = (int64_t)bb->id;

	/* what setting up took is not known: nothing is given back for it */
	if (slu_db_exec(db, err,
			"UPDATE Buffer SET Plan = ?, State = ?, Since = ?,"
			" Ready = ? WHERE BID = ? AND State = ?",
			"siddIi", plan, (int)SLU_BB_RUNNING, now,
			(double)bb->job_start, id, (int)bb->state) != 1 ||
	    slu_db_exec(db, err,
			"UPDATE BufferNode SET State = ? WHERE BID = ?", "iI",
			(int)SLU_NODE_READY, id) < 0)
		return -1;
	return slu_db_exec(db, err,
			   "INSERT INTO BufferHistory (BID, Time, State, Text)"
			   " VALUES (?, ?, ?, ?)",
			   "Idis", id, now, (int)SLU_BB_RUNNING, text) == 1
		       ? 0
		       : -1;
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
		rc = put_rows(b->db, bb, json, text, now, err);
		if (rc || slu_db_commit(b->db, err)) {
			slu_db_rollback(b->db);
			rc = -1;
		}
	}
	free(json);
	return rc;
}

/* Memory follows. */
static void become(struct slu_bb *bb, struct slu_bb *with, double now)
{
	for (size_t i = 0; i < with->plan.n_node; i++)
		with->member[i].state = SLU_NODE_READY;
	slu_bb_exchange(bb, with);
	bb->state = SLU_BB_RUNNING;
	bb->since = now;
	bb->ready = (double)bb->job_start;
}

static int adopt(struct slu_buffers *b, struct slu_bb *bb,
		 const struct slu_node_ask *ask, struct slu_plan *plan,
		 double now, struct slu_err *err)
{
	struct slu_bb *with;
	char text[300];
	int rc;

	if (!same_job(&bb->plan, plan) || plan->buffer != ask->buffer)
		return slu_err(err, SLU_INVALID,
			       "this is not the plan of job %u",
			       (unsigned)ask->job_id);
	snprintf(text, sizeof(text),
		 "taken over from %.200s as %llu: the database is older",
		 ask->node, (unsigned long long)plan->buffer);
	with = slu_bb_with_plan(plan);
	if (!with)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = put(b, bb, &with->plan, text, now, err);
	if (rc == 0)
		become(bb, with, now);
	slu_bb_free(with);
	if (rc)
		return -1;
	slu_bb_log(b, bb, SLU_WARN, "%s", text);
	slu_bb_wake(b, bb);
	slu_bb_tell_all(b, bb, now);
	return slu_bb_settle(b, bb, now, err);
}

int slu_bb_adopt(struct slu_buffers *b, const struct slu_node_ask *ask,
		 double now, struct slu_err *err)
{
	struct slu_bb *bb = b->first;
	struct slu_plan plan;
	int rc;

	while (bb && bb->plan.job_id != ask->job_id)
		bb = bb->next;
	if (!ask->ready || !ask->buffer || !bb || !untouched(bb) ||
	    slu_bb_index(bb, ask->node) < 0)
		return 0;
	rc = was_earlier(b->db, bb, ask->buffer, err);
	if (rc)
		return rc < 0 ? -1 : 0;
	if (!ask->plan)
		return 1;
	if (slu_decode_text(&slu_plan_desc, ask->plan, strlen(ask->plan), &plan,
			    err))
		return -1;
	rc = adopt(b, bb, ask, &plan, now, err);
	slu_msg_clear(&slu_plan_desc, &plan);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads buffers from the database at start: those that are alive, those that
 * are done except for nodes that have to clean up or be resumed, and those that
 * ended recently, for late messages. A row that makes no sense is marked
 * broken, with the reason, and never read again; the others load.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/fullness.h"
#include "burst_buffer/lifecycle/recovery/recovery.h"
#include "common/jsonx.h"
#include "common/str.h"

static int wrong(struct slu_err *err, const char *what)
{
	return slu_err(err, SLU_INVALID, "%s makes no sense", what);
}

static char *copy_text(struct slu_rows *rows, int column)
{
	const char *text = slu_db_text(rows, column);

	return text ? strdup(text) : NULL;
}

static const char buffer_sql[] =
	"SELECT State, Restarts, JobStart, Created, Since, Ready, Ended,"
	" Success, Requeued, FailedIn, FailedAt, Verdict, What, User, Failure,"
	" Plan, Unlaunched, Destroy, Unsaved, Aged, Without FROM Buffer WHERE BID = ?";

static int read_buffer(struct slu_bb *bb, struct slu_rows *rows,
		       struct slu_err *err)
{
	const char *plan = slu_db_text(rows, 15);

	bb->state = (enum slu_bb_state)slu_db_int(rows, 0);
	bb->restarts = (uint32_t)slu_db_int(rows, 1);
	bb->job_start = slu_db_int(rows, 2);
	bb->created = slu_db_double(rows, 3);
	bb->since = slu_db_double(rows, 4);
	bb->ready = slu_db_double(rows, 5);
	bb->end.at = slu_db_double(rows, 6);
	bb->end.outcome = (enum slu_bb_outcome)slu_db_int(rows, 7);
	bb->end.requeued = slu_db_int(rows, 8) != 0;
	bb->end.unlaunched = slu_db_int(rows, 16) != 0;
	bb->end.hurry = slu_db_int(rows, 16) == 2;
	bb->persistent.destroy = (enum slu_bb_destroy)slu_db_int(rows, 17);
	bb->persistent.unsaved = copy_text(rows, 18);
	bb->persistent.aged = copy_text(rows, 19);
	bb->failure.in = (enum slu_bb_state)slu_db_int(rows, 9);
	bb->failure.at = slu_db_double(rows, 10);
	bb->failure.verdict = (enum slu_bb_verdict)slu_db_int(rows, 11);
	bb->failure.what = (enum slu_on_failure)slu_db_int(rows, 12);
	bb->user = copy_text(rows, 13);
	bb->failure.text = copy_text(rows, 14);
	bb->failure.without = copy_text(rows, 20);
	if (!slu_bb_name((int)bb->state) ||
	    (unsigned)bb->failure.verdict > SLU_VERDICT_DONE ||
	    (unsigned)bb->end.outcome > SLU_OUTCOME_UNSURE ||
	    (unsigned)bb->persistent.destroy > SLU_DESTROY_FORCE ||
	    (unsigned)bb->failure.what > SLU_COMPLETE ||
	    (bb->failure.text && !slu_bb_name((int)bb->failure.in)))
		return wrong(err, "its state");
	if (slu_decode_text(&slu_plan_desc, plan ? plan : "",
			    plan ? strlen(plan) : 0, &bb->plan, err))
		return slu_err_prefix(err, "its plan");
	if (!bb->plan.buffer) /* else it was taken over from a node */
		bb->plan.buffer = bb->id;
	if (slu_bb_alloc_members(bb))
		return slu_err(err, SLU_NOMEM, "out of memory");
	return 0;
}

static int read_node(struct slu_bb *bb, struct slu_rows *rows,
		     struct slu_err *err)
{
	const char *name = slu_db_text(rows, 1);
	int64_t i = slu_db_int(rows, 0), state = slu_db_int(rows, 2),
		order = slu_db_int(rows, 3), keeping = slu_db_int(rows, 5);

	if (i < 0 || (size_t)i >= bb->plan.n_node || !name ||
	    strcmp(name, bb->plan.node[i].name) != 0 || state < 1 ||
	    state > SLU_NODE_LOST || order < 0 || order > SLU_ORDER_RESUME ||
	    keeping < 0 || keeping > SLU_KEEPING_REMOVED)
		return wrong(err, "one of its nodes");
	bb->member[i].state = (enum slu_bb_node)state;
	bb->member[i].order = (enum slu_bb_order)order;
	bb->member[i].keeping = (enum slu_bb_keeping)keeping;
	if (slu_db_type(rows, 4) == SLU_DB_INTEGER)
		slu_bb_used_known(bb, (size_t)i, slu_db_int(rows, 4));
	return 0;
}

static int read_step(struct slu_bb *bb, struct slu_rows *rows,
		     struct slu_err *err)
{
	const char *name = slu_db_text(rows, 0), *step = slu_db_text(rows, 1);
	const char *text = slu_db_text(rows, 6);
	const struct slu_bb_share share = {(uint64_t)slu_db_int(rows, 2),
					   (uint64_t)slu_db_int(rows, 3),
					   (uint64_t)slu_db_int(rows, 4),
					   (uint64_t)slu_db_int(rows, 5),
					   text && slu_eq(text, SLU_BY_HOLDERS),
					   {(uint64_t)slu_db_int(rows, 7),
					    (uint64_t)slu_db_int(rows, 8),
					    (uint64_t)slu_db_int(rows, 9)}};
	long i = name ? slu_bb_index(bb, name) : -1;

	if (i < 0 || !step)
		return wrong(err, "one of its steps");
	slu_bb_note_step(bb, (size_t)i, step, &share);
	return 0;
}

static int read_gate(struct slu_bb *bb, struct slu_rows *rows,
		     struct slu_err *err)
{
	const char *name = slu_db_text(rows, 0), *text = slu_db_text(rows, 1);
	struct slu_bb_barrier *barrier = name ? slu_bb_barrier(bb, name) : NULL;
	struct json_object *attr, *one;
	size_t i;
	int rc = 0;

	attr = barrier && text ? slu_json_parse(text, strlen(text), err) : NULL;
	if (!attr || !json_object_is_type(attr, json_type_array) ||
	    json_object_array_length(attr) != bb->plan.n_node)
		rc = wrong(err, "one of its barriers");
	for (i = 0; rc == 0 && i < bb->plan.n_node; i++) {
		one = json_object_array_get_idx(attr, i);
		if (!one)
			continue;
		barrier->attr[i] = strdup(json_object_get_string(one));
		if (!barrier->attr[i])
			rc = slu_err(err, SLU_NOMEM, "out of memory");
	}
	if (rc == 0)
		barrier->open = true;
	json_object_put(attr);
	return rc;
}

/* When it entered a state; together with the state before, how long staging
 * took. */
static int read_began(struct slu_bb *bb, struct slu_rows *rows,
		      struct slu_err *err)
{
	const int64_t state = slu_db_int(rows, 0);
	const bool out = state == SLU_BB_STAGE_OUT || state == SLU_BB_TEARDOWN;
	const double at = slu_db_double(rows, 1);

	(void)err;
	if (state == SLU_BB_STAGE_IN || state == SLU_BB_STAGE_OUT)
		bb->took[out] = -at;
	else if (bb->took[out] < 0)
		bb->took[out] += at;
	return 0;
}

typedef int read_f(struct slu_bb *bb, struct slu_rows *rows,
		   struct slu_err *err);

/* Read every row of one statement; returns their number, or -1. */
static long read_rows(struct slu_db *db, struct slu_bb *bb, const char *sql,
		      read_f *read, struct slu_err *err)
{
	struct slu_rows *rows =
		slu_db_query(db, err, sql, "I", (int64_t)bb->id);
	long n = 0;
	int rc;

	if (!rows)
		return -1;
	while ((rc = slu_db_step(rows, err)) > 0 && read(bb, rows, err) == 0)
		n++;
	slu_db_done(rows);
	return rc == 0 ? n : -1;
}

static int read_all(struct slu_db *db, struct slu_bb *bb, struct slu_err *err)
{
	long n;

	n = read_rows(db, bb, buffer_sql, read_buffer, err);
	if (n != 1)
		return n < 0 ? -1 : wrong(err, "it");
	n = read_rows(db, bb,
		      "SELECT Position, Node, State, Orders, UsedMost, Keeping"
		      " FROM BufferNode"
		      " WHERE BID = ?",
		      read_node, err);
	if (n < 0 || (size_t)n != bb->plan.n_node)
		return n < 0 ? -1 : wrong(err, "the number of its nodes");
	if (read_rows(db, bb,
		      "SELECT Node, Step, Bytes, Files, TotalBytes,"
		      " TotalFiles, Text, CacheHits, CacheMisses, CacheBytes"
		      " FROM BufferPhase WHERE BID = ?"
		      " AND (Ok = 1 OR Step = '" SLU_BB_BROKEN "')",
		      read_step, err) < 0 ||
	    read_rows(db, bb, "SELECT Name, Attr FROM BufferGate WHERE BID = ?",
		      read_gate, err) < 0 ||
	    read_rows(db, bb,
		      "SELECT State, MIN(Time) FROM BufferHistory"
		      " WHERE BID = ? AND State BETWEEN 2 AND 5"
		      " GROUP BY State ORDER BY State",
		      read_began, err) < 0)
		return -1;
	return 0;
}

static int set_aside(struct slu_buffers *b, const struct slu_bb *bb,
		     const struct slu_err *why, struct slu_err *err)
{
	slu_bb_log(b, bb, SLU_ERROR, "set aside, its rows cannot be read: %s",
		   why->text);
	return slu_db_exec(b->db, err,
			   "UPDATE Buffer SET Broken = ? WHERE BID = ?", "sI",
			   why->text, (int64_t)bb->id) < 0
		       ? -1
		       : 0;
}

static int load_one(struct slu_buffers *b, uint64_t id, double now,
		    struct slu_err *err)
{
	struct slu_bb *bb = calloc(1, sizeof(*bb));
	struct slu_err why = {0};
	int rc;

	if (!bb)
		return slu_err(err, SLU_NOMEM, "out of memory");
	bb->id = id;
	if (read_all(b->db, bb, &why) == 0) {
		/* its deadline begins anew: nodes could not report meanwhile */
		bb->grace = now - bb->since;
		bb->persistent.asked = now;
		bb->loaded = true;
		slu_bb_join(b, bb);
		return 0;
	}
	if (why.kind == SLU_INVALID) {
		rc = set_aside(b, bb, &why, err);
	} else {
		if (err)
			*err = why;
		rc = -1;
	}
	slu_bb_free(bb);
	return rc;
}

/* The ids are read first, as loading a buffer writes. Oldest first, so that the
 * newest heads the list. */
int slu_bb_load(struct slu_buffers *b, double now, struct slu_err *err)
{
	struct slu_buf ids = {0};
	struct slu_rows *rows = slu_db_query(
		b->db, err,
		"SELECT BID FROM Buffer WHERE (State < 6 OR Since > ?"
		" OR (FailedIn IN (3, 4) AND Since > ?)) AND Broken IS NULL"
		" UNION SELECT BID FROM BufferNode JOIN Buffer USING (BID)"
		" WHERE (BufferNode.State = 6 OR Orders <> 0)"
		" AND Broken IS NULL AND Since > ? ORDER BY BID",
		"ddd", now - SLU_BB_ANSWER_SECONDS,
		now - (double)b->conf->keep_failed, now - SLU_BB_FORGET);
	uint64_t id;
	size_t at;
	int rc;

	if (!rows)
		return -1;
	while ((rc = slu_db_step(rows, err)) > 0) {
		id = (uint64_t)slu_db_int(rows, 0);
		slu_buf_add(&ids, &id, sizeof(id));
	}
	slu_db_done(rows);
	for (at = 0; rc == 0 && at + sizeof(id) <= ids.len; at += sizeof(id)) {
		memcpy(&id, ids.data + at, sizeof(id));
		rc = load_one(b, id, now, err);
	}
	slu_buf_free(&ids);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a buffer's rows to the database. Each function is one transaction, and
 * the record in memory is changed only after the commit: so memory never has
 * more than the database, whatever fails.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/row_changes.h"
#include "burst_buffer/plan/plan.h"
#include "common/str.h"

/* These numbers are in databases; those of states are checked in
 * transitions.c. */
_Static_assert(SLU_ORDER_NONE == 0 && SLU_ORDER_DRAIN == 1 &&
		       SLU_ORDER_RESUME == 2,
	       "numbers of orders are for ever");
_Static_assert(SLU_VERDICT_NONE == 0 && SLU_VERDICT_SENT == 1 &&
		       SLU_VERDICT_DONE == 2,
	       "numbers of verdicts are for ever");
_Static_assert(SLU_OUTCOME_FAILED == 0 && SLU_OUTCOME_SUCCESS == 1 &&
		       SLU_OUTCOME_UNSURE == 2,
	       "numbers of outcomes are for ever");
_Static_assert(SLU_DESTROY_NO == 0 && SLU_DESTROY_SAFE == 1 &&
		       SLU_DESTROY_FORCE == 2,
	       "numbers of destroy are for ever");
_Static_assert(SLU_REQUEUE == 0 && SLU_HOLD == 1 && SLU_FAIL == 2 &&
		       SLU_CANCEL == 3 && SLU_COMPLETE == 4,
	       "numbers of policies are for ever");

static int insert_nodes(struct slu_db *db, const struct slu_bb *bb,
			struct slu_err *err)
{
	size_t i;

	for (i = 0; i < bb->plan.n_node; i++)
		if (slu_db_exec(db, err,
				"INSERT INTO BufferNode"
				" (BID, Position, Node, State)"
				" VALUES (?, ?, ?, ?)",
				"Iisi", (int64_t)bb->id, (int)i,
				bb->plan.node[i].name,
				(int)bb->member[i].state) != 1)
			return -1;
	return 0;
}

static int planned(struct slu_db *db, const struct slu_bb *bb,
		   struct slu_err *err)
{
	char *parts = slu_plan_parts_text(&bb->plan), *text = NULL;
	int rc;

	if (parts)
		text = slu_asprintf("planned%s%s",
				    *parts ? ", split into " : "", parts);
	rc = text ? slu_rows_history(db, bb->id, bb->state, text, bb->created,
				     err)
		  : slu_err(err, SLU_NOMEM, "out of memory");
	free(parts);
	free(text);
	return rc;
}

int slu_bb_insert(struct slu_db *db, struct slu_bb *bb, const char *job_name,
		  struct slu_err *err)
{
	const struct slu_plan *p = &bb->plan;
	char *plan = slu_encode_text(&slu_plan_desc, p);
	int rc = -1;

	if (!plan)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_db_begin(db, err) == 0) {
		if (slu_db_exec(db, err,
				"INSERT INTO Buffer (JobID, Restarts, Uid,"
				" User, JobName, Name, FileSystem, Driver,"
				" Capacity, Nodes, State, Created, Since,"
				" JobStart, Plan) VALUES (?, ?, ?, ?, ?, ?,"
				" ?, ?, ?, ?, ?, ?, ?, ?, ?)",
				"IIIsssssIiiddIs", (int64_t)p->job_id,
				(int64_t)bb->restarts, (int64_t)p->uid,
				bb->user, job_name, p->name, p->fs, p->driver,
				(int64_t)p->capacity, (int)p->n_node,
				(int)bb->state, bb->created, bb->since,
				bb->job_start, plan) == 1) {
			bb->id = bb->plan.buffer = (uint64_t)slu_db_last_id(db);
			rc = insert_nodes(db, bb, err);
		}
		if (rc == 0)
			rc = planned(db, bb, err);
		rc = slu_rows_finish(db, rc, err);
	}
	free(plan);
	return rc;
}

/* Columns that change together with the state. */
static int update_state(struct slu_db *db, const struct slu_bb *bb,
			enum slu_bb_state next, double now, struct slu_err *err)
{
	if (slu_rows_one(slu_db_exec(db, err,
				     "UPDATE Buffer SET State = ?, Since = ?"
				     " WHERE BID = ? AND State = ?",
				     "idIi", (int)next, now, (int64_t)bb->id,
				     (int)bb->state),
			 bb, err))
		return -1;
	if (next == SLU_BB_RUNNING)
		return slu_db_exec(db, err,
				   "UPDATE Buffer SET Ready = ? WHERE BID = ?",
				   "dI", now, (int64_t)bb->id) == 1
			       ? 0
			       : -1;
	if (next == SLU_BB_DONE)
		return slu_db_exec(db, err,
				   "DELETE FROM BufferGate WHERE BID = ?", "I",
				   (int64_t)bb->id) < 0
			       ? -1
			       : 0;
	return 0;
}

int slu_bb_advance(struct slu_db *db, struct slu_bb *bb,
		   enum slu_bb_event event, const char *text, double now,
		   struct slu_err *err)
{
	enum slu_bb_state next = slu_bb_next(bb->state, event);

	if (!next)
		return slu_err(err, SLU_INTERNAL, "event %d in state %s",
			       (int)event, slu_bb_name((int)bb->state));
	if (slu_db_begin(db, err) ||
	    slu_rows_finish(db,
			    update_state(db, bb, next, now, err) ||
					    slu_rows_history(db, bb->id, next,
							     text, now, err)
				    ? -1
				    : 0,
			    err))
		return -1;
	bb->state = next;
	bb->since = now;
	bb->grace = 0;
	if (next == SLU_BB_RUNNING)
		bb->ready = now;
	return 0;
}

/* Nodes that have not asked for the plan yet never will. */
static int forgo_nodes(struct slu_db *db, const struct slu_bb *bb,
		       struct slu_err *err)
{
	return slu_db_exec(db, err,
			   "UPDATE BufferNode SET State = ?"
			   " WHERE BID = ? AND State = ?",
			   "iIi",
			   (int)slu_node_next(SLU_NODE_PLANNED, SLU_NODE_FORGO),
			   (int64_t)bb->id, (int)SLU_NODE_PLANNED) < 0
		       ? -1
		       : 0;
}

int slu_bb_set_ended(struct slu_db *db, struct slu_bb *bb,
		     const struct slu_bb_end *how, const char *text, double now,
		     struct slu_err *err)
{
	long changed = -1;
	size_t i;

	if (slu_db_begin(db, err))
		return -1;
	if (forgo_nodes(db, bb, err) == 0)
		changed = slu_db_exec(
			db, err,
			"UPDATE Buffer SET Ended = ?,"
			" Success = ?, Requeued = ?,"
			" Unlaunched = ?"
			" WHERE BID = ? AND Ended IS NULL",
			"diiiI", now, (int)how->outcome, (int)how->requeued,
			how->unlaunched ? 1 + how->hurry : 0, (int64_t)bb->id);
	if (slu_rows_update(db, bb, changed, text, now, err))
		return -1;
	bb->end = *how;
	bb->end.at = now;
	for (i = 0; i < bb->plan.n_node; i++)
		bb->member[i].state =
			slu_node_next(bb->member[i].state, SLU_NODE_FORGO);
	return 0;
}

int slu_bb_set_start(struct slu_db *db, struct slu_bb *bb, int64_t start,
		     struct slu_err *err)
{
	if (slu_rows_one(
		    slu_db_exec(db, err,
				"UPDATE Buffer SET JobStart = ? WHERE BID = ?",
				"II", start, (int64_t)bb->id),
		    bb, err))
		return -1;
	bb->job_start = start;
	return 0;
}

static int write_plan(struct slu_db *db, struct slu_bb *bb, double since,
		      const char *text, const char *plan, double now,
		      struct slu_err *err)
{
	if (slu_db_begin(db, err))
		return -1;
	return slu_rows_finish(
		db,
		slu_rows_one(slu_db_exec(db, err,
					 "UPDATE Buffer SET Since = ?, Plan = ?"
					 " WHERE BID = ?",
					 "dsI", since, plan, (int64_t)bb->id),
			     bb, err) ||
				slu_rows_history(db, bb->id, bb->state, text,
						 now, err)
			? -1
			: 0,
		err);
}

int slu_bb_set_plan(struct slu_db *db, struct slu_bb *bb, double since,
		    const char *text, double now, struct slu_err *err)
{
	char *plan = slu_encode_text(&slu_plan_desc, &bb->plan);
	int rc = plan ? write_plan(db, bb, since, text, plan, now, err)
		      : slu_err(err, SLU_NOMEM, "out of memory");

	free(plan);
	if (rc == 0)
		bb->since = since;
	return rc;
}

int slu_bb_set_booted(struct slu_db *db, struct slu_bb *bb, const char *text,
		      double now, struct slu_err *err)
{
	if (slu_bb_set_plan(db, bb, now, text, now, err))
		return -1;
	bb->grace = 0;
	return 0;
}

int slu_bb_set_failure(struct slu_db *db, struct slu_bb *bb,
		       enum slu_bb_state in, const char *text,
		       enum slu_bb_verdict verdict, enum slu_on_failure what,
		       const char *without, double now, struct slu_err *err)
{
	char *copy = strdup(text), *nodes = without ? strdup(without) : NULL;
	int rc = copy && (nodes || !without)
			 ? slu_db_begin(db, err)
			 : slu_err(err, SLU_NOMEM, "out of memory");

	if (rc == 0)
		rc = slu_rows_update(
			db, bb,
			slu_db_exec(db, err,
				    "UPDATE Buffer SET Failure = ?,"
				    " FailedIn = ?, FailedAt = ?, Verdict = ?,"
				    " What = ?, Without = ? WHERE BID = ?"
				    " AND Failure IS NULL",
				    "sidiisI", text, (int)in, now, (int)verdict,
				    (int)what, without, (int64_t)bb->id),
			text, now, err);
	if (rc) {
		free(copy);
		free(nodes);
		return -1;
	}
	bb->failure = (struct slu_bb_failure){
		.text = copy,
		.without = nodes,
		.in = in,
		.at = now,
		.verdict = verdict,
		.what = what,
	};
	return 0;
}

int slu_bb_set_verdict_done(struct slu_db *db, struct slu_bb *bb,
			    const char *text, double now, struct slu_err *err)
{
	if (slu_db_begin(db, err) ||
	    slu_rows_update(db, bb,
			    slu_db_exec(db, err,
					"UPDATE Buffer SET Verdict = ?"
					" WHERE BID = ? AND Verdict = ?",
					"iIi", (int)SLU_VERDICT_DONE,
					(int64_t)bb->id, (int)SLU_VERDICT_SENT),
			    text, now, err))
		return -1;
	bb->failure.verdict = SLU_VERDICT_DONE;
	return 0;
}

int slu_bb_note_cancelled(struct slu_db *db, uint32_t job_id, double now,
			  struct slu_err *err)
{
	return slu_db_exec(
		       db, err,
		       "INSERT INTO BufferHistory (BID, Time, State, Text)"
		       " SELECT BID, ?1, State, ?2 FROM Buffer WHERE BID ="
		       " (SELECT max(BID) FROM Buffer WHERE JobID = ?3) AND"
		       " Failure IS NOT NULL AND Verdict <> ?4 AND What = ?5"
		       " AND NOT EXISTS (SELECT 1 FROM BufferHistory AS h"
		       " WHERE h.BID = Buffer.BID AND h.Text = ?2)",
		       "dsIii", now, SLU_BB_HOLD_OVER, (int64_t)job_id,
		       (int)SLU_VERDICT_NONE, (int)SLU_HOLD) < 0
		       ? -1
		       : 0;
}

int slu_bb_set_destroy(struct slu_db *db, struct slu_bb *bb,
		       enum slu_bb_destroy how, const char *text, double now,
		       struct slu_err *err)
{
	if (slu_db_begin(db, err) ||
	    slu_rows_update(db, bb,
			    slu_db_exec(db, err,
					"UPDATE Buffer SET Destroy = ?"
					" WHERE BID = ?",
					"iI", (int)how, (int64_t)bb->id),
			    text, now, err))
		return -1;
	bb->persistent.destroy = how;
	return 0;
}

int slu_bb_set_unsaved(struct slu_db *db, struct slu_bb *bb, const char *text,
		       double now, struct slu_err *err)
{
	char *copy = strdup(text);

	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_db_begin(db, err) ||
	    slu_rows_update(db, bb,
			    slu_db_exec(db, err,
					"UPDATE Buffer SET Unsaved = ?"
					" WHERE BID = ?",
					"sI", text, (int64_t)bb->id),
			    text, now, err)) {
		free(copy);
		return -1;
	}
	free(bb->persistent.unsaved);
	bb->persistent.unsaved = copy;
	return 0;
}

int slu_bb_note(struct slu_db *db, const struct slu_bb *bb, const char *text,
		double now, struct slu_err *err)
{
	return slu_rows_history(db, bb->id, bb->state, text, now, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the rows of a buffer's nodes: states, reported steps, drain and resume
 * orders that slurmctld has not carried out yet; and of its barriers (table
 * BufferGate). As in persistence.c, memory follows the database.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/fullness.h"
#include "burst_buffer/lifecycle/node_rows.h"
#include "burst_buffer/lifecycle/row_changes.h"
#include "common/str.h"

static int update_node(struct slu_db *db, const struct slu_bb *bb, size_t i,
		       enum slu_bb_node next, struct slu_err *err)
{
	if (next == bb->member[i].state)
		return 0;
	return slu_rows_one(
		slu_db_exec(db, err,
			    "UPDATE BufferNode SET State = ?"
			    " WHERE BID = ? AND Position = ? AND State = ?",
			    "iIii", (int)next, (int64_t)bb->id, (int)i,
			    (int)bb->member[i].state),
		bb, err);
}

static enum slu_bb_node next_node(const struct slu_bb *bb, size_t i,
				  enum slu_node_event event,
				  struct slu_err *err)
{
	enum slu_bb_node next = slu_node_next(bb->member[i].state, event);

	if (!next)
		slu_err(err, SLU_INVALID, "node %s is %s, too late for this",
			bb->plan.node[i].name,
			slu_node_name((int)bb->member[i].state));
	return next;
}

int slu_bb_set_node(struct slu_db *db, struct slu_bb *bb, size_t i,
		    enum slu_node_event event, struct slu_err *err)
{
	enum slu_bb_node next = next_node(bb, i, event, err);

	if (!next || update_node(db, bb, i, next, err))
		return -1;
	bb->member[i].state = next;
	return 0;
}

/* Returns whether that was new, or -1. */
static int put_step(struct slu_db *db, const struct slu_bb *bb, size_t i,
		    const struct slu_report *r, double now, struct slu_err *err)
{
	double took = r->seconds > 0 && r->seconds < 1e9 ? r->seconds : 0;

	return (int)slu_db_exec(
		db, err,
		"INSERT INTO BufferPhase (BID, Node, Step, Phase, Began, Ended,"
		" Bytes, Files, TotalBytes, TotalFiles, Ok, Text,"
		" CacheHits, CacheMisses, CacheBytes)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
		" ON CONFLICT (BID, Node, Step) DO UPDATE SET"
		" Began = excluded.Began, Ended = excluded.Ended,"
		" Bytes = excluded.Bytes, Files = excluded.Files,"
		" TotalBytes = excluded.TotalBytes,"
		" TotalFiles = excluded.TotalFiles,"
		" Ok = excluded.Ok, Text = excluded.Text,"
		" CacheHits = excluded.CacheHits,"
		" CacheMisses = excluded.CacheMisses,"
		" CacheBytes = excluded.CacheBytes"
		" WHERE excluded.Ok > Ok",
		"IsssddIIIIisIII", (int64_t)bb->id, bb->plan.node[i].name,
		r->step, r->phase, now - took, now, (int64_t)r->bytes,
		(int64_t)r->files, (int64_t)r->total_bytes,
		(int64_t)r->total_files, (int)r->ok, r->text,
		(int64_t)r->cache_hits, (int64_t)r->cache_misses,
		(int64_t)r->cache_bytes);
}

static int put_facts(struct slu_db *db, const struct slu_bb *bb, size_t i,
		     const struct slu_report *r, struct slu_err *err)
{
	if (r->enforced &&
	    slu_db_exec(db, err,
			"UPDATE BufferNode SET Enforced = ?"
			" WHERE BID = ? AND Position = ?",
			"sIi", r->enforced, (int64_t)bb->id, (int)i) < 0)
		return -1;
	if (slu_bb_store_used(db, bb, i, r, err))
		return -1;
	if ((r->read_bytes > 0 || r->written_bytes > 0) &&
	    slu_db_exec(db, err,
			"UPDATE BufferNode SET ReadBytes = ?, WrittenBytes = ?"
			" WHERE BID = ? AND Position = ?",
			"ddIi", r->read_bytes, r->written_bytes,
			(int64_t)bb->id, (int)i) < 0)
		return -1;
	return 0;
}

int slu_bb_step(struct slu_db *db, struct slu_bb *bb, size_t i,
		const struct slu_report *r, enum slu_node_event event,
		double now, struct slu_err *err)
{
	const struct slu_bb_share share = {
		r->bytes,
		r->files,
		r->total_bytes,
		r->total_files,
		r->text && slu_eq(r->text, SLU_BY_HOLDERS),
		{r->cache_hits, r->cache_misses, r->cache_bytes}};
	enum slu_bb_node next = bb->member[i].state;
	int news, rc;

	if (event)
		next = next_node(bb, i, event, err);
	if (!next || slu_db_begin(db, err))
		return -1;
	news = put_step(db, bb, i, r, now, err);
	rc = news < 0 ? -1 : 0;
	if (news > 0)
		rc = put_facts(db, bb, i, r, err);
	if (rc == 0)
		rc = update_node(db, bb, i, next, err);
	if (slu_rows_finish(db, rc, err))
		return -1;
	bb->member[i].state = next;
	slu_bb_note_used(bb, i, r->used_known, r->used);
	if (news > 0)
		slu_bb_used_stored(bb, i, r);
	if (news > 0 && r->ok)
		slu_bb_note_step(bb, i, r->step, &share);
	return news;
}

int slu_bb_set_order(struct slu_db *db, struct slu_bb *bb, size_t i,
		     enum slu_bb_order order, const char *text, double now,
		     struct slu_err *err)
{
	if (slu_db_begin(db, err) ||
	    slu_rows_update(db, bb,
			    slu_db_exec(db, err,
					"UPDATE BufferNode SET Orders = ?"
					" WHERE BID = ? AND Position = ?",
					"iIi", (int)order, (int64_t)bb->id,
					(int)i),
			    text, now, err))
		return -1;
	bb->member[i].order = order;
	return 0;
}

int slu_bb_set_keeping(struct slu_db *db, struct slu_bb *bb, size_t i,
		       enum slu_bb_keeping keeping, struct slu_err *err)
{
	if (slu_rows_one(slu_db_exec(db, err,
				     "UPDATE BufferNode SET Keeping = ?"
				     " WHERE BID = ? AND Position = ?",
				     "iIi", (int)keeping, (int64_t)bb->id,
				     (int)i),
			 bb, err))
		return -1;
	bb->member[i].keeping = keeping;
	return 0;
}

int slu_bb_open_barrier(struct slu_db *db, struct slu_bb *bb,
			struct slu_bb_barrier *barrier, struct slu_err *err)
{
	struct json_object *attr = json_object_new_array();
	long changed;
	size_t i;

	for (i = 0; i < bb->plan.n_node; i++)
		json_object_array_add(
			attr, barrier->attr[i]
				      ? json_object_new_string(barrier->attr[i])
				      : NULL);
	changed = slu_db_exec(
		db, err,
		"INSERT INTO BufferGate (BID, Name, Attr)"
		" VALUES (?, ?, ?)",
		"Iss", (int64_t)bb->id, barrier->name,
		json_object_to_json_string_ext(attr, JSON_C_TO_STRING_PLAIN));
	json_object_put(attr);
	if (slu_rows_one(changed, bb, err))
		return -1;
	barrier->open = true;
	return 0;
}

int slu_bb_set_attr(struct slu_db *db, struct slu_bb *bb,
		    struct slu_bb_barrier *barrier, size_t i, const char *attr,
		    struct slu_err *err)
{
	char *copy = strdup(attr);

	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_rows_one(slu_db_exec(db, err,
				     "UPDATE BufferGate SET Attr ="
				     " json_set(Attr, '$[' || ? || ']', ?)"
				     " WHERE BID = ? AND Name = ?",
				     "isIs", (int)i, attr, (int64_t)bb->id,
				     barrier->name),
			 bb, err)) {
		free(copy);
		return -1;
	}
	slu_bb_barrier_attr(barrier, i, copy);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects data about buffers (job file systems) for the HTML page of `sysquery
 * page`: those that are alive, the number in each state over time, and
 * timelines of the last ones. States are read from rows of BufferHistory; a row
 * without a state changes none, it is only a text.
 */
#include "config.h"
#include "burst_buffer/lifecycle/transitions.h"
#include "common/conf.h"
#include "common/jsonx.h"
#include "sysquery/page/collect/collect.h"
#include "sysquery/json_rows.h"
#include "wire/job.h"
#include "wire/node.h"

#define STATES (SLU_BB_DONE - 1)
#define SHOWN  "48"   /* in the timeline */
#define ALIVE  "2000" /* in the list */
#define MOST   (64u << 20)

_Static_assert(SLU_PERSIST_FIRST == 4244635648 && SLU_BB_DONE == 6,
	       "as in the queries");

/* A persistent buffer has its own name and no job id. */
#define WHO                                                                  \
	"BID AS buffer, CASE WHEN JobID < 4244635648 THEN JobID END AS job," \
	" CASE WHEN JobID < 4244635648 THEN JobName ELSE Name END AS name,"  \
	" coalesce(User, Uid) AS user, Failure AS failure"
/* ?1: since, ?2: the user or -1, ?3: now. */
#define WINDOW                                           \
	" Broken IS NULL AND (State < 6 OR Since >= ?1)" \
	" AND (?2 < 0 OR Uid = ?2) AND Created <= ?3 "

static int64_t user_of(const struct slu_page_query *q)
{
	return q->uid == SLU_NO_ID ? -1 : (int64_t)q->uid;
}

static struct json_object *ask(struct slu_db *db, const char *sql,
			       const struct slu_page_query *q,
			       struct slu_err *err)
{
	if (!slu_db_has(db, "Buffer"))
		return json_object_new_array();
	return slu_query_rows(
		slu_db_query(db, err, sql, "III", q->since, user_of(q), q->now),
		MOST, err);
}

static void name_states(struct json_object *list)
{
	struct json_object *row, *state;
	const char *name;

	for (size_t i = 0; i < json_object_array_length(list); i++) {
		row = json_object_array_get_idx(list, i);
		state = json_object_object_get(row, "state");
		name = slu_bb_name(json_object_get_int(state));
		slu_json_set_str(row, "state", name ? name : "?");
	}
}

static struct json_object *
alive(struct slu_db *db, const struct slu_page_query *q, struct slu_err *err)
{
	struct json_object *list = ask(
		db,
		"SELECT " WHO ", FileSystem AS filesystem, Capacity AS"
		" capacity_bytes, Nodes AS nodes, State AS state, CAST(Since AS"
		" INTEGER) AS since FROM Buffer WHERE State < 6 AND" WINDOW
		"ORDER BY BID LIMIT " ALIVE,
		q, err);

	if (list)
		name_states(list);
	return list;
}

/* The scan, sorted by buffer. */
struct walk {
	const struct slu_page_query *q;
	double bin[STATES][SLU_BINS];
	struct json_object *shown; /* rows of the timeline, by number */
	size_t at;
	int64_t buffer;
	int state;
	double since;
};

static void add_span(struct json_object *row, int state, double from, double to)
{
	struct json_object *spans, *span = json_object_new_object();

	if (!json_object_object_get_ex(row, "spans", &spans)) {
		spans = json_object_new_array();
		json_object_object_add(row, "spans", spans);
	}
	slu_json_set_str(span, "state", slu_bb_name(state));
	slu_json_set_i64(span, "from", (int64_t)from);
	slu_json_set_i64(span, "to", (int64_t)to);
	json_object_array_add(spans, span);
}

/* The timeline's row of this buffer; both are sorted by number. */
static struct json_object *shown_row(struct walk *w)
{
	struct json_object *row;
	int64_t number;

	for (; w->at < json_object_array_length(w->shown); w->at++) {
		row = json_object_array_get_idx(w->shown, w->at);
		number = json_object_get_int64(
			json_object_object_get(row, "buffer"));
		if (number >= w->buffer)
			return number == w->buffer ? row : NULL;
	}
	return NULL;
}

/* Ends the present state. */
static void end_state(struct walk *w, double when)
{
	struct json_object *row = w->buffer ? shown_row(w) : NULL;

	if (w->state < 1 || w->state > STATES)
		return;
	slu_bins_add(w->bin[w->state - 1], w->q, w->since, when, 1);
	if (row)
		add_span(row, w->state, w->since, when);
}

static void take_line(struct walk *w, int64_t buffer, double when, int state)
{
	if (buffer == w->buffer && state == w->state)
		return;
	end_state(w, buffer == w->buffer ? when : (double)w->q->now);
	w->buffer = buffer;
	w->state = state;
	w->since = when;
}

static int walk_lines(struct walk *w, struct slu_db *db, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT l.BID, l.Time, l.State FROM Buffer JOIN BufferHistory AS"
		" l USING (BID) WHERE"
		" Broken IS NULL AND (Buffer.State < 6 OR Since >= ?1)"
		" AND (?2 < 0 OR Uid = ?2) AND Created <= ?3 AND l.Time <= ?3"
		" ORDER BY Buffer.BID, l.rowid",
		"III", w->q->since, user_of(w->q), w->q->now);
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0)
		take_line(w, slu_db_int(rows, 0), slu_db_double(rows, 1),
			  (int)slu_db_int(rows, 2));
	slu_db_done(rows);
	end_state(w, (double)w->q->now);
	return rc;
}

static struct json_object *
timeline(struct slu_db *db, const struct slu_page_query *q, struct slu_err *err)
{
	return ask(db,
		   "SELECT * FROM (SELECT " WHO ", CAST(Created AS INTEGER) AS"
		   " created FROM Buffer WHERE" WINDOW
		   "ORDER BY BID DESC LIMIT " SHOWN ") ORDER BY buffer",
		   q, err);
}

static struct json_object *bins(const struct walk *w)
{
	struct json_object *all = json_object_new_object();

	for (int i = 0; i < STATES; i++)
		json_object_object_add(all, slu_bb_name(i + 1),
				       slu_bins_json(w->bin[i]));
	return all;
}

static int count(struct slu_db *db, const struct slu_page_query *q,
		 struct json_object *out, struct slu_err *err)
{
	struct json_object *rows =
		ask(db,
		    "SELECT count(*) AS total, count(Failure) AS failed FROM"
		    " Buffer WHERE" WINDOW,
		    q, err);
	struct json_object *row;

	if (!rows)
		return -1;
	row = json_object_array_get_idx(rows, 0);
	json_object_object_foreach(row, key, value)
		json_object_object_add(out, key, json_object_get(value));
	json_object_put(rows);
	return 0;
}

struct json_object *slu_page_collect_buffers(struct slu_db *db,
					     const struct slu_page_query *q,
					     struct slu_err *err)
{
	struct json_object *out = json_object_new_object();
	struct json_object *living = alive(db, q, err);
	struct walk w = {.q = q, .shown = timeline(db, q, err)};
	int rc = living && w.shown ? 0 : -1;

	if (rc == 0 && slu_db_has(db, "Buffer"))
		rc = walk_lines(&w, db, err) < 0 || count(db, q, out, err) < 0
			     ? -1
			     : 0;
	json_object_object_add(out, "alive", living);
	json_object_object_add(out, "timeline", w.shown);
	if (rc == 0) {
		json_object_object_add(out, "bins", bins(&w));
		return out;
	}
	json_object_put(out);
	return NULL;
}

/* Jobs that were held for a failure of their buffer, and have neither run nor
 * been cancelled since: they are held, or released and pending. */
struct json_object *slu_page_collect_holds(struct slu_db *db,
					   const struct slu_page_query *q,
					   struct slu_err *err)
{
	_Static_assert(SLU_HOLD == 1, "as in the query");
	return ask(
		db,
		"SELECT " WHO ", CAST(FailedAt AS INTEGER) AS \"when\" FROM"
		" Buffer WHERE Verdict <> 0 AND What = 1 AND Failure IS NOT"
		" NULL AND FailedAt >= ?1 AND Broken IS NULL AND"
		" (?2 < 0 OR Uid = ?2) AND FailedAt <= ?3 AND NOT EXISTS"
		" (SELECT 1 FROM Buffer AS later WHERE later.JobID ="
		" Buffer.JobID AND later.BID > Buffer.BID) AND NOT EXISTS (SELECT 1"
		" FROM BufferHistory AS h WHERE h.BID = Buffer.BID AND"
		" h.Text = '" SLU_BB_HOLD_OVER "')"
		" ORDER BY FailedAt DESC, BID DESC LIMIT " ALIVE,
		q, err);
}

/* Nodes that could not be cleaned (1: SLU_ORDER_DRAIN). */
struct json_object *slu_page_collect_drained(struct slu_db *db,
					     const struct slu_page_query *q,
					     struct slu_err *err)
{
	return ask(
		db,
		"SELECT Node AS node, BID AS buffer, JobID AS job,"
		" coalesce(User, Uid) AS user, CAST(Since AS INTEGER) AS since"
		" FROM BufferNode JOIN Buffer USING (BID) WHERE Orders = 1"
		" AND (?2 < 0 OR Uid = ?2) AND Created <= ?3 AND ?1 IS NOT NULL"
		" ORDER BY Node, BID LIMIT " ALIVE,
		q, err);
}

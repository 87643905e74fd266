/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the history, oldest runs first, in the order (EndTime, rowid), which is
 * stable and has an index, so that a reader can stop anywhere and continue
 * later. I/O volumes come from io_readahead.c, since table JobIo may have
 * thousands of rows for a run, or none. The statement stays open while rows are
 * read, so that both see the same snapshot of the database.
 */
#include <stdlib.h>
#include "job_submit/history/job_history.h"
#include "job_submit/history/io_readahead.h"
#include "job_submit/name.h"
#include "wire/rows.h"

#define PAGE	     1000		/* rows per query */
#define SECONDS_MOST (INT64_C(1) << 44) /* half a million years */

/* The columns read by take_brief(), in its order, and those read by
 * take_rest().
 */
#define BRIEF                                                              \
	"h.rowid, EndTime, JobID, Uid, NodeCnt, LimitAsked, SubmitTime,"   \
	" StartTime, Name, Account, PartitionName, State, Ions, Prepared," \
	" Request, Suspended, IonTimes"
#define REST                                                                \
	", ArrayJobID, ArrayTaskID, Gid, User, Qos, WorkDir, Nodes, Tasks," \
	" Cpus, MemMb, EligibleTime, TimeLimit, Predicted, PredictedFrom,"  \
	" ExitCode, Restarts, IonMax, Script, Tightened, Extended, LateBy," \
	" IonPredicted, IonStatic, IonAlone, IonError, Waited"
#define FROM	  " FROM History AS h WHERE "
#define AFTER	  "(EndTime, h.rowid) > (?, ?) ORDER BY EndTime, h.rowid LIMIT ?"
#define OF_A_USER "Uid = ? AND "

static uint32_t u32(struct slu_rows *rows, int column)
{
	return (uint32_t)slu_db_int(rows, column);
}

/* 0 for an implausible value, so that sums and products do not overflow. */
static int64_t seconds(struct slu_rows *rows, int column)
{
	int64_t n = slu_db_int(rows, column);

	return n > -SECONDS_MOST && n < SECONDS_MOST ? n : 0;
}

static char *text(struct slu_rows *rows, int column)
{
	return (char *)(uintptr_t)slu_db_text(rows, column);
}

/* Texts are valid until the next step of the statement. */
static void take_brief(struct slu_rows *r, struct slu_job *job)
{
	*job = (struct slu_job){
		.end = seconds(r, 1),
		.job_id = u32(r, 2),
		.uid = u32(r, 3),
		.node_cnt = u32(r, 4),
		.limit_asked = u32(r, 5),
		.submit = seconds(r, 6),
		.start = seconds(r, 7),
		.name = text(r, 8),
		.account = text(r, 9),
		.partition = text(r, 10),
		.state = text(r, 11),
		.ions = u32(r, 12),
		.prepared = seconds(r, 13),
		.request = text(r, 14),
		.suspended = seconds(r, 15),
		.ion_times = text(r, 16),
	};
}

static void take_rest(struct slu_rows *r, struct slu_job *job)
{
	job->array_job_id = u32(r, 17);
	job->array_task_id = u32(r, 18);
	job->gid = u32(r, 19);
	job->user = text(r, 20);
	job->qos = text(r, 21);
	job->work_dir = text(r, 22);
	job->nodes = text(r, 23);
	job->tasks = u32(r, 24);
	job->cpus = u32(r, 25);
	job->mem_mb = (uint64_t)slu_db_int(r, 26);
	job->eligible = seconds(r, 27);
	job->limit = u32(r, 28);
	job->predicted = u32(r, 29);
	job->predicted_from = text(r, 30);
	job->exit_code = u32(r, 31);
	job->restarts = u32(r, 32);
	job->ion_max = u32(r, 33);
	job->script = text(r, 34);
	job->tightened = u32(r, 35);
	job->extended = u32(r, 36);
	job->late_by = seconds(r, 37);
	job->ion_predicted = slu_db_double(r, 38);
	job->ion_static = slu_db_double(r, 39);
	job->ion_alone = slu_db_double(r, 40);
	job->ion_error = slu_db_double(r, 41);
	job->waited = text(r, 42);
}

/* Passes one row to fn, and advances the cursor. */
static int take_row(struct slu_db *db, struct slu_rows *rows,
		    struct slu_history_cursor *c, slu_history_f *fn, void *arg,
		    struct slu_err *err)
{
	struct slu_history_row row = {0};
	struct slu_buf by_fs = {0};
	int rc;

	take_brief(rows, &row.job);
	if (!c->brief)
		take_rest(rows, &row.job);
	if (slu_io_readahead_read(c->io, db, &row, &by_fs, err) < 0)
		return -1;
	row.io_bandwidth = slu_row_bandwidth(&row);
	rc = fn(arg, &row, err);
	slu_buf_free(&by_fs);
	if (rc == 0) {
		c->end = slu_db_int(rows, 1);
		c->id = slu_db_int(rows, 0);
	}
	return rc;
}

int slu_history_begin(struct slu_db *db, const struct slu_history_query *query,
		      struct slu_history_cursor *cursor, struct slu_err *err)
{
	struct slu_history_cursor c = {query->uid, query->brief, INT64_MIN,
				       INT64_MIN, NULL};
	int64_t skip = (int64_t)query->last - 1;
	struct slu_rows *rows = NULL;
	int rc = 0;

	if (query->last > 0 && query->last <= INT64_MAX) {
		rows = query->uid == SLU_NO_ID
			       ? slu_db_query(db, err,
					      "SELECT EndTime, rowid FROM"
					      " History ORDER BY EndTime DESC,"
					      " rowid DESC LIMIT 1 OFFSET ?",
					      "I", skip)
			       : slu_db_query(db, err,
					      "SELECT EndTime, rowid FROM"
					      " History WHERE Uid = ?"
					      " ORDER BY EndTime DESC, rowid"
					      " DESC LIMIT 1 OFFSET ?",
					      "II", (int64_t)query->uid, skip);
		rc = rows ? slu_db_step(rows, err) : -1;
	}
	if (rc > 0) {
		c.end = slu_db_int(rows, 0);
		c.id = slu_db_int(rows, 1) - 1;
	}
	slu_db_done(rows);
	if (rc < 0)
		return -1;
	if (query->since > 0 && c.end < query->since) {
		c.end = query->since - 1;
		c.id = INT64_MAX;
	}
	/* the job ids of one user are scattered: readahead would not help */
	c.io = query->uid == SLU_NO_ID ? slu_io_readahead_new() : NULL;
	if (query->uid == SLU_NO_ID && !c.io)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*cursor = c;
	return 0;
}

void slu_history_end(struct slu_history_cursor *cursor)
{
	slu_io_readahead_free(cursor->io);
	cursor->io = NULL;
}

static struct slu_rows *ask_rows(struct slu_db *db,
				 const struct slu_history_cursor *c, size_t max,
				 struct slu_err *err)
{
	int64_t uid = (int64_t)c->uid, n = (int64_t)max;

	if (c->uid == SLU_NO_ID)
		return slu_db_query(db, err,
				    c->brief ? "SELECT " BRIEF FROM AFTER
					     : "SELECT " BRIEF REST FROM AFTER,
				    "III", c->end, c->id, n);
	return slu_db_query(db, err,
			    c->brief
				    ? "SELECT " BRIEF FROM OF_A_USER AFTER
				    : "SELECT " BRIEF REST FROM OF_A_USER AFTER,
			    "IIII", uid, c->end, c->id, n);
}

long slu_history_page(struct slu_db *db, struct slu_history_cursor *c,
		      size_t max, slu_history_f *fn, void *arg,
		      struct slu_err *err)
{
	struct slu_rows *rows = ask_rows(db, c, max, err);
	long n = 0;
	int rc = rows ? 0 : -1;

	while (rc == 0 && (rc = slu_db_step(rows, err)) > 0) {
		if (!n && c->io)
			slu_io_readahead_renew(c->io, db);
		rc = take_row(db, rows, c, fn, arg, err);
		n += rc == 0;
	}
	slu_db_done(rows);
	return rc < 0 ? -1 : n;
}

/* Runs the query over all rows; rows NULL: preparing it has failed. */
static int each_row(struct slu_db *db, struct slu_rows *rows, slu_history_f *fn,
		    void *arg, struct slu_err *err)
{
	struct slu_history_cursor c = {.io = NULL};
	int rc = rows ? 0 : -1;

	while (rc == 0 && (rc = slu_db_step(rows, err)) > 0)
		rc = take_row(db, rows, &c, fn, arg, err);
	slu_db_done(rows);
	return rc < 0 ? -1 : 0;
}

int slu_history_of_job(struct slu_db *db, uint32_t job_id, uint32_t uid,
		       slu_history_f *fn, void *arg, struct slu_err *err)
{
	return each_row(db,
			slu_db_query(db, err,
				     "SELECT " BRIEF REST FROM
				     "JobID = ? AND (?2 < 0 OR Uid = ?2)"
				     " ORDER BY StartTime",
				     "II", (int64_t)job_id,
				     uid == SLU_NO_ID ? -1 : (int64_t)uid),
			fn, arg, err);
}

int slu_history_alike(struct slu_db *db, uint32_t uid, const char *name,
		      int64_t before, size_t max, slu_history_f *fn, void *arg,
		      struct slu_err *err)
{
	char plain[SLU_PLAIN_NAME];

	slu_plain_name(name, plain, sizeof(plain));
	return each_row(db,
			slu_db_query(db, err,
				     "SELECT " BRIEF REST FROM
				     "Uid = ? AND EndTime < ? AND PlainName = ?"
				     " ORDER BY EndTime DESC LIMIT ?",
				     "IIsI", (int64_t)uid, before, plain,
				     (int64_t)max),
			fn, arg, err);
}

int slu_history_whole(struct slu_db *db, uint32_t job_id, int64_t start,
		      uint32_t source, slu_history_f *fn, void *arg,
		      struct slu_err *err)
{
	return each_row(
		db,
		slu_db_query(db, err,
			     "SELECT " BRIEF REST FROM
			     "JobID = ? AND StartTime = ? AND EXISTS (SELECT 1"
			     " FROM JobIo AS i WHERE i.JobID = h.JobID AND"
			     " i.StartTime = h.StartTime AND"
			     " (i.Node = '*' OR h.NodeCnt = 1 OR i.Source = 7"
			     " OR i.Source = ?))",
			     "III", (int64_t)job_id, start, (int64_t)source),
		fn, arg, err);
}

int slu_history_run(struct slu_db *db, uint32_t job_id, int64_t start,
		    slu_history_f *fn, void *arg, struct slu_err *err)
{
	return each_row(db,
			slu_db_query(db, err,
				     "SELECT " BRIEF REST FROM
				     "JobID = ? AND StartTime = ?",
				     "II", (int64_t)job_id, start),
			fn, arg, err);
}

int slu_history_each(struct slu_db *db, const struct slu_history_query *query,
		     slu_history_f *fn, void *arg, struct slu_err *err)
{
	struct slu_history_cursor c;
	long n;

	if (slu_history_begin(db, query, &c, err) < 0)
		return -1;
	do
		n = slu_history_page(db, &c, PAGE, fn, arg, err);
	while (n == PAGE);
	slu_history_end(&c);
	return n < 0 ? -1 : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table History has a row per run of a job; history_io.c has what they read and
 * wrote. Rows are read in the order (EndTime, rowid), which never changes, so
 * that a reader can stop anywhere and go on later.
 */
#include <stdlib.h>
#include "job_submit/history.h"
#include "job_submit/history_io.h"
#include "job_submit/name.h"

#define PAGE 1000 /* rows at a time */
#define NAME 256  /* bytes of a plain name that are kept */

/* 1 when it was not known, else 0. */
static long insert(struct slu_db *db, const struct slu_job *j,
		   struct slu_err *err)
{
	static const char sql[] =
		"INSERT OR IGNORE INTO History (JobID, ArrayJobID,"
		" ArrayTaskID, Uid, Gid, User, Account, PartitionName, Qos,"
		" Name, WorkDir, Nodes, NodeCnt, Tasks, Cpus, MemMb,"
		" SubmitTime, EligibleTime, StartTime, EndTime, TimeLimit,"
		" LimitAsked, Predicted, PredictedFrom, State, ExitCode,"
		" Restarts, Request, IonMax, Ions, PlainName, Script,"
		" Tightened, Extended, LateBy, Prepared) VALUES (?, ?, ?, ?,"
		" ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
		" ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	char plain[NAME];

	if (j->end <= 0)
		return slu_err(err, SLU_INVALID, "job %u has not ended",
			       j->job_id);
	slu_plain_name(j->name, plain, sizeof(plain));
	return slu_db_exec(
		db, err, sql, "IIIIIsssssssIIIIIIIIIIIssIIsIIssIIII",
		(int64_t)j->job_id, (int64_t)j->array_job_id,
		(int64_t)j->array_task_id, (int64_t)j->uid, (int64_t)j->gid,
		j->user, j->account, j->partition, j->qos, j->name, j->work_dir,
		j->nodes, (int64_t)j->node_cnt, (int64_t)j->tasks,
		(int64_t)j->cpus, (int64_t)j->mem_mb, j->submit, j->eligible,
		j->start, j->end, (int64_t)j->limit, (int64_t)j->limit_asked,
		(int64_t)j->predicted, j->predicted_from, j->state,
		(int64_t)j->exit_code, (int64_t)j->restarts, j->request,
		(int64_t)j->ion_max, (int64_t)j->ions, j->name ? plain : NULL,
		j->script, (int64_t)j->tightened, (int64_t)j->extended,
		j->late_by, j->prepared);
}

int slu_history_add(struct slu_db *db, const struct slu_job *j,
		    struct slu_err *err)
{
	if (insert(db, j, err) < 0 ||
	    slu_history_fold(db, j->job_id, j->start, err) < 0)
		return -1;
	return 0;
}

int slu_history_import(struct slu_db *db, const struct slu_job *jobs, size_t n,
		       uint64_t *added, struct slu_err *err)
{
	uint64_t count = 0;
	long rc = slu_db_begin(db, err);

	for (size_t i = 0; rc >= 0 && i < n; i++) {
		rc = insert(db, &jobs[i], err);
		count += rc > 0;
	}
	if (rc < 0 || slu_db_commit(db, err) < 0) {
		slu_db_rollback(db);
		return -1;
	}
	*added = count;
	return 0;
}

int slu_history_surplus(struct slu_db *db, int64_t rows, int64_t *surplus,
			struct slu_err *err)
{
	int64_t all;

	if (slu_db_value(db, &all, 0, err, "SELECT COUNT(*) FROM History", "") <
	    0)
		return -1;
	*surplus = all > rows ? all - rows : 0;
	return 0;
}

/* How many are to go, at most max. */
static int count_old(struct slu_db *db, int64_t before, int64_t surplus,
		     int64_t max, int64_t *n, struct slu_err *err)
{
	if (slu_db_value(db, n, 0, err,
			 "SELECT COUNT(*) FROM (SELECT 1 FROM History WHERE"
			 " EndTime < ? LIMIT ?)",
			 "II", before, max) < 0)
		return -1;
	if (*n < surplus)
		*n = surplus < max ? surplus : max;
	return 0;
}

#define OLDEST                                                             \
	" FROM History WHERE rowid IN (SELECT rowid FROM History ORDER BY" \
	" EndTime, rowid LIMIT ?)"

long slu_history_prune(struct slu_db *db, int64_t before, int64_t *surplus,
		       size_t max, struct slu_err *err)
{
	int64_t n = 0;

	if (slu_db_begin(db, err) < 0)
		return -1;
	if (count_old(db, before, *surplus, (int64_t)max, &n, err) < 0 ||
	    (n && slu_db_exec(db, err,
			      "DELETE FROM JobIo WHERE (JobID, StartTime) IN"
			      " (SELECT JobID, StartTime" OLDEST ")",
			      "I", n) < 0) ||
	    (n && slu_db_exec(db, err, "DELETE" OLDEST, "I", n) < 0) ||
	    slu_db_commit(db, err) < 0) {
		slu_db_rollback(db);
		return -1;
	}
	*surplus -= *surplus < n ? *surplus : n;
	return (long)n;
}

/* The columns that take_row() reads, in its order. Bytes are those of the best
 * source; how they were moved, only Darshan knows: what a storage server calls
 * a request is what the clients have made of many. */
#define OF_RUN \
	" FROM JobIo AS i WHERE i.JobID = h.JobID AND i.StartTime = h.StartTime"
#define IO_SUM(column) "(SELECT SUM(" column ")" OF_RUN " AND Source <> 4)"
#define IO_RPCS	       "(SELECT SUM(Calls)" OF_RUN " AND Source = 4)"
/* Where nodes are missing, every other source is better. */
#define IO_BEST(what)                                                        \
	"(SELECT " what " FROM (SELECT *, " SLU_IO_PARTIAL " AS Part" OF_RUN \
	") GROUP BY Part, Source ORDER BY Part, Source LIMIT 1)"
#define SELECT_ROWS                                                                                                                                        \
	"SELECT h.rowid, EndTime, JobID, ArrayJobID, ArrayTaskID, Uid, Gid,"                                                                               \
	" User, Account, PartitionName, Qos, Name, WorkDir, Nodes, NodeCnt,"                                                                               \
	" Tasks, Cpus, MemMb, SubmitTime, EligibleTime, StartTime,"                                                                                        \
	" TimeLimit, LimitAsked, Predicted, PredictedFrom, State, ExitCode,"                                                                               \
	" Restarts, Request, IonMax, Ions, " IO_BEST("SUM(ReadBytes)") ", " IO_BEST("SUM(WrittenBytes)") ", Script, Tightened, Extended, LateBy, " IO_SUM( \
		"Calls") ", " IO_SUM("CalledBytes") ", " IO_SUM("SharedBytes") ", " IO_SUM("Consecutive") ", " IO_BEST("Source") ", Prepared, " IO_RPCS    \
																 " FROM History AS h WHERE "
#define AFTER "(EndTime, h.rowid) > (?, ?) ORDER BY EndTime, h.rowid LIMIT ?"

static uint32_t u32(struct slu_rows *rows, int column)
{
	return (uint32_t)slu_db_int(rows, column);
}

static char *text(struct slu_rows *rows, int column)
{
	return (char *)(uintptr_t)slu_db_text(rows, column);
}

/* The texts are borrowed from the database. */
static struct slu_history_row take_row(struct slu_rows *r)
{
	struct slu_history_row row = {
		.job =
			{
				.end = slu_db_int(r, 1),
				.job_id = u32(r, 2),
				.array_job_id = u32(r, 3),
				.array_task_id = u32(r, 4),
				.uid = u32(r, 5),
				.gid = u32(r, 6),
				.user = text(r, 7),
				.account = text(r, 8),
				.partition = text(r, 9),
				.qos = text(r, 10),
				.name = text(r, 11),
				.work_dir = text(r, 12),
				.nodes = text(r, 13),
				.node_cnt = u32(r, 14),
				.tasks = u32(r, 15),
				.cpus = u32(r, 16),
				.mem_mb = (uint64_t)slu_db_int(r, 17),
				.submit = slu_db_int(r, 18),
				.eligible = slu_db_int(r, 19),
				.start = slu_db_int(r, 20),
				.limit = u32(r, 21),
				.limit_asked = u32(r, 22),
				.predicted = u32(r, 23),
				.predicted_from = text(r, 24),
				.state = text(r, 25),
				.exit_code = u32(r, 26),
				.restarts = u32(r, 27),
				.request = text(r, 28),
				.ion_max = u32(r, 29),
				.ions = u32(r, 30),
				.script = text(r, 33),
				.tightened = u32(r, 34),
				.extended = u32(r, 35),
				.late_by = slu_db_int(r, 36),
				.prepared = slu_db_int(r, 42),
			},
		.read_bytes = slu_db_double(r, 31),
		.written_bytes = slu_db_double(r, 32),
		.calls = slu_db_double(r, 37),
		.called_bytes = slu_db_double(r, 38),
		.shared_bytes = slu_db_double(r, 39),
		.consecutive = slu_db_double(r, 40),
		.io_source = u32(r, 41),
		.rpcs = slu_db_double(r, 43),
	};
	int64_t run = row.job.end - row.job.start;

	if (row.job.start > 0 && run > 0)
		row.io_bandwidth = (row.read_bytes + row.written_bytes) / 1e6 /
				   (double)run;
	return row;
}

int slu_history_begin(struct slu_db *db, const struct slu_history_query *query,
		      struct slu_history_cursor *cursor, struct slu_err *err)
{
	struct slu_history_cursor c = {query->uid, INT64_MIN, INT64_MIN};
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
	if (rc >= 0)
		*cursor = c;
	return rc < 0 ? -1 : 0;
}

long slu_history_page(struct slu_db *db, struct slu_history_cursor *c,
		      size_t max, slu_history_f *fn, void *arg,
		      struct slu_err *err)
{
	struct slu_rows *rows =
		c->uid == SLU_NO_ID
			? slu_db_query(db, err, SELECT_ROWS AFTER, "III",
				       c->end, c->id, (int64_t)max)
			: slu_db_query(db, err,
				       SELECT_ROWS "Uid = ? AND " AFTER, "IIII",
				       (int64_t)c->uid, c->end, c->id,
				       (int64_t)max);
	long n = 0;
	int rc = rows ? 0 : -1;

	while (rc == 0 && (rc = slu_db_step(rows, err)) > 0) {
		struct slu_history_row row = take_row(rows);

		rc = fn(arg, &row, err);
		if (rc == 0) {
			c->end = row.job.end;
			c->id = slu_db_int(rows, 0);
			n++;
		}
	}
	slu_db_done(rows);
	return rc < 0 ? -1 : n;
}

int slu_history_whole(struct slu_db *db, uint32_t job_id, int64_t start,
		      uint32_t source, slu_history_f *fn, void *arg,
		      struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		SELECT_ROWS "JobID = ? AND StartTime = ? AND EXISTS (SELECT 1"
			    " FROM JobIo AS i WHERE i.JobID = h.JobID AND"
			    " i.StartTime = h.StartTime AND"
			    " (i.Node = '*' OR h.NodeCnt = 1 OR i.Source = ?))",
		"III", (int64_t)job_id, start, (int64_t)source);
	int rc = rows ? slu_db_step(rows, err) : -1;

	if (rc > 0) {
		struct slu_history_row row = take_row(rows);

		rc = fn(arg, &row, err);
	}
	slu_db_done(rows);
	return rc < 0 ? -1 : 0;
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
	return n < 0 ? -1 : 0;
}

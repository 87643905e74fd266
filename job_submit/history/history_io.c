/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the bytes that runs of jobs have read and written, by source, in table
 * JobIo. Readers use only the best source of a run, so that nothing is counted
 * twice and the order of reports does not matter.
 */

/*
 * The rows of a run: each node's report (buffers, tasks, llite) has one with
 * the node's name; each program seen by Darshan one, "program START LOG";
 * servers have those of server_io.h. Slurm's accounting is "accounting".
 */
#include "job_submit/history/job_history.h"
#include "job_submit/history/history_io.h"
#include "job_submit/history/io_readahead.h"
#include "job_submit/history/server_io.h"

#define HOUR 3600

_Static_assert(SLU_IO_BUFFER == 1 && SLU_IO_TASKS == 2 && SLU_IO_LLITE == 3 &&
		       SLU_IO_JOBSTATS == 4 && SLU_IO_DARSHAN == 5 &&
		       SLU_IO_ACCOUNTING == 6 && SLU_IO_FORWARDERS == 7 &&
		       SLU_IO_METADATA == 8,
	       "they are on disk");
#define OF_NODES "Source < 4" /* rows that are nodes */
#define FOLD	 100	      /* runs in one transaction */

/* When all nodes of a run have reported, their rows are merged into one of node
 * "*", to bound the size of the database. */
int slu_history_fold(struct slu_db *db, uint32_t job_id, int64_t start,
		     struct slu_err *err)
{
	long n;

	if (slu_db_begin(db, err) < 0)
		return -1;
	n = slu_db_exec(db, err,
			"INSERT INTO JobIo (JobID, StartTime, Node, ReadBytes,"
			" WrittenBytes, Source) SELECT JobID, StartTime, '*',"
			" SUM(ReadBytes), SUM(WrittenBytes), MAX(Source)"
			" FROM JobIo AS i WHERE JobID = ? AND StartTime = ?"
			" AND " OF_NODES
			" GROUP BY JobID, StartTime HAVING COUNT(*) > 1 AND"
			" COUNT(*) >= (SELECT NodeCnt FROM History AS h WHERE"
			" h.JobID = i.JobID AND h.StartTime = i.StartTime AND"
			" NodeCnt > 0)",
			"II", (int64_t)job_id, start);
	if (n > 0)
		n = slu_db_exec(db, err,
				"DELETE FROM JobIo WHERE JobID = ? AND"
				" StartTime = ? AND Node <> '*' AND " OF_NODES,
				"II", (int64_t)job_id, start);
	if (n >= 0 && slu_db_commit(db, err) == 0)
		return n > 0;
	slu_db_rollback(db);
	return -1;
}

static int count_reports(struct slu_db *db, struct slu_io_run *run,
			 struct slu_err *err)
{
	return slu_db_value(db, &run->reported, 0, err,
			    "SELECT COUNT(*) FROM JobIo WHERE JobID = ? AND"
			    " StartTime = ? AND " OF_NODES,
			    "II", (int64_t)run->job_id, run->start);
}

/* Finds or adds the run, and counts one more report. */
static struct slu_io_run *count_one(struct slu_db *db, struct slu_io_runs *runs,
				    uint32_t job_id, int64_t start,
				    struct slu_err *err)
{
	struct slu_io_run *run, new = {.job_id = job_id, .start = start};

	for (run = runs->run; run < runs->run + SLU_IO_RUNS; run++) {
		if (run->job_id == job_id && run->start == start &&
		    run->reported) {
			run->reported++;
			return run;
		}
	}
	if (count_reports(db, &new, err) < 0)
		return NULL;
	run = &runs->run[runs->next++ % SLU_IO_RUNS];
	*run = new;
	return run;
}

/* Merges the rows when the counter reaches the number of nodes. It may be too
 * high, after a repeated report or a transaction that was rolled back: then
 * nothing is merged, and the rows are counted. */
static int fold_when_complete(struct slu_db *db, struct slu_io_run *run,
			      bool *whole, struct slu_err *err)
{
	int rc;

	if (!run->nodes &&
	    slu_db_value(db, &run->nodes, 0, err,
			 "SELECT NodeCnt FROM History WHERE JobID = ? AND"
			 " StartTime = ?",
			 "II", (int64_t)run->job_id, run->start) < 0)
		return -1;
	*whole = run->nodes == 1;
	if (run->nodes <= 1 || run->reported < run->nodes)
		return 0;
	rc = slu_history_fold(db, run->job_id, run->start, err);
	*whole = rc > 0;
	if (rc > 0)
		run->reported = 0; /* recount, in case of a rollback */
	return rc < 0 ? -1 : rc > 0 ? 0 : count_reports(db, run, err);
}

static int check_report(const struct slu_io_report *io, uint32_t source,
			struct slu_err *err)
{
	if (source > SLU_IO_LLITE)
		return slu_err(err, SLU_INVALID, "job %u: source %u",
			       io->job_id, source);
	if (io->read_bytes >= 0 && io->written_bytes >= 0 &&
	    io->read_bytes + io->written_bytes <= SLU_IO_MOST)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "job %u on %s: %g bytes read, %g written", io->job_id,
		       io->node, io->read_bytes, io->written_bytes);
}

int slu_history_io(struct slu_db *db, const struct slu_io_report *io,
		   int64_t start, struct slu_io_runs *runs, bool *whole,
		   struct slu_err *err)
{
	uint32_t source = io->source ? io->source : SLU_IO_TASKS;
	struct slu_io_run *run;
	long n;

	*whole = false;
	if (check_report(io, source, err) < 0)
		return -1;
	n = slu_db_exec(db, err,
			"INSERT OR REPLACE INTO JobIo (JobID, StartTime, Node,"
			" ReadBytes, WrittenBytes, Source) SELECT ?, ?, ?, ?,"
			" ?, ? WHERE NOT EXISTS (SELECT 1 FROM JobIo WHERE"
			" JobID = ? AND StartTime = ? AND Node = '*')",
			"IIsddIII", (int64_t)io->job_id, start, io->node,
			io->read_bytes, io->written_bytes, (int64_t)source,
			(int64_t)io->job_id, start);
	if (n <= 0)
		return n < 0 ? -1 : 0;
	run = count_one(db, runs, io->job_id, start, err);
	return run ? fold_when_complete(db, run, whole, err) : -1;
}

int slu_history_moved(struct slu_db *db, uint32_t job_id, int64_t start,
		      struct slu_job_moved *out, struct slu_err *err)
{
	struct slu_history_row row = {
		.job = {.job_id = job_id, .start = start}};
	struct slu_buf by_fs = {0};

	if (slu_io_readahead_served(db, &row, &by_fs, err) < 0)
		return -1;
	out->read_bytes = row.read_bytes;
	out->written_bytes = row.written_bytes;
	out->metadata_ops = row.metadata_ops;
	out->by_fs = by_fs.len ? slu_buf_steal(&by_fs) : NULL;
	return 0;
}

/* Runs after *seen, in the order of their rows; column 4 says whether a run is
 * to be skipped. */
#define SCAN(passed)                                                           \
	"SELECT rowid, JobID, StartTime, EndTime, " passed " FROM History AS " \
	"h WHERE rowid > min(?, (SELECT coalesce(MAX(rowid), 0) FROM"          \
	" History)) ORDER BY rowid LIMIT ?"
#define HAS(which)                                                     \
	"EXISTS (SELECT 1 FROM JobIo AS i WHERE i.JobID = h.JobID AND" \
	" i.StartTime = h.StartTime AND " which ")"

/* A run that ended less than `wait` before `until` ends the scan: it is for a
 * later one. */
static long scan(struct slu_db *db, const char *sql, int64_t after,
		 int64_t until, int64_t wait, int64_t *seen,
		 struct slu_import_io *out, size_t max, bool *more,
		 struct slu_err *err)
{
	struct slu_rows *rows =
		slu_db_query(db, err, sql, "II", *seen, (int64_t)max * 10);
	size_t n = 0, looked = 0;
	int rc = rows ? 0 : -1;

	while (rc == 0 && n < max && (rc = slu_db_step(rows, err)) > 0) {
		int64_t end = slu_db_int(rows, 3);

		rc = 0;
		if (end > until && end <= until + wait)
			break;
		*seen = slu_db_int(rows, 0);
		looked++;
		if (end < after || end > until || slu_db_int(rows, 2) <= 0 ||
		    slu_db_int(rows, 4))
			continue;
		out[n++] = (struct slu_import_io){
			.job_id = (uint32_t)slu_db_int(rows, 1),
			.start = slu_db_int(rows, 2),
		};
	}
	slu_db_done(rows);
	*more = n == max || looked == max * 10;
	return rc < 0 ? -1 : (long)n;
}

long slu_history_uncounted(struct slu_db *db, int64_t after, int64_t until,
			   int64_t *seen, struct slu_import_io *out, size_t max,
			   bool *more, struct slu_err *err)
{
	return scan(db, SCAN(HAS("Source <> 8 AND NOT " SLU_IO_PARTIAL)), after,
		    until, HOUR, seen, out, max, more, err);
}

long slu_history_served(struct slu_db *db, int64_t after, int64_t until,
			int64_t *seen, struct slu_import_io *out, size_t max,
			bool *more, struct slu_err *err)
{
	return scan(db,
		    SCAN("NOT " HAS("Source = 4") " OR " HAS(
			    "(Source = 6 OR Source < 4 AND NOT (Source = 1 AND"
			    " ReadBytes + WrittenBytes = 0) AND NOT"
			    " " SLU_IO_PARTIAL ")")),
		    after, until, HOUR, seen, out, max, more, err);
}

long slu_history_metadata(struct slu_db *db, int64_t after, int64_t until,
			  int64_t *seen, struct slu_import_io *out, size_t max,
			  bool *more, struct slu_err *err)
{
	return scan(db, SCAN("NOT " HAS("Source = 8")), after, until, HOUR,
		    seen, out, max, more, err);
}

long slu_history_known(struct slu_db *db, int64_t after, int64_t until,
		       int64_t *seen, struct slu_import_io *out, size_t max,
		       bool *more, struct slu_err *err)
{
	return scan(db, SCAN("NOT " HAS("1")), after, until, HOUR, seen, out,
		    max, more, err);
}

/* A later run needs the rows by server to subtract them: such runs stay. */
#define LATER                                                      \
	"EXISTS (SELECT 1 FROM JobIo AS i WHERE i.JobID = h.JobID" \
	" AND i.StartTime > h.StartTime)"

long slu_history_fold_servers(struct slu_db *db, int64_t now, int64_t *seen,
			      bool *more, struct slu_err *err)
{
	struct slu_import_io run[FOLD];
	int64_t until = now - SLU_HISTORY_SPOKEN;
	int64_t next = *seen;
	long n, folded = 0;

	n = scan(
		db,
		SCAN("NOT " HAS(
			"Source IN (4, 8) AND NOT " SLU_SERVER_IO_FOLDED) " OR " LATER),
		INT64_MIN, until, SLU_HISTORY_SPOKEN + HOUR, &next, run, FOLD,
		more, err);
	if (n < 0 || (n > 0 && slu_db_begin(db, err) < 0))
		return -1;
	for (long i = 0; i < n && folded >= 0; i++) {
		int rc = slu_server_io_fold(db, &run[i], err);

		folded = rc < 0 ? -1 : folded + rc;
	}
	if (n > 0 && (folded < 0 || slu_db_commit(db, err) < 0)) {
		slu_db_rollback(db);
		return -1;
	}
	*seen = next;
	return folded;
}

int slu_history_before(struct slu_db *db, int64_t after, int64_t *seen,
		       struct slu_err *err)
{
	return slu_db_value(db, seen, 0, err,
			    "SELECT coalesce((SELECT MIN(rowid) - 1 FROM"
			    " History WHERE EndTime >= ?), (SELECT MAX(rowid)"
			    " FROM History), 0)",
			    "I", after);
}

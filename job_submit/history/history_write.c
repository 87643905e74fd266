/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inserts rows into table History, one for each run of a job, and deletes old
 * ones. history_read.c reads them; history_io.c has their I/O volumes.
 */
#include <stdlib.h>
#include "common/str.h"
#include "job_submit/history/job_history.h"
#include "job_submit/history/history_io.h"
#include "job_submit/name.h"

/* Returns 1 if the run is new, 0 if not. */
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
		" Tightened, Extended, LateBy, Prepared, Suspended, IonTimes,"
		" IonPredicted, IonStatic, IonAlone, IonError, Waited)"
		" VALUES (?, ?, ?, ?, ?, ?,"
		" ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
		" ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
	char plain[SLU_PLAIN_NAME];

	if (j->end <= 0)
		return slu_err(err, SLU_INVALID, "job %u has not ended",
			       j->job_id);
	slu_plain_name(j->name, plain, sizeof(plain));
	return slu_db_exec(
		db, err, sql, "IIIIIsssssssIIIIIIIIIIIssIIsIIssIIIIIsdddds",
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
		j->late_by, j->prepared, j->suspended, j->ion_times,
		j->ion_predicted, j->ion_static, j->ion_alone, j->ion_error,
		j->waited);
}

/* Changes a completed run to failed: its stage-out has failed. */
static long turn_failed(struct slu_db *db, const struct slu_job *j,
			struct slu_err *err)
{
	if (!slu_eq(j->state, "FAILED"))
		return 0;
	return slu_db_exec(db, err,
			   "UPDATE History SET State = ?, ExitCode = ? WHERE"
			   " JobID = ? AND StartTime = ? AND State ="
			   " 'COMPLETED'",
			   "sIII", j->state, (int64_t)j->exit_code,
			   (int64_t)j->job_id, j->start);
}

int slu_history_add(struct slu_db *db, const struct slu_job *j,
		    struct slu_err *err)
{
	if (insert(db, j, err) < 0 || turn_failed(db, j, err) < 0 ||
	    slu_history_fold(db, j->job_id, j->start, err) < 0)
		return -1;
	return 0;
}

int slu_history_knows(struct slu_db *db, const struct slu_job *job, bool *known,
		      struct slu_err *err)
{
	int64_t n;

	if (slu_db_value(db, &n, 0, err,
			 "SELECT COUNT(*) FROM History WHERE JobID = ?"
			 " AND StartTime = ?",
			 "II", (int64_t)job->job_id, job->start) < 0)
		return -1;
	*known = n > 0;
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

/* Counts the rows to be deleted, up to max. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_HISTORY_JOB_HISTORY_H
#define SLU_JOB_SUBMIT_HISTORY_JOB_HISTORY_H

/*
 * Stores the jobs that have ended, and their I/O, in the database: each run
 * once; read oldest first. The I/O of a job's tasks is kept by source and node;
 * it may arrive before or after the job itself, and more than once. The bytes
 * of the best source count (enum slu_io_source).
 */

#include "common/conf.h"
#include "job_submit/predictor/predict.h"
#include "store/db.h"
#include "wire/control.h"
#include "wire/node.h"

/* Store an ended job. A row with the same job_id and start is not changed,
 * except from COMPLETED to FAILED. SLU_INVALID without an end. */
int slu_history_add(struct slu_db *db, const struct slu_job *job,
		    struct slu_err *err);

/* Is this run stored? */
int slu_history_knows(struct slu_db *db, const struct slu_job *job, bool *known,
		      struct slu_err *err);

/* Stores many jobs in one transaction; *added: the number of new runs. */
int slu_history_import(struct slu_db *db, const struct slu_job *jobs, size_t n,
		       uint64_t *added, struct slu_err *err);

/* I/O of programs (Darshan) or of accounting, for the runs they were part of.
 * Of two values for the same program the larger is kept. */
struct slu_history_counts {
	uint64_t added, changed; /* new values; values that have grown */
};
int slu_history_import_io(struct slu_db *db, const struct slu_import_io *io,
			  size_t n, struct slu_history_counts *counts,
			  struct slu_err *err);

/* *unknown: the number of programs without a stored run. */
int slu_history_runless(struct slu_db *db, const struct slu_import_io *io,
			size_t n, uint64_t *unknown, struct slu_err *err);

/* The number of rows beyond `rows`; it scans all. */
int slu_history_surplus(struct slu_db *db, int64_t rows, int64_t *surplus,
			struct slu_err *err);
/* Delete up to `max` of the oldest rows, with their I/O: those that ended
 * before Unix time `before`, and *surplus more, which is reduced by what was
 * deleted. Returns how many; if that is max, there may be more. */
long slu_history_prune(struct slu_db *db, int64_t before, int64_t *surplus,
		       size_t max, struct slu_err *err);

/* The numbers of nodes that have reported, of recent runs, so that the rows of
 * a run are read once and not after each of thousands of reports. Begins
 * zeroed; a run that was evicted is counted again. */
#define SLU_IO_RUNS 256
struct slu_io_runs {
	struct slu_io_run {
		uint32_t job_id;
		int64_t start;
		int64_t nodes;	  /* of the run; 0: it is not stored yet */
		int64_t reported; /* upper bound of the nodes that have reported
				   */
	} run[SLU_IO_RUNS];
	size_t next; /* to be evicted */
};

/* The I/O of tasks of the run that began at `start`, on one node. A repeated
 * report replaces the former one, until all nodes have reported and the run is
 * stored. *whole: this was the last missing report. SLU_INVALID: the bytes are
 * not valid, or the source is not a node. */
int slu_history_io(struct slu_db *db, const struct slu_io_report *io,
		   int64_t start, struct slu_io_runs *runs, bool *whole,
		   struct slu_err *err);

/* What a storage server has counted for a job since its record began, over all
 * runs. It counts for the run that began at `start`; 0: for the one that ran at
 * Unix time `when`, or ended less than an hour before. Earlier runs with the
 * same id are subtracted, and the larger of two reports of one run is kept, so
 * reports may be repeated and arrive in any order. 1; 0: there is no such run.
 */
int slu_history_server_io(struct slu_db *db, const char *server,
			  const struct slu_server_job *io, int64_t start,
			  int64_t when, struct slu_err *err);

/* What forwarding daemons have counted for one run, all of it, or 0 bytes: then
 * its I/O is unknown, and other sources do not count either. *start as above;
 * set to the run's start. 1; 0: there is no such run. */
int slu_history_forwarded(struct slu_db *db, const struct slu_server_job *io,
			  int64_t *start, int64_t when, struct slu_err *err);

/* Of the runs that were stored after row *seen, finds those that ended in
 * [after, until] without known I/O: up to max into out (job_id and start).
 * Advances *seen, never beyond a run that ends within an hour after `until`
 * (later ones are invalid and left out). Returns their number. *more: there may
 * be more now. */
long slu_history_uncounted(struct slu_db *db, int64_t after, int64_t until,
			   int64_t *seen, struct slu_import_io *out, size_t max,
			   bool *more, struct slu_err *err);
/* Likewise the runs whose I/O is only known from storage servers. */
long slu_history_served(struct slu_db *db, int64_t after, int64_t until,
			int64_t *seen, struct slu_import_io *out, size_t max,
			bool *more, struct slu_err *err);
/* Likewise those of which MDTs have counted operations of metadata. */
long slu_history_metadata(struct slu_db *db, int64_t after, int64_t until,
			  int64_t *seen, struct slu_import_io *out, size_t max,
			  bool *more, struct slu_err *err);
/* Likewise those of which any I/O is known. */
long slu_history_known(struct slu_db *db, int64_t after, int64_t until,
		       int64_t *seen, struct slu_import_io *out, size_t max,
		       bool *more, struct slu_err *err);
/* The I/O that all servers have reported of a run so far, into out; 0: none
 * has. out->job_id is not set; the caller frees out->by_fs. */
int slu_history_moved(struct slu_db *db, uint32_t job_id, int64_t start,
		      struct slu_job_moved *out, struct slu_err *err);
/* Merges the rows of several servers into one for runs that ended more than
 * SLU_HISTORY_SPOKEN before now; later reports are ignored. A file system has
 * hundreds of servers. *seen and *more as above; a bounded number of runs per
 * call. Returns how many were changed; -1: it failed, and nothing was done. */
#define SLU_HISTORY_SPOKEN (2 * 86400) /* s */
long slu_history_fold_servers(struct slu_db *db, int64_t now, int64_t *seen,
			      bool *more, struct slu_err *err);
/* *seen: before all runs that ended at `after` or later. */
int slu_history_before(struct slu_db *db, int64_t after, int64_t *seen,
		       struct slu_err *err);

/* The rows of a query: of one user (SLU_NO_ID: all), only the latest `last` of
 * them (0: all), and of these those that ended at `since` (Unix seconds) or
 * later. brief: reads only the members that are needed for training
 * (wire/rows.h). */
struct slu_history_query {
	uint32_t uid;
	uint64_t last;
	int64_t since;
	bool brief;
	/* Only for slu_history_jobs(): runs that ended until then (0: any), in
	 * one of these states ("FAILED,TIMEOUT"; NULL: any); `last` is then
	 * applied to the selected rows. */
	int64_t until;
	const char *states;
};

/* A position in the history; rows that are stored later come after it. */
struct slu_history_cursor {
	uint32_t uid;
	bool brief;
	int64_t end;
	int64_t id;
	struct slu_io_readahead *io; /* owned; NULL: one user's rows */
};

/* Called for each row, which is borrowed; returns 0 to continue. */
typedef int slu_history_f(void *arg, const struct slu_history_row *row,
			  struct slu_err *err);

/* Sets the cursor before the first row; slu_history_end() frees it, and may be
 * called for a zeroed one. */
int slu_history_begin(struct slu_db *db, const struct slu_history_query *query,
		      struct slu_history_cursor *cursor, struct slu_err *err);
void slu_history_end(struct slu_history_cursor *cursor);
/* Calls fn for up to max rows in the order of ends, and advances the cursor.
 * Returns their number, less than max at the end of the history; -1 if the
 * database or fn failed, with the cursor after the last row that fn accepted.
 */
long slu_history_page(struct slu_db *db, struct slu_history_cursor *cursor,
		      size_t max, slu_history_f *fn, void *arg,
		      struct slu_err *err);

/* Calls fn for the run of job_id that began at `start`, if it is stored and all
 * of its nodes, or `source` (enum slu_io_source), have reported its I/O. */
int slu_history_whole(struct slu_db *db, uint32_t job_id, int64_t start,
		      uint32_t source, slu_history_f *fn, void *arg,
		      struct slu_err *err);

/* The same, whoever has reported. */
int slu_history_run(struct slu_db *db, uint32_t job_id, int64_t start,
		    slu_history_f *fn, void *arg, struct slu_err *err);

/* Calls fn for the ended runs of a job, the first one first, if they are this
 * user's (SLU_NO_ID: any user's). */
int slu_history_of_job(struct slu_db *db, uint32_t job_id, uint32_t uid,
		       slu_history_f *fn, void *arg, struct slu_err *err);
/* Call fn for the user's last runs of that name, counters left out, that ended
 * before Unix time `before`: up to max, the newest first. */
int slu_history_alike(struct slu_db *db, uint32_t uid, const char *name,
		      int64_t before, size_t max, slu_history_f *fn, void *arg,
		      struct slu_err *err);

/* A part of the history: what ended at `since` (Unix seconds) or later, of one
 * user (SLU_NO_ID: of all) and of an account (NULL: of all). */
struct slu_history_part {
	int64_t since;
	uint32_t uid;
	const char *account;
};
/* Adds sums over it to `out`: jobs {count, completed, failed, timeout,
 * cancelled, with_request, node_seconds, queued_seconds, and of those that
 * asked for a limit: limited, asked_seconds, granted_seconds, used_seconds;
 * tightened, extended}, io {jobs of which it is known, read_bytes,
 * written_bytes}, and names [{uid, user, name, count, node_seconds,
 * used_seconds_mean, asked_seconds_mean, timeout}], the `most` names with the
 * most node time. */
int slu_history_sums(struct slu_db *db, const struct slu_history_part *part,
		     size_t most, struct json_object *out, struct slu_err *err);

/* Calls fn for all rows of the query in that order. */
int slu_history_each(struct slu_db *db, const struct slu_history_query *query,
		     slu_history_f *fn, void *arg, struct slu_err *err);

/*
 * The questions `jobs` and `predict` of sysquery; the caller puts *out.
 *
 * jobs: an array of flat objects, oldest first: job_id, user, name, nodes
 * (number), limit and limit_asked (minutes), tightened (the limit that we had
 * set, minutes), extended (whether that had to be given back), late_by (s that
 * this could put off planned starts), predicted (s), predicted_from, run (s),
 * prepared (s of it until its file system was ready), suspended (s beside run
 * in which it was suspended),
 * error (predicted - run, s), state, script (its hash), ions, or ion_times (how
 * many s it had which number: select_io/curves/ion_times.h), read_bytes,
 * written_bytes, MB/s, io_from (buffer, tasks, llite, job_stats, darshan or
 * accounting), rpcs (of bytes, that Lustre's servers have seen),
 * by_file_system (slu_history_set_by_fs). What is not known is absent.
 *
 * predict: what the history says about a hypothetical job, one object: name,
 * nodes, limit_asked, predicted (s), careful (s), predicted_from, jobs; and
 *   limit	minutes that it would be given instead of what was asked for;
 *		only where the mode sets one
 *   elapsed, remaining
 *		s, and the median of what is left given that; only if elapsed
 *   quantiles	{"10", "50", "90", "99"}: run time, s
 *   evidence	[{class, jobs, weight}]: of which classes (predict.h), and their
 *		shares in the answer
 *   io		of the user's runs of that name: runs, written_bytes and
 *		read_bytes (arrays: the next run's, and those after it),
 *		stripe_size, stripes, training (the length in use), MB/s, and
 *		bandwidth [{ions, runs, MB/s}]; of runs that Darshan has seen:
 *		calls (a run), request_size (bytes, mean), layout ("shared" or
 *		"file-per-process": where most bytes went), shared (their
 *		share), access ("contiguous": most calls begin where the last
 *		ended, or "strided") and contiguous (their share)
 */
const char *slu_history_source(uint32_t source); /* io_from; NULL: none */
/* Adds by_file_system: [{name ("?": not known of which), read_bytes,
 * written_bytes, metadata_ops}], what Lustre's servers have counted for which
 * file system (row->by_fs); nothing, when that is not known. */
void slu_history_set_by_fs(struct json_object *obj, const char *by_fs);
int slu_history_jobs(struct slu_db *db, const struct slu_history_query *query,
		     struct json_object **out, struct slu_err *err);

/*
 * The accuracy of predictions for the query's jobs that the system did not end
 * (ended.h): {"user": [...], "partition": [...], "week": [...]} (its Monday),
 * each element with user, partition or week, jobs, median_error and mean_error
 * (|predicted - run|, s), median_error_asked (the same of the request) and
 * under (the share that ran longer than predicted); if limits were tightened
 * also tightened and extended, their numbers. The caller puts *out.
 */
int slu_history_accuracy(struct slu_db *db,
			 const struct slu_history_query *query,
			 struct json_object **out, struct slu_err *err);

struct slu_history_forecast_input {
	/* see slu_predict(); partition and account NULL: those of the user's
	 * last job */
	struct slu_job job;
	double quantile; /* see slu_predictor_new() */
	int64_t floor;
	enum slu_predict_mode mode;
	uint64_t last;	      /* rows that slurmctld has learnt; 0: all */
	uint64_t stripe_size; /* bytes, > 0 */
	int64_t elapsed;      /* s that it has already run; 0: not begun */
	bool unlimited;	     /* job.limit_asked is 0 because it asks for that */
	uint32_t by_default; /* minutes, the limit of a job that asks for none;
				0: none, not known */
};
int slu_history_forecast(struct slu_db *db,
			 const struct slu_history_forecast_input *ask,
			 struct json_object **out, struct slu_err *err);

#endif

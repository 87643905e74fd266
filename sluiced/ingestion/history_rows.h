/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_INGESTION_HISTORY_ROWS_H
#define SLU_SLUICED_INGESTION_HISTORY_ROWS_H

/*
 * The ended jobs: rows from slurmctld into the database, each answered by
 * `stored` when it is on disk; and back when slurmctld connects, page by page
 * as fast as it reads, ended by `history_end`; or cut short, for it to connect
 * again later, when the database cannot be read.
 */

#include "common/conf.h"
#include "common/str.h"
#include "job_submit/history/job_history.h"
#include "sluiced/ingestion/write_batch.h"
#include "sluiced/control/control_socket.h"

/* How good predictions were, of runs that ended their own way since sluiced
 * was started; seconds. */
struct slu_prediction_use {
	uint64_t jobs;		   /* that had a prediction */
	uint64_t longer;	   /* ran longer than that */
	double error, error_asked; /* sums: of predictions, of requests */
	uint64_t asked;		   /* of them that had asked for a limit */
};

struct slu_history {
	struct slu_db *db;
	struct slu_write_batch *batch;
	struct slu_control *control;
	const struct slu_log *log;
	const struct slu_conf *conf; /* HistoryDays, -Rows, -Replay */
	struct slu_history_cursor cursor;
	struct slu_buf packed; /* rows of the replay, to be sent */
	struct slu_io_runs io_runs;
	bool replaying;
	uint64_t sent, stored;
	struct slu_prediction_use predicted;
	bool ageing;	 /* what is too old goes, some at a time */
	int64_t surplus; /* of what is too much, still to go */
	/* slurmctld is to connect again, after a growing pause: it has rows
	 * that are not stored, or lacks some. */
	void (*again)(void *arg);
	void *arg;
};

/* Store; takes over the content of *job. */
void slu_history_take(struct slu_history *h, struct slu_job *job);
/* What the tasks of this run read and wrote is on disk, as far as it has been
 * told: once the run is known too, and from all of its nodes, slurmctld gets
 * the row, because only now it says what bandwidth the job reached. Looks at
 * all that is known of the run: not to be called for each of its nodes. */
void slu_history_counted(struct slu_history *h, uint32_t job_id, int64_t start);
/* Begin to send everything; begin again when that is going on. */
void slu_history_replay(struct slu_history *h);
/* There is room in the control socket's queue. */
void slu_history_more(struct slu_history *h);
/* Take away some of what is too old, or too much, at Unix time `now`; true:
 * there may be more. */
bool slu_history_age(struct slu_history *h, int64_t now);
/* Nobody is connected any more. */
void slu_history_gone(struct slu_history *h);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_INGESTION_HISTORY_ROWS_H
#define SLU_SLUICED_INGESTION_HISTORY_ROWS_H

/*
 * Stores the history of ended jobs, and sends it to slurmctld. Each row from
 * slurmctld is answered by `stored` when it is on disk. When slurmctld
 * connects, the whole history is replayed, page by page as fast as slurmctld
 * reads, and ended by `history_end`. If the database cannot be read, the replay
 * is cut short and slurmctld connects again later.
 */

#include "common/conf.h"
#include "common/str.h"
#include "job_submit/history/job_history.h"
#include "sluiced/ingestion/write_batch.h"
#include "sluiced/control/control_socket.h"

/* How good predictions were, for runs that ended by themselves since sluiced
 * was started; seconds. */
struct slu_prediction_use {
	uint64_t jobs;		   /* runs with a prediction */
	uint64_t longer;	   /* those that ran longer than predicted */
	double error, error_asked; /* sums, for predictions and for requests */
	uint64_t asked;		   /* runs with a requested limit */
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
	bool ageing;	 /* old rows are being removed, some at a time */
	int64_t surplus; /* rows above the limit that are still to be removed */
	/* slurmctld is to connect again, after a growing pause: it has rows
	 * that are not stored, or lacks some. */
	void (*again)(void *arg);
	void *arg;
};

/* Store it; takes over the content of *job. */
void slu_history_take(struct slu_history *h, struct slu_job *job);
/* What the tasks of this run have read and written is on disk, as far as it was
 * reported. Once the run is known, too, and all of its nodes have reported,
 * slurmctld gets the row, as only now the bandwidth is known. Reads everything
 * about the run: not to be called for each node. */
void slu_history_counted(struct slu_history *h, uint32_t job_id, int64_t start);
/* Begin to send everything; begins again if a replay is going on. */
void slu_history_replay(struct slu_history *h);
/* The queue of the control socket has space. */
void slu_history_more(struct slu_history *h);
/* Remove some of what is too old, or too much, at Unix time `now`; true: there
 * may be more. */
bool slu_history_age(struct slu_history *h, int64_t now);
/* s after a run's end: by then servers have said what they know of it. */
#define SLU_HISTORY_SETTLE 120
/* Is slurmctld to be told what went to which file system? */
bool slu_history_by_fs_wanted(const struct slu_history *h);
/* Sends the row as "fs_row"; a slu_history_f, arg: the history. */
int slu_history_send_fs_row(void *arg, const struct slu_history_row *row,
			    struct slu_err *err);
/* The connection was lost. */
void slu_history_disconnected(struct slu_history *h);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_INGESTION_LUSTRE_TOTALS_H
#define SLU_SLUICED_INGESTION_LUSTRE_TOTALS_H

/*
 * Collects what Lustre's servers count of each job's I/O (sluice-tbfd
 * --publish, received by jobstats.c): totals by server, in the history. No
 * report is marked as the last one of a server: SETTLE seconds after a job's
 * end slurmctld is sent what has arrived, unless a better source has counted
 * the job. Two days later the rows of its servers are merged into one. Where
 * IOStart is on, slurmctld is sent twice a minute what running jobs have moved;
 * where it counts file systems each by itself, each run once more with what
 * went to which.
 */

#include "sluiced/ingestion/history_rows.h"
#include "sluiced/event_loop.h"

#define SLU_MOVED_MOST 16384 /* running jobs that are reported at once */

struct slu_lustre_totals {
	struct slu_loop *loop;
	struct slu_history *history;
	struct slu_timer timer;
	bool begun;				/* the rows are known */
	int64_t seen;				/* row of the history */
	int64_t seen_metadata, seen_fs, folded; /* likewise */
	/* Running jobs about which a server has reported something new, some
	 * twice; and when a server last reported (slu_now_wall). */
	struct slu_moved_run {
		uint32_t job_id;
		int64_t start;
	} * moved;
	size_t n_moved;
	bool full; /* full even with each job once */
	double spoken;
};

void slu_lustre_totals_start(struct slu_lustre_totals *served,
			     struct slu_loop *loop,
			     struct slu_history *history);
void slu_lustre_totals_stop(struct slu_lustre_totals *served);
/* A server has reported about a run; 0: about none that runs. */
void slu_lustre_totals_moved(struct slu_lustre_totals *served, uint32_t job_id,
			     int64_t start);

#endif

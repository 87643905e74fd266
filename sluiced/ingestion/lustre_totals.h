/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_INGESTION_LUSTRE_TOTALS_H
#define SLU_SLUICED_INGESTION_LUSTRE_TOTALS_H

/*
 * What Lustre's servers have seen of each job (sluice-tbfd --publish): totals
 * by server, into the history (/v1/jobstats: jobstats.c). Nobody says which
 * word of which server is the last one: SETTLE seconds after a job's end
 * slurmctld is told what is there, unless somebody better has told it. Two days
 * later what its servers have said becomes one row. Where IOStart is on,
 * slurmctld is told twice a minute what running jobs have moved.
 */

#include "sluiced/ingestion/history_rows.h"
#include "sluiced/event_loop.h"

#define SLU_MOVED_MOST 16384 /* running jobs that are reported at once */

struct slu_lustre_totals {
	struct slu_loop *loop;
	struct slu_history *history;
	struct slu_timer timer;
	bool begun;		       /* the rows are known */
	int64_t seen;		       /* row of the history */
	int64_t seen_metadata, folded; /* likewise */
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

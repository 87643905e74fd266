/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_TOTALS_H
#define SLU_SLUICED_TOTALS_H

/*
 * Fetches from slurmdbd what JobAcctGather has counted of ended jobs' I/O, for
 * jobs of whose I/O no other source has reported. sacct (JobTotals in
 * sluice.conf) runs in the background for many jobs at once, some seconds after
 * their end. A job is asked for until accounting knows its end, at most
 * SLU_TOTALS_TRIES times. While slurmdbd is away, sacct runs more and more
 * rarely, and no job is dropped. When sacct fails otherwise, half as many jobs
 * are asked for, down to the one that it fails on, which counts as a try of
 * that job. After a start of sluiced the jobs of the last day are asked for.
 */

#include "job_submit/import/import_formats.h"
#include "sluiced/ingestion/write_batch.h"
#include "sluiced/ingestion/history_rows.h"
#include "sluiced/event_loop.h"

#define SLU_TOTALS_MAX	 200 /* runs at once */
#define SLU_TOTALS_TRIES 20

struct slu_child;

struct slu_totals_run {
	uint32_t job_id;
	int64_t start;
	unsigned tries;
	double due;  /* monotonic seconds: when to ask again */
	bool asking; /* part of the present request */
	bool known;  /* accounting has its end */
	bool alone;  /* sacct failed on it: to be asked for alone */
};

struct slu_sacct_totals {
	struct slu_loop *loop;
	struct slu_history *history;
	struct slu_timer timer;
	struct slu_child *child;
	struct slu_totals_run run[SLU_TOTALS_MAX]; /* to be asked for */
	size_t n;
	size_t asked; /* of these, in the last request */
	size_t most;  /* in one */
	bool wait;    /* the last one failed */
	bool more;    /* it seems that there are more */
	bool begun;   /* seen is set */
	int64_t seen; /* row of the history */
	unsigned failures;
};

void slu_totals_start(struct slu_sacct_totals *t, struct slu_loop *loop,
		      struct slu_history *history);
/* The configuration has changed: what failed may be tried again. */
void slu_totals_retry(struct slu_sacct_totals *t);
void slu_totals_stop(struct slu_sacct_totals *t);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_SEEN_RUNS_H
#define SLU_CTL_SEEN_RUNS_H

/*
 * Keeps the predictor from learning a run twice. Runs come from two sources:
 * from slurmctld when they end, and from sluiced, which sends the stored
 * history, in the order of ends, after each connection.
 *
 * struct slu_seen_runs: runs that ended before the history had been read. The
 * history may contain them; they are recognised by job id and start. Runs that
 * end while it is being read wait here until then. Bounded. One thread.
 *
 * struct slu_history_position: the last row of the history that one learner has
 * had, as each connection replays the history from the first row on.
 */

#include <stdbool.h>
#include <stddef.h>
#include "wire/job.h"

#define SLU_SEEN_RUNS 1024 /* at most */

struct slu_seen_run {
	struct slu_job job; /* texts only if it waits */
	bool waits;
};

struct slu_seen_runs {
	struct slu_seen_run *run; /* in the order of their ends */
	size_t n;
	int64_t since; /* the earliest of their ends */
};

/* -1: not kept, as there are too many, or no memory. */
int slu_seen_runs_add(struct slu_seen_runs *l, const struct slu_job *job,
		      bool waits);
bool slu_seen_runs_has(const struct slu_seen_runs *l,
		       const struct slu_job *job);
/* Learn those that wait; the others stay known. */
void slu_seen_runs_learn(struct slu_seen_runs *l,
			 void (*learn)(void *arg, const struct slu_job *job),
			 void *arg);
void slu_seen_runs_clear(struct slu_seen_runs *l);

/* All 0: nothing was read. */
struct slu_history_position {
	bool all;
	bool again;    /* rows come that were passed before, up to the last */
	int64_t start; /* of the last row */
	int64_t end;
	uint32_t job_id;
};

/* Has the learner had no row yet? */
bool slu_history_position_none(const struct slu_history_position *heard);
/* Is this row, of a history in the order of ends, new to the learner? */
bool slu_history_position_is_new(struct slu_history_position *heard,
				 const struct slu_job *job);
/* Will history still bring this run? */
bool slu_history_position_expects(const struct slu_history_position *heard,
				  const struct slu_job *job);
/* Another connection replays history. */
void slu_history_position_restart(struct slu_history_position *heard);

#endif

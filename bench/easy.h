/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_EASY_H
#define SLU_BENCH_EASY_H

/*
 * A discrete-event simulator of FCFS with EASY backfilling (Lifka 1995): the
 * first job of the queue gets a planned start from the predicted ends of the
 * running ones, and others may start before it when they do not delay that,
 * in the order of submission or the shortest first (EASY-SJBF, "EASY++").
 *
 * The site may have reservations of all processors at regular times, for
 * maintenance. A job is only started when its request ends before the next
 * one; with `gaps`, when its prediction does.
 *
 * Jobs are killed when their request is over, as a site would do, even where
 * the log lets them run on.
 *
 * Whoever predicts is a table of functions, called at each submission and end
 * of the simulation, so that nothing is known that would not be known then.
 * When a job runs longer than predicted it is asked again; `lead` seconds
 * before, as limits are extended that must not bite.
 */

#include <stdbool.h>
#include "bench/swf.h"

static inline int64_t easy_run_time(const struct swf_job *job)
{
	int64_t run = job->end - job->start;

	return run < job->request ? run : job->request;
}

struct easy_oracle {
	/* How long the job i will run, at its submission; in seconds. */
	double (*predict)(void *arg, size_t i, int64_t now);
	/* It has run `elapsed` seconds, as long as predicted: how long now? */
	double (*renew)(void *arg, size_t i, int64_t elapsed);
	/* It has ended; start[i] is known. */
	void (*learn)(void *arg, size_t i, int64_t start, int64_t end);
	void *arg;
	int64_t lead; /* s, >= 0 */
};

struct easy_site {
	int64_t procs;
	bool shortest;
	int64_t every, length; /* s: the last `length` of each `every` since
				* time 0 are reserved; 0: never */
	bool gaps;
};

struct easy_result {
	double slowdown; /* mean bounded slowdown, max(1, (w + r) / max(r, 10))
			  */
	double wait;	 /* mean, s */
	double longest_wait; /* s */
	size_t renewed;	     /* predictions that were exceeded */
	size_t moved;	 /* of these: how many moved the planned start of the
			  * first job of the queue, */
	double delay;	 /* by how much these did on average, */
	int64_t longest; /* and at most, s */
	size_t caught;	 /* jobs started before a reservation that outran
			  * their prediction and could not be extended */
};

/* start[log->n]: when each job would have started. A prediction is used as at
 * least a second and at most the request. -1 without memory, or when a job
 * wants more than there are processors. */
int easy_run(const struct swf_log *log, const struct easy_site *site,
	     const struct easy_oracle *oracle, int64_t *start,
	     struct easy_result *out);

#endif

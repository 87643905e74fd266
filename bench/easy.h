/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_EASY_H
#define SLU_BENCH_EASY_H

/*
 * A discrete-event simulator of FCFS with EASY backfilling (Lifka 1995): the
 * first job of the queue gets a reservation from the predicted ends of the
 * running ones, and others may start before it when they do not delay that,
 * in the order of submission or the shortest first (EASY-SJBF, "EASY++").
 *
 * Whoever predicts is a table of functions, called at each submission and end
 * of the simulation, so that nothing is known that would not be known then.
 * When a job runs longer than predicted it is asked again.
 */

#include <stdbool.h>
#include "bench/swf.h"

struct easy_oracle {
	/* How long the job i will run, at its submission; in seconds. */
	double (*predict)(void *arg, size_t i, int64_t now);
	/* It has run `elapsed` seconds, as long as predicted: how long now? */
	double (*renew)(void *arg, size_t i, int64_t elapsed);
	/* It has ended; start[i] is known. */
	void (*learn)(void *arg, size_t i, int64_t start, int64_t end);
	void *arg;
};

struct easy_result {
	double slowdown; /* mean bounded slowdown, max(1, (w + r) / max(r, 10))
			  */
	double wait;	 /* mean, s */
	size_t renewed;	 /* predictions that were exceeded */
};

/* start[log->n]: when each job would have started. A prediction is used as at
 * least a second and at most the request. -1 without memory, or when a job
 * wants more than procs. */
int easy_run(const struct swf_log *log, int64_t procs, bool shortest,
	     const struct easy_oracle *oracle, int64_t *start,
	     struct easy_result *out);

#endif

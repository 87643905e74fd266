/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SIMULATION_EASY_BACKFILL_H
#define SLU_JOB_SUBMIT_SIMULATION_EASY_BACKFILL_H

/*
 * Simulates the queue of a site under FCFS with EASY backfilling (Lifka 1995),
 * by discrete events: the first job of the queue gets a planned start from the
 * predicted ends of the running ones, and others may start before it when they
 * do not delay that, in the order of submission or the shortest first
 * (EASY-SJBF, "EASY++").
 */

/*
 * The site may have reservations of all processors at regular times, for
 * maintenance. A job is only started when its request ends before the next one;
 * with `gaps`, when its prediction does.
 *
 * Jobs are killed when their request is over, as a site would do, even where
 * they have run on.
 *
 * The predictor is a table of functions, called at each submission and end in
 * the simulation, so that it can only use what is known at that time. When a
 * job runs longer than predicted it is called again; `lead` seconds before, or
 * half of a shorter prediction, just as the guard extends limits before they
 * end a job (time_limit.h).
 *
 * Jobs may share more than processors, such as a file system: the caller that
 * simulates it decides which jobs may start and when they end. A job that may
 * not start is skipped and reserves no processors, as Slurm does with a job
 * that waits for a license or a burst buffer.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slu_easy_job {
	int64_t submit;	 /* s; jobs are in this order */
	int64_t run;	 /* s, at most the request; > 0 */
	int64_t request; /* s */
	int64_t procs;	 /* or nodes: a part of the whole */
};

struct slu_easy_oracle {
	/* Predicts the run time of job i at its submission, seconds. */
	double (*predict)(void *arg, size_t i, int64_t now);
	/* Predicts the run time of job i again, after `elapsed` seconds. */
	double (*renew)(void *arg, size_t i, int64_t elapsed);
	/* Learns from job i, which has ended; start[i] is known. */
	void (*learn)(void *arg, size_t i, int64_t start, int64_t end);
	void *arg;
	int64_t lead; /* s, >= 0 */
};

#define SLU_EASY_NONE ((size_t)-1)
struct slu_easy_shared {
	/* May the job i start now, as far as the shared resource is concerned?
	 * Called in the order of the queue, with or without idle processors. */
	bool (*may_start)(void *arg, size_t i, int64_t now);
	void (*begun)(void *arg, size_t i, int64_t now);
	/* A job that has ended by now, each once, or SLU_EASY_NONE. */
	size_t (*ended)(void *arg, int64_t now);
	/* The next time after `now` at which a job may end, or a held job may
	 * start. INT64_MAX: never. */
	int64_t (*next)(void *arg, int64_t now);
	void *arg;
};

struct slu_easy_site {
	int64_t procs;
	bool shortest;
	int64_t every, length; /* s: the last `length` of each `every` since
				* time 0 are reserved; 0: never */
	bool gaps;
	/* NULL: nothing is shared. Otherwise it decides how long jobs run, even
	 * beyond their requests; results are still measured by their `run`. */
	const struct slu_easy_shared *shared;
};

struct slu_easy_result {
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

/* start[n]: when each job would have started. A prediction is used as at least
 * a second and at most the request. -1 without memory, or when a job wants more
 * than there are processors. */
int slu_easy_run(const struct slu_easy_job *job, size_t n,
		 const struct slu_easy_site *site,
		 const struct slu_easy_oracle *oracle, int64_t *start,
		 struct slu_easy_result *out);

#endif

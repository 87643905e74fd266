/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_ADMISSION_H
#define SLU_SELECT_IO_ADMISSION_H

/*
 * Decides which waiting jobs may start (IOStart), so that jobs that run
 * together do not demand more bandwidth of a file system than it has. A
 * question is asked only about a job for which there are nodes, in the order of
 * priority; a job that may not start is skipped. Jobs that need little are
 * never held, and no job is held longer than a limit, or than a multiple of its
 * own predicted run time: a short job loses more by waiting than the others
 * gain.
 *
 * slu_admission_look() describes the present state, in O(n log n). Each
 * question is then answered in O(1), or O(log n) if the job is held. Jobs that
 * start are added and those that end are removed, with at most n additions. No
 * clock: the caller sets `now`. One thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "select_io/bandwidth/groups.h"
#include "select_io/bandwidth/rates.h"

struct slu_admission_site {
	double capacity;    /* bytes/s that the file system does under load; not
			     * above 0: not known, and no job is held */
	double nodes;	    /* of the machine; > 0 if it adapts */
	int64_t max_wait;   /* s: no job is held longer; 0: none is held */
	double wait_factor; /* times its run time, nor is it */
	double small;	    /* share of the capacity that is noise, 0 to 1 */
	double over; /* so many times the capacity may be asked for before
		      * nodes are idle, >= 1 */
	double left; /* s, >= 0: a job that runs is expected to run on for so
		      * long at least */
	bool adapt;  /* by the two groups (groups.h), too */
};

/* A job that could start now. */
struct slu_admission_ask {
	struct slu_demand is;
	int64_t held; /* s since it could have started but for this; 0 */
	double idle;  /* nodes that have been idle since all other waiting
		       * jobs were last asked about */
};

enum slu_admission_answer {
	SLU_ADMISSION_FITS,	/* it may start: there is room for it, */
	SLU_ADMISSION_SMALL,	/* what it needs is noise, */
	SLU_ADMISSION_PROMISED, /* it has been held for long enough, */
	SLU_ADMISSION_IDLE,	/* its nodes would be idle */
	SLU_ADMISSION_HELD,
};

struct slu_admission {
	struct slu_admission_site site;
	double now;    /* s since the look, where it is 0; the caller's */
	double demand; /* bytes/s, of the running jobs */
	struct slu_groups groups;
	/* what runs, by its end: s from the look, bytes/s, and the sum of these
	 * up to here */
	struct slu_admission_end {
		double at, rate, sum;
		uint32_t id;
	} * end;
	size_t n_end, room;
};

/* Begins as {0}. A running job may be overdue (seconds <= 0). The jobs
 * `waiting` are only looked at where the site adapts. -1 without memory: then
 * no job is held until it works again. */
int slu_admission_look(struct slu_admission *a,
		       const struct slu_admission_site *site,
		       const struct slu_demand *running, size_t n_running,
		       const struct slu_demand *waiting, size_t n_waiting);
void slu_admission_free(struct slu_admission *a);

enum slu_admission_answer
slu_admission_ask(const struct slu_admission *a,
		  const struct slu_admission_ask *job);
/* Adds a job that has started. -1 without memory: nothing is held until the
 * next look. */
int slu_admission_begun(struct slu_admission *a, const struct slu_demand *job);
/* Removes a job that has ended; unknown: nothing. The two groups, where the
 * site adapts, still count it. */
void slu_admission_ended(struct slu_admission *a, uint32_t id);
/* The caller has changed rates in end[]. */
void slu_admission_sum(struct slu_admission *a);

/* Estimated seconds from `now` until it may start: when enough running jobs
 * should have ended, or at the limit of its wait. 0: it is not held. */
int64_t slu_admission_when(const struct slu_admission *a,
			   const struct slu_admission_ask *job);

/* bytes/s that a job of so many nodes counts as, by what was learnt of it. One
 * of a new application counts as a quarter of the capacity at most. One of
 * which several runs have moved next to nothing counts as that, whatever its
 * user's others do, so that it is not held for noise. */
double slu_admission_rate(const struct slu_admission_site *site,
			  const struct slu_rate *learnt, double nodes);

/*
 * The rate at which a running job is expected to move data from now on: at
 * first the prediction (rate) for a run of `seconds`, and increasingly its
 * measured mean since its start. While the file system is busy (`busy`) a job
 * may move less than it wants, so then the measurement only counts if it is
 * higher. Before its start (elapsed <= 0) the prediction counts.
 */
double slu_admission_seen(const struct slu_demand *foretold, double elapsed,
			  double bytes, bool busy);

#endif

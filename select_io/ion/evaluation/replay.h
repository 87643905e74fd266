/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_REPLAY_H
#define SLU_ION_REPLAY_H

/*
 * Simulates a sequence of jobs under an arbiter, to compare policies: the
 * arbiter divides the I/O nodes at each start and end of a job, and a job's run
 * time follows from its bytes and its bandwidth with these I/O nodes, by a
 * curve that the arbiter may know or not. No clock, no randomness: the same
 * jobs and settings give the same result.
 */

#include "select_io/ion/arbiter/arbiter.h"

struct slu_replay_job {
	struct slu_job job; /* as it starts; borrowed */
	/* Bandwidth by number of I/O nodes; NULL: unknown: the job takes `mb`
	 * seconds in any case and is not counted. */
	const struct slu_curve *curve;
	double due;  /* s, earliest start; ascending */
	double mb;   /* moved by the job */
	double luck; /* factor on its curve */
	/* MB/s with a number for which the curve has no value; 0: none */
	double usual;
};

struct slu_replay {
	const struct slu_conf *conf; /* pool, policy and other settings */
	uint32_t compute;	     /* nodes of the system */
	/* Jobs start strictly in order on so many compute nodes; 0: as soon as
	 * they are due. */
	uint32_t free;
	bool learns;	     /* the arbiter learns from ended runs, */
	bool unchanged;	     /* only from those with a single number */
	bool best;	     /* also find the optimum, and STATIC's */
	slu_explore_f *hope; /* NULL: the arbiter's own rule */
	/* Called first, to teach the arbiter; NULL: nothing. */
	void (*teach)(void *arg, struct slu_arbiter *a);
	void *arg;
};

struct slu_replayed {
	double hours;		/* until the last end */
	double io_hours;	/* sum of the run times of jobs with a curve */
	double node_hours;	/* the same, times their nodes */
	double mb;		/* moved by these */
	size_t jobs;		/* number of these */
	size_t events, below;	/* events with a prediction below STATIC's */
	size_t below_in_effect; /* events below STATIC; with `best` */
	size_t taught;		/* runs that were training samples */
	/* MB that the optimum would have moved, by the jobs' curves, and that
	 * were moved; and the same for the last quarter of the jobs. */
	double best, reached, last_best, last_reached;
	/* MB that STATIC would have moved, and the sum of shortfalls below it.
	 */
	double fixed, short_of;
};

int slu_ion_replay(const struct slu_replay *q, const struct slu_replay_job *job,
		   size_t n, struct slu_replayed *out, struct slu_err *err);

/* The bandwidth of one job beside so many running ones, by its curve. */
double slu_replay_reaches(const struct slu_curve *curve, uint32_t ions,
			  bool shared, size_t running);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_REPLAY_H
#define SLU_ION_REPLAY_H

/*
 * Replays jobs: an arbiter divides the I/O nodes at each start and end of a
 * job, and a job's run time follows from its bytes and its bandwidth with these
 * I/O nodes, by a curve that the arbiter may know or not. No clock, no
 * randomness: the same jobs and settings give the same result.
 */

#include "select_io/ion/arbiter.h"

struct slu_replay_job {
	struct slu_job job; /* as it starts; borrowed */
	/* What it reaches with how many I/O nodes; NULL: nothing is known, it
	 * takes `mb` seconds whatever it has, and counts nowhere. */
	const struct slu_curve *curve;
	double due;  /* s, when it may start; in ascending order */
	double mb;   /* that it moves */
	double luck; /* times what its curve says */
	/* MB/s with a number of which the curve knows nothing; 0: none */
	double usual;
};

struct slu_replay {
	const struct slu_conf *conf; /* pool, policy, and the rest of them */
	uint32_t compute;	     /* nodes of the system */
	/* Jobs start strictly in order, when that many of them are free; 0: as
	 * soon as they are due. */
	uint32_t free;
	bool learns;	     /* runs that end teach the arbiter, */
	bool unchanged;	     /* but for those whose number changed */
	bool best;	     /* find the best divisions, and STATIC's, too */
	slu_explore_f *hope; /* NULL: the arbiter's own rule */
	/* Tell the arbiter before what it shall know; NULL: nothing. */
	void (*teach)(void *arg, struct slu_arbiter *a);
	void *arg;
};

struct slu_replayed {
	double hours;	   /* until all is done */
	double io_hours;   /* sum of the run times of jobs with a curve */
	double node_hours; /* the same times their nodes */
	double mb;	   /* and what these moved */
	size_t jobs;	   /* such ones */
	size_t events,
		below; /* after which less was predicted than of STATIC */
	size_t below_in_effect; /* reached less than by STATIC; with best */
	size_t taught;		/* runs that told something */
	/* MB that the best division of the same jobs would have reached, by
	 * their curves, and did; and the same of the last quarter of the
	 * jobs. */
	double best, reached, last_best, last_reached;
	/* MB that STATIC would have reached, and what was less than that at the
	 * time. */
	double fixed, short_of;
};

int slu_ion_replay(const struct slu_replay *q, const struct slu_replay_job *job,
		   size_t n, struct slu_replayed *out, struct slu_err *err);

/* What one reaches, by its curve, beside so many running ones. */
double slu_replay_reaches(const struct slu_curve *curve, uint32_t ions,
			  bool shared, size_t running);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_ARBITER_QUEUE_H
#define SLU_BENCH_ARBITER_QUEUE_H

/*
 * A queue of jobs, strictly in order, on C compute nodes: an arbiter divides
 * the I/O nodes at each start and end and learns from the runs that end, and
 * what jobs reach is as measured, whether it knows it or not.
 */

#include "bench/arbiter.h"
#include "select_io/ion/arbiter.h"

struct bench_queue {
	enum slu_ion_policy policy;
	uint32_t pool;
	bool direct, remap;
	size_t jobs;
	size_t apps;	/* applications that they run; 0: all scenarios */
	uint32_t once;	/* percent of them have a name of their own */
	double every;	/* s between two of them, mean; 0: all at once */
	double noise;	/* relative standard deviation of a run's rate */
	bool unchanged; /* only runs that had one number teach, as before */
	bool knows;	/* it has been taught all curves before */
	double explore; /* see struct slu_conf */
	slu_explore_f *hope; /* NULL: the arbiter's own rule */
	uint64_t seed;
};

struct bench_outcome {
	double hours;	 /* until all is done */
	double io_hours; /* sum of the jobs' run times */
	size_t events,
		below; /* after which less was predicted than of STATIC */
	size_t taught;
	/* MB that the best division of the same jobs would have reached, by the
	 * true curves, and did; and the same of the last quarter of the jobs */
	double best, reached, last_best, last_reached;
};

struct bench_outcome bench_simulate(struct bench *b,
				    const struct bench_queue *q);

/* What a job reaches, by the true curves. */
double bench_reaches(const struct bench_scenario *s, uint32_t ions, bool shared,
		     size_t running);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_ARBITER_QUEUE_H
#define SLU_BENCH_ARBITER_QUEUE_H

/*
 * Simulates a queue of jobs, to measure how well an arbiter divides the I/O
 * nodes when it has to learn the applications' curves.
 *
 * Jobs start strictly first come first served on C compute nodes. At each start
 * and end the arbiter divides the I/O nodes by the curves that it knows; each
 * job then reaches the bandwidth of its true curve, and the arbiter learns from
 * that when the job ends.
 */

#include "bench/arbiter.h"
#include "select_io/ion/evaluation/replay.h"

struct bench_queue {
	enum slu_ion_policy policy;
	uint32_t pool;
	bool direct, remap;
	size_t jobs;
	size_t apps;	     /* number of applications; 0: all scenarios */
	uint32_t once;	     /* percent of jobs with a name of their own */
	double every;	     /* mean s between submissions; 0: all at once */
	double noise;	     /* relative standard deviation of a run's rate */
	bool unchanged;	     /* learn only if the I/O nodes never changed */
	bool knows;	     /* the arbiter knows all curves from the start */
	double explore;	     /* see struct slu_conf */
	slu_explore_f *hope; /* NULL: the arbiter's own rule */
	uint64_t seed;
};

struct slu_replayed bench_simulate(struct bench *b,
				   const struct bench_queue *q);

#endif

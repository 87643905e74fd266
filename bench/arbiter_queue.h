/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_ARBITER_QUEUE_H
#define SLU_BENCH_ARBITER_QUEUE_H

/*
 * A queue of jobs, strictly first come first served, on C compute nodes: an
 * arbiter divides the I/O nodes at each start and end and learns from ended
 * runs; jobs reach their true bandwidth, whether the arbiter knows it or not.
 */

#include "bench/arbiter.h"
#include "select_io/ion/replay.h"

struct bench_queue {
	enum slu_ion_policy policy;
	uint32_t pool;
	bool direct, remap;
	size_t jobs;
	size_t apps;	     /* number of applications; 0: all scenarios */
	uint32_t once;	     /* percent of jobs with a name of their own */
	double every;	     /* mean s between submissions; 0: all at once */
	double noise;	     /* relative standard deviation of a run's rate */
	bool unchanged;	     /* learn only from runs with a single number */
	bool knows;	     /* all curves were taught before */
	double explore;	     /* see struct slu_conf */
	slu_explore_f *hope; /* NULL: the arbiter's own rule */
	uint64_t seed;
};

struct slu_replayed bench_simulate(struct bench *b,
				   const struct bench_queue *q);

#endif

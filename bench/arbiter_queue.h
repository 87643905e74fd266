/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_ARBITER_QUEUE_H
#define SLU_BENCH_ARBITER_QUEUE_H

/*
 * A queue of jobs, strictly in order, on C compute nodes: an arbiter divides
 * the I/O nodes at each start and end and learns from the runs that end; jobs
 * reach their measured bandwidth, whether the arbiter knows it or not.
 */

#include "bench/arbiter.h"
#include "select_io/ion/replay.h"

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

struct slu_replayed bench_simulate(struct bench *b,
				   const struct bench_queue *q);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_IONBENCH_MEASURE_H
#define SLU_SELECT_IO_IONBENCH_MEASURE_H

/*
 * Measures bandwidths of access patterns: decides what to measure next, and
 * with which I/O nodes, until everything is measured, the budget is used up or
 * a job needs the nodes. For command-line programs: prints its progress on
 * standard error.
 */

#include "select_io/ionbench/idle_ions.h"
#include "select_io/ionbench/results.h"

#define SLU_BENCH_MOST_IONS SLU_CURVE_POINTS

struct slu_bench {
	struct slu_bench_patterns patterns;
	uint32_t ions[SLU_BENCH_MOST_IONS]; /* ascending; 0: direct access */
	size_t n_ions;
	uint32_t repeat;
	double budget;			    /* s, of all measurements */
	uint64_t most;			    /* bytes, of all measurements */
	double wait;			    /* s for idle I/O nodes */
	const char *directory, *direct;	    /* for data; without I/O nodes */
	const char *load, *apply, *preload; /* programs, library, or NULL */
	const char *state, *table;	    /* absolute paths */
	const char *nodes;		    /* of the job, host list */
	bool quiet;
	const char *about; /* first remark of the table */
	struct slu_idle_ions idle;
	struct slu_bench_results results;
	int (*signalled)(void); /* that the job is to end: the signal, or 0 */
};

enum slu_bench_end {
	SLU_BENCH_WHOLE,
	SLU_BENCH_FAILED,
	SLU_BENCH_BUDGET = 3, /* of time or bytes, or no idle I/O nodes came */
	SLU_BENCH_STOPPED,
};

/* The number of measurements that are left; *all: of how many. */
size_t slu_bench_left(const struct slu_bench *b, size_t *all);

/* Measures what is left. The table is written anew after each measurement.
 * FAILED, BUDGET, STOPPED: *err says why the measurements ended. */
enum slu_bench_end slu_bench_measure(struct slu_bench *b, struct slu_err *err);

#endif

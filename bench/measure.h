/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_MEASURE_H
#define SLU_BENCH_MEASURE_H

/* Reads the clocks, and orders doubles for medians, in all benchmarks. */

#include <time.h>

/* Monotonic clock, seconds. */
static inline double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Processor time of this thread, seconds: for code that does not wait, so that
 * tails are its own and not those of other programs on the machine. */
static inline double bench_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Compares doubles for qsort(), ascending. */
static inline int bench_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_MEASURE_H
#define SLU_BENCH_MEASURE_H

/* What the measurements share. */

#include <time.h>

/* Seconds that pass, since some time or other. */
static inline double bench_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds of processor time of this thread: for what does not wait, so that
 * tails are its own and not those of whoever else runs on the machine. */
static inline double bench_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* For qsort() of doubles, the least first. */
static inline int bench_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#endif

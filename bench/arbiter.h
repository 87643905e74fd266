/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_ARBITER_H
#define SLU_BENCH_ARBITER_H

/*
 * Shared by the parts of bench/arbiter: measured access patterns, a job that
 * runs one, and the output of results.
 */

#include <stdio.h>
#include "select_io/division/division.h"
#include "select_io/mckp/mckp.h"

#define BENCH_CHOICES	5
#define BENCH_SCENARIOS 512

extern const uint32_t bench_measured[BENCH_CHOICES]; /* 0 1 2 4 8 */

struct bench_scenario {
	uint32_t nodes, tasks;
	uint32_t choice[BENCH_CHOICES];
	size_t n;
	struct slu_curve curve;
};

struct bench {
	struct bench_scenario s[BENCH_SCENARIOS];
	size_t n;
	size_t sets;
	uint32_t compute; /* C */
	uint64_t seed;
	uint64_t month; /* seed of the month's jobs */
	double noise;	/* relative standard deviation of its runs */
	struct slu_mckp *solver;
	struct slu_ion_division *division;
	bool csv;	 /* only the months, with the common columns */
	const char *out; /* directory for the figures' numbers, or NULL */
};

/* Opens a file for figures in b->out; NULL without a directory. Close it with
 * fclose(). Exits when it cannot be created. */
FILE *bench_open(const struct bench *b, const char *name);

struct slu_ion_job bench_job(const struct bench_scenario *s, uint32_t compute,
			     uint32_t pool);
double bench_median(double *v, size_t n); /* sorts */

/* Section 3.2 with figures 2, 3, 7 and 8; table 4; the queue of 5.3. */
size_t bench_sets(struct bench *b);    /* sets where MCKP is below STATIC */
size_t bench_unknown(struct bench *b); /* the same with unknown jobs */
size_t bench_month(struct bench *b);   /* learning without prior knowledge */
void bench_table4(struct bench *b);
void bench_queue(struct bench *b);

#endif

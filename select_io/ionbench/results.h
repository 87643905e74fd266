/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_IONBENCH_RESULTS_H
#define SLU_SELECT_IO_IONBENCH_RESULTS_H

/*
 * Stores the measurements in a state file, so that a stopped benchmark can go
 * on, and makes the performance table from them.
 *
 * The state file has a line of JSON for the setup and one for each measurement,
 * also for those that were stopped, since they count against the budget. A line
 * is written with one write, so a killed program loses only the current
 * measurement; an incomplete last line is ignored.
 */

#include <stdint.h>
#include "common/str.h"
#include "select_io/ionbench/patterns.h"

/* The setup of all measurements; a state file is of one setup. */
struct slu_bench_setup {
	uint32_t nodes, tasks; /* of the job; tasks of all nodes */
	uint64_t bytes;	       /* of one measurement */
	int64_t seconds;       /* that it takes at most */
};

struct slu_bench_run {
	char key[SLU_BENCH_KEY]; /* of the pattern */
	uint32_t ions;
	double bandwidth; /* MB/s; 0: it was stopped */
	double seconds;	  /* that it took, with all around it */
	uint64_t moved;	  /* bytes, also those that only had to be there */
};

struct slu_bench_results {
	struct slu_bench_setup setup;
	struct slu_bench_run *run;
	size_t n;
	double seconds; /* of all */
	uint64_t moved;
	int fd; /* of the state file; -1: nothing is written */
};

/* Opens or creates the state file, and reads its measurements. SLU_INVALID: it
 * is not a state file, or of another setup; a setup without nodes takes the
 * file's. look: only read; the file need not exist, and fd is -1. */
int slu_bench_open(struct slu_bench_results *r, const char *path,
		   const struct slu_bench_setup *setup, bool look,
		   struct slu_err *err);
void slu_bench_close(struct slu_bench_results *r);

/* Adds a measurement, to the file first. */
int slu_bench_add_run(struct slu_bench_results *r,
		      const struct slu_bench_run *run, struct slu_err *err);

struct slu_bench_deviation {
	uint32_t runs;
	double mean, deviation, least, most; /* MB/s; deviation: of the runs */
};
struct slu_bench_deviation
slu_bench_deviation(const struct slu_bench_results *r, const char *key,
		    uint32_t ions);

/* The PerformanceTable, with the spread as remarks. `about` is its first
 * remark. NULL with SLU_NOTFOUND: no pattern was measured with an I/O node so
 * far. Caller frees. */
char *slu_bench_table(const struct slu_bench_results *r,
		      const struct slu_bench_patterns *patterns,
		      const uint32_t *ions, size_t n_ions, const char *about,
		      struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_IO_RUNS_H
#define SLU_BENCH_IO_RUNS_H

/*
 * Reads a year of runs of I/O benchmarks (NERSC/tokio-abcutils, summaries as
 * CSV, plain or gzip).
 */

#include <stddef.h>
#include "common/err.h"

struct io_run {
	double start, end;    /* s */
	double read, written; /* bytes */
	double bandwidth;     /* MB/s, of its slowest process */
	double procs;
	char app[96]; /* program, file system and number of processes */
};

/* The runs sorted by start; NULL: the file cannot be read. Caller frees. */
struct io_run *io_runs_load(const char *path, size_t *n, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_IONBENCH_OPTIONS_H
#define SLU_SELECT_IO_IONBENCH_OPTIONS_H

/* Parses the command line of sluice-ionbench. */

#include "select_io/ionbench/measure.h"

/* The options that are used at the start; the others are in struct slu_bench.
 * Texts are argv's. */
struct slu_bench_args {
	const char *list, *from, *mapping, *table, *state;
	const char **log;
	size_t n_logs;
	struct slu_bench_setup setup;
	bool dry_run, script, json;
};

enum { SLU_BENCH_GO_ON = -1, SLU_BENCH_MISUSED = -2 };

/* Read it. MISUSED: *err says what is wrong; >= 0: the exit status, all was
 * said. Free args->log. */
int slu_bench_options(struct slu_bench_args *a, struct slu_bench *b, int argc,
		      char **argv, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_IONBENCH_REPORT_H
#define SLU_SELECT_IO_IONBENCH_REPORT_H

/*
 * Prints the results of sluice-ionbench on standard output: a batch script, the
 * plan, or JSON. All functions return the program's exit status.
 */

#include "select_io/ionbench/measure.h"

/* Prints a batch script that runs sluice-ionbench with these arguments except
 * --script. */
int slu_bench_print_script(int argc, char **argv);
/* Prints the measurements that would be made. */
int slu_bench_print_plan(const struct slu_bench *b);
/* Prints the measurements as JSON; why: the reason for which they stopped, or
 * NULL. */
int slu_bench_print_json(const struct slu_bench *b, const char *why);

#endif

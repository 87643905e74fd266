/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_TBF_H
#define SLU_BENCH_TBF_H

/* Shared by the parts of bench/tbf. */

#include <stdbool.h>

/* Prints a line of --csv. */
void tbf_csv(const char *name, const char *metric, const char *unit,
	     double ours, const char *rival, double value);

/* tbf_cost.c: time of the token step and of a period of the controller; RPCs
 * that pass a rule that is rewritten. */
void tbf_run_costs(bool csv);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_MCKP_RIVALS_H
#define SLU_BENCH_MCKP_RIVALS_H

/* Reference solvers for the multiple-choice knapsack of bench/mckp: dynamic
 * programming over the capacity, and GLPK's branch and cut. Each returns the
 * optimum and its time in seconds. */

#include "select_io/mckp/mckp.h"

#define ITEMS 8 /* of each class */

/* The textbook algorithm: best[i][c] in doubles, and a choice for every cell.
 */
double bench_textbook(const struct slu_mckp_problem *p, double *seconds);
/* NAN: it failed or exceeded its limits. Only with HAVE_GLPK_H. */
double bench_glpk(const struct slu_mckp_problem *p, double *seconds);

#endif

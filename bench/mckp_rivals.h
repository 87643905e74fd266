/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_MCKP_RIVALS_H
#define SLU_BENCH_MCKP_RIVALS_H

/*
 * Two other exact solvers of the multiple-choice knapsack problem, which
 * bench/mckp compares with ours (select_io/mckp): dynamic programming over the
 * capacity, and GLPK's branch and cut. Each returns the optimum, and in
 * *seconds its time.
 */

#include "select_io/mckp/mckp.h"

#define ITEMS 8 /* of each class */

/* The textbook's dynamic programming: the best value of the first i classes
 * with capacity c, for all i and c, and the item chosen there. */
double bench_textbook(const struct slu_mckp_problem *p, double *seconds);
/* Integer programming. NAN: it failed or took more than 20 s. Only with
 * HAVE_GLPK_H; each class must have ITEMS items. */
double bench_glpk(const struct slu_mckp_problem *p, double *seconds);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_MCKP_H
#define SLU_ION_MCKP_H

/*
 * The multiple-choice knapsack (Bez et al., IPDPS 2021, section 3.1, formula
 * 1), solved exactly: take one item of every class so that the weights sum to
 * at most the capacity and the values sum to as much as possible.
 *
 * Among equal sums the solution keeps as many held items as it can, then
 * weighs as little as it can; what is still equal is settled by the order of
 * the problem. So the same problem always has the same solution.
 *
 * Values are doubles >= 0 (MB/s) and are compared as whole multiples of
 * `unit`, 0.001 (1 kB/s) unless the sum of values is so large that 64 bits
 * need a coarser one; the solution is exact for the rounded values, and no
 * input can overflow. One solver belongs to one thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_MCKP_NONE	     UINT32_MAX
#define SLU_MCKP_MAX_CLASSES (1u << 20)
#define SLU_MCKP_MAX_VALUE   1e12

struct slu_mckp_item {
	uint32_t weight;
	double value; /* 0 .. SLU_MCKP_MAX_VALUE */
};

struct slu_mckp_class {
	const struct slu_mckp_item *item;
	uint32_t n;    /* at least 1 */
	uint32_t hold; /* index of the item in force, or SLU_MCKP_NONE */
};

struct slu_mckp_problem {
	const struct slu_mckp_class *class;
	uint32_t n; /* 0 .. SLU_MCKP_MAX_CLASSES */
	uint32_t capacity;
};

struct slu_mckp_settings {
	size_t max_bytes; /* ceiling of the solver's memory; 0: 1 GiB */
};

struct slu_mckp_solution {
	bool feasible;	  /* false: the lightest items weigh too much */
	double value;	  /* sum of the chosen items' values */
	uint64_t weight;  /* and of their weights */
	uint32_t *choice; /* in: room for problem.n; out: index per class,
			   * untouched when not feasible */
};

/* Why the solution can be trusted: no choice whatever is worth more than
 * bound, which comes from the linear relaxation and not from the search. */
struct slu_mckp_info {
	double unit;
	double bound; /* >= value, rounding allowed for; 0: not feasible */
	double gap;   /* relaxation - solution; below one unit: none */
	size_t bytes; /* of memory */
};

struct slu_mckp;

/* Check the problem and take all the memory that solving needs; the problem is
 * not read after this. SLU_INVALID: a value or a size out of range;
 * SLU_NOMEM: the table, 8 bytes x classes x (capacity + 1), where the capacity
 * counts only as far as the heaviest items reach, exceeds max_bytes. */
struct slu_mckp *slu_mckp_setup(const struct slu_mckp_problem *problem,
				const struct slu_mckp_settings *settings,
				struct slu_err *err);
void slu_mckp_free(struct slu_mckp *mckp);

/* Solve; allocates nothing, cannot fail. info may be NULL. */
void slu_mckp_solve(struct slu_mckp *mckp, struct slu_mckp_solution *solution,
		    struct slu_mckp_info *info);

#endif

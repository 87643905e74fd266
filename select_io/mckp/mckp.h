/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_MCKP_MCKP_H
#define SLU_SELECT_IO_MCKP_MCKP_H

/*
 * Solves the multiple-choice knapsack problem exactly (Bez et al., IPDPS 2021,
 * section 3.1, formula 1): take one item of every class so that the weights sum
 * to at most the capacity and the values sum to as much as possible. One solver
 * belongs to one thread. No clock, no randomness.
 */

/*
 * A solver is set up once and then updated: classes come and go, the capacity
 * changes, and the cost of a new solve depends on what has changed. Every
 * result has a certificate: an upper bound for all choices, from the linear
 * relaxation or, after a complete search, the value itself, and whether the
 * search has closed the gap.
 *
 * Among equal sums the solution keeps held items: as many as it can, and where
 * very many classes are alike (their steps tie at the bound) at most a few
 * less. Remaining ties are decided by the order of events.
 *
 * Values are doubles >= 0 (MB/s) and are compared as whole multiples of `unit`,
 * 0.001 (1 kB/s) unless the values, the weights or their number are so large
 * that integers of 64 bits need a coarser one; the solution is exact for the
 * rounded values, and no input can overflow.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_MCKP_NONE	     UINT32_MAX
#define SLU_MCKP_MAX_CLASSES (1u << 20)
#define SLU_MCKP_MAX_ITEMS   1024 /* of one class */
#define SLU_MCKP_MAX_VALUE   1e12

struct slu_mckp_item {
	uint32_t weight;
	double value; /* 0 .. SLU_MCKP_MAX_VALUE */
};

struct slu_mckp_class {
	const struct slu_mckp_item *item;
	uint32_t n;    /* 1 .. SLU_MCKP_MAX_ITEMS */
	uint32_t hold; /* index of the item in force, or SLU_MCKP_NONE */
};

struct slu_mckp_problem {
	const struct slu_mckp_class *class;
	uint32_t n; /* 0 .. SLU_MCKP_MAX_CLASSES */
	uint32_t capacity;
};

enum slu_mckp_method {
	SLU_MCKP_AUTO,	 /* the core around the bound, else the table; a small
			  * problem, as it was loaded, at once by the table */
	SLU_MCKP_TABLE,	 /* only the table: dynamic programming, for tests */
	SLU_MCKP_SEARCH, /* no problem is small, for tests */
};

struct slu_mckp_settings {
	size_t max_bytes; /* ceiling of the table; 0: 64 MiB. It is taken
			   * from the system page by page when it is used */
	enum slu_mckp_method method;
};

struct slu_mckp_solution {
	bool feasible;	  /* false: the lightest items weigh too much */
	double value;	  /* sum of the chosen items' values */
	uint64_t weight;  /* and of their weights */
	uint32_t *choice; /* in: NULL, or room for as many as the highest id
			   * + 1; out: item per id, untouched when not
			   * feasible and where there is no class */
	/* Classes that changed since the last feasible solve, new ones too;
	 * borrowed until the next call. */
	const uint32_t *changed;
	uint32_t n_changed;
};

/* Why the solution can be trusted. */
struct slu_mckp_info {
	double unit;
	double bound; /* >= value, rounding allowed for; 0: not feasible */
	double gap;   /* relaxation - solution; below one unit: none. 0 for a
		       * small problem, which is not relaxed */
	bool proved;  /* nothing better exists; false only when the table
		       * would exceed max_bytes */
	enum {
		SLU_MCKP_BY_BOUND, /* the relaxation is itself a solution */
		SLU_MCKP_BY_CORE,  /* a few classes near it were searched */
		SLU_MCKP_BY_GROUP, /* many classes tie: modulo their step */
		SLU_MCKP_BY_TABLE,
	} by;
	uint32_t core; /* classes that the search looked at */
	/* What was done, of a problem that is not small: a step of a search
	 * takes as long as some 100 of the cells, each with one item, that the
	 * table fills in. */
	uint64_t steps, cells;
	size_t bytes; /* of memory, without the table */
	size_t table; /* of the table, at most max_bytes */
};

struct slu_mckp;

/* Check the problem and take all the memory that solving needs; the problem is
 * not read after this. Its classes have the ids 0 .. n - 1. SLU_INVALID: a
 * value or a size out of range. */
struct slu_mckp *slu_mckp_setup(const struct slu_mckp_problem *problem,
				const struct slu_mckp_settings *settings,
				struct slu_err *err);
void slu_mckp_free(struct slu_mckp *mckp);

/* Another problem in its place; takes memory only when it is larger than any
 * before. After a failure there are no classes. */
int slu_mckp_load(struct slu_mckp *mckp, const struct slu_mckp_problem *problem,
		  struct slu_err *err);

/* A class more: *id, the lowest that is free, is its name. Takes memory only
 * when there are more classes than ever before. A class less. */
int slu_mckp_add(struct slu_mckp *mckp, const struct slu_mckp_class *class,
		 uint32_t *id, struct slu_err *err);
void slu_mckp_remove(struct slu_mckp *mckp, uint32_t id);
void slu_mckp_capacity(struct slu_mckp *mckp, uint32_t capacity);

/* From now on every class holds what the last solution chose for it. */
void slu_mckp_keep(struct slu_mckp *mckp);

/* Solve; allocates nothing, cannot fail. info may be NULL. */
void slu_mckp_solve(struct slu_mckp *mckp, struct slu_mckp_solution *solution,
		    struct slu_mckp_info *info);

/* The item of this class in the last feasible solution. */
uint32_t slu_mckp_choice(const struct slu_mckp *mckp, uint32_t id);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_DIVISION_DIVISION_PRIVATE_H
#define SLU_SELECT_IO_DIVISION_DIVISION_PRIVATE_H

/*
 * Private to select_io/division: the state of a division, its jobs (struct
 * part) and what each step of a solve leaves for the next.
 */

#include "select_io/division/division.h"
#include "select_io/mckp/mckp.h"

#define SLU_DIVISION_NOTHING_YET                     \
	-1 /* MB/s of a grant before the first solve \
	    */
#define SLU_DIVISION_AT_ONCE \
	16 /* more changes than about 1 / this: build the knapsack anew */

struct range {
	uint32_t low, n; /* choice[low] .. choice[low + n - 1] */
	bool pinned;	 /* the job keeps what it holds */
};

struct part {
	uint32_t age, usual, nodes, tasks, held;
	struct slu_mckp_item *choice; /* ascending; values 0 if not known */
	uint32_t n, room;
	double one; /* MB/s with one I/O node, for sharing */
	double counts;
	uint64_t group[SLU_ION_GROUPS];
	bool used, known, claimed, fixed, holds, shares, tries;
	uint32_t trial;
	bool unsure; /* some choice's estimate is above the value used */
	bool table;  /* the curve is a table's; `claimed` or `known` is set */
	bool lent;   /* is in d->lent */
	bool dirty;  /* is in d->dirty; the sums are without it */
	bool counted_sharing, counted_narrow;
	uint32_t counted;
	uint32_t changed_round; /* round in which it got into d->changed */
	struct range open;	/* by the policy only */
	struct range range;	/* lowered until all fits */
	struct range posed;	/* in the knapsack */
	uint32_t class;		/* in the knapsack, or SLU_MCKP_NONE */
	uint32_t chosen;	/* item chosen, if groups are limited */
};

struct slu_ion_division {
	enum slu_ion_policy policy;
	uint32_t pool;
	struct part *part; /* by slot */
	struct slu_ion_grant *grant;
	size_t n_slots, max;
	uint32_t *free_slot;
	size_t n_free;
	uint32_t *order; /* slots by age */
	size_t n;

	bool all; /* build the whole knapsack anew */
	uint32_t *dirty, *lent, *changed;
	size_t n_dirty, n_lent, n_changed;
	uint32_t round;
	uint64_t least; /* sum of the jobs' smallest numbers */
	size_t n_sharing;
	uint64_t all_nodes, all_tasks;

	bool tight;	   /* the minima exceed the pool, or jobs share: */
	bool share;	   /* one I/O node is shared */
	uint32_t capacity; /* I/O nodes for jobs of their own */
	double guess;	   /* MB/s with one I/O node for jobs without a curve */
	bool owned;	   /* the shared one belongs to a running job */
	size_t n_tables;   /* jobs whose curve is a table's */
	size_t n_measured; /* jobs whose curve was measured */
	bool by_tables;	   /* no job was measured: compare tables */
	size_t n_shares;   /* jobs that share when they are put */
	size_t n_narrow; /* jobs with fewer open choices than all, or unsure */
	/* Results of the last solve: the knapsack's upper bound, whether it is
	 * proved, and whether any job had fewer open choices than all. */
	double bound;
	bool proved, narrow;

	uint32_t limit[SLU_ION_GROUPS];	 /* 0: none */
	struct slu_ion_bundles *bundles; /* during a solve with limits */

	/* Shadow divisions of the same jobs in the same slots; NULL in these.
	 */
	struct slu_ion_division *as_static, *loosest;
	bool loose;	   /* this is `loosest`: no number is fixed */
	bool shares_owned; /* an argument of rules(); in `loosest`: some share
			    */
	/* Age of the running job whose I/O node was shared first, as far as is
	 * known from numbers alone, or SLU_ION_NEW. */
	uint32_t host;

	struct slu_mckp *solver;
	uint32_t *of_class; /* slots */
	struct slu_mckp_class *class;
	struct slu_mckp_item *item;
	size_t n_items, max_items;
};

/* I/O nodes of its own that a job takes at least. */
static inline uint32_t slu_ion_least(const struct part *p,
				     const struct range *r)
{
	return r->n ? p->choice[r->low].weight : 0;
}

/* division_solve.c: as in division.h, without the shadow divisions. */
struct slu_ion_division *slu_ion_division_bare(struct slu_err *err);
void slu_ion_division_rule(struct slu_ion_division *d,
			   enum slu_ion_policy policy, uint32_t pool);
int slu_ion_division_solve_one(struct slu_ion_division *d, struct slu_err *err);

/* division_knapsack.c: computes the ranges of dirty jobs, and adds these to the
 * sums; poses the knapsack, or its changes; finds the index of a number among
 * the choices, or n. */
void slu_ion_open_ranges(struct slu_ion_division *d);
int slu_ion_pose(struct slu_ion_division *d, bool was_tight, bool was_shared,
		 struct slu_err *err);
uint32_t slu_ion_choice_of(const struct part *p, uint32_t ions);

/* grants.c: sets a job's grant. idle_nodes.c: hands out the `left` I/O nodes
 * that the solution has not used. */
void slu_ion_give(struct slu_ion_division *d, uint32_t slot,
		  struct slu_ion_grant grant);
void slu_ion_lend(struct slu_ion_division *d, uint32_t left);

void slu_ion_make_class(const struct slu_ion_division *d, struct part *p,
			struct slu_mckp_item *item,
			struct slu_mckp_class *class);

/* group_limits.c: is any group limited? Lowers the fixed ranges until each
 * group keeps its limit. The number of I/O nodes that a job may get in
 * addition. */
bool slu_ion_limited(const struct slu_ion_division *d);
int slu_ion_keep_limits(struct slu_ion_division *d, struct slu_err *err);
uint32_t slu_ion_room(const struct slu_ion_division *d, uint32_t slot);

/* bundles.c: poses the knapsack with limits, d->bundles; after its solution,
 * sets each job's choice. */
struct slu_ion_bundles;
int slu_ion_pose_bundles(struct slu_ion_division *d, struct slu_err *err);
void slu_ion_open_bundles(struct slu_ion_division *d);
void slu_ion_bundles_free(struct slu_ion_bundles *bundles);

/* infeasible_fixed.c: lower the largest of these, in order of age, by a choice,
 * the newest first, until the least of all fit, only trials if it says so;
 * false: they cannot. */
bool slu_ion_lower(struct slu_ion_division *d, const uint32_t *slot, size_t n,
		   uint32_t capacity, bool trials);
/* infeasible_fixed.c: from the open ranges to tight, share, capacity, guess
 * and, where they do not fit, lower ranges. */
void slu_ion_tighten(struct slu_ion_division *d);

#endif

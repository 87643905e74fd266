/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_MCKP_MCKP_PRIVATE_H
#define SLU_SELECT_IO_MCKP_MCKP_PRIVATE_H

/*
 * Private to select_io/mckp: the state of the knapsack solver, shared by the
 * files that keep its classes, relax it and search.
 */

/*
 * A value and the wish to keep a held item become one integer key: the value in
 * units, times `mult` (more than twice the number of classes), plus 1 when the
 * item is held. The largest sum of keys is then the largest value and, within
 * it, the most held items. The unit is chosen so that
 *
 *	largest key x largest weight < 2^52 and sum of keys < 2^60:
 *
 * products of a key and a weight are exact in doubles and far from the end of
 * int64_t, and the order of slopes as doubles is their exact order.
 */

#include "select_io/mckp/mckp.h"
#include "select_io/mckp/sorted_blocks.h"

#define SLU_MCKP_NO_INDEX UINT32_MAX

struct option {
	double value;
	int64_t key; /* with the hold */
	uint32_t weight;
	uint32_t item; /* its index in the caller's class */
};

struct class
{
	uint32_t first; /* index of its options, which are sorted by weight */
	uint32_t room;	/* log2 of the options that it has space for */
	double most;	/* the greatest value */
	uint16_t n;
	uint16_t useful; /* of them, to the table: worth more than all lighter
			  * ones; 0: there is nothing to choose */
	uint16_t at;	 /* option in the break solution; on the upper hull */
	uint16_t up;	 /* next heavier option of the hull, or .._NO_OPTION */
	uint16_t down;	 /* next lighter option of the hull, or .._NO_OPTION */
	uint16_t hold;	 /* option, or SLU_MCKP_NO_OPTION */
	uint16_t
		chosen; /* option in the last solution, or SLU_MCKP_NO_OPTION */
	uint16_t was;	/* chosen in the solution before */
	bool used;
	bool listed;   /* is in m->changed */
	bool unkept;   /* is in m->unkept */
	uint32_t step; /* gcd of the weights' differences; 0: one weight */
	uint32_t seen; /* round of the search that has expanded it last */
};
#define SLU_MCKP_NO_OPTION UINT16_MAX

/* The number of classes with this step; the first entry counts those with step
 * 1 and those that do not find space in the table. */
struct steps {
	uint32_t step, n;
};
#define SLU_MCKP_MAX_STEPS 64

/* One partial solution of a search: the break solution with some classes
 * changed. */
struct node {
	int64_t loss; /* scaled, against the relaxation */
	int64_t x;    /* weight above the capacity */
	uint32_t parent;
	uint32_t class;
	uint16_t option;
};
#define SLU_MCKP_MAX_NODES 8192u
#define SLU_MCKP_WINDOW	   8192 /* bound for |x| in a search */

#define SLU_MCKP_MAX_ASIDE 256

struct patch {
	uint32_t class;
	uint16_t option;
};

/* A small problem in its original form (dp_small.c). */
#define SLU_MCKP_SMALL_CLASSES 32
#define SLU_MCKP_SMALL_ITEMS   512 /* of all classes */
#define SLU_MCKP_SMALL_WIDTH   240 /* cells of a row: whole vectors */
#define SLU_MCKP_SMALL_STRIDE  (2 * SLU_MCKP_SMALL_WIDTH)

struct small_class {
	uint16_t first, n; /* of its items */
	uint32_t hold;
};

struct small {
	bool in;     /* the problem is here, not in the classes */
	bool solved; /* `choice` is its solution */
	uint32_t n, n_items, capacity;
	uint64_t lightest;
	bool any_held;
	int32_t mult;
	struct small_class class[SLU_MCKP_SMALL_CLASSES];
	struct slu_mckp_item item[SLU_MCKP_SMALL_ITEMS];
	int32_t key[SLU_MCKP_SMALL_ITEMS];
	uint32_t choice[SLU_MCKP_SMALL_CLASSES];
	_Alignas(64) int32_t
		row[(SLU_MCKP_SMALL_CLASSES + 1) * SLU_MCKP_SMALL_STRIDE];
};

struct slu_mckp {
	struct small small;
	struct class *class;
	uint32_t n_slots, max_slots, n;
	uint32_t *free_slot, n_free;
	struct option *option;
	uint32_t n_options, max_options;
	uint32_t free_room[16]; /* free lists by log2 size, through option.item
				 */

	double unit;
	int64_t mult;
	double max_value, sum_value; /* over the classes' greatest values */
	uint32_t max_weight;

	uint32_t capacity;
	uint64_t lightest; /* sum of the lightest options */
	uint64_t heaviest;
	size_t items, useful; /* not dominated by a lighter one */
	uint64_t cells;	      /* cells x options computed in the table */
	struct steps steps[SLU_MCKP_MAX_STEPS];
	uint32_t n_steps;

	/* The break solution: every class at its place on its hull; `up` holds
	 * the next step of each by falling slope, `down` the last one taken by
	 * rising slope. */
	struct slu_sorted up, down;
	uint64_t weight;
	int64_t key;
	int64_t slope; /* approximate break slope of the last solve, from above
			*/
	struct slu_sorted_entry *sort; /* 3 x max_slots, scratch memory */

	struct node *node; /* SLU_MCKP_MAX_NODES */
	uint32_t *slot; /* 2 x SLU_MCKP_WINDOW + 1, by x: node + 1, 0: none */
	uint32_t n_nodes;
	uint32_t *live, n_live;
	uint32_t round;

	struct patch *patch; /* the solution = break solution + these */
	uint32_t n_patch;
	struct patch *last; /* the patches of the solution before */
	uint32_t n_last;
	struct patch aside[SLU_MCKP_MAX_ASIDE];
	uint32_t *changed, n_changed; /* candidates during a solve */
	uint32_t *unkept, n_unkept;
	uint32_t *ids; /* for dp_table.c */

	enum slu_mckp_method method;
	size_t max_bytes, bytes;
	int64_t *table;
	size_t table_cells;
};

static inline struct option *options_of(const struct slu_mckp *m,
					const struct class *c)
{
	return m->option + c->first;
}

/* class_set.c: the class may have changed, to be reported by the next solve;
 * the gcd of all differences of weights within classes. */
void slu_mckp_list(struct slu_mckp *m, uint32_t id);
uint32_t slu_mckp_common_step(const struct slu_mckp *m);

/* dp_small.c: takes a problem if it is small enough; solves it and sets
 * `choice` and `solved`: false if it is infeasible. */
void slu_mckp_small_init(struct small *s);
bool slu_mckp_small_load(struct small *s, const struct slu_mckp_problem *p);
bool slu_mckp_small_solve(struct small *s);
/* class_set.c: loads it into classes. */
void slu_mckp_grow_up(struct slu_mckp *m);

/* class_items.c: converts the caller's class to options with keys. The class
 * has space. false: a value is out of range. */
bool slu_mckp_take_class(struct slu_mckp *m, struct class *c,
			 const struct slu_mckp_class *from);
void slu_mckp_make_keys(const struct slu_mckp *m, struct class *c);
/* A step along the hull, up from the class's option or up to it; it has `up` or
 * `down`. */
struct step {
	int64_t key;
	uint32_t weight;
};
static inline struct step step_up(const struct slu_mckp *m,
				  const struct class *c)
{
	const struct option *o = options_of(m, c);

	return (struct step){o[c->up].key - o[c->at].key,
			     o[c->up].weight - o[c->at].weight};
}
static inline struct step step_down(const struct slu_mckp *m,
				    const struct class *c)
{
	const struct option *o = options_of(m, c);

	return (struct step){o[c->at].key - o[c->down].key,
			     o[c->at].weight - o[c->down].weight};
}

static inline double slope_of(struct step s)
{
	return (double)s.key / s.weight;
}

/* linear_relaxation.c: the break solution. */
void slu_mckp_link(struct slu_mckp *m, uint32_t id);   /* at its option */
void slu_mckp_unlink(struct slu_mckp *m, uint32_t id); /* before a change */
void slu_mckp_link_all(struct slu_mckp *m);	       /* rebuilds the orders */
void slu_mckp_relax(struct slu_mckp *m, uint64_t capacity);

#endif

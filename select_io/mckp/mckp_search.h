/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_MCKP_MCKP_SEARCH_H
#define SLU_SELECT_IO_MCKP_MCKP_SEARCH_H

/* Private to select_io/mckp: the search for a better solution than the break
 * solution, or for the proof that there is none: its state, bounds and methods.
 */

#include "select_io/mckp/mckp_private.h"

#define SLU_MCKP_MAX_MODULUS 64

/* The state of a search. Losses against the linear relaxation are scaled by the
 * weight of the break step: loss = weight x (key lost) + key x (weight gained),
 * with key and weight of the break step; they are >= 0 for every option. */
struct search {
	struct step at; /* the break step */
	int64_t room;	/* capacity left by the break solution */
	int64_t best;	/* loss of the best solution so far */
	uint32_t best_node;
	uint64_t work;	/* steps left before the search gives up */
	uint64_t steps; /* done */
	uint32_t core;	/* classes expanded */
	/* residue_bound.c: what it costs at least, from this much capacity left
	 * modulo the weight of the break step (1: it does not matter), and the
	 * classes that could do it for that. */
	uint32_t modulus;
	int64_t need[SLU_MCKP_MAX_MODULUS];
	uint32_t first[SLU_MCKP_MAX_MODULUS], n_first;
};

static inline int64_t loss_of(const struct slu_mckp *m, const struct class *c,
			      uint32_t option, const struct search *s)
{
	const struct option *o = options_of(m, c);
	int64_t key = o[c->at].key - o[option].key;
	int64_t weight = (int64_t)o[option].weight - (int64_t)o[c->at].weight;

	return key * s->at.weight + s->at.key * weight;
}

/* gcd, which is the other number if one is 0. */
static inline uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t r = a % b;

		a = b;
		b = r;
	}
	return a;
}

/* The cost of expanding a class, in steps; and one more for every four partial
 * solutions. */
#define SLU_MCKP_STEPS_PER_CLASS 4

/* Spends steps; false: fewer are left. */
static inline bool slu_mckp_spend(struct search *s, uint64_t steps)
{
	if (s->work < steps)
		return false;
	s->work -= steps;
	s->steps += steps;
	return true;
}

/* residue_bound.c: computes the bound; spends at most s->work. */
void slu_mckp_residues(struct slu_mckp *m, struct search *s);

/* Positions in the two orders, nearest to the break slope first. */
struct walk {
	struct slu_sorted_at up, down;
};
void slu_mckp_walk(struct slu_mckp *m, struct walk *w);
/* The nearest class that was not expanded in this round, or SLU_MCKP_NO_INDEX.
 * *up and *down: lower bounds, in scaled loss, of the cost of a unit of weight
 * from here on (INT64_MAX: no class is left on that side). */
uint32_t slu_mckp_next(struct slu_mckp *m, struct walk *w,
		       const struct search *s, int64_t *up, int64_t *down);

/* Is loss + rate for each unit of weight at least the best loss? */
static inline bool hopeless(int64_t loss, int64_t rate, int64_t units,
			    int64_t best)
{
	int64_t more;

	if (units == 0)
		return loss >= best;
	return __builtin_mul_overflow(rate, units, &more) ||
	       more >= best - loss;
}

/* core_search.c, group_relaxation.c, dp_table.c: true when s->best is proved;
 * the solution is then in m->patch (which is kept when nothing better was
 * found). */
bool slu_mckp_core(struct slu_mckp *m, struct search *s);
bool slu_mckp_may_group(const struct slu_mckp *m, const struct search *s);
bool slu_mckp_group(struct slu_mckp *m, struct search *s);
bool slu_mckp_table(struct slu_mckp *m, const struct search *s,
		    uint64_t capacity, uint32_t step);
/* The memory it could use for the present classes, at most max_bytes. */
size_t slu_mckp_table_cells(const struct slu_mckp *m);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes a lower bound for what slopes do not show, such as parity. If many
 * classes close to the break slope change the weight by multiples of the break
 * step, the remaining capacity stays unused, or some class has to take an
 * option with a large loss; the search by slopes would first enumerate all
 * combinations of the others.
 */

/*
 * So, modulo the weight of the break step: a lower bound of the cost of
 * changing the residue by this much, by any classes, any number of times (the
 * group relaxation of Gomory 1965). For near classes every option is examined;
 * for the others the loss per unit of weight is at least their distance from
 * the break slope. The cheapest sequences of changes to residue 0 are shortest
 * paths (Dijkstra). The best classes for each change on the path from the
 * present residue are expanded first; after that the bound is computed without
 * them. costs are theirs.
 */
#include "select_io/mckp/mckp_search.h"

#define FAR  (INT64_MAX / 4)
#define BEST 4 /* classes that are stored for each change */

struct change {
	int64_t cost[BEST]; /* ascending */
	uint32_t class[BEST];
};

struct residues {
	struct change change[SLU_MCKP_MAX_MODULUS];
	int64_t cost[SLU_MCKP_MAX_MODULUS]; /* of each change */
	int64_t far[SLU_MCKP_MAX_MODULUS];  /* by a class not examined */
	uint32_t by[SLU_MCKP_MAX_MODULUS];  /* the first change of the path */
};

/* Inserts a class with its cost; each class is stored once, at its least cost.
 */
static void remember(struct change *c, int64_t cost, uint32_t class)
{
	uint32_t i = 0;

	while (i < BEST && c->class[i] != class)
		i++;
	if (i == BEST)
		i--;
	if (cost >= c->cost[i])
		return;
	for (; i > 0 && c->cost[i - 1] > cost; i--) {
		c->cost[i] = c->cost[i - 1];
		c->class[i] = c->class[i - 1];
	}
	c->cost[i] = cost;
	c->class[i] = class;
}

static void look_at(const struct slu_mckp *m, const struct search *s,
		    uint32_t id, struct residues *r)
{
	const struct class *c = &m->class[id];
	const struct option *o = options_of(m, c);
	int64_t at = o[c->at].weight, g = s->modulus;

	for (uint32_t j = 0; j < c->n; j++) {
		int64_t by = (o[j].weight - at) % g;

		by += by < 0 ? g : 0;
		if (by)
			remember(&r->change[by], loss_of(m, c, j, s), id);
	}
}

static int64_t least_far(int64_t by, int64_t g, int64_t up, int64_t down)
{
	int64_t far = up < FAR / g ? up * by : FAR;

	if (down < FAR / g && down * (g - by) < far)
		far = down * (g - by);
	return far;
}

static bool is_first(const struct search *s, uint32_t class)
{
	for (uint32_t i = 0; i < s->n_first; i++)
		if (s->first[i] == class)
			return true;
	return false;
}

/* The cost of each change without the classes that are expanded first. */
static void find_costs(const struct search *s, struct residues *r)
{
	for (uint32_t by = 1; by < s->modulus; by++) {
		const struct change *c = &r->change[by];
		uint32_t i = 0;

		while (i + 1 < BEST && is_first(s, c->class[i]))
			i++;
		r->cost[by] = c->cost[i] < r->far[by] ? c->cost[i] : r->far[by];
	}
	if (s->at.key < r->cost[1])
		r->cost[1] = s->at.key; /* leaves a unit unused */
}

/* Dijkstra's shortest paths to 0, by linear search since nodes are few. */
static void find_ways(struct search *s, struct residues *r)
{
	bool done[SLU_MCKP_MAX_MODULUS] = {false};
	uint32_t g = s->modulus;

	for (uint32_t i = 0; i < g; i++)
		s->need[i] = i ? FAR : 0;
	for (uint32_t n = 0; n < g; n++) {
		uint32_t to = g;

		for (uint32_t i = 0; i < g; i++)
			if (!done[i] && (to == g || s->need[i] < s->need[to]))
				to = i;
		done[to] = true;
		for (uint32_t by = 1; by < g; by++) {
			uint32_t from = (to + by) % g;
			int64_t cost = s->need[to] + r->cost[by];

			if (cost < s->need[from]) {
				s->need[from] = cost;
				r->by[from] = by;
			}
		}
	}
}

/* The classes on the path from the present residue. */
static void find_first(struct search *s, const struct residues *r)
{
	uint32_t left = (uint32_t)(s->room % s->modulus);

	while (left && s->need[left] < FAR) {
		const struct change *c = &r->change[r->by[left]];

		for (uint32_t i = 0;
		     i < BEST && s->n_first < SLU_MCKP_MAX_MODULUS; i++)
			if (c->class[i] != SLU_MCKP_NO_INDEX &&
			    !is_first(s, c->class[i]))
				s->first[s->n_first++] = c->class[i];
		left = (left + s->modulus - r->by[left]) % s->modulus;
	}
}

/* Was an examined class the cheapest for each change of the path? */
static bool all_seen(const struct search *s, const struct residues *r)
{
	uint32_t left = (uint32_t)(s->room % s->modulus);

	for (; left; left = (left + s->modulus - r->by[left]) % s->modulus) {
		uint32_t by = r->by[left];

		if (s->need[left] == FAR || r->cost[by] == r->far[by])
			return false;
	}
	return true;
}

/* Costs and paths without the classes that are expanded first. */
static void settle(struct search *s, struct residues *r, int64_t up,
		   int64_t down)
{
	uint64_t work = (uint64_t)s->modulus * s->modulus / 2;

	for (int64_t by = 1; by < s->modulus; by++)
		r->far[by] = least_far(by, s->modulus, up, down);
	find_costs(s, r);
	find_ways(s, r);
	slu_mckp_spend(s, s->work < work ? s->work : work);
}

static void look_at_none(struct search *s, struct residues *r)
{
	s->n_first = 0;
	for (uint32_t by = 1; by < s->modulus; by++)
		for (uint32_t i = 0; i < BEST; i++) {
			r->change[by].cost[i] = FAR;
			r->change[by].class[i] = SLU_MCKP_NO_INDEX;
		}
}

/* Examines near classes until farther ones cannot be cheaper, or the work is
 * spent. */
void slu_mckp_residues(struct slu_mckp *m, struct search *s)
{
	uint32_t id, n = 0, next = 32;
	int64_t up, down;
	struct residues r;
	struct walk walk;

	s->modulus = s->at.weight;
	look_at_none(s, &r);
	slu_mckp_walk(m, &walk);
	for (;; n++) {
		id = slu_mckp_next(m, &walk, s, &up, &down);
		if (n == next) {
			settle(s, &r, up, down);
			if (all_seen(s, &r))
				break;
			next *= 2;
		}
		if (id == SLU_MCKP_NO_INDEX ||
		    !slu_mckp_spend(s, m->class[id].n)) {
			settle(s, &r, up, down);
			break;
		}
		m->class[id].seen = m->round;
		look_at(m, s, id, &r);
	}
	find_first(s, &r);
	settle(s, &r, up, down);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves the optimum by searching the core of the knapsack (after Pisinger
 * 1995): an optimal solution differs from the break solution only in a few
 * classes, whose efficiencies are close to that of the break step. Classes are
 * expanded in the order of this distance; for each reachable weight the partial
 * solution with the least loss is kept, and pruned when a lower bound of its
 * completion is no better than the best solution found. When none is left, that
 * one is optimal.
 */

/*
 * Where residues matter (residue_bound.c), the classes that could correct the
 * residue of the break solution are expanded first; after that, partial
 * solutions are also pruned by the residue bound.
 *
 * `up` and `down` are lower bounds of the cost of a unit of weight with classes
 * that were not expanded yet, in either direction; they also hold for options
 * that are not on the hull.
 */
#include "select_io/mckp/mckp_search.h"

static uint32_t *slot_of(struct slu_mckp *m, int64_t x)
{
	return &m->slot[x + SLU_MCKP_WINDOW];
}

/* Is the lower bound for its residue no better than the best? */
static bool stuck(const struct node *n, const struct search *s)
{
	int64_t left = -n->x % s->modulus;

	return s->need[left < 0 ? left + s->modulus : left] >=
	       s->best - n->loss;
}

/* Prunes partial solutions by bounds. remainders: also by residues, since the
 * classes that have to be expanded first have been. */
static void prune(struct slu_mckp *m, const struct search *s, int64_t up,
		  int64_t down, bool remainders)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->n_live; i++) {
		const struct node *n = &m->node[m->live[i]];
		bool drop = n->x < 0 ? hopeless(n->loss, up, -n->x, s->best)
				     : hopeless(n->loss, down, n->x, s->best);

		if (drop || (remainders && stuck(n, s)))
			*slot_of(m, n->x) = 0;
		else
			m->live[kept++] = m->live[i];
	}
	m->n_live = kept;
}

/* Adds a partial solution; false: there is no space for it. */
static bool reach(struct slu_mckp *m, struct search *s, const struct node *n)
{
	uint32_t *slot;

	if (n->x >= SLU_MCKP_WINDOW || n->x <= -SLU_MCKP_WINDOW)
		return false;
	slot = slot_of(m, n->x);
	if (*slot && m->node[*slot - 1].loss <= n->loss)
		return true;
	if (m->n_nodes == SLU_MCKP_MAX_NODES)
		return false;
	if (!*slot)
		m->live[m->n_live++] = m->n_nodes;
	m->node[m->n_nodes++] = *n;
	*slot = m->n_nodes;
	if (n->x <= 0 && n->loss - n->x * s->at.key < s->best) {
		s->best = n->loss - n->x * s->at.key;
		s->best_node = m->n_nodes - 1;
	}
	return true;
}

/* Adds one option of a class to all previous partial solutions. */
static bool extend(struct slu_mckp *m, struct search *s, uint32_t n_live,
		   struct node to, int64_t up, int64_t down)
{
	int64_t loss = to.loss, weight = to.x;

	for (uint32_t i = 0; i < n_live; i++) {
		const struct node *from = &m->node[m->live[i]];

		to.loss = from->loss + loss;
		to.x = from->x + weight;
		to.parent = m->live[i];
		if (to.x < 0 ? hopeless(to.loss, up, -to.x, s->best) &&
				       to.loss - to.x * s->at.key >= s->best
			     : hopeless(to.loss, down, to.x, s->best))
			continue;
		if (!reach(m, s, &to))
			return false;
	}
	return true;
}

/* Adds all options of a class except the one in the break solution. */
static bool expand(struct slu_mckp *m, struct search *s, uint32_t id,
		   int64_t up, int64_t down)
{
	const struct class *c = &m->class[id];
	const struct option *o = options_of(m, c);
	uint32_t at = c->at, n_live = m->n_live;

	for (uint32_t j = 0; j < c->n; j++) {
		struct node to = {.loss = loss_of(m, c, j, s),
				  .x = (int64_t)o[j].weight - o[at].weight,
				  .class = id,
				  .option = (uint16_t)j};

		if (j == at || to.loss >= s->best)
			continue;
		if (!slu_mckp_spend(s, n_live))
			return false;
		if (!extend(m, s, n_live, to, up, down))
			return false;
	}
	/* an improved one takes the place of the one with the same weight */
	for (uint32_t i = 0; i < m->n_live; i++)
		m->live[i] = *slot_of(m, m->node[m->live[i]].x) - 1;
	return true;
}

static void trace(struct slu_mckp *m, const struct search *s)
{
	m->n_patch = 0;
	for (uint32_t i = s->best_node; i != SLU_MCKP_NO_INDEX;
	     i = m->node[i].parent)
		if (m->node[i].class != SLU_MCKP_NO_INDEX)
			m->patch[m->n_patch++] = (struct patch){
				m->node[i].class, m->node[i].option};
}

/* The next class to expand, or SLU_MCKP_NO_INDEX. */
static uint32_t next_class(struct slu_mckp *m, struct search *s,
			   struct walk *walk, int64_t *up, int64_t *down)
{
	uint32_t id = slu_mckp_next(m, walk, s, up, down);

	while (s->modulus > 1 && s->n_first > 0) {
		uint32_t first = s->first[--s->n_first];

		if (m->class[first].seen != m->round)
			return first;
	}
	return id;
}

static bool look_at_all(struct slu_mckp *m, struct search *s)
{
	struct walk walk;

	slu_mckp_walk(m, &walk);
	for (;;) {
		bool others = s->modulus > 1 && s->n_first == 0;
		int64_t up, down;
		uint32_t id = next_class(m, s, &walk, &up, &down);

		prune(m, s, up, down, others);
		if (m->n_live == 0)
			return true;
		if (id == SLU_MCKP_NO_INDEX)
			return false;
		m->class[id].seen = m->round;
		s->core++;
		if (!slu_mckp_spend(s,
				    SLU_MCKP_STEPS_PER_CLASS + m->n_live / 4))
			return false;
		if (!expand(m, s, id, up, down))
			return false;
	}
}

bool slu_mckp_core(struct slu_mckp *m, struct search *s)
{
	struct node root = {.x = -s->room,
			    .parent = SLU_MCKP_NO_INDEX,
			    .class = SLU_MCKP_NO_INDEX};
	bool proved;

	m->n_nodes = m->n_live = 0;
	s->best = s->room * s->at.key + 1; /* above that of the root */
	if (!reach(m, s, &root))
		return false;
	proved = look_at_all(m, s);
	trace(m, s);
	for (uint32_t i = 0; i < m->n_nodes; i++)
		*slot_of(m, m->node[i].x) = 0;
	return proved;
}

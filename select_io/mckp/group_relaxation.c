/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves the optimum where many classes have steps of the break slope, as
 * identical jobs have: the group relaxation (after Gomory 1965). If enough
 * classes can add or remove exactly the weight of the break step for (nearly)
 * no loss, only weights modulo that step matter: the search of core_search.c
 * with as many states, where a class equal to one that has just improved
 * nothing is skipped. In the end as many of those classes are moved as the true
 * weight requires; if there are too few, nothing is proved.
 */

/*
 * "Nearly": adding or removing the step may lose the preference for held items,
 * 2 in a key, which for all classes together is less than one unit of value.
 */
#include "select_io/mckp/mckp_search.h"

#define MAX_STEP 1024
#define KINDS	 16
#define ENOUGH	 6 /* classes that make the search worth it */

struct kind {
	uint32_t class;
	uint32_t nodes; /* number of nodes when it improved nothing */
};

static int64_t residue(int64_t x, int64_t step)
{
	int64_t r = -x % step;

	return r < 0 ? r + step : r;
}

/* Capacity, in [0, step), that the partial solution leaves in the end. */
static int64_t rest(const struct node *n, const struct search *s)
{
	return residue(n->x, s->at.weight);
}

static void prune(struct slu_mckp *m, const struct search *s, int64_t up,
		  int64_t down)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->n_live; i++) {
		const struct node *n = &m->node[m->live[i]];
		int64_t r = rest(n, s);

		if (r > 0 &&
		    !(hopeless(n->loss, up, r, s->best) &&
		      hopeless(n->loss, down, s->at.weight - r, s->best)))
			m->live[kept++] = m->live[i];
	}
	m->n_live = kept;
}

static int64_t size(int64_t x)
{
	return x < 0 ? -x : x;
}

static bool reach(struct slu_mckp *m, struct search *s, const struct node *n)
{
	int64_t r = rest(n, s), total = n->loss + r * s->at.key;
	uint32_t *slot = &m->slot[r];

	if (*slot) {
		const struct node *old = &m->node[*slot - 1];

		if (old->loss < n->loss ||
		    (old->loss == n->loss && size(old->x) <= size(n->x)))
			return true;
	}
	if (m->n_nodes == SLU_MCKP_MAX_NODES)
		return false;
	m->node[m->n_nodes++] = *n;
	*slot = m->n_nodes;
	if (total < s->best) {
		s->best = total;
		s->best_node = m->n_nodes - 1;
	}
	return true;
}

static bool expand(struct slu_mckp *m, struct search *s, uint32_t id)
{
	const struct class *c = &m->class[id];
	const struct option *o = options_of(m, c);
	uint32_t at = c->at;

	for (uint32_t j = 0; j < c->n; j++) {
		int64_t loss = loss_of(m, c, j, s);

		if (j == at || loss >= s->best)
			continue;
		if (!slu_mckp_spend(s, m->n_live))
			return false;
		for (uint32_t i = 0; i < m->n_live; i++) {
			const struct node *from = &m->node[m->live[i]];
			struct node to = {.loss = from->loss + loss,
					  .x = from->x + o[j].weight -
					       o[at].weight,
					  .parent = m->live[i],
					  .class = id,
					  .option = (uint16_t)j};

			if (to.loss < s->best && !reach(m, s, &to))
				return false;
		}
	}
	return true;
}

/* Rebuilds the list of reached residues. */
static void collect(struct slu_mckp *m, const struct search *s)
{
	m->n_live = 0;
	for (uint32_t r = 0; r < s->at.weight; r++)
		if (m->slot[r])
			m->live[m->n_live++] = m->slot[r] - 1;
}

static bool alike(const struct slu_mckp *m, const struct class *a,
		  const struct class *b)
{
	const struct option *o = options_of(m, a), *p = options_of(m, b);

	if (a->n != b->n || a->at != b->at || a->hold != b->hold)
		return false;
	for (uint32_t j = 0; j < a->n; j++)
		if (o[j].weight != p[j].weight || o[j].key != p[j].key)
			return false;
	return true;
}

static struct kind *find_kind(const struct slu_mckp *m, struct kind *kind,
			      uint32_t id)
{
	for (int i = 0; i < KINDS; i++)
		if (kind[i].class != SLU_MCKP_NO_INDEX &&
		    alike(m, &m->class[kind[i].class], &m -> class[id]))
			return &kind[i];
	return NULL;
}

static bool search(struct slu_mckp *m, struct search *s)
{
	struct kind kind[KINDS], *k;
	uint32_t next = 0;
	struct walk walk;

	for (int i = 0; i < KINDS; i++)
		kind[i].class = SLU_MCKP_NO_INDEX;
	slu_mckp_walk(m, &walk);
	for (;;) {
		int64_t up, down;
		uint32_t id = slu_mckp_next(m, &walk, s, &up, &down);
		uint32_t before = m->n_nodes;

		prune(m, s, up, down);
		if (m->n_live == 0 || id == SLU_MCKP_NO_INDEX)
			return true;
		m->class[id].seen = m->round;
		if (!slu_mckp_spend(s,
				    SLU_MCKP_STEPS_PER_CLASS + m->n_live / 4))
			return false;
		k = find_kind(m, kind, id);
		if (k && k->nodes == m->n_nodes)
			continue;
		s->core++;
		if (!expand(m, s, id))
			return false;
		if (m->n_nodes != before) {
			collect(m, s);
			continue;
		}
		if (!k)
			k = &kind[next++ % KINDS];
		*k = (struct kind){id, m->n_nodes};
	}
}

static bool patched(const struct slu_mckp *m, uint32_t id)
{
	for (uint32_t i = 0; i < m->n_patch; i++)
		if (m->patch[i].class == id)
			return true;
	return false;
}

/* Moves `n` of the classes at the break slope by one break step, up or down. */
static bool shift(struct slu_mckp *m, const struct search *s, bool up,
		  int64_t n)
{
	const struct slu_sorted *o = up ? &m->up : &m->down;
	struct slu_sorted_at at = {0, 0};
	const struct slu_sorted_entry *e;

	for (; n > 0 && (e = slu_sorted_get(o, &at)); slu_sorted_step(o, &at)) {
		const struct class *c = &m->class[e->id];
		uint16_t option = up ? c->up : c->down;
		struct step t = up ? step_up(m, c) : step_down(m, c);
		int64_t loss = loss_of(m, c, option, s);

		if (loss > 2 * (int64_t)s->at.weight)
			return false;
		if (t.weight != s->at.weight || patched(m, e->id))
			continue;
		m->patch[m->n_patch++] = (struct patch){e->id, option};
		n--;
	}
	return n == 0;
}

/* Counts classes that can be moved by one break step for nothing, up to ENOUGH.
 */
static uint32_t tied(const struct slu_mckp *m, const struct search *s, bool up)
{
	const struct slu_sorted *o = up ? &m->up : &m->down;
	struct slu_sorted_at at = {0, 0};
	const struct slu_sorted_entry *e;
	uint32_t n = 0;

	for (; n < ENOUGH && (e = slu_sorted_get(o, &at));
	     slu_sorted_step(o, &at)) {
		const struct class *c = &m->class[e->id];
		struct step t = up ? step_up(m, c) : step_down(m, c);

		if (loss_of(m, c, up ? c->up : c->down, s) >
		    2 * (int64_t)s->at.weight)
			break;
		n += t.weight == s->at.weight;
	}
	return n;
}

/* Is it worth the search? */
bool slu_mckp_may_group(const struct slu_mckp *m, const struct search *s)
{
	return s->at.weight <= MAX_STEP &&
	       tied(m, s, true) + tied(m, s, false) >= ENOUGH;
}

bool slu_mckp_group(struct slu_mckp *m, struct search *s)
{
	struct node root = {.x = -s->room,
			    .parent = SLU_MCKP_NO_INDEX,
			    .class = SLU_MCKP_NO_INDEX};
	int64_t step = s->at.weight, x;
	bool proved;

	m->n_nodes = 0;
	s->best = s->room * s->at.key + 1;
	reach(m, s, &root);
	collect(m, s);
	proved = search(m, s);
	for (int64_t r = 0; r < step; r++)
		m->slot[r] = 0;
	if (!proved)
		return false;
	m->n_patch = 0;
	for (uint32_t i = s->best_node; m->node[i].class != SLU_MCKP_NO_INDEX;
	     i = m->node[i].parent)
		m->patch[m->n_patch++] =
			(struct patch){m->node[i].class, m->node[i].option};
	x = m->node[s->best_node].x + rest(&m->node[s->best_node], s);
	return shift(m, s, x < 0, size(x) / step);
}

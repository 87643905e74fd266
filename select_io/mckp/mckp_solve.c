/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Solves the knapsack: updates the break solution, searches around it, reports
 * the changes. mckp_private.h explains the numbers; the methods are, in the
 * order in which they are tried, in linear_relaxation.c, core_search.c,
 * group_relaxation.c and dp_table.c; class_set.c has the classes.
 */
#include <math.h>
#include <string.h>
#include "select_io/mckp/mckp_search.h"

/* A step of a search takes about as long as 100 cells of the table. Both
 * searches together get one step for this many cells of the table that would be
 * needed: so they are abandoned after half of the table's time, and no instance
 * takes more than one and a half times the time of the table alone. */
#define CELLS_PER_STEP 200
#define LEAST_WORK     128
#define FIRST_WORK     512 /* steps before the residue bound is tried */

void slu_mckp_keep(struct slu_mckp *m)
{
	slu_mckp_grow_up(m);
	for (uint32_t i = 0; i < m->n_unkept; i++) {
		uint32_t id = m->unkept[i];
		struct class *c = &m->class[id];

		c->unkept = false;
		if (!c->used || c->chosen == SLU_MCKP_NO_OPTION ||
		    c->hold == c->chosen)
			continue;
		slu_mckp_unlink(m, id);
		if (c->hold != SLU_MCKP_NO_OPTION)
			options_of(m, c)[c->hold].key--;
		options_of(m, c)[c->chosen].key++;
		c->hold = c->chosen;
		slu_mckp_link(m, id);
		slu_mckp_list(m, id);
	}
	m->n_unkept = 0;
}

/* Applies the patches to the break solution. */
static void settle(struct slu_mckp *m)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->n_last; i++)
		slu_mckp_list(m, m->last[i].class);
	for (uint32_t i = 0; i < m->n_patch; i++)
		slu_mckp_list(m, m->patch[i].class);
	for (uint32_t i = 0; i < m->n_changed; i++) {
		struct class *c = &m->class[m->changed[i]];

		c->listed = false;
		c->was = c->chosen;
		if (c->used)
			c->chosen = c->at;
	}
	for (uint32_t i = 0; i < m->n_patch; i++)
		m->class[m->patch[i].class].chosen = m->patch[i].option;
	memcpy(m->last, m->patch, m->n_patch * sizeof(*m->last));
	m->n_last = m->n_patch;
	for (uint32_t i = 0; i < m->n_changed; i++) {
		uint32_t id = m->changed[i];
		struct class *c = &m->class[id];

		if (!c->used || c->chosen == c->was)
			continue;
		m->changed[kept++] = id;
		if (!c->unkept)
			m->unkept[m->n_unkept++] = id;
		c->unkept = true;
	}
	m->n_changed = kept;
}

static void sum_up(const struct slu_mckp *m, int64_t *key, uint64_t *weight)
{
	*key = m->key;
	*weight = m->weight;
	for (uint32_t i = 0; i < m->n_patch; i++) {
		const struct class *c = &m->class[m->patch[i].class];
		const struct option *o = options_of(m, c);
		uint32_t at = c->at, to = m->patch[i].option;

		*key += o[to].key - o[at].key;
		*weight += (uint64_t)((int64_t)o[to].weight - o[at].weight);
	}
}

static uint64_t affordable(const struct slu_mckp *m, uint32_t step)
{
	uint64_t most = m->capacity < m->heaviest ? m->capacity : m->heaviest;
	double cells = (double)((most - m->lightest) / step + 1);
	double work = cells * (double)m->useful / CELLS_PER_STEP;

	return work < LEAST_WORK ? LEAST_WORK : (uint64_t)fmin(work, 1e12);
}

/* By slopes alone, which nearly always is sufficient; else with the residue
 * bound, where it applies. */
static bool search_core(struct slu_mckp *m, struct search *s, uint64_t work)
{
	uint64_t first = work / 4 < FIRST_WORK ? work / 4 : FIRST_WORK;
	uint64_t ways = (uint64_t)s->at.weight * s->at.weight;
	bool remainders = s->at.weight > 1 &&
			  s->at.weight <= SLU_MCKP_MAX_MODULUS &&
			  4 * ways <= work;

	s->modulus = 1;
	s->work = remainders ? first : work;
	if (slu_mckp_core(m, s))
		return true;
	if (!remainders)
		return false;
	s->work = work - first;
	slu_mckp_residues(m, s);
	return slu_mckp_core(m, s);
}

/* All classes in the table, or a search whose result is saved while another one
 * is tried. */
static void search(struct slu_mckp *m, uint64_t capacity, uint32_t step,
		   struct search *s, struct slu_mckp_info *info)
{
	bool may_group = slu_mckp_may_group(m, s);
	uint64_t work = affordable(m, step);
	uint32_t n_aside;
	struct search other;

	info->by = SLU_MCKP_BY_CORE;
	info->proved = search_core(m, s, may_group ? work / 2 : work);
	if (info->proved)
		return;
	n_aside = m->n_patch <= SLU_MCKP_MAX_ASIDE ? m->n_patch : 0;
	if (n_aside < m->n_patch)
		s->best = s->room * s->at.key;
	memcpy(m->aside, m->patch, n_aside * sizeof(*m->patch));
	if (may_group) {
		other = *s;
		other.work = work / 2 + s->work;
		info->by = SLU_MCKP_BY_GROUP;
		info->proved = slu_mckp_group(m, &other);
		s->core = other.core;
		s->steps = other.steps;
		if (info->proved)
			return;
	}
	info->by = SLU_MCKP_BY_TABLE;
	info->proved = slu_mckp_table(m, s, capacity, step);
	if (info->proved)
		return;
	memcpy(m->patch, m->aside, n_aside * sizeof(*m->patch));
	m->n_patch = n_aside;
}

static void find_best(struct slu_mckp *m, struct search *s,
		      struct slu_mckp_info *info)
{
	uint32_t step = slu_mckp_common_step(m);
	uint64_t capacity = m->capacity - m->lightest;
	const struct slu_sorted_entry *up;

	capacity = m->lightest + capacity / step * step;
	slu_mckp_relax(m, capacity);
	m->n_patch = 0;
	s->room = (int64_t)(capacity - m->weight);
	up = slu_sorted_first(&m->up);
	if (up)
		s->at = step_up(m, &m->class[up->id]);
	info->by = SLU_MCKP_BY_BOUND;
	info->proved = !up || s->room == 0;
	if (m->method == SLU_MCKP_TABLE) {
		info->by = SLU_MCKP_BY_TABLE;
		info->proved = slu_mckp_table(m, NULL, capacity, step);
	} else if (!info->proved) {
		search(m, capacity, step, s, info);
	}
}

static void fill_choice(const struct slu_mckp *m, uint32_t *choice)
{
	for (uint32_t id = 0; id < m->n_slots; id++)
		if (m->class[id].used)
			choice[id] = slu_mckp_choice(m, id);
}

uint32_t slu_mckp_choice(const struct slu_mckp *m, uint32_t id)
{
	const struct class *c = &m->class[id];

	if (m->small.in)
		return m->small.solved ? m->small.choice[id] : SLU_MCKP_NONE;

	return c->chosen == SLU_MCKP_NO_OPTION
		       ? SLU_MCKP_NONE
		       : options_of(m, c)[c->chosen].item;
}

static size_t bytes(const struct slu_mckp *m)
{
	return sizeof(*m) + slu_sorted_bytes(&m->up) +
	       slu_sorted_bytes(&m->down) +
	       m->max_slots * (sizeof(*m->class) + 2 * sizeof(*m->patch) +
			       3 * sizeof(*m->sort) + 4 * sizeof(uint32_t)) +
	       m->max_options * sizeof(*m->option) +
	       SLU_MCKP_MAX_NODES * (sizeof(*m->node) + sizeof(*m->live)) +
	       (2 * SLU_MCKP_WINDOW + 1) * sizeof(*m->slot);
}

static void solve_large(struct slu_mckp *m, struct slu_mckp_solution *out,
			struct slu_mckp_info *info)
{
	double per_key = m->unit / (double)m->mult, bound;
	struct slu_mckp_info how = {.unit = m->unit,
				    .bytes = bytes(m),
				    .table = m->table_cells * sizeof(int64_t)};
	struct search s = {0};
	int64_t key;

	out->feasible = m->lightest <= m->capacity;
	out->value = 0;
	out->weight = 0;
	out->changed = m->changed;
	out->n_changed = 0;
	m->cells = 0;
	if (out->feasible) {
		find_best(m, &s, &how);
		sum_up(m, &key, &out->weight);
		settle(m);
		out->n_changed = m->n_changed;
		m->n_changed = 0;
		out->value = (double)(key / m->mult) * m->unit;
		bound = (double)m->key;
		if (s.at.weight)
			bound += (double)s.room * slope_of(s.at);
		how.core = s.core;
		how.steps = s.steps;
		how.cells = m->cells;
		how.bound = bound * per_key + m->unit * (m->n + 1) / 2;
		how.gap = (bound - (double)key) * per_key;
		if (out->choice)
			fill_choice(m, out->choice);
	}
	if (info)
		*info = how;
}

/* After a load all classes are new; after that nothing has changed. */
static void solve_small(struct slu_mckp *m, struct slu_mckp_solution *out,
			struct slu_mckp_info *info)
{
	struct small *s = &m->small;
	struct slu_mckp_info how = {.unit = m->unit,
				    .proved = true,
				    .by = SLU_MCKP_BY_TABLE,
				    .core = s->n,
				    .bytes = bytes(m)};
	int64_t key = 0;

	out->feasible = slu_mckp_small_solve(s);
	out->value = 0;
	out->weight = 0;
	out->changed = m->changed;
	out->n_changed = 0;
	for (uint32_t i = 0; out->feasible && i < s->n; i++) {
		uint32_t item = s->class[i].first + s->choice[i];

		key += s->key[item];
		out->weight += s->item[item].weight;
		if (!s->solved)
			m->changed[out->n_changed++] = i;
		if (out->choice)
			out->choice[i] = s->choice[i];
	}
	s->solved |= out->feasible;
	key /= s->mult; /* all holds together are less than one unit */
	out->value = (double)key * m->unit;
	how.bound = out->feasible ? out->value + m->unit * (s->n + 1) / 2 : 0;
	if (!out->feasible)
		how.proved = false;
	if (info)
		*info = how;
}

void slu_mckp_solve(struct slu_mckp *m, struct slu_mckp_solution *out,
		    struct slu_mckp_info *info)
{
	if (m->small.in)
		solve_small(m, out, info);
	else
		solve_large(m, out, info);
}

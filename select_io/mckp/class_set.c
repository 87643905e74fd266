/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the classes of an MCKP solver (one class = one job's alternative
 * numbers of I/O nodes): setup, adding and removing classes, and the solver's
 * memory. Arrays only grow, here, so that solving never allocates. Also keeps
 * the sums over all classes and picks the unit in which values become integers,
 * so that nothing overflows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/grow.h"
#include "select_io/mckp/mckp_search.h"

#define FINEST_UNIT    1e-3
#define KEY_MAX	       0x1p52
#define SUM_MAX	       0x1p60
#define DEFAULT_TABLE  ((size_t)64 << 20)
#define FEWEST_SLOTS   SLU_MCKP_SMALL_CLASSES
#define FEWEST_OPTIONS (2 * SLU_MCKP_SMALL_ITEMS)

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* Memory. */

/* Allocates `n` classes. The contents of the orders are lost. */
static int reserve_classes(struct slu_mckp *m, uint32_t n)
{
	if (SLU_GROW(m->class, n) || SLU_GROW(m->free_slot, n) ||
	    SLU_GROW(m->changed, n) || SLU_GROW(m->unkept, n) ||
	    SLU_GROW(m->patch, n) || SLU_GROW(m->last, n) ||
	    SLU_GROW(m->ids, n) || SLU_GROW(m->sort, 3 * (size_t)n) ||
	    slu_sorted_reserve(&m->up, n) || slu_sorted_reserve(&m->down, n))
		return -1;
	memset(m->class + m->max_slots, 0,
	       (n - m->max_slots) * sizeof(*m->class));
	m->max_slots = n;
	for (m->mult = 1; m->mult < 2 * (int64_t)n;)
		m->mult *= 2;
	return 0;
}

static int reserve_options(struct slu_mckp *m, size_t n)
{
	if (n > UINT32_MAX / 2)
		return -1;
	if (SLU_GROW(m->option, n))
		return -1;
	m->max_options = (uint32_t)n;
	return 0;
}

/* Allocates the largest table that may be used; untouched pages cost nothing.
 */
static int reserve_table(struct slu_mckp *m)
{
	size_t cells = slu_mckp_table_cells(m);

	if (cells <= m->table_cells)
		return 0;
	free(m->table);
	m->table_cells = 0;
	m->table = malloc(cells * sizeof(*m->table));
	if (!m->table)
		return -1;
	m->table_cells = cells;
	return 0;
}

/* Rounded up. */
static uint32_t log2_of(uint32_t n)
{
	return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* Allocates options for class c, from a free list or at the end. */
static int get_room(struct slu_mckp *m, struct class *c, uint32_t n)
{
	uint32_t l = log2_of(n), first = m->free_room[l];

	if (first != SLU_MCKP_NO_INDEX) {
		m->free_room[l] = m->option[first].item;
	} else {
		if (m->max_options - m->n_options < 1u << l &&
		    reserve_options(m, 2 * (size_t)m->max_options + (1u << l)))
			return -1;
		first = m->n_options;
		m->n_options += 1u << l;
	}
	c->first = first;
	c->room = l;
	return 0;
}

static void give_room(struct slu_mckp *m, const struct class *c)
{
	m->option[c->first].item = m->free_room[c->room];
	m->free_room[c->room] = c->first;
}

/* Numbers. */

static bool fits(const struct slu_mckp *m)
{
	double mult = (double)m->mult, weight = m->max_weight + 1.0;

	return (m->max_value / m->unit + 2) * mult * weight < KEY_MAX &&
	       (m->sum_value / m->unit + 2.0 * m->max_slots) * mult < SUM_MAX;
}

/* Coarsens the unit until nothing overflows; recomputes keys and orders. */
static void rebuild(struct slu_mckp *m)
{
	while (!fits(m))
		m->unit *= 2;
	for (uint32_t id = 0; id < m->n_slots; id++) {
		if (!m->class[id].used)
			continue;
		slu_mckp_make_keys(m, &m->class[id]);
		slu_mckp_list(m, id);
	}
	slu_mckp_link_all(m);
}

static void count_step(struct slu_mckp *m, struct class *c, int by)
{
	struct steps *s = m->steps;

	if (c->step == 0)
		return;
	while (s < m->steps + m->n_steps && s->step != c->step)
		s++;
	if (s == m->steps + m->n_steps) {
		if (m->n_steps == SLU_MCKP_MAX_STEPS) {
			c->step = 1;
			s = m->steps;
		} else {
			*s = (struct steps){.step = c->step};
			m->n_steps++;
		}
	}
	s->n += (uint32_t)by;
	if (s->n == 0 && s == m->steps + m->n_steps - 1 && m->n_steps > 1)
		m->n_steps--;
}

/* The gcd of all differences of weights within classes. */
uint32_t slu_mckp_common_step(const struct slu_mckp *m)
{
	uint32_t g = 0;

	for (uint32_t i = 0; i < m->n_steps && g != 1; i++)
		if (m->steps[i].n)
			g = greatest_divisor(m->steps[i].step, g);
	return g ? g : 1;
}

/* Adds a class to the sums (by 1), or subtracts it (-1). */
static void count_class(struct slu_mckp *m, struct class *c, int by)
{
	const struct option *o = options_of(m, c);

	m->n += (uint32_t)by;
	m->lightest += (uint64_t)(by * (int64_t)o[0].weight);
	m->heaviest += (uint64_t)(by * (int64_t)o[c->n - 1].weight);
	m->items += (size_t)(by * (int64_t)c->n);
	m->useful += (size_t)(by * (int64_t)c->useful);
	m->sum_value += by * c->most;
	if (m->sum_value < 0)
		m->sum_value = 0;
	if (c->most > m->max_value)
		m->max_value = c->most;
	if (o[c->n - 1].weight > m->max_weight)
		m->max_weight = o[c->n - 1].weight;
	count_step(m, c, by);
}

/* Classes. */

static int check_sizes(const struct slu_mckp_class *c, struct slu_err *err)
{
	if (c->n == 0)
		return slu_err(err, SLU_INVALID, "the class is empty");
	if (c->n > SLU_MCKP_MAX_ITEMS)
		return slu_err(err, SLU_INVALID, "%u items are too many", c->n);
	if (c->hold != SLU_MCKP_NONE && c->hold >= c->n)
		return slu_err(err, SLU_INVALID, "it holds item %u of %u",
			       c->hold, c->n);
	return 0;
}

static int check_values(const struct slu_mckp_class *c, struct slu_err *err)
{
	for (uint32_t j = 0; j < c->n; j++)
		if (!(c->item[j].value >= 0 &&
		      c->item[j].value <= SLU_MCKP_MAX_VALUE))
			return slu_err(err, SLU_INVALID, "item %u: value %g", j,
				       c->item[j].value);
	return 0;
}

/* Allocates a slot and options for the class, without adding it to the sums. */
static struct class *take_slot(struct slu_mckp *m, uint32_t n, uint32_t *id)
{
	uint32_t slot = m->n_free ? m->free_slot[m->n_free - 1] : m->n_slots;
	struct class *c = &m->class[slot];

	if (get_room(m, c, n) < 0)
		return NULL;
	if (m->n_free)
		m->n_free--;
	else
		m->n_slots++;
	c->used = true;
	c->chosen = SLU_MCKP_NO_OPTION;
	c->seen = 0;
	*id = slot;
	return c;
}

void slu_mckp_list(struct slu_mckp *m, uint32_t id)
{
	struct class *c = &m->class[id];

	if (!c->listed)
		m->changed[m->n_changed++] = id;
	c->listed = true;
}

int slu_mckp_add(struct slu_mckp *m, const struct slu_mckp_class *class,
		 uint32_t *id, struct slu_err *err)
{
	bool grown = false;
	struct class *c;

	slu_mckp_grow_up(m);
	if (check_sizes(class, err) < 0 || check_values(class, err) < 0)
		return -1;
	if (m->n == m->max_slots) {
		if (m->n == SLU_MCKP_MAX_CLASSES)
			return slu_err(err, SLU_INVALID,
				       "%u classes are too many", m->n + 1);
		if (reserve_classes(m, 2 * m->max_slots) < 0)
			return nomem(err);
		grown = true;
	}
	c = take_slot(m, class->n, id);
	if (!c) {
		if (grown)
			rebuild(m);
		return nomem(err);
	}
	slu_mckp_take_class(m, c, class);
	count_class(m, c, 1);
	slu_mckp_list(m, *id);
	if (grown || !fits(m))
		rebuild(m);
	else
		slu_mckp_link(m, *id);
	if (reserve_table(m) < 0) {
		slu_mckp_remove(m, *id);
		return nomem(err);
	}
	return 0;
}

void slu_mckp_remove(struct slu_mckp *m, uint32_t id)
{
	struct class *c;

	slu_mckp_grow_up(m);
	c = &m->class[id];
	if (id >= m->n_slots || !c->used)
		return;
	slu_mckp_unlink(m, id);
	count_class(m, c, -1);
	give_room(m, c);
	c->used = false;
	m->free_slot[m->n_free++] = id;
}

void slu_mckp_capacity(struct slu_mckp *m, uint32_t capacity)
{
	slu_mckp_grow_up(m);
	m->capacity = capacity;
	reserve_table(m);
}

/* Setting up. */

static void forget(struct slu_mckp *m)
{
	memset(m->class, 0, m->n_slots * sizeof(*m->class));
	memset(m->free_room, 0xff, sizeof(m->free_room));
	m->n_slots = m->n_free = m->n = m->n_options = 0;
	m->n_changed = m->n_unkept = m->n_last = m->n_patch = 0;
	m->lightest = m->heaviest = m->items = m->useful = 0;
	m->max_value = m->sum_value = 0;
	m->max_weight = 0;
	m->unit = FINEST_UNIT;
	m->steps[0] = (struct steps){.step = 1};
	m->n_steps = 1;
}

static int reserve(struct slu_mckp *m, const struct slu_mckp_problem *p,
		   struct slu_err *err)
{
	size_t options = 0;

	if (p->n > SLU_MCKP_MAX_CLASSES)
		return slu_err(err, SLU_INVALID, "%u classes are too many",
			       p->n);
	for (uint32_t i = 0; i < p->n; i++) {
		if (check_sizes(&p->class[i], err) < 0)
			return slu_err_prefix(err, "class %u", i);
		options += (size_t)1 << log2_of(p->class[i].n);
	}
	if ((p->n > m->max_slots && reserve_classes(m, p->n) < 0) ||
	    (options > m->max_options && reserve_options(m, options) < 0))
		return nomem(err);
	return 0;
}

/* Space has been allocated. */
static int fill_classes(struct slu_mckp *m, const struct slu_mckp_problem *p,
			struct slu_err *err)
{
	uint32_t id;

	m->capacity = p->capacity;
	for (uint32_t i = 0; i < p->n; i++) {
		struct class *c = take_slot(m, p->class[i].n, &id);

		if (!slu_mckp_take_class(m, c, &p->class[i])) {
			check_values(&p->class[i], err);
			return slu_err_prefix(err, "class %u", i);
		}
		count_class(m, c, 1);
		slu_mckp_list(m, id);
	}
	if (fits(m))
		slu_mckp_link_all(m);
	else
		rebuild(m);
	return 0;
}

int slu_mckp_load(struct slu_mckp *m, const struct slu_mckp_problem *p,
		  struct slu_err *err)
{
	bool was_small = m->small.in;

	if (m->method == SLU_MCKP_AUTO && slu_mckp_small_load(&m->small, p)) {
		if (!was_small)
			forget(m);
		return 0;
	}
	forget(m);
	slu_mckp_link_all(m);
	if (reserve(m, p, err) < 0)
		return -1;
	if (fill_classes(m, p, err) == 0) {
		if (reserve_table(m) == 0)
			return 0;
		nomem(err);
	}
	forget(m);
	slu_mckp_link_all(m);
	return -1;
}

/* Takes over the small solver's solution: every class counts as changed. */
static void take_choices(struct slu_mckp *m)
{
	for (uint32_t id = 0; id < m->small.n; id++) {
		struct class *c = &m->class[id];
		const struct option *o = options_of(m, c);
		uint16_t j = 0;

		while (o[j].item != m->small.choice[id])
			j++;
		c->chosen = j;
		c->unkept = true;
		m->unkept[m->n_unkept++] = id;
	}
}

void slu_mckp_grow_up(struct slu_mckp *m)
{
	struct slu_mckp_class class[SLU_MCKP_SMALL_CLASSES];
	struct small *s = &m->small;
	struct slu_mckp_problem p = {class, s->n, s->capacity};

	if (!s->in)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		class[i] = (struct slu_mckp_class){&s->item[s->class[i].first],
						   s->class[i].n,
						   s->class[i].hold};
	s->in = false;
	forget(m);
	slu_mckp_link_all(m);
	fill_classes(m, &p, NULL);
	reserve_table(m);
	if (s->solved)
		take_choices(m);
}

struct slu_mckp *slu_mckp_setup(const struct slu_mckp_problem *problem,
				const struct slu_mckp_settings *settings,
				struct slu_err *err)
{
	struct slu_mckp *m =
		aligned_alloc(_Alignof(struct slu_mckp), sizeof(*m));

	if (!m) {
		nomem(err);
		return NULL;
	}
	memset(m, 0, sizeof(*m));
	m->max_bytes = settings && settings->max_bytes ? settings->max_bytes
						       : DEFAULT_TABLE;
	m->method = settings ? settings->method : SLU_MCKP_AUTO;
	slu_mckp_small_init(&m->small);
	m->node = malloc(SLU_MCKP_MAX_NODES * sizeof(*m->node));
	m->live = malloc(SLU_MCKP_MAX_NODES * sizeof(*m->live));
	m->slot = calloc(2 * SLU_MCKP_WINDOW + 1, sizeof(*m->slot));
	if (!m->node || !m->live || !m->slot ||
	    reserve_classes(m, FEWEST_SLOTS) < 0 ||
	    reserve_options(m, FEWEST_OPTIONS) < 0) {
		nomem(err);
		goto fail;
	}
	if (slu_mckp_load(m, problem, err) == 0)
		return m;
fail:
	slu_mckp_free(m);
	return NULL;
}

void slu_mckp_free(struct slu_mckp *m)
{
	if (!m)
		return;
	free(m->class);
	free(m->free_slot);
	free(m->option);
	slu_sorted_free(&m->up);
	slu_sorted_free(&m->down);
	free(m->sort);
	free(m->node);
	free(m->slot);
	free(m->live);
	free(m->patch);
	free(m->last);
	free(m->changed);
	free(m->unkept);
	free(m->ids);
	free(m->table);
	free(m);
}

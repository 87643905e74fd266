/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The linear relaxation: along the upper hulls of all classes the steps with
 * the most key per weight are taken first, until one does not fit. What was
 * taken is the break solution, the step that did not fit is the break step.
 * Between two solves the break solution is only mended.
 */
#include "select_io/ion/mckp_private.h"

#define SAMPLE 256

/* Into the orders, out of them: as long as a class stands in them its hull and
 * its place may not change. */
static void put(struct slu_mckp *m, uint32_t id)
{
	const struct class *c = &m->class[id];

	if (c->at + 1 < c->n_hull)
		slu_sorted_insert(&m->up, -slope_of(hull_step(m, c, c->at)),
				  id);
	if (c->at > 0)
		slu_sorted_insert(&m->down,
				  slope_of(hull_step(m, c, c->at - 1u)), id);
}

static void take(struct slu_mckp *m, uint32_t id)
{
	const struct class *c = &m->class[id];

	if (c->at + 1 < c->n_hull)
		slu_sorted_remove(&m->up, -slope_of(hull_step(m, c, c->at)),
				  id);
	if (c->at > 0)
		slu_sorted_remove(&m->down,
				  slope_of(hull_step(m, c, c->at - 1u)), id);
}

/* The place on its hull that a class has at this slope. */
static void find_place(const struct slu_mckp *m, struct class *c, double slope)
{
	c->at = 0;
	while (c->at + 1 < c->n_hull &&
	       slope_of(hull_step(m, c, c->at)) > slope)
		c->at++;
}

static void count(struct slu_mckp *m, const struct class *c, int sign)
{
	uint32_t at = break_option(m, c);

	m->weight += (uint64_t)(sign * (int64_t)options_of(m, c)[at].weight);
	m->key += sign * key_of(m, c, at);
}

void slu_mckp_link(struct slu_mckp *m, uint32_t id)
{
	find_place(m, &m->class[id], m -> slope);
	count(m, &m->class[id], 1);
	put(m, id);
}

void slu_mckp_unlink(struct slu_mckp *m, uint32_t id)
{
	take(m, id);
	count(m, &m->class[id], -1);
}

/* About where the relaxation breaks: a sample of the classes, as if they had
 * their part of the room. */
static double guess_slope(const struct slu_mckp *m)
{
	uint32_t every = m->n_slots / SAMPLE + 1, n = 0, sampled = 0;
	struct slu_sorted_entry *e = m->sort;
	double room;

	for (uint32_t id = 0; id < m->n_slots; id += every) {
		const struct class *c = &m->class[id];

		if (!c->used || n + c->n_hull > m->max_sort)
			continue;
		sampled++;
		for (uint32_t h = 0; h + 1u < c->n_hull; h++) {
			struct step s = hull_step(m, c, h);

			e[n++] = (struct slu_sorted_entry){-slope_of(s),
							   s.weight};
		}
	}
	room = (double)m->capacity - (double)m->lightest;
	room *= (double)sampled / (m->n + 1e-9);
	e = slu_sorted_sort(e, e + m->max_sort, n);
	for (uint32_t i = 0; i < n; i++) {
		room -= e[i].id;
		if (room < 0)
			return -e[i].key;
	}
	return 0;
}

static void fill(struct slu_mckp *m, struct slu_sorted *o, bool up)
{
	struct slu_sorted_entry *e = m->sort;
	uint32_t n = 0;

	for (uint32_t id = 0; id < m->n_slots; id++) {
		const struct class *c = &m->class[id];

		if (!c->used || (up ? c->at + 1 >= c->n_hull : c->at == 0))
			continue;
		e[n++] = (struct slu_sorted_entry){
			up ? -slope_of(hull_step(m, c, c->at))
			   : slope_of(hull_step(m, c, c->at - 1u)),
			id};
	}
	slu_sorted_fill(o, slu_sorted_sort(e, e + m->max_sort, n), n);
}

void slu_mckp_link_all(struct slu_mckp *m)
{
	m->slope = guess_slope(m);
	m->weight = 0;
	m->key = 0;
	for (uint32_t id = 0; id < m->n_slots; id++) {
		struct class *c = &m->class[id];

		if (!c->used)
			continue;
		find_place(m, c, m->slope);
		count(m, c, 1);
	}
	fill(m, &m->up, true);
	fill(m, &m->down, false);
}

static void move(struct slu_mckp *m, uint32_t id, int by)
{
	struct class *c = &m->class[id];

	take(m, id);
	count(m, c, -1);
	c->at = (uint16_t)(c->at + by);
	count(m, c, 1);
	put(m, id);
	if (!c->listed) {
		c->listed = true;
		m->changed[m->n_changed++] = id;
	}
}

void slu_mckp_relax(struct slu_mckp *m, uint64_t capacity)
{
	for (;;) {
		const struct slu_sorted_entry *up = slu_sorted_first(&m->up);
		const struct slu_sorted_entry *down =
			slu_sorted_first(&m->down);

		if (m->weight > capacity) {
			move(m, down->id, -1);
			continue;
		}
		if (!up) {
			m->slope = 0;
			return;
		}
		m->slope = -up->key;
		if (m->weight + hull_step(m, &m->class[up->id],
					  m -> class[up->id].at)
					    .weight <=
			    capacity ||
		    (down && m->slope > down->key))
			move(m, up->id, 1);
		else
			return;
	}
}

void slu_mckp_walk(struct slu_mckp *m, struct walk *w)
{
	*w = (struct walk){{0, 0}, {0, 0}};
	m->round++;
}

static const struct slu_sorted_entry *unseen(const struct slu_mckp *m,
					     const struct slu_sorted *o,
					     struct slu_sorted_at *at)
{
	const struct slu_sorted_entry *e;

	while ((e = slu_sorted_get(o, at)) && m->class[e->id].seen == m->round)
		slu_sorted_step(o, at);
	return e;
}

uint32_t slu_mckp_next(struct slu_mckp *m, struct walk *w,
		       const struct search *s, int64_t *up, int64_t *down)
{
	const struct slu_sorted_entry *u = unseen(m, &m->up, &w->up);
	const struct slu_sorted_entry *d = unseen(m, &m->down, &w->down);

	*up = *down = INT64_MAX;
	if (u) {
		const struct class *c = &m->class[u->id];
		struct step t = hull_step(m, c, c->at);

		*up = (s->at.key * t.weight - t.key * s->at.weight) / t.weight;
	}
	if (d) {
		const struct class *c = &m->class[d->id];
		struct step t = hull_step(m, c, c->at - 1u);

		*down = (t.key * s->at.weight - s->at.key * t.weight) /
			t.weight;
	}
	if (!u && !d)
		return NO_INDEX;
	return *up <= *down ? u->id : d->id;
}

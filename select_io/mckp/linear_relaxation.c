/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Solves the linear relaxation of the knapsack, which gives an upper bound and
 * a solution close to the optimum: along the upper hulls of all classes, steps
 * are taken in the order of key per weight until one does not fit. What was
 * taken is the break solution; the step that did not fit is the break step.
 * Between two solves the break solution is only updated.
 */

/*
 * Of the upper hull of a class (from the lightest option on, always the
 * steepest step with a gain) only the current option and its neighbours are
 * stored: to find them takes one pass over the options, mostly without branches
 * that are hard to predict. All products are of a key and a weight.
 */
#include <math.h>
#include "select_io/mckp/mckp_search.h"

#define MIN_SAMPLE 512

/* The option where the steps before it are steeper than the slope, and those
 * after it are not. */
static uint16_t place(const struct slu_mckp *m, const struct class *c,
		      int64_t slope)
{
	const struct option *o = options_of(m, c);
	int64_t most = o[0].key - slope * o[0].weight;
	uint32_t at = 0;

	for (uint32_t j = 1; j < c->n; j++) {
		int64_t rest = o[j].key - slope * o[j].weight;

		at = rest > most ? j : at;
		most = rest > most ? rest : most;
	}
	return (uint16_t)at;
}

/* The steepest step up with a gain; among equals the longest. */
static uint16_t above(const struct slu_mckp *m, const struct class *c)
{
	const struct option *o = options_of(m, c), *from = &o[c->at];
	int64_t key = 0, weight = 1;
	uint32_t best = SLU_MCKP_NO_OPTION;

	for (uint32_t j = c->at + 1u; j < c->n; j++) {
		int64_t more = o[j].key - from->key;
		int64_t heavier = (int64_t)o[j].weight - from->weight;
		int64_t is = more * weight, was = key * heavier;
		bool better = is > was || (is == was && heavier > weight);

		better &= more > 0;
		best = better ? j : best;
		key = better ? more : key;
		weight = better ? heavier : weight;
	}
	return (uint16_t)best;
}

/* The flattest step that leads here; among equals the longest. */
static uint16_t below(const struct slu_mckp *m, const struct class *c)
{
	const struct option *o = options_of(m, c), *to = &o[c->at];
	int64_t key = 1, weight = 0;
	uint32_t best = SLU_MCKP_NO_OPTION;

	for (uint32_t j = 0; j < c->at; j++) {
		int64_t less = to->key - o[j].key;
		int64_t lighter = (int64_t)to->weight - o[j].weight;
		bool better = less * weight < key * lighter;

		best = better ? j : best;
		key = better ? less : key;
		weight = better ? lighter : weight;
	}
	return (uint16_t)best;
}

/* Inserts a class into the orders, or removes it: while it is there, its
 * options and its place may not change. */
static void put(struct slu_mckp *m, uint32_t id)
{
	const struct class *c = &m->class[id];

	if (c->up != SLU_MCKP_NO_OPTION)
		slu_sorted_insert(&m->up, -slope_of(step_up(m, c)), id);
	if (c->down != SLU_MCKP_NO_OPTION)
		slu_sorted_insert(&m->down, slope_of(step_down(m, c)), id);
}

static void take(struct slu_mckp *m, uint32_t id)
{
	const struct class *c = &m->class[id];

	if (c->up != SLU_MCKP_NO_OPTION)
		slu_sorted_remove(&m->up, -slope_of(step_up(m, c)), id);
	if (c->down != SLU_MCKP_NO_OPTION)
		slu_sorted_remove(&m->down, slope_of(step_down(m, c)), id);
}

static void count(struct slu_mckp *m, const struct class *c, int sign)
{
	const struct option *at = &options_of(m, c)[c->at];

	m->weight += (uint64_t)(sign * (int64_t)at->weight);
	m->key += sign * at->key;
}

/* Moves the class to its place at the slope. */
static void find_place(struct slu_mckp *m, struct class *c)
{
	c->at = place(m, c, m->slope);
	c->up = above(m, c);
	c->down = below(m, c);
	count(m, c, 1);
}

void slu_mckp_link(struct slu_mckp *m, uint32_t id)
{
	find_place(m, &m->class[id]);
	put(m, id);
}

void slu_mckp_unlink(struct slu_mckp *m, uint32_t id)
{
	take(m, id);
	count(m, &m->class[id], -1);
}

/* The share of the capacity that a sample of the classes takes at this slope;
 * 1: all of their part. */
static double sample_takes(const struct slu_mckp *m, uint32_t every,
			   double slope)
{
	double room = (double)m->capacity - (double)m->lightest, taken = 0;
	uint32_t sampled = 0;

	for (uint32_t id = 0; id < m->n_slots; id += every) {
		const struct class *c = &m->class[id];
		const struct option *o = options_of(m, c);

		if (!c->used)
			continue;
		taken += o[place(m, c, (int64_t)slope)].weight - o[0].weight;
		sampled++;
	}
	return taken > 0 ? taken * m->n / (fmax(room, 0) * sampled) : 0;
}

/* An approximate break slope from a sample: bisection of the range of slopes,
 * beginning at that of all classes together, until the sample takes nearly all
 * of the capacity. */
static int64_t guess_slope(const struct slu_mckp *m)
{
	double sample = fmax(MIN_SAMPLE, 8 * sqrt((double)m->items));
	uint32_t every = (uint32_t)((double)m->items / sample) | 1;
	double unit = m->unit / (double)m->mult, low = 1, takes;
	double high = m->max_value / unit + 1, middle;

	if (sample_takes(m, every, 0) <= 1)
		return 0;
	middle = m->sum_value / unit / (double)m->heaviest;
	while (high > 1.02 * low + 1) {
		if (!(middle > low && middle < high))
			middle = sqrt(low * high);
		takes = sample_takes(m, every, middle);
		if (takes > 1)
			low = middle;
		else
			high = middle;
		if (takes > 0.98 && takes <= 1)
			break;
		middle = 0;
	}
	return (int64_t)high;
}

void slu_mckp_link_all(struct slu_mckp *m)
{
	struct slu_sorted_entry *up = m->sort, *down = up + m->max_slots;
	struct slu_sorted_entry *aside = down + m->max_slots;
	size_t n_up = 0, n_down = 0;

	m->slope = guess_slope(m);
	m->weight = 0;
	m->key = 0;
	for (uint32_t id = 0; id < m->n_slots; id++) {
		struct class *c = &m->class[id];

		if (!c->used)
			continue;
		find_place(m, c);
		if (c->up != SLU_MCKP_NO_OPTION)
			up[n_up++] = (struct slu_sorted_entry){
				-slope_of(step_up(m, c)), id};
		if (c->down != SLU_MCKP_NO_OPTION)
			down[n_down++] = (struct slu_sorted_entry){
				slope_of(step_down(m, c)), id};
	}
	slu_sorted_fill(&m->up, slu_sorted_sort(up, aside, n_up), n_up);
	slu_sorted_fill(&m->down, slu_sorted_sort(down, aside, n_down), n_down);
}

static void move(struct slu_mckp *m, uint32_t id, bool up)
{
	struct class *c = &m->class[id];
	uint16_t from = c->at;

	take(m, id);
	count(m, c, -1);
	c->at = up ? c->up : c->down;
	c->up = up ? above(m, c) : from;
	c->down = up ? from : below(m, c);
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
		struct step step;

		if (m->weight > capacity) {
			move(m, down->id, false);
			continue;
		}
		if (!up) {
			m->slope = 0;
			return;
		}
		step = step_up(m, &m->class[up->id]);
		if (m->weight + step.weight > capacity &&
		    !(down && -up->key > down->key)) {
			m->slope = (step.key + step.weight - 1) / step.weight;
			return;
		}
		move(m, up->id, true);
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
		struct step t = step_up(m, c);

		*up = (s->at.key * t.weight - t.key * s->at.weight) / t.weight;
	}
	if (d) {
		const struct class *c = &m->class[d->id];
		struct step t = step_down(m, c);

		*down = (t.key * s->at.weight - s->at.key * t.weight) /
			t.weight;
	}
	if (!u && !d)
		return SLU_MCKP_NO_INDEX;
	return *up <= *down ? u->id : d->id;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A class of the knapsack as the solver keeps it: options by weight, their
 * keys, and the upper hull: from the lightest option on, always the steepest
 * step that gains anything.
 */
#include <math.h>
#include <string.h>
#include "select_io/ion/mckp_private.h"

static bool after(const struct option *a, const struct option *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	if (a->value != b->value)
		return a->value < b->value;
	return a->item > b->item;
}

/* Nearly always the caller's items are sorted already. */
void slu_mckp_take_class(struct slu_mckp *m, struct class *c,
			 const struct slu_mckp_class *from)
{
	struct option *o = options_of(m, c);

	c->n = (uint16_t)from->n;
	c->hold = NO_OPTION;
	c->step = 0;
	for (uint32_t j = 0; j < from->n; j++) {
		struct option x = {.value = from->item[j].value,
				   .weight = from->item[j].weight,
				   .item = j};
		uint32_t i = j;

		for (; i > 0 && after(&o[i - 1], &x); i--)
			o[i] = o[i - 1];
		o[i] = x;
	}
	for (uint32_t j = 0; j < from->n; j++) {
		if (o[j].item == from->hold)
			c->hold = (uint16_t)j;
		if (c->step != 1)
			c->step = greatest_divisor(o[j].weight - o[0].weight,
						   c->step);
	}
}

void slu_mckp_make_keys(const struct slu_mckp *m, struct class *c)
{
	struct option *o = options_of(m, c);
	double scale = 1 / m->unit;

	for (uint32_t j = 0; j < c->n; j++)
		o[j].key = (int64_t)(o[j].value * scale + 0.5) * m->mult;
}

struct point {
	int64_t weight, key;
};

/* The middle one of three lies above the line between the others. */
static bool convex(const struct point *a, const struct point *b,
		   const struct point *c)
{
	return (b->key - a->key) * (c->weight - b->weight) >
	       (c->key - b->key) * (b->weight - a->weight);
}

void slu_mckp_make_hull(const struct slu_mckp *m, struct class *c)
{
	struct point p[SLU_MCKP_MAX_ITEMS];
	const struct option *o = options_of(m, c);
	uint16_t *h = m->hull + c->first;
	uint32_t n = 0;

	for (uint32_t j = 0; j < c->n; j++) {
		struct point x = {o[j].weight, key_of(m, c, j)};

		if (n > 0 && x.key <= p[n - 1].key)
			continue;
		if (n > 0 && x.weight == p[n - 1].weight)
			n--;
		while (n > 1 && !convex(&p[n - 2], &p[n - 1], &x))
			n--;
		p[n] = x;
		h[n++] = (uint16_t)j;
	}
	c->n_hull = (uint16_t)n;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a class of the knapsack to the solver's form: options sorted by
 * weight, with integer keys.
 */
#include "select_io/mckp/mckp_search.h"

static bool after(const struct option *a, const struct option *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	if (a->value != b->value)
		return a->value < b->value;
	return a->item > b->item;
}

static void sort(struct option *o, uint32_t n)
{
	for (uint32_t j = 1; j < n; j++) {
		struct option x = o[j];
		uint32_t i = j;

		for (; i > 0 && after(&o[i - 1], &x); i--)
			o[i] = o[i - 1];
		o[i] = x;
	}
}

/* The product may overflow: then the unit is found to be too fine, and all keys
 * are computed anew. */
static int64_t key_of(const struct slu_mckp *m, double value, double scale)
{
	int64_t units = (int64_t)(value * scale + 0.5);

	return (int64_t)((uint64_t)units * (uint64_t)m->mult);
}

/* One pass that assumes sorted items; *sorted says whether they were. */
static bool copy(struct slu_mckp *m, struct class *c, struct option *o,
		 const struct slu_mckp_class *from, bool *sorted)
{
	double scale = 1 / m->unit, most = -1;
	int64_t before = -1;
	uint32_t useful = 0;

	for (uint32_t j = 0; j < from->n; j++) {
		double value = from->item[j].value;
		uint32_t weight = from->item[j].weight;

		if (!(value >= 0 && value <= SLU_MCKP_MAX_VALUE))
			return false;
		o[j] = (struct option){value, key_of(m, value, scale), weight,
				       j};
		*sorted &= weight > before;
		before = weight;
		useful += value > most;
		most = value > most ? value : most;
	}
	if (!*sorted)
		useful = from->n;
	c->most = most;
	c->useful = (uint16_t)(useful > 1 ? useful : 0);
	return true;
}

/* The caller's items are nearly always sorted. */
bool slu_mckp_take_class(struct slu_mckp *m, struct class *c,
			 const struct slu_mckp_class *from)
{
	struct option *o = options_of(m, c);
	bool sorted = true;

	if (!copy(m, c, o, from, &sorted))
		return false;
	c->n = (uint16_t)from->n;
	c->hold = (uint16_t)from->hold; /* SLU_MCKP_NONE: SLU_MCKP_NO_OPTION */
	if (!sorted) {
		sort(o, from->n);
		for (uint32_t j = 0; j < from->n; j++)
			if (o[j].item == from->hold)
				c->hold = (uint16_t)j;
	}
	if (c->hold != SLU_MCKP_NO_OPTION)
		o[c->hold].key++;
	c->step = 0;
	for (uint32_t j = 1; j < from->n && c->step != 1; j++)
		c->step = greatest_divisor(o[j].weight - o[0].weight, c->step);
	return true;
}

void slu_mckp_make_keys(const struct slu_mckp *m, struct class *c)
{
	struct option *o = options_of(m, c);
	double scale = 1 / m->unit;

	for (uint32_t j = 0; j < c->n; j++)
		o[j].key = key_of(m, o[j].value, scale);
	if (c->hold != SLU_MCKP_NO_OPTION)
		o[c->hold].key++;
}

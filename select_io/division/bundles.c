/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds limits of groups (users, accounts) to the knapsack that divides I/O
 * nodes. Groups are nested, so it remains a multiple-choice knapsack: the jobs
 * of a group whose limit may be reached become one class, whose items are the
 * best sums of its jobs for each number of I/O nodes that the limit allows
 * (dynamic programming). First users' groups, then accounts' made of those. The
 * solver's choice for a class is traced back to its jobs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/division/division_private.h"

#define UNIT	   1e-3 /* MB/s: a smaller difference is none */
#define IMPOSSIBLE INT64_MIN

struct option {
	uint32_t weight;
	uint32_t kept; /* jobs that keep the number that they hold */
	int64_t units;
	double value;
};

struct bundle {
	uint64_t group[SLU_ION_GROUPS];
	uint32_t slot; /* if it is a single job */
	uint32_t jobs;
	uint64_t least; /* sum of the jobs' smallest numbers, if none shares */
	struct option *option;
	uint32_t n;
	const struct bundle *below; /* the bundles that it consists of */
	size_t n_below;
	uint16_t *pick; /* the option of each of those, by weight */
	uint32_t width;
	bool made; /* owns option and pick; else they are a lower level's */
};

struct slu_ion_bundles {
	struct bundle *level[SLU_ION_GROUPS + 1];
	size_t n[SLU_ION_GROUPS + 1];
};

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

void slu_ion_bundles_free(struct slu_ion_bundles *b)
{
	if (!b)
		return;
	for (int l = 0; l <= SLU_ION_GROUPS; l++) {
		for (size_t i = 0; b->level[l] && i < b->n[l]; i++)
			if (b->level[l][i].made) {
				free(b->level[l][i].option);
				free(b->level[l][i].pick);
			}
		free(b->level[l]);
	}
	free(b);
}

/* A bundle of a single job. */
static int make_job(struct slu_ion_division *d, uint32_t slot,
		    struct bundle *out)
{
	struct part *p = &d->part[slot];
	struct slu_mckp_class class;

	slu_ion_make_class(d, p, d->item, &class);
	*out = (struct bundle){.slot = slot,
			       .jobs = 1,
			       .least = slu_ion_least(p, &p->range),
			       .option = calloc(class.n, sizeof(*out->option)),
			       .n = class.n,
			       .made = true};
	memcpy(out->group, p->group, sizeof(out->group));
	for (uint32_t i = 0; out->option && i < class.n; i++)
		out->option[i] = (struct option){
			.weight = class.item[i].weight,
			.kept = i == class.hold,
			.units = llround(class.item[i].value / UNIT),
			.value = class.item[i].value};
	return out->option ? 0 : -1;
}

static bool better(const struct option *a, const struct option *b)
{
	return a->units != b->units ? a->units > b->units : a->kept > b->kept;
}

/* Adds one bundle of the level below: from the best sums without it, for each
 * weight limit, to the best sums with it. */
static void add(const struct bundle *b, const struct option *before,
		struct option *best, uint16_t *pick, uint32_t width)
{
	for (uint32_t w = 0; w < width; w++) {
		best[w].units = IMPOSSIBLE;
		for (uint32_t j = 0; j < b->n; j++) {
			const struct option *o = &b->option[j], *rest;
			struct option sum = *o;

			if (o->weight > w)
				continue;
			rest = &before[w - o->weight];
			if (rest->units == IMPOSSIBLE)
				continue;
			sum.units += rest->units;
			sum.value += rest->value;
			sum.kept += rest->kept;
			if (best[w].units == IMPOSSIBLE ||
			    better(&sum, &best[w])) {
				best[w] = sum;
				pick[w] = (uint16_t)j;
			}
		}
	}
}

/* Keeps the weights at which the sum is better than at all lower ones. */
static void take_options(struct bundle *b, const struct option *best)
{
	for (uint32_t w = 0; w < b->width; w++) {
		if (best[w].units == IMPOSSIBLE ||
		    (b->n && !better(&best[w], &b->option[b->n - 1])))
			continue;
		b->option[b->n] = best[w];
		b->option[b->n++].weight = w;
	}
}

static int combine(struct bundle *b)
{
	struct option *now = calloc(b->width, sizeof(*now));
	struct option *next = calloc(b->width, sizeof(*next));

	b->option = calloc(b->width, sizeof(*b->option));
	b->pick = calloc(b->n_below * b->width, sizeof(*b->pick));
	if (now && next && b->option && b->pick) {
		for (size_t k = 0; k < b->n_below; k++) {
			struct option *swap = now;

			add(&b->below[k], now, next, b->pick + k * b->width,
			    b->width);
			now = next;
			next = swap;
		}
		take_options(b, now);
	}
	free(now);
	free(next);
	return b->n ? 0 : -1;
}

/* Describes the jobs of a group as one bundle; false: they cannot reach its
 * limit, so none is needed. */
static bool describe(const struct bundle *below, size_t n, uint32_t limit,
		     struct bundle *out)
{
	uint64_t most = 0;

	*out = (struct bundle){.below = below, .n_below = n, .made = true};
	memcpy(out->group, below->group, sizeof(out->group));
	for (size_t i = 0; i < n; i++) {
		uint32_t here = 0;

		for (uint32_t j = 0; j < below[i].n; j++)
			if (below[i].option[j].weight > here)
				here = below[i].option[j].weight;
		most += here;
		out->least += below[i].least;
		out->jobs += below[i].jobs;
	}
	out->width = 1 + (uint32_t)(out->least > limit ? out->least : limit);
	return limit && most >= out->width;
}

static int fold(struct slu_ion_bundles *b, int g, uint32_t limit)
{
	const struct bundle *from = b->level[g];
	struct bundle *to = calloc(b->n[g] + 1, sizeof(*to));
	size_t n;

	b->level[g + 1] = to;
	if (!to)
		return -1;
	for (size_t i = 0; i < b->n[g]; i += n) {
		for (n = 1; i + n < b->n[g] &&
			    from[i + n].group[g] == from[i].group[g];)
			n++;
		if (describe(from + i, n, limit, &to[b->n[g + 1]])) {
			if (combine(&to[b->n[g + 1]++]) < 0)
				return -1;
			continue;
		}
		for (size_t k = 0; k < n; k++) {
			to[b->n[g + 1]] = from[i + k];
			to[b->n[g + 1]++].made = false;
		}
	}
	return 0;
}

static int by_groups(const void *a, const void *b)
{
	const struct bundle *x = a, *y = b;

	for (int g = SLU_ION_GROUPS; g-- > 0;)
		if (x->group[g] != y->group[g])
			return x->group[g] < y->group[g] ? -1 : 1;
	return x->slot < y->slot ? -1 : 1;
}

static struct slu_ion_bundles *make(struct slu_ion_division *d)
{
	struct slu_ion_bundles *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->level[0] = calloc(d->n + 1, sizeof(*b->level[0]));
	for (size_t i = 0; b->level[0] && i < d->n; i++)
		if (make_job(d, d->order[i], &b->level[0][b->n[0]++]) < 0)
			goto fail;
	if (!b->level[0])
		goto fail;
	if (d->n)
		qsort(b->level[0], d->n, sizeof(*b->level[0]), by_groups);
	for (int g = 0; g < SLU_ION_GROUPS; g++)
		if (fold(b, g, d->limit[g]) < 0)
			goto fail;
	return b;
fail:
	slu_ion_bundles_free(b);
	return NULL;
}

static void fill_class(const struct bundle *b, struct slu_mckp_item *item,
		       struct slu_mckp_class *class)
{
	*class = (struct slu_mckp_class){
		.item = item, .n = b->n, .hold = SLU_MCKP_NONE};
	for (uint32_t i = 0; i < b->n; i++) {
		item[i] = (struct slu_mckp_item){b->option[i].weight,
						 b->option[i].value};
		if (b->option[i].kept == b->jobs)
			class->hold = i;
	}
}

int slu_ion_pose_bundles(struct slu_ion_division *d, struct slu_err *err)
{
	struct slu_ion_bundles *b = make(d);
	struct slu_mckp_problem problem = {d->class, 0, d->capacity};
	struct slu_mckp_item *item = NULL, *next;
	size_t items = 0, n;
	int rc;

	if (!b)
		return nomem(err);
	n = b->n[SLU_ION_GROUPS];
	for (size_t i = 0; i < n; i++)
		items += b->level[SLU_ION_GROUPS][i].n;
	next = item = calloc(items + 1, sizeof(*item));
	for (size_t i = 0; item && i < n; i++) {
		fill_class(&b->level[SLU_ION_GROUPS][i], next, &d->class[i]);
		next += d->class[i].n;
	}
	problem.n = (uint32_t)n;
	rc = item ? slu_mckp_load(d->solver, &problem, err) : nomem(err);
	free(item);
	if (rc == 0)
		d->bundles = b;
	else
		slu_ion_bundles_free(b);
	return rc;
}

static void choose(struct slu_ion_division *d, const struct bundle *b,
		   uint32_t option)
{
	uint32_t w = b->option[option].weight;

	if (!b->n_below)
		d->part[b->slot].chosen = option;
	for (size_t k = b->n_below; k-- > 0;) {
		uint32_t j = b->pick[k * b->width + w];

		w -= b->below[k].option[j].weight;
		choose(d, &b->below[k], j);
	}
}

void slu_ion_open_bundles(struct slu_ion_division *d)
{
	const struct slu_ion_bundles *b = d->bundles;

	for (size_t i = 0; i < b->n[SLU_ION_GROUPS]; i++)
		choose(d, &b->level[SLU_ION_GROUPS][i],
		       slu_mckp_choice(d->solver, (uint32_t)i));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learned I/O bandwidth by number of I/O nodes (a curve), one per job class
 * (same uid, job name and node count). Curves are kept in a fixed-size 8-way
 * set-associative table keyed by a hash of those three; a full set evicts its
 * least recently updated class, so memory stays bounded.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "select_io/ion/curves.h"

#define WAYS	    8
#define MAX_CLASSES (1u << 24)

struct entry {
	uint64_t key; /* 0: free */
	uint64_t taught;
	struct slu_curve curve;
};

struct slu_curves {
	struct entry *entry;
	size_t sets; /* a power of two */
	uint64_t learnt;
};

/* The point for this number, made when there is room; else NULL. */
static struct slu_curve_point *point_for(struct slu_curve *c, uint32_t ions)
{
	uint32_t i = 0;

	while (i < c->n && c->point[i].ions < ions)
		i++;
	if (i < c->n && c->point[i].ions == ions)
		return &c->point[i];
	if (c->n == SLU_CURVE_POINTS)
		return NULL;
	memmove(&c->point[i + 1], &c->point[i],
		(c->n - i) * sizeof(c->point[0]));
	c->n++;
	c->point[i] = (struct slu_curve_point){.ions = ions};
	return &c->point[i];
}

static bool believable(double bandwidth)
{
	return bandwidth > 0 && bandwidth <= SLU_CURVE_MAX;
}

double slu_curve_spread(const struct slu_curve_point *p)
{
	return p->runs > 1 ? sqrt(p->squares / (p->runs - 1)) : 0;
}

/* Adjacent points pooled into one: runs, mean, squared std. error of it. */
struct pool {
	double runs, mean, error2;
};

static struct pool join(const struct pool *a, const struct pool *b)
{
	double runs = a->runs + b->runs;

	return (struct pool){
		.runs = runs,
		.mean = (a->mean * a->runs + b->mean * b->runs) / runs,
		.error2 = (a->error2 * a->runs * a->runs +
			   b->error2 * b->runs * b->runs) /
			  (runs * runs),
	};
}

static bool alike(const struct pool *a, const struct pool *b)
{
	double d = a->mean - b->mean;

	return d * d < a->error2 + b->error2;
}

/* What is believed of each point. */
static void settle(struct slu_curve *c)
{
	struct pool pool = {0};
	uint32_t first = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		struct slu_curve_point *p = &c->point[i];
		double spread = slu_curve_spread(p);
		struct pool one = {p->runs, p->mean, spread * spread / p->runs};

		p->value = p->mean;
		if (p->ions == 0)
			continue;
		if (pool.runs > 0 && alike(&pool, &one)) {
			pool = join(&pool, &one);
			for (uint32_t k = first; k <= i; k++)
				c->point[k].value = pool.mean;
		} else {
			pool = one;
			first = i;
		}
	}
}

void slu_curve_add(struct slu_curve *curve, uint32_t ions, double bandwidth)
{
	struct slu_curve_point *p =
		believable(bandwidth) ? point_for(curve, ions) : NULL;
	double off;

	if (!p)
		return;
	off = bandwidth - p->mean;
	p->mean += off / ++p->runs;
	p->squares += off * (bandwidth - p->mean);
	settle(curve);
}

bool slu_curve_known(const struct slu_curve *curve)
{
	return curve && slu_curve_most(curve) > 0;
}

uint32_t slu_curve_most(const struct slu_curve *curve)
{
	return curve->n > 0 ? curve->point[curve->n - 1].ions : 0;
}

double slu_curve_at(const struct slu_curve *curve, uint32_t ions)
{
	const struct slu_curve_point *p, *low = NULL;

	for (p = curve->point; p < curve->point + curve->n; p++) {
		if (p->ions == ions)
			return p->value;
		if (p->ions > ions)
			break;
		if (p->ions > 0)
			low = p;
	}
	if (p == curve->point + curve->n)
		return low ? low->value : 0;
	if (!low)
		return p->value * ions / p->ions;
	return low->value + (p->value - low->value) * (ions - low->ions) /
				    (p->ions - low->ions);
}

struct slu_curves *slu_curves_new(size_t max_classes, struct slu_err *err)
{
	struct slu_curves *t;

	if (max_classes > MAX_CLASSES) {
		slu_err(err, SLU_INVALID, "%zu classes are too many",
			max_classes);
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		goto nomem;
	for (t->sets = 1; t->sets < max_classes / WAYS;)
		t->sets *= 2;
	t->entry = calloc(t->sets, WAYS * sizeof(*t->entry));
	if (!t->entry)
		goto nomem;
	return t;
nomem:
	slu_curves_free(t);
	slu_err(err, SLU_NOMEM, "out of memory");
	return NULL;
}

void slu_curves_free(struct slu_curves *t)
{
	if (t)
		free(t->entry);
	free(t);
}

uint64_t slu_curves_class(const struct slu_job *job)
{
	uint32_t with[2] = {job->uid, job->node_cnt};
	const char *name = job->name ? job->name : "";

	return XXH3_64bits_withSeed(name, strlen(name),
				    XXH3_64bits(with, sizeof(with))) |
	       1;
}

static struct entry *find(const struct slu_curves *t, uint64_t key)
{
	struct entry *set = t->entry + ((key >> 32) & (t->sets - 1)) * WAYS;

	for (struct entry *e = set; e < set + WAYS; e++)
		if (e->key == key)
			return e;
	return NULL;
}

/* A free entry of the key's set, else evict the least recently updated. */
static struct entry *make_room(struct slu_curves *t, uint64_t key,
			       uint64_t *dropped)
{
	struct entry *set = t->entry + ((key >> 32) & (t->sets - 1)) * WAYS;
	struct entry *oldest = set;

	for (struct entry *e = set; e < set + WAYS; e++)
		if (e->taught < oldest->taught)
			oldest = e;
	*dropped = oldest->key;
	*oldest = (struct entry){.key = key};
	return oldest;
}

uint64_t slu_curves_learn(struct slu_curves *t, const struct slu_job *job,
			  uint32_t ions, double bandwidth)
{
	uint64_t key = slu_curves_class(job), dropped = 0;
	struct entry *e;

	if (!believable(bandwidth))
		return 0;
	e = find(t, key);
	if (!e)
		e = make_room(t, key, &dropped);
	slu_curve_add(&e->curve, ions, bandwidth);
	e->taught = ++t->learnt;
	return dropped;
}

const struct slu_curve *slu_curves_find(const struct slu_curves *t,
					uint64_t class)
{
	const struct entry *e = find(t, class);

	return e ? &e->curve : NULL;
}

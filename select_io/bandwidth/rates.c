/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three exponentially weighted means of bytes per node second: of the
 * application, of its user and of the site. Each is shrunk towards the next
 * more general one, which counts as half a run of the job (PRIOR).
 */
#include "select_io/bandwidth/rates.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "common/str.h"

#define WAYS	   8
#define KEEP	   0.75 /* of the weight of a run, when the next has ended */
#define PRIOR	   0.5	/* of a job */
#define SITE_KEEP  0.999
#define USER_KEEP  0.95
#define LEAST_CALM 0.1 /* part of a run */

struct mean {
	float bytes, area; /* node seconds */
};

struct entry {
	uint64_t key; /* 0: free */
	struct mean mean;
	uint32_t runs, taught;
};

struct set {
	struct entry way[WAYS];
};

struct slu_rates {
	size_t sets; /* a power of two */
	uint32_t learnt;
	struct mean site;
	struct set set[];
};

struct slu_rates *slu_rates_new(size_t most, struct slu_err *err)
{
	struct slu_rates *r;
	size_t sets = 1;

	while (sets * WAYS < most)
		sets *= 2;
	r = calloc(1, sizeof(*r) + sets * sizeof(*r->set));
	if (r)
		r->sets = sets;
	else
		slu_err(err, SLU_NOMEM, "out of memory");
	return r;
}

void slu_rates_free(struct slu_rates *r)
{
	free(r);
}

void slu_rates_forget(struct slu_rates *r)
{
	memset(r->set, 0, r->sets * sizeof(*r->set));
	r->site = (struct mean){0};
	r->learnt = 0;
}

/* name NULL: the key of the user's mean. */
static uint64_t key_of(uint32_t uid, const char *name)
{
	return XXH3_64bits_withSeed(name, name ? strlen(name) : 0,
				    2 * (uint64_t)uid + !name) |
	       1;
}

static const struct entry *find(const struct slu_rates *r, uint64_t key)
{
	const struct set *set = &r->set[(key >> 32) & (r->sets - 1)];

	for (int k = 0; k < WAYS; k++)
		if (set->way[k].key == key)
			return &set->way[k];
	return NULL;
}

/* The key's entry, else a free one or the least recently updated one. */
static struct entry *claim(struct slu_rates *r, uint64_t key)
{
	struct set *set = &r->set[(key >> 32) & (r->sets - 1)];
	struct entry *e = &set->way[0];

	for (int k = 0; k < WAYS; k++) {
		if (set->way[k].key == key)
			return &set->way[k];
		if (set->way[k].taught < e->taught)
			e = &set->way[k];
	}
	*e = (struct entry){.key = key};
	return e;
}

static void teach(struct mean *mean, double keep, double area, double bytes)
{
	mean->bytes = (float)(mean->bytes * keep + bytes);
	mean->area = (float)(mean->area * keep + area);
}

static void teach_entry(struct slu_rates *r, uint64_t key, double keep,
			double area, double bytes)
{
	struct entry *e = claim(r, key);

	teach(&e->mean, keep, area, bytes);
	e->runs += e->runs < UINT32_MAX;
	e->taught = r->learnt;
}

/* What a run of which only a part was in calm time would have moved if it had
 * been alone: what is known of its application, as far as this run allows it.
 */
static double undisturbed(const struct slu_rates *r, uint64_t key, double area,
			  double bytes, double calm)
{
	const struct entry *e = find(r, key);
	double known = e ? (double)(e->mean.bytes / e->mean.area) * area : 0;

	return fmin(fmax(bytes, known), bytes / fmax(calm, LEAST_CALM));
}

void slu_rates_learn_disturbed(struct slu_rates *r, uint32_t uid,
			       const char *name, double nodes, double seconds,
			       double bytes, double calm)
{
	uint64_t key = key_of(uid, name ? name : "");
	double area = nodes * seconds;

	if (!(nodes > 0) || !(seconds > 0) || !(bytes >= 0) ||
	    !isfinite(area + bytes))
		return;
	if (calm < 1)
		bytes = undisturbed(r, key, area, bytes, calm);
	r->learnt++;
	teach(&r->site, SITE_KEEP, area, bytes);
	teach_entry(r, key_of(uid, NULL), USER_KEEP, area, bytes);
	teach_entry(r, key, KEEP, area, bytes);
}

void slu_rates_learn(struct slu_rates *r, uint32_t uid, const char *name,
		     double nodes, double seconds, double bytes)
{
	slu_rates_learn_disturbed(r, uid, name, nodes, seconds, bytes, 1);
}

static double drawn(const struct mean *mean, double towards, double area)
{
	return (mean->bytes + towards * area) / (mean->area + area);
}

struct slu_rate slu_rates_foretell(const struct slu_rates *r, uint32_t uid,
				   const char *name, double nodes,
				   double seconds)
{
	const struct entry *user = find(r, key_of(uid, NULL));
	const struct entry *app = find(r, key_of(uid, name ? name : ""));
	double area = fmax(PRIOR * nodes * seconds, 1);
	struct slu_rate out = {0};

	if (r->site.area > 0)
		out.node = r->site.bytes / r->site.area;
	if (user)
		out.node = drawn(&user->mean, out.node, area);
	if (app) {
		out.node = drawn(&app->mean, out.node, area);
		out.own = drawn(&app->mean, 0, 0);
		out.runs = app->runs;
	}
	return out;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the bandwidth curves of all applications: one per job class (same uid,
 * job name and node count), in a fixed-size 8-way set-associative table keyed
 * by a hash of those three. A full set evicts its least recently updated class,
 * so memory stays bounded.
 *
 * Two arrays parallel to the entries have the user and node count of each
 * class, since all entries are scanned to find those of one user.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "select_io/curves/curves.h"

#define WAYS	    8
#define MAX_CLASSES (1u << 24)

struct entry {
	uint64_t key; /* 0: free */
	uint64_t taught;
	struct slu_curve curve;
};

struct slu_curves {
	struct entry *entry;
	uint64_t *user; /* of each entry's class */
	size_t sets;	/* a power of two */
	uint64_t learnt;
};

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
	t->user = calloc(t->sets, WAYS * sizeof(*t->user));
	if (!t->entry || !t->user)
		goto nomem;
	return t;
nomem:
	slu_curves_free(t);
	slu_err(err, SLU_NOMEM, "out of memory");
	return NULL;
}

void slu_curves_free(struct slu_curves *t)
{
	if (t) {
		free(t->entry);
		free(t->user);
	}
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

uint64_t slu_curves_user(const struct slu_job *job)
{
	uint32_t with[2] = {job->uid, job->node_cnt};

	return XXH3_64bits(with, sizeof(with)) | 1;
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

bool slu_curves_times(const struct slu_job *job, bool direct,
		      struct slu_ion_times *out)
{
	if (job->ions != SLU_NO_ID)
		*out = slu_ion_times_one(job->ions);
	else if (!job->ion_times ||
		 slu_ion_times_parse(job->ion_times, out, NULL) < 0)
		return false;
	for (uint32_t i = 0; i < out->n; i++)
		if (out->time[i].ions == 0 && !direct)
			return false;
	return true;
}

uint64_t slu_curves_learn(struct slu_curves *t, const struct slu_job *job,
			  const struct slu_ion_times *times, double bandwidth)
{
	uint64_t key = slu_curves_class(job), dropped = 0;
	struct entry *e;

	if (!(bandwidth > 0 && bandwidth <= SLU_CURVE_MAX))
		return 0;
	e = find(t, key);
	if (!e) {
		e = make_room(t, key, &dropped);
		t->user[e - t->entry] = slu_curves_user(job);
	}
	slu_curve_add_run(&e->curve, job->end, times, bandwidth);
	e->taught = ++t->learnt;
	return dropped;
}

const struct slu_curve *slu_curves_find(const struct slu_curves *t,
					uint64_t class)
{
	const struct entry *e = find(t, class);

	return e ? &e->curve : NULL;
}

static bool does_io(const struct slu_curve *c)
{
	for (uint32_t i = 0; i < c->n; i++)
		if (c->point[i].value >= SLU_CURVE_IDLE)
			return slu_curve_known(c);
	return false;
}

bool slu_curves_user_known(const struct slu_curves *t, uint64_t user)
{
	for (size_t i = 0; i < t->sets * WAYS; i++)
		if (t->user[i] == user && does_io(&t->entry[i].curve))
			return true;
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the I/O profiles of all applications in a set-associative table of
 * fixed size.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "job_submit/io/markov.h"
#include "job_submit/name.h"
#include "job_submit/io/volumes.h"

#define ORDER 3 /* as in io_profile.c */
#define WAYS  8
#define MOST  (1u << 24)

struct entry {
	struct slu_markov read, written;
	double calls, called_bytes, shared_bytes, consecutive; /* sums */
};

/* Keys are adjacent, since they are searched. */
struct set {
	uint64_t key[WAYS]; /* 0: free */
	uint64_t taught[WAYS];
	struct entry entry[WAYS];
};

_Static_assert(sizeof(struct set) <= 1536 * WAYS, "volumes.h says about 1500");

struct slu_volumes {
	struct set *set;
	size_t sets; /* a power of two */
	uint64_t learnt;
};

struct slu_volumes *slu_volumes_new(size_t max_classes, struct slu_err *err)
{
	struct slu_volumes *v;

	if (max_classes > MOST) {
		slu_err(err, SLU_INVALID, "%zu applications are too many",
			max_classes);
		return NULL;
	}
	v = calloc(1, sizeof(*v));
	if (v) {
		for (v->sets = 1; v->sets < max_classes / WAYS;)
			v->sets *= 2;
		v->set = calloc(v->sets, sizeof(*v->set));
	}
	if (v && v->set)
		return v;
	slu_volumes_free(v);
	slu_err(err, SLU_NOMEM, "out of memory");
	return NULL;
}

void slu_volumes_free(struct slu_volumes *v)
{
	if (v)
		free(v->set);
	free(v);
}

void slu_volumes_forget(struct slu_volumes *v)
{
	memset(v->set, 0, v->sets * sizeof(*v->set));
	v->learnt = 0;
}

static uint64_t key_of(const struct slu_job *job)
{
	char name[64];
	size_t len = slu_plain_name(job->name, name, sizeof(name));

	return XXH3_64bits_withSeed(name, len, job->uid) | 1;
}

static struct set *set_of(const struct slu_volumes *v, uint64_t key)
{
	return &v->set[(key >> 32) & (v->sets - 1)];
}

/* WAYS: not found. */
static unsigned find(const struct set *set, uint64_t key)
{
	unsigned way = 0;

	while (way < WAYS && set->key[way] != key)
		way++;
	return way;
}

/* A free entry, else the least recently updated one. */
static unsigned make_room(struct set *set, uint64_t key)
{
	unsigned oldest = 0;

	for (unsigned way = 1; way < WAYS; way++)
		if (set->taught[way] < set->taught[oldest])
			oldest = way;
	set->key[oldest] = key;
	slu_markov_init(&set->entry[oldest].read, ORDER);
	slu_markov_init(&set->entry[oldest].written, ORDER);
	set->entry[oldest].calls = set->entry[oldest].called_bytes = 0;
	set->entry[oldest].shared_bytes = set->entry[oldest].consecutive = 0;
	return oldest;
}

void slu_volumes_learn(struct slu_volumes *v, const struct slu_history_row *row)
{
	double bytes = row->read_bytes + row->written_bytes;
	struct entry *e;
	struct set *set;
	uint64_t key;
	unsigned way;

	if (!(bytes > 0) || !isfinite(bytes) || row->read_bytes < 0 ||
	    row->written_bytes < 0)
		return;
	key = key_of(&row->job);
	set = set_of(v, key);
	way = find(set, key);
	if (way == WAYS)
		way = make_room(set, key);
	set->taught[way] = ++v->learnt;
	e = &set->entry[way];
	slu_markov_learn(&e->read, row->read_bytes);
	slu_markov_learn(&e->written, row->written_bytes);
	if (row->calls > 0 && row->called_bytes > 0 &&
	    isfinite(row->calls + row->called_bytes)) {
		e->calls += row->calls;
		e->called_bytes += row->called_bytes;
		e->shared_bytes += row->shared_bytes;
		e->consecutive += row->consecutive;
	}
}

/* Predicts the next n values. */
static void predict(const struct slu_markov *m, double *value, size_t n)
{
	slu_markov_predict(m, value, n);
	for (size_t i = 0; i < n; i++)
		value[i] = slu_markov_nearest(m, value[i]);
}

bool slu_volumes_predict(const struct slu_volumes *v, const struct slu_job *job,
			 struct slu_volumes_next *next)
{
	uint64_t key = key_of(job);
	const struct set *set = set_of(v, key);
	unsigned way = find(set, key);
	double written[1 + SLU_JOB_LATER];
	const struct entry *e;

	if (way == WAYS)
		return false;
	e = &set->entry[way];
	*next = (struct slu_volumes_next){
		.runs = e->read.n,
		.seen = e->calls > 0,
	};
	predict(&e->read, &next->read_bytes, 1);
	predict(&e->written, written, 1 + SLU_JOB_LATER);
	next->written_bytes = written[0];
	memcpy(next->later, written + 1, sizeof(next->later));
	if (next->seen) {
		next->request = e->called_bytes / e->calls;
		next->shared = e->shared_bytes / e->called_bytes;
		next->contiguous = e->consecutive / e->calls;
	}
	return true;
}

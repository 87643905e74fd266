/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the last ten runs by user, by user and request, and by user, request
 * and processors, in one hash table that never grows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "bench/rivals.h"

#define RUNS 10

const char *const rival_name[RIVALS] = {"request", "last-2",   "user median",
					"ratio",   "in class", "median-10"};

struct cell {
	uint64_t key;
	size_t n;
	double run[RUNS], share[RUNS]; /* of the request */
};

struct rivals {
	struct cell *cell;
	size_t size; /* a power of two */
};

struct rivals *rivals_new(size_t jobs)
{
	struct rivals *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	for (r->size = 1; r->size < 4 * jobs + 1;)
		r->size *= 2;
	r->cell = calloc(r->size, sizeof(*r->cell));
	if (r->cell)
		return r;
	free(r);
	return NULL;
}

void rivals_free(struct rivals *r)
{
	if (r)
		free(r->cell);
	free(r);
}

/* The cell of a key, or the free cell for it. */
static struct cell *find(const struct rivals *r, int64_t user, int64_t procs,
			 int64_t request, uint64_t *key)
{
	int64_t with[] = {user, procs, request};
	size_t i;

	*key = XXH3_64bits(with, sizeof(with)) | 1;
	for (i = *key >> 1;; i++) {
		struct cell *c = &r->cell[i & (r->size - 1)];

		if (!c->key || c->key == *key)
			return c;
	}
}

void rivals_learn(struct rivals *r, const struct swf_job *job)
{
	double run = (double)(job->end - job->start);

	for (int i = 0; i < 3; i++) {
		uint64_t key;
		struct cell *c = find(r, job->user, i < 2 ? -1 : job->procs,
				      i < 1 ? -1 : job->request, &key);

		c->key = key;
		c->run[c->n % RUNS] = run;
		c->share[c->n % RUNS] = run / (double)job->request;
		c->n++;
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The k-th last of a ring. */
static double last(const double *ring, size_t n, size_t k)
{
	return ring[(n - 1 - k) % RUNS];
}

static double mean(const double *ring, size_t n, size_t of)
{
	size_t use = n < of ? n : of;
	double sum = 0;

	for (size_t k = 0; k < use; k++)
		sum += last(ring, n, k);
	return sum / (double)use;
}

static double median(const struct cell *c)
{
	size_t n = c->n < RUNS ? c->n : RUNS;
	double run[RUNS];

	memcpy(run, c->run, sizeof(run));
	qsort(run, n, sizeof(*run), ascending);
	return (run[(n - 1) / 2] + run[n / 2]) / 2;
}

double rivals_predict(const struct rivals *r, enum rival which,
		      const struct swf_job *job)
{
	double request = (double)job->request;
	uint64_t key;
	const struct cell *user = find(r, job->user, -1, -1, &key);
	const struct cell *c =
		find(r, job->user, job->procs, job->request, &key);

	if (!user->n || which == RIVAL_REQUEST)
		return request;
	if (which == RIVAL_USER)
		return fmin(median(user), request);
	if (which == RIVAL_RATIO)
		return fmin(mean(user->share, user->n, 5), 1) * request;
	if (!c->n)
		c = find(r, job->user, -1, job->request, &key);
	if (!c->n || which == RIVAL_LAST_2)
		return fmin(mean(user->run, user->n, 2), request);
	return fmin(which == RIVAL_CLASS ? last(c->run, c->n, 0) : median(c),
		    request);
}

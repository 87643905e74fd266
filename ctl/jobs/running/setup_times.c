/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers setup times in a hash table: each kind of job has one slot, by its
 * hash; another kind with that slot replaces it.
 */
#include "config.h"
#include "ctl/jobs/running/setup_times.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

int slu_setup_times_init(struct slu_setup_times *r)
{
	pthread_mutex_init(&r->lock, NULL);
	r->kind = calloc(SLU_SETUP_TIMES_SLOTS, sizeof(*r->kind));
	return r->kind ? 0 : -1;
}

void slu_setup_times_fini(struct slu_setup_times *r)
{
	free(r->kind);
	pthread_mutex_destroy(&r->lock);
}

static uint64_t mix(uint64_t key, const char *text)
{
	return text ? XXH3_64bits_withSeed(text, strlen(text), key) : key;
}

static uint64_t key_of(const struct slu_request *req, uint32_t uid,
		       uint32_t nodes)
{
	uint64_t key = (uint64_t)uid << 32 | nodes;

	key = mix(mix(key, req->fs), req->persistent ? req->name : "");
	for (size_t i = 0; i < req->n_stage; i++)
		if (!req->stage[i].out)
			key = mix(key, req->stage[i].source);
	return key | 1;
}

static struct slu_setup_times_kind *slot(struct slu_setup_times *r,
					 uint64_t key)
{
	return &r->kind[(key >> 32) % SLU_SETUP_TIMES_SLOTS];
}

void slu_setup_times_learn(struct slu_setup_times *r, const struct slu_job *job)
{
	struct slu_setup_times_kind *kind;
	struct slu_request req;
	uint64_t key;

	if (job->prepared <= 0 || job->prepared > INT32_MAX || !job->request ||
	    slu_request_parse(job->request, NULL, &req, NULL) < 0)
		return;
	key = key_of(&req, job->uid, job->node_cnt);
	kind = slot(r, key);
	pthread_mutex_lock(&r->lock);
	if (req.has_fs && kind->key != key)
		*kind = (struct slu_setup_times_kind){.key = key};
	if (req.has_fs)
		kind->seconds[kind->taken++ % SLU_SETUP_TIMES_RUNS] =
			(uint32_t)job->prepared;
	pthread_mutex_unlock(&r->lock);
	slu_request_free(&req);
}

static int ascending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

uint32_t slu_setup_times_median(struct slu_setup_times *r,
				const struct slu_request *req, uint32_t uid,
				uint32_t nodes, uint32_t *runs)
{
	uint64_t key = key_of(req, uid, nodes);
	struct slu_setup_times_kind kind;

	pthread_mutex_lock(&r->lock);
	kind = *slot(r, key);
	pthread_mutex_unlock(&r->lock);
	if (kind.key != key || kind.taken < SLU_SETUP_TIMES_FEW)
		return 0;
	*runs = kind.taken < SLU_SETUP_TIMES_RUNS ? kind.taken
						  : SLU_SETUP_TIMES_RUNS;
	qsort(kind.seconds, *runs, sizeof(*kind.seconds), ascending);
	return kind.seconds[(*runs - 1) / 2];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of WAYS slots for each hash, as a processor's cache has them: who
 * comes to a full row takes the place of one of the others. What somebody still
 * looks at lives until he gives it back.
 */
#include "config.h"
#include "ctl/jobs/parsed.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define WAYS 4

struct slu_parsed {
	struct slu_request req; /* first: who has it has this */
	XXH128_hash_t hash;
	unsigned users; /* the table is one */
};

int slu_parsed_init(struct slu_parsed_set *set)
{
	*set = (struct slu_parsed_set){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.slot = calloc(SLU_PARSED, sizeof(struct slu_parsed *)),
	};
	return set->slot ? 0 : -1;
}

/* Under the lock. */
static void drop(struct slu_parsed *p)
{
	if (!p || --p->users)
		return;
	slu_request_free(&p->req);
	free(p);
}

void slu_parsed_fini(struct slu_parsed_set *set)
{
	for (size_t i = 0; set->slot && i < SLU_PARSED; i++)
		drop(set->slot[i]);
	free(set->slot);
	set->slot = NULL;
}

/* The slots that a text with this hash may have. */
static struct slu_parsed **row_of(struct slu_parsed_set *set,
				  XXH128_hash_t hash)
{
	return &set->slot[hash.low64 % (SLU_PARSED / WAYS) * WAYS];
}

/* Under the lock. */
static struct slu_parsed *find(struct slu_parsed **row, XXH128_hash_t hash)
{
	for (size_t i = 0; i < WAYS; i++)
		if (row[i] && XXH128_isEqual(row[i]->hash, hash))
			return row[i];
	return NULL;
}

/* Under the lock. */
static void keep(struct slu_parsed_set *set, struct slu_parsed **row,
		 struct slu_parsed *p)
{
	size_t at = set->parsed++ % WAYS;

	for (size_t i = 0; i < WAYS; i++)
		if (!row[i])
			at = i;
	drop(row[at]);
	row[at] = p;
	p->users++;
}

/* Paths are what makes requests long, and no hook asks for them. False: no
 * memory. */
static bool shorten(struct slu_request *req)
{
	struct slu_request rest = {
		.stage = req->stage,
		.n_stage = req->n_stage,
		.stripe = req->stripe,
		.n_stripe = req->n_stripe,
		.forward_pattern = req->forward_pattern,
	};
	bool in = false;

	for (size_t i = 0; i < req->n_stage; i++)
		in |= !req->stage[i].out;
	req->stage = in ? calloc(1, sizeof(*req->stage)) : NULL;
	req->n_stage = req->stage ? 1 : 0;
	req->stripe = NULL;
	req->n_stripe = 0;
	req->forward_pattern = NULL;
	slu_request_free(&rest);
	return !in || req->stage;
}

static struct slu_parsed *parse(const char *text, XXH128_hash_t hash)
{
	struct slu_parsed *p = calloc(1, sizeof(*p));

	if (!p || slu_request_parse(text, NULL, &p->req, NULL)) {
		free(p);
		return NULL;
	}
	p->hash = hash;
	p->users = 1;
	if (shorten(&p->req))
		return p;
	drop(p);
	return NULL;
}

const struct slu_request *slu_parsed_get(struct slu_parsed_set *set,
					 const char *text)
{
	const XXH128_hash_t hash = XXH3_128bits(text, strlen(text));
	struct slu_parsed **row = row_of(set, hash), *p;

	pthread_mutex_lock(&set->lock);
	p = find(row, hash);
	if (p)
		p->users++;
	pthread_mutex_unlock(&set->lock);
	if (p)
		return &p->req;
	p = parse(text, hash);
	if (!p)
		return NULL;
	pthread_mutex_lock(&set->lock);
	keep(set, row, p);
	pthread_mutex_unlock(&set->lock);
	return &p->req;
}

void slu_parsed_put(struct slu_parsed_set *set, const struct slu_request *req)
{
	if (!req)
		return;
	pthread_mutex_lock(&set->lock);
	drop((struct slu_parsed *)(uintptr_t)req);
	pthread_mutex_unlock(&set->lock);
}

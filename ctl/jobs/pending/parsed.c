/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches parsed requests (parsed.h): a table with WAYS slots for each hash,
 * like a processor's cache; in a full row a new entry replaces one of the
 * others. In the second table, of jobs, each job number has one place. An entry
 * that is in use lives until it is given back.
 */
#include "config.h"
#include "ctl/jobs/pending/parsed.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#define WAYS 4
#define JOBS 32768

struct slu_parsed {
	struct slu_request req; /* first, so that its address is the entry's */
	XXH128_hash_t hash;
	bool wrong;	/* the text is no request */
	unsigned users; /* each table is one */
};

/* A table by number: numbers are consecutive, except for jobs that wait for
 * long. */
int slu_parsed_init(struct slu_parsed_set *set, size_t jobs)
{
	size_t n = WAYS;

	while (n < 2 * (jobs ? jobs : JOBS))
		n *= 2;
	*set = (struct slu_parsed_set){
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.n = n,
		.slot = calloc(n, sizeof(*set->slot)),
		.job = calloc(n, sizeof(*set->job)),
	};
	return set->slot && set->job ? 0 : -1;
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
	for (size_t i = 0; set->slot && i < set->n; i++)
		drop(set->slot[i]);
	for (size_t i = 0; set->job && i < set->n; i++)
		drop(set->job[i].parsed);
	free(set->slot);
	free(set->job);
	set->slot = NULL;
	set->job = NULL;
}

/* The slots for texts with this hash. */
static struct slu_parsed **row_of(struct slu_parsed_set *set,
				  XXH128_hash_t hash)
{
	return &set->slot[hash.low64 % (set->n / WAYS) * WAYS];
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
static void keep(struct slu_parsed_set *set, struct slu_parsed *p)
{
	struct slu_parsed **row = row_of(set, p->hash);
	size_t at = set->parsed % WAYS;

	for (size_t i = 0; i < WAYS; i++)
		if (!row[i])
			at = i;
	drop(row[at]);
	row[at] = p;
	p->users++;
}

/* Removes paths: they make requests long, and no hook needs them. False: no
 * memory. */
static bool shorten(struct slu_request *req)
{
	struct slu_request rest = {
		.stage = req->stage,
		.n_stage = req->n_stage,
		.stripe = req->stripe,
		.n_stripe = req->n_stripe,
	};
	bool in = false;

	for (size_t i = 0; i < req->n_stage; i++)
		in |= !req->stage[i].out;
	req->stage = in ? calloc(1, sizeof(*req->stage)) : NULL;
	req->n_stage = req->stage ? 1 : 0;
	req->stripe = NULL;
	req->n_stripe = 0;
	slu_request_free(&rest);
	return !in || req->stage;
}

/* The content of *req is taken over. */
static struct slu_parsed *made_of(struct slu_request *req, XXH128_hash_t hash)
{
	struct slu_parsed *p = calloc(1, sizeof(*p));

	if (!p || !shorten(req)) {
		slu_request_free(req);
		free(p);
		return NULL;
	}
	p->req = *req;
	p->hash = hash;
	p->users = 1;
	return p;
}

static struct slu_parsed *parse(const char *text, XXH128_hash_t hash)
{
	struct slu_request req = {0};
	bool wrong = slu_request_parse(text, NULL, &req, NULL) < 0;
	struct slu_parsed *p = made_of(&req, hash);

	if (p)
		p->wrong = wrong;
	return p;
}

/* Also of a text that is none; NULL: no memory. */
static struct slu_parsed *look_up(struct slu_parsed_set *set, const char *text)
{
	const XXH128_hash_t hash = XXH3_128bits(text, strlen(text));
	struct slu_parsed *p;

	pthread_mutex_lock(&set->lock);
	p = find(row_of(set, hash), hash);
	if (p)
		p->users++;
	pthread_mutex_unlock(&set->lock);
	if (p)
		return p;
	p = parse(text, hash);
	if (!p)
		return NULL;
	pthread_mutex_lock(&set->lock);
	set->parsed++;
	keep(set, p);
	pthread_mutex_unlock(&set->lock);
	return p;
}

static const struct slu_request *answer(struct slu_parsed_set *set,
					struct slu_parsed *p)
{
	if (!p || !p->wrong)
		return p ? &p->req : NULL;
	slu_parsed_put(set, &p->req);
	return NULL;
}

const struct slu_request *slu_parsed_get(struct slu_parsed_set *set,
					 const char *text)
{
	return answer(set, look_up(set, text));
}

static struct slu_parsed_job *place_of(struct slu_parsed_set *set,
				       uint32_t job_id)
{
	return &set->job[job_id % set->n];
}

static void remember(struct slu_parsed_set *set, uint32_t job_id,
		     const char *text, struct slu_parsed *p)
{
	struct slu_parsed_job *job = place_of(set, job_id);

	pthread_mutex_lock(&set->lock);
	drop(job->parsed);
	*job = (struct slu_parsed_job){job_id, text, p};
	p->users++;
	pthread_mutex_unlock(&set->lock);
}

const struct slu_request *slu_parsed_of(struct slu_parsed_set *set,
					uint32_t job_id, const char *text)
{
	const struct slu_parsed_job *job = place_of(set, job_id);
	struct slu_parsed *p = NULL;

	if (!text || !*text)
		return NULL;
	pthread_mutex_lock(&set->lock);
	if (job_id && job->job_id == job_id && job->text == text)
		p = job->parsed;
	if (p)
		p->users++;
	pthread_mutex_unlock(&set->lock);
	if (p)
		return answer(set, p);
	p = look_up(set, text);
	if (p && job_id)
		remember(set, job_id, text, p);
	return answer(set, p);
}

void slu_parsed_put(struct slu_parsed_set *set, const struct slu_request *req)
{
	if (!req)
		return;
	pthread_mutex_lock(&set->lock);
	drop((struct slu_parsed *)(uintptr_t)req);
	pthread_mutex_unlock(&set->lock);
}

void slu_parsed_add(struct slu_parsed_set *set, const char *text,
		    struct slu_request *req)
{
	const XXH128_hash_t hash = XXH3_128bits(text, strlen(text));
	struct slu_parsed *p;

	slu_request_as_text(req);
	p = made_of(req, hash);
	if (!p)
		return;
	pthread_mutex_lock(&set->lock);
	if (!find(row_of(set, hash), hash))
		keep(set, p);
	drop(p);
	pthread_mutex_unlock(&set->lock);
}

void slu_parsed_forget(struct slu_parsed_set *set, uint32_t job_id)
{
	struct slu_parsed_job *job = place_of(set, job_id);
	struct slu_parsed *p, **row;

	pthread_mutex_lock(&set->lock);
	p = job->job_id == job_id ? job->parsed : NULL;
	if (p) {
		row = row_of(set, p->hash);
		*job = (struct slu_parsed_job){0};
		for (size_t i = 0; i < WAYS; i++)
			if (row[i] == p && p->users == 2) {
				row[i] = NULL;
				p->users--;
			}
		drop(p);
	}
	pthread_mutex_unlock(&set->lock);
}

void slu_parsed_seen(struct slu_parsed_set *set, uint32_t job_id,
		     const char *text)
{
	/* Taken before the old entry is dropped: this job's may be the only
	 * one. */
	struct slu_parsed *p = text && *text ? look_up(set, text) : NULL;

	slu_parsed_forget(set, job_id);
	if (!p)
		return;
	if (job_id)
		remember(set, job_id, text, p);
	slu_parsed_put(set, &p->req);
}

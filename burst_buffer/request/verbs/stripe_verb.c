/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the keys of the verb `stripe`, which sets how a directory of the
 * parallel file system is striped over its targets before the job writes to
 * it. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/verbs/grammar.h"
#include "common/size.h"
#include "common/str.h"

#define STRIPES_MAX 2000 /* of a file in Lustre */
#define FSNAME_MAX  8	 /* Lustre's own limits */
#define POOL_MAX    15

const char *const slu_access_names[] = {"sequential", "random", NULL};

static struct slu_request_stripe *last(struct slu_request *req)
{
	return &req->stripe[req->n_stripe - 1];
}

int slu_begin_stripe(struct slu_request *req, int line, struct slu_err *err)
{
	struct slu_request_stripe *grown;

	if (req->n_stripe == SLU_REQUEST_STRIPE_MAX)
		return slu_err(err, SLU_INVALID, "more than %d stripe",
			       SLU_REQUEST_STRIPE_MAX);
	grown = realloc(req->stripe, (req->n_stripe + 1) * sizeof(*grown));
	if (!grown)
		return slu_err(err, SLU_NOMEM, "out of memory");
	req->stripe = grown;
	grown[req->n_stripe++] = (struct slu_request_stripe){.line = line};
	return 0;
}

static int set_target(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	return slu_set_word(&last(req)->target, value, err);
}

static int set_size(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	return slu_size_parse(value, &last(req)->size, err);
}

static int set_access(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	int i = slu_choose(value, slu_access_names, err);

	if (i < 0)
		return -1;
	last(req)->random = i == 1;
	return 0;
}

static int number(const char *value, uint32_t most, uint32_t *out,
		  struct slu_err *err)
{
	unsigned long n = 0;

	if (strlen(value) <= 6 && !value[strspn(value, "0123456789")])
		n = strtoul(value, NULL, 10);
	if (n == 0 || n > most)
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is not a number from 1 to %u", value,
			       (unsigned)most);
	*out = (uint32_t)n;
	return 0;
}

static int set_readers(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	return number(value, 999999, &last(req)->readers, err);
}

static int set_stripes(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	return number(value, STRIPES_MAX, &last(req)->stripes, err);
}

static int set_yes(const char *value, bool *out, struct slu_err *err)
{
	static const char *const words[] = {"no", "yes", NULL};
	int i = slu_choose(value, words, err);

	if (i < 0)
		return -1;
	*out = i == 1;
	return 0;
}

static int set_per_file(struct slu_request *req, const char *value,
			struct slu_err *err)
{
	return set_yes(value, &last(req)->per_file, err);
}

static int set_shared(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	return set_yes(value, &last(req)->shared, err);
}

static int set_fsname(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	if (!*value || strlen(value) > FSNAME_MAX ||
	    value[strspn(value, SLU_WORD_CHARS "-")])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is no name of a Lustre file system",
			       value);
	return slu_set_word(&last(req)->fsname, value, err);
}

static int set_pool(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	if (!*value || *value == '-' || strlen(value) > POOL_MAX ||
	    value[strspn(value, SLU_WORD_CHARS "-.")])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is no name of a pool of targets",
			       value);
	return slu_set_word(&last(req)->pool, value, err);
}

const struct slu_request_key slu_stripe_keys[] = {
	{"target", true, set_target},	 {"size", false, set_size},
	{"access", false, set_access},	 {"readers", false, set_readers},
	{"stripes", false, set_stripes}, {"per_file", false, set_per_file},
	{"fsname", false, set_fsname},	 {"shared", false, set_shared},
	{"pool", false, set_pool},	 {NULL, false, NULL},
};

/* The library that places files at their creation (per_file=) has one setting
 * for all directories. */
static bool is_like_others(struct slu_request *req)
{
	const struct slu_request_stripe *s = last(req);

	for (size_t i = 0; i + 1 < req->n_stripe; i++) {
		const struct slu_request_stripe *o = &req->stripe[i];

		if (o->per_file &&
		    (o->stripes != s->stripes || o->size != s->size ||
		     !slu_eq(o->fsname, s->fsname)))
			return false;
	}
	return true;
}

/* Refuses combinations of keys of which one would have no effect. */
int slu_end_stripe(struct slu_request *req, struct slu_err *err)
{
	const struct slu_request_stripe *s = last(req);

	if (s->shared && (s->readers || s->stripes || s->per_file))
		return slu_err(
			err, SLU_INVALID,
			"with shared=yes each task has a part of a file, "
			"and their number decides: leave out readers=, "
			"stripes= and per_file=");
	if (s->stripes && (s->random || s->readers))
		return slu_err(err, SLU_INVALID,
			       "stripes= says how many targets, so access= and "
			       "readers= have nothing to decide");
	if (s->per_file && (s->random || s->readers))
		return slu_err(err, SLU_INVALID,
			       "with per_file=yes stripes= says how many "
			       "targets a file has: access= and readers= have "
			       "nothing to decide");
	if (s->per_file && s->pool)
		return slu_err(err, SLU_INVALID,
			       "with per_file=yes targets of all pools are "
			       "used: leave out pool=");
	if (s->per_file && s->target && strchr(s->target, ':'))
		return slu_err(err, SLU_INVALID,
			       "target=%.200s: with per_file=yes its path has "
			       "no \":\", which stands between two in "
			       "SLUICE_PLACE",
			       s->target);
	if (s->per_file && !is_like_others(req))
		return slu_err(err, SLU_INVALID,
			       "all lines with per_file=yes must have the same "
			       "stripes=, size= and fsname=");
	return 0;
}

void slu_stripes_free(struct slu_request *req)
{
	for (size_t i = 0; i < req->n_stripe; i++) {
		free(req->stripe[i].target);
		free(req->stripe[i].fsname);
		free(req->stripe[i].pool);
	}
	free(req->stripe);
}

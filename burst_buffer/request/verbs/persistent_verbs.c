/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses the verbs for persistent buffers, which one job creates, others use
 * and another destroys: persistent_create, persistent and persistent_destroy in
 * #BB lines; create_persistent, persistentdw and destroy_persistent in #DW
 * lines. A job that uses one has no jobfs; paths and staging are written in the
 * same way.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/verbs/grammar.h"
#include "common/size.h"
#include "common/str.h"

#define LIFETIME_MAX 999999999 /* s: what can be written in seconds */

#define GROUP_MAX    64

static struct slu_request_persist *last(struct slu_request *req)
{
	return &req->persist[req->n_persist - 1];
}

static int begin(struct slu_request *req, bool destroy, int line,
		 struct slu_err *err)
{
	struct slu_request_persist *grown;

	if (req->n_persist == SLU_REQUEST_PERSIST_MAX)
		return slu_err(err, SLU_INVALID,
			       "more than %d persistent buffers to be made or "
			       "destroyed",
			       SLU_REQUEST_PERSIST_MAX);
	grown = realloc(req->persist, (req->n_persist + 1) * sizeof(*grown));
	if (!grown)
		return slu_err(err, SLU_NOMEM, "out of memory");
	req->persist = grown;
	grown[req->n_persist++] =
		(struct slu_request_persist){.destroy = destroy, .line = line};
	return 0;
}

int slu_begin_create(struct slu_request *req, int line, struct slu_err *err)
{
	return begin(req, false, line, err);
}

int slu_begin_destroy(struct slu_request *req, int line, struct slu_err *err)
{
	return begin(req, true, line, err);
}

int slu_begin_use(struct slu_request *req, int line, struct slu_err *err)
{
	if (req->has_fs)
		return slu_err(err, SLU_INVALID,
			       "a job has either a file system of its own or "
			       "one persistent buffer");
	req->has_fs = req->persistent = true;
	req->line = line;
	req->tolerate = UINT32_MAX;
	return 0;
}

int slu_begin_dw_use(struct slu_request *req, int line, struct slu_err *err)
{
	req->dw = SLU_DW_STRIPED;
	return slu_begin_use(req, line, err);
}

/* Keys. Names and sizes are as those of a jobfs. */

static int set_name(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	struct slu_request one = {.name = last(req)->name};
	int rc = slu_set_name(&one, value, err);

	last(req)->name = one.name;
	return rc;
}

/* Names of #DW lines may have a '-', which no variable can. */
static int with_underscores(const char *value, struct slu_err *err,
			    struct slu_request *req,
			    int (*set)(struct slu_request *req,
				       const char *value, struct slu_err *err))
{
	char *name = strdup(value);
	int rc;

	if (!name)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (char *p = name; (p = strchr(p, '-'));)
		*p = '_';
	rc = set(req, name, err);
	free(name);
	return rc;
}

static int set_dw_name(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	return with_underscores(value, err, req, set_name);
}

static int set_dw_use(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	return with_underscores(value, err, req, slu_set_name);
}

static int set_type(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	struct slu_request one = {.fs = last(req)->fs};
	int rc = slu_set_fs(&one, value, err);

	last(req)->fs = one.fs;
	return rc;
}

static int set_dw_type(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	return slu_dw_fs(&last(req)->fs, value, err);
}

static int set_capacity(struct slu_request *req, const char *value,
			struct slu_err *err)
{
	return slu_size_parse(value, &last(req)->capacity, err);
}

static int set_profile(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	struct slu_request one = {.profile = last(req)->profile};
	int rc = slu_set_profile(&one, value, err);

	last(req)->profile = one.profile;
	return rc;
}

static int set_coherence(struct slu_request *req, const char *value,
			 struct slu_err *err)
{
	struct slu_request one = {0};
	int rc = slu_set_coherence(&one, value, err);

	last(req)->coherence = one.coherence;
	return rc;
}

static int set_tier(struct slu_request *req, const char *value,
		    struct slu_err *err)
{
	struct slu_request one = {0};
	int rc = slu_set_tier(&one, value, err);

	last(req)->tier = one.tier;
	return rc;
}

static int set_group(struct slu_request *req, const char *value,
		     struct slu_err *err)
{
	if (!*value || strlen(value) > GROUP_MAX ||
	    value[strspn(value, SLU_WORD_CHARS ".-@")])
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" cannot name a group", value);
	return slu_set_word(&last(req)->group, value, err);
}

static int set_lifetime(struct slu_request *req, const char *value,
			struct slu_err *err)
{
	if (slu_seconds_parse(value, &last(req)->lifetime, err))
		return -1;
	if (last(req)->lifetime > LIFETIME_MAX)
		return slu_err(err, SLU_INVALID, "is more than %d days",
			       LIFETIME_MAX / 86400);
	return last(req)->lifetime > 0
		       ? 0
		       : slu_err(err, SLU_INVALID, "must not be zero");
}

static int set_force(struct slu_request *req, const char *value,
		     struct slu_err *err)
{
	static const char *const words[] = {"no", "yes", NULL};
	int i = slu_choose(value, words, err);

	if (i < 0)
		return -1;
	if (last(req)->force_said)
		return slu_err(err, SLU_INVALID,
			       "force= and hurry mean the same: write one of "
			       "them");
	last(req)->force_said = true;
	last(req)->force = i == 1;
	return 0;
}

int slu_set_hurry(struct slu_request *req, const char *value,
		  struct slu_err *err)
{
	return set_force(req, value, err);
}

/* DataWarp shares a buffer between all nodes or, private, as swap and cache,
 * which cannot be had. */
static int set_access(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	(void)req;
	if (strncmp(value, "striped", 7) == 0 && (!value[7] || value[7] == '('))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "\"%.64s\" is not supported: a persistent buffer is "
		       "striped",
		       value);
}

/* dw=striped: its tasks know it by DataWarp's name, too. */
static int set_use_dw(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	req->dw = SLU_DW_STRIPED;
	return set_access(req, value, err);
}

const struct slu_request_key slu_use_keys[] = {
	{.name = "name", .required = true, .set = slu_set_name},
	{.name = "coherence", .set = slu_set_coherence},
	{.name = "tell", .set = slu_parse_tell},
	{.name = "dw", .set = set_use_dw},
	{0},
};
const struct slu_request_key slu_create_keys[] = {
	{.name = "name", .required = true, .set = set_name},
	{.name = "capacity", .required = true, .set = set_capacity},
	{.name = "type", .set = set_type},
	{.name = "profile", .set = set_profile},
	{.name = "coherence", .set = set_coherence},
	{.name = "tier", .set = set_tier},
	{.name = "group", .set = set_group},
	{.name = "lifetime", .set = set_lifetime},
	{0},
};
const struct slu_request_key slu_destroy_keys[] = {
	{.name = "name", .required = true, .set = set_name},
	{.name = "force", .set = set_force},
	{.name = "hurry", .set = slu_set_hurry},
	{0},
};
const struct slu_request_key slu_dw_use_keys[] = {
	{.name = "name", .required = true, .set = set_dw_use},
	{.name = "requires", .set = slu_dw_requires},
	{0},
};
const struct slu_request_key slu_dw_create_keys[] = {
	{.name = "name", .required = true, .set = set_dw_name},
	{.name = "capacity", .required = true, .set = set_capacity},
	{.name = "type", .set = set_dw_type},
	{.name = "profile", .set = set_profile},
	{.name = "pool", .set = slu_dw_skip},
	{.name = "access", .set = set_access},
	{.name = "access_mode", .set = set_access},
	{.name = "group", .set = set_group},
	{.name = "lifetime", .set = set_lifetime},
	{0},
};
const struct slu_request_key slu_dw_destroy_keys[] = {
	{.name = "name", .required = true, .set = set_dw_name},
	{.name = "hurry", .set = slu_set_hurry},
	{0},
};

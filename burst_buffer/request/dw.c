/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * #DW lines: the language of Cray DataWarp and of HPE's DWS, understood as
 * ours, so that scripts that were written for them run. What they call by
 * $DW_JOB_STRIPED, $DW_JOB_PRIVATE or $DW_JOB_<name> is the one job file
 * system; tasks find it under those names, too.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/grammar.h"
#include "common/str.h"

/* DataWarp has types of use, DWS of file systems, which are ours. */
int slu_dw_fs(char **fs, const char *value, struct slu_err *err)
{
	struct slu_request one = {.fs = *fs};
	int rc;

	if (strcmp(value, "scratch") == 0)
		return 0;
	if (strcmp(value, "cache") == 0 || strcmp(value, "swap") == 0)
		return slu_err(err, SLU_INVALID,
			       "a file system of the type \"%s\" cannot be had",
			       value);
	rc = slu_set_fs(&one, value, err);
	*fs = one.fs;
	return rc;
}

static int set_dw_type(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	return slu_dw_fs(&req->fs, value, err);
}

/* Which pool is the site's to say, by its file systems. */
static int skip_pool(struct slu_request *req, const char *value,
		     struct slu_err *err)
{
	(void)req, (void)value, (void)err;
	return 0;
}

/* "striped" or "private", with options of DataWarp's in parentheses. */
static int set_access(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	char word[16];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(value, "("), value);
	if (strcmp(word, "striped") == 0)
		req->dw = SLU_DW_STRIPED;
	else if (strcmp(word, "private") == 0)
		req->dw = SLU_DW_PRIVATE;
	else
		return slu_err(err, SLU_INVALID,
			       "\"%.64s\" is neither striped nor private",
			       value);
	return 0;
}

/* Names of DWS may have a '-', which no variable can. */
static int set_dw_name(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	char *name = strdup(value);
	int rc;

	if (!name)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (char *p = name; (p = strchr(p, '-'));)
		*p = '_';
	rc = slu_set_name(req, name, err);
	free(name);
	return rc;
}

static int begin_jobdw(struct slu_request *req, int line, struct slu_err *err)
{
	if (req->has_fs && !req->persistent)
		return slu_err(err, SLU_INVALID, "only one jobdw is allowed");
	if (slu_begin_jobfs(req, line, err))
		return -1;
	req->dw = SLU_DW_STRIPED;
	return 0;
}

static int begin(struct slu_request *req, bool out, enum slu_stage_type type,
		 int line, struct slu_err *err)
{
	struct slu_request_stage *s;

	if (slu_begin_stage(req, out, line, err))
		return -1;
	s = &req->stage[req->n_stage - 1];
	s->dw = true;
	s->type = type;
	return 0;
}

static int begin_in(struct slu_request *req, int line, struct slu_err *err)
{
	return begin(req, false, SLU_STAGE_DIRECTORY, line, err);
}

static int begin_out(struct slu_request *req, int line, struct slu_err *err)
{
	return begin(req, true, SLU_STAGE_DIRECTORY, line, err);
}

static int begin_copy_in(struct slu_request *req, int line, struct slu_err *err)
{
	return begin(req, false, SLU_STAGE_AUTO, line, err);
}

static int begin_copy_out(struct slu_request *req, int line,
			  struct slu_err *err)
{
	return begin(req, true, SLU_STAGE_AUTO, line, err);
}

static const struct slu_key jobdw_keys[] = {
	{"capacity", false, slu_set_capacity},
	{"type", false, set_dw_type},
	{"access_mode", false, set_access},
	{"name", false, set_dw_name},
	{"profile", false, slu_set_profile},
	{"pool", false, skip_pool},
	{NULL, false, NULL},
};
static const struct slu_key stage_keys[] = {
	{"source", true, slu_set_source},
	{"destination", true, slu_set_destination},
	{"type", true, slu_set_type},
	{NULL, false, NULL},
};
static const struct slu_key copy_keys[] = {
	{"source", true, slu_set_source},
	{"destination", true, slu_set_destination},
	{NULL, false, NULL},
};

const struct slu_verb slu_dw_verbs[] = {
	{"jobdw", begin_jobdw, jobdw_keys, slu_end_jobfs},
	{"stage_in", begin_in, stage_keys, NULL},
	{"stage_out", begin_out, stage_keys, NULL},
	{"copy_in", begin_copy_in, copy_keys, NULL},
	{"copy_out", begin_copy_out, copy_keys, NULL},
	{"persistentdw", slu_begin_dw_use, slu_dw_use_keys, NULL},
	{"create_persistent", slu_begin_create, slu_dw_create_keys, NULL},
	{"destroy_persistent", slu_begin_destroy, slu_dw_destroy_keys, NULL},
	{NULL, NULL, NULL, NULL},
};

/* How many bytes of the path name the file system; 0: it does not. '-' in the
 * name is the '_' it became. */
static size_t named(const char *path, const char *before, const char *name)
{
	size_t n = strlen(name), at = strlen(before), i;

	if (strncmp(path, before, at) != 0)
		return 0;
	for (i = 0; i < n; i++)
		if (path[at + i] != name[i] &&
		    !(path[at + i] == '-' && name[i] == '_'))
			return 0;
	return !path[at + n] || path[at + n] == '/' ? at + n : 0;
}

static size_t head(const char *path, const struct slu_request *req)
{
	static const char *const heads[] = {"$DW_JOB_STRIPED",
					    "$DW_JOB_PRIVATE"};
	size_t i;

	if (req->persistent)
		return named(path, "$DW_PERSISTENT_STRIPED_", req->name);
	for (i = 0; i < 2; i++) {
		size_t len = strlen(heads[i]);

		if (strncmp(path, heads[i], len) == 0 &&
		    (!path[len] || path[len] == '/'))
			return len;
	}
	return named(path, "$DW_JOB_", req->name);
}

static int rename_one(char **path, const struct slu_request *req,
		      struct slu_err *err)
{
	const char *name = req->name;
	size_t n = head(*path, req);
	char *fresh;

	if (!n && strncmp(*path, "$DW_", 4) == 0 && req->persistent)
		return slu_err(err, SLU_INVALID,
			       "%.200s: must begin with "
			       "$DW_PERSISTENT_STRIPED_%s",
			       *path, name);
	if (!n && strncmp(*path, "$DW_", 4) == 0)
		return slu_err(err, SLU_INVALID,
			       "%.200s: must begin with $DW_JOB_STRIPED, "
			       "$DW_JOB_PRIVATE or $DW_JOB_%s",
			       *path, name);
	if (!n)
		return 0;
	fresh = slu_asprintf("$BB_%s%s", name, *path + n);
	if (!fresh)
		return slu_err(err, SLU_NOMEM, "out of memory");
	free(*path);
	*path = fresh;
	return 0;
}

/* In DataWarp a directory becomes its destination, it does not go into it. */
static int mean_contents(struct slu_request_stage *s, struct slu_err *err)
{
	size_t n = strlen(s->source);
	char *fresh;

	if (s->type != SLU_STAGE_DIRECTORY || (n && s->source[n - 1] == '/'))
		return 0;
	fresh = slu_asprintf("%s/", s->source);
	if (!fresh)
		return slu_err(err, SLU_NOMEM, "out of memory");
	free(s->source);
	s->source = fresh;
	return 0;
}

int slu_dw_rename(struct slu_request *req, struct slu_err *err)
{
	for (size_t i = 0; req->has_fs && i < req->n_stage; i++) {
		struct slu_request_stage *s = &req->stage[i];

		if (s->dw && (rename_one(&s->source, req, err) ||
			      rename_one(&s->destination, req, err) ||
			      mean_contents(s, err)))
			return slu_err_prefix(err, "line %d", s->line);
	}
	return 0;
}

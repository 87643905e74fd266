/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces shell variables in a request's paths, $NAME or ${NAME}, by what
 * Sluice can expand: a variable of the job file system by $BB_<name>, Slurm's
 * for the job's number, user and so on by %j, %u and the like. Any other
 * variable is a mistake, as its value in the job is not known at submission.
 */
#include "config.h"
#include "burst_buffer/request/names.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/mistakes.h"
#include "burst_buffer/request/values.h"
#include "common/str.h"

/* What replaces a variable; if its value may differ from that in the job's
 * environment, the user has to be informed. */
static const struct {
	const char *name, *symbol;
	bool same;
} symbols[] = {
	{"SLURM_JOB_ID", "%j", true},
	{"SLURM_JOBID", "%j", true},
	{"SLURM_JOB_USER", "%u", true},
	{"SLURM_ARRAY_TASK_ID", "%a", true},
	{"SLURM_ARRAY_JOB_ID", "%A", false}, /* %A is always known */
	{"SLURM_JOB_NAME", "%x", false},     /* it may be changed */
	{"USER", "%u", false},		     /* the submitting user */
	{"LOGNAME", "%u", false},
	{"UID", "%u", false},
	{"JOB_ID", "%j", false},
	{"PBS_JOBID", "%j", false},
};

/* A name of the job's file system, as `wanted` or with '-' for its '_'. */
static bool is_name(const char *name, const char *head, const char *wanted)
{
	size_t at = strlen(head);

	if (strncmp(name, head, at) != 0)
		return false;
	for (name += at; *name && *wanted; name++, wanted++)
		if (*name != *wanted && !(*name == '-' && *wanted == '_'))
			return false;
	return !*name && !*wanted;
}

const char *slu_request_variable(const struct slu_request *req, bool dw,
				 char name[SLU_VARIABLE_MAX])
{
	const char *head = !dw || !req->dw   ? "BB_"
			   : req->persistent ? "DW_PERSISTENT_STRIPED_"
					     : "DW_JOB_";

	snprintf(name, SLU_VARIABLE_MAX, "%s%s", head,
		 !dw || !req->dw || req->persistent ? req->name
		 : req->dw == SLU_DW_STRIPED	    ? "STRIPED"
						    : "PRIVATE");
	return name;
}

static bool is_fs(const char *name, const struct slu_request *req)
{
	if (is_name(name, "BB_", req->name))
		return true;
	if (!req->dw)
		return false;
	if (req->persistent)
		return is_name(name, "DW_PERSISTENT_STRIPED_", req->name) ||
		       is_name(name, "DW_PERSISTENT_", req->name);
	return (req->dw == SLU_DW_STRIPED && !strcmp(name, "DW_JOB_STRIPED")) ||
	       (req->dw == SLU_DW_PRIVATE && !strcmp(name, "DW_JOB_PRIVATE")) ||
	       is_name(name, "DW_JOB_", req->name);
}

bool slu_request_has_variable(const struct slu_request *req, const char *name)
{
	return req->has_fs &&
	       (is_fs(name, req) ||
		(req->dw_both && !strcmp(name, "DW_JOB_PRIVATE")));
}

/* The name behind a $ at *p, which is left behind it. */
static int read_name(const char **p, char name[SLU_VARIABLE_MAX],
		     struct slu_err *err)
{
	bool braces = (*p)[1] == '{';
	const char *from = *p + 1 + braces;
	size_t n = strspn(from, SLU_WORD_CHARS);
	const char *end = from + n;

	if (from[0] == '(')
		return slu_err(err, SLU_INVALID, SLU_NO_COMMAND);
	/* names of DWS may have a '-' */
	if (!strncmp(from, "DW_", 3))
		end = from + (n = strspn(from, SLU_WORD_CHARS "-"));
	if (n == 0 || n >= SLU_VARIABLE_MAX || (braces && *end != '}'))
		return slu_err(err, SLU_INVALID,
			       "$ stands only before the name of a variable, "
			       "also in braces, $NAME or ${NAME}");
	memcpy(name, from, n);
	name[n] = '\0';
	*p = end + braces;
	return 0;
}

static bool is_ours(const char *name)
{
	return !strncmp(name, "BB_", 3) || !strncmp(name, "DW_", 3);
}

static int unknown(const struct slu_request *req, bool dw, const char *name,
		   bool inside, struct slu_err *err)
{
	char right[SLU_VARIABLE_MAX];

	if (req->dw_both && !strcmp(name, "DW_JOB_PRIVATE"))
		return slu_err(err, SLU_INVALID,
			       "what is private to each node is not staged "
			       "where the job has both; $DW_JOB_STRIPED is");
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (!strcmp(symbols[i].name, name))
			return slu_err(err, SLU_INVALID,
				       "$%s is not known before the job runs; "
				       "write %s",
				       name, symbols[i].symbol);
	if (inside || is_ours(name))
		return slu_err(err, SLU_INVALID,
			       "this job has no $%s; its file system is $%s",
			       name, slu_request_variable(req, dw, right));
	return slu_err(err, SLU_INVALID,
		       "$%s is not known before the job runs; write the path "
		       "itself (%%u is the user, %%j the job's number)",
		       name);
}

/* A variable of the file system: what follows is a path in it. */
static int put_fs(struct slu_buf *out, const struct slu_request *req,
		  const char *name, const char *rest, struct slu_err *err)
{
	bool slash = !strncmp(name, "DW_", 3);

	slu_buf_printf(out, "$BB_%s", req->name);
	if (!*rest || *rest == '/')
		return 0;
	if (!slash)
		return slu_err(err, SLU_INVALID,
			       "put a / behind $%s, which ends in none", name);
	slu_buf_puts(out, "/");
	return 0;
}

static int put_variable(struct slu_buf *out, const char **p,
			struct slu_request *req, bool dw, bool first,
			struct slu_err *err)
{
	char name[SLU_VARIABLE_MAX];

	if (read_name(p, name, err))
		return -1;
	if (req->unnamed && (is_ours(name) || first))
		return 0; /* it may be right */
	req->striped_named |=
		req->dw == SLU_DW_STRIPED && !strcmp(name, "DW_JOB_STRIPED");
	if (req->has_fs && is_fs(name, req))
		return put_fs(out, req, name, *p, err);
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (symbols[i].same && !strcmp(symbols[i].name, name)) {
			slu_buf_puts(out, symbols[i].symbol);
			return 0;
		}
	return unknown(req, dw, name, first, err);
}

static int rename_one(char **path, struct slu_request *req, bool dw,
		      bool inside, struct slu_err *err)
{
	struct slu_buf out = {0};
	const char *p = *path;
	int rc = 0;

	if (!strchr(p, '$'))
		return 0;
	while (!rc && *p)
		if (*p == '$')
			rc = put_variable(&out, &p, req, dw,
					  inside && p == *path, err);
		else
			slu_buf_add(&out, p++, 1);
	if (!rc && out.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	if (rc) {
		slu_err_prefix(err, "%.200s", *path);
		slu_buf_free(&out);
		return -1;
	}
	free(*path);
	*path = slu_buf_steal(&out);
	return *path ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

/* In DataWarp a directory becomes its destination, it does not go into it. */
static int mean_contents(struct slu_request_stage *s, struct slu_err *err)
{
	size_t n = strlen(s->source);
	char *fresh;

	if (!s->dw || s->type != SLU_STAGE_DIRECTORY ||
	    (n && s->source[n - 1] == '/'))
		return 0;
	fresh = slu_asprintf("%s/", s->source);
	if (!fresh)
		return slu_err(err, SLU_NOMEM, "out of memory");
	free(s->source);
	s->source = fresh;
	return 0;
}

void slu_request_names(struct slu_request *req, struct slu_mistakes *m)
{
	struct slu_err err;

	req->unnamed = m->unnamed;
	for (size_t i = 0; (req->has_fs || m->unnamed) && i < req->n_stage;
	     i++) {
		struct slu_request_stage *s = &req->stage[i];

		if (!s->source || !s->destination)
			continue;
		if (!rename_one(&s->source, req, s->dw, s->out, &err) &&
		    !rename_one(&s->destination, req, s->dw, !s->out, &err) &&
		    !mean_contents(s, &err))
			continue;
		slu_err_prefix(&err, s->out ? "stage_out" : "stage_in");
		slu_request_at(s->line, &err);
		slu_mistake(m, &err);
	}
	for (size_t i = 0; i < req->n_stripe; i++) {
		struct slu_request_stripe *s = &req->stripe[i];

		if (!s->target ||
		    !rename_one(&s->target, req, false, false, &err))
			continue;
		slu_err_prefix(&err, "stripe");
		slu_request_at(s->line, &err);
		slu_mistake(m, &err);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates #DW lines, the language of Cray DataWarp and of HPE's DWS, to
 * requests of Sluice, so that scripts that were written for them run: the
 * tables of verbs and keys, and what differs from #BB lines. $DW_JOB_STRIPED,
 * $DW_JOB_PRIVATE and $DW_JOB_<name> all mean the one job file system, and
 * tasks find it under those names, too (names.c).
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/verbs/grammar.h"
#include "burst_buffer/request/verbs/stage_verbs.h"
#include "common/str.h"

static int set_dw_type(struct slu_request *req, const char *value,
		       struct slu_err *err)
{
	return slu_dw_fs(&req->fs, value, err);
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

static const struct slu_request_key jobdw_keys[] = {
	{"capacity", false, slu_set_capacity}, {"type", false, set_dw_type},
	{"access_mode", false, slu_dw_access}, {"name", false, set_dw_name},
	{"profile", false, slu_set_profile},   {"pool", false, slu_dw_skip},
	{"pfs", false, slu_dw_skip}, /* of type=cache */
	{"requires", false, slu_dw_requires},  {NULL, false, NULL},
};
static const struct slu_request_key stage_keys[] = {
	{"source", true, slu_set_source},
	{"destination", true, slu_set_destination},
	{"type", true, slu_set_type},
	{NULL, false, NULL},
};
static const struct slu_request_key copy_keys[] = {
	{"source", true, slu_set_source},
	{"destination", true, slu_set_destination},
	{"profile", false, slu_dw_skip}, /* of DWS's copier */
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

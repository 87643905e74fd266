/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the verbs stage_in and stage_out: what is copied, where to, when, on
 * which nodes, and how it is verified. */
#include "config.h"
#include "burst_buffer/request/verbs/stage_verbs.h"

#include <stdlib.h>

const char *const slu_stage_type_names[] = {[SLU_STAGE_DIRECTORY] = "directory",
					    [SLU_STAGE_FILE] = "file",
					    [SLU_STAGE_LIST] = "list",
					    [SLU_STAGE_AUTO] = "auto",
					    NULL};
const char *const slu_on_names[] = {[SLU_ON_ALWAYS] = "always",
				    [SLU_ON_SUCCESS] = "success",
				    [SLU_ON_FAILURE] = "failure",
				    NULL};

static struct slu_request_stage *last(struct slu_request *req)
{
	return &req->stage[req->n_stage - 1];
}

int slu_set_source(struct slu_request *req, const char *value,
		   struct slu_err *err)
{
	return slu_set_word(&last(req)->source, value, err);
}

int slu_set_destination(struct slu_request *req, const char *value,
			struct slu_err *err)
{
	return slu_set_word(&last(req)->destination, value, err);
}

int slu_set_type(struct slu_request *req, const char *value,
		 struct slu_err *err)
{
	int i = slu_choose(value, slu_stage_type_names, err);

	if (i < 0)
		return -1;
	last(req)->type = (enum slu_stage_type)i;
	return 0;
}

static int set_verify(struct slu_request *req, const char *value,
		      struct slu_err *err)
{
	static const char *const words[] = {"size", "content", NULL};
	int i = slu_choose(value, words, err);

	if (i < 0)
		return -1;
	last(req)->content = i == 1;
	return 0;
}

static int set_stage_nodes(struct slu_request *req, const char *value,
			   struct slu_err *err)
{
	static const char *const words[] = {"all", "staging", NULL};
	int i = slu_choose(value, words, err);

	if (i < 0)
		return -1;
	last(req)->apart = i == 1;
	return 0;
}

static int set_on(struct slu_request *req, const char *value,
		  struct slu_err *err)
{
	int i = slu_choose(value, slu_on_names, err);

	if (i < 0)
		return -1;
	last(req)->on = (enum slu_stage_on)i;
	return 0;
}

int slu_begin_stage(struct slu_request *req, bool out, int line,
		    struct slu_err *err)
{
	struct slu_request_stage *grown;

	if (req->n_stage == SLU_REQUEST_STAGE_MAX)
		return slu_err(err, SLU_INVALID,
			       "more than %d stage_in and stage_out",
			       SLU_REQUEST_STAGE_MAX);
	grown = realloc(req->stage, (req->n_stage + 1) * sizeof(*grown));
	if (!grown)
		return slu_err(err, SLU_NOMEM, "out of memory");
	req->stage = grown;
	grown[req->n_stage++] = (struct slu_request_stage){
		.out = out, .type = SLU_STAGE_AUTO, .line = line};
	return 0;
}

int slu_begin_stage_in(struct slu_request *req, int line, struct slu_err *err)
{
	return slu_begin_stage(req, false, line, err);
}

int slu_begin_stage_out(struct slu_request *req, int line, struct slu_err *err)
{
	return slu_begin_stage(req, true, line, err);
}

const struct slu_request_key slu_stage_in_keys[] = {
	{"source", true, slu_set_source},
	{"destination", true, slu_set_destination},
	{"type", false, slu_set_type},
	{"verify", false, set_verify},
	{NULL, false, NULL},
};
const struct slu_request_key slu_stage_out_keys[] = {
	{"source", true, slu_set_source},
	{"destination", true, slu_set_destination},
	{"type", false, slu_set_type},
	{"on", false, set_on},
	{"verify", false, set_verify},
	{"nodes", false, set_stage_nodes},
	{NULL, false, NULL},
};

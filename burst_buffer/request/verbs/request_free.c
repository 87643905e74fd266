/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frees the content of a parsed request. */
#include "config.h"
#include <stdlib.h>
#include "burst_buffer/request/verbs/grammar.h"

static void persist_free(struct slu_request *req)
{
	for (size_t i = 0; i < req->n_persist; i++) {
		free(req->persist[i].name);
		free(req->persist[i].fs);
		free(req->persist[i].profile);
		free(req->persist[i].group);
	}
	free(req->persist);
}

void slu_request_free(struct slu_request *req)
{
	size_t i;

	for (i = 0; i < req->n_stage; i++) {
		free(req->stage[i].source);
		free(req->stage[i].destination);
	}
	free(req->stage);
	slu_stripes_free(req);
	persist_free(req);
	free(req->fs);
	free(req->name);
	free(req->forward_pattern);
	free(req->profile);
	free(req->pool);
	*req = (struct slu_request){0};
}

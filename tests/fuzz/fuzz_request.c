/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the parser of requests, which gets texts of any user in slurmctld: a
 * request is refused, or its canonical text parses to the same request. */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void expand_all(const struct slu_request *req)
{
	struct slu_symbols sym = {
		.job_id = 1,
		.array_job_id = 2,
		.array_task_id = 3,
		.user = "user",
		.job_name = "a/job*",
		.fs_name = req->name,
		.mount = "/mnt",
	};
	struct slu_err err;
	size_t i;

	for (i = 0; i < req->n_stage; i++) {
		sym.pattern = true;
		free(slu_request_expand(req->stage[i].source, &sym, &err));
		sym.pattern = false;
		free(slu_request_expand(req->stage[i].destination, &sym, &err));
	}
}

/* Were lines without effect the only error of this request? */
static bool strays_only(const char *option, const char *script)
{
	struct slu_request req;

	if (slu_request_parse(option, script, &req, NULL))
		return false;
	slu_request_free(&req);
	return true;
}

static void try(const char *option, const char *script)
{
	struct slu_request req, again;
	struct slu_err err = {0};
	char *text, *text_again;

	if (slu_request_submitted(option, script, true, &req, &err)) {
		must(err.kind && !strpbrk(err.text, "\r\033"));
		if (!strays_only(option, script))
			return;
		must(strstr(err.text, "line "));
		must(slu_request_parse(option, script, &req, &err) == 0);
	}
	text = slu_request_text(&req);
	must(text && !strpbrk(text, "\n\r\033"));
	must(slu_request_parse(text, NULL, &again, &err) == 0);
	text_again = slu_request_text(&again);
	must(text_again && strcmp(text, text_again) == 0);
	if (req.name)
		expand_all(&req);
	free(text);
	free(text_again);
	slu_request_free(&req);
	slu_request_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	must(text != NULL);
	try(text, NULL);
	try(NULL, text);
	free(text);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_REQUEST_TEXT_H
#define SLU_TESTS_REQUEST_TEXT_H

/* Parses a request to its canonical text, for tables of cases. */

#include "tests/unit/harness.h"
#include "burst_buffer/request/request.h"

/* What is asked for, on the command line and in a script, and its canonical
 * text; or the words of the refusal. */
struct text_case {
	const char *option, *script, *want;
};

static inline char *canonical(const char *option, const char *script,
			      struct slu_err *err)
{
	struct slu_request req;
	char *text;

	*err = (struct slu_err){0};
	memset(&req, 0x5a, sizeof(req)); /* outputs only on success */
	if (slu_request_parse(option, script, &req, err))
		return NULL;
	text = slu_request_text(&req);
	slu_request_free(&req);
	return text;
}

#endif

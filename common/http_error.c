/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts an HTTP status and an error body into our errors (common/err.h). */
#include "config.h"
#include "common/http_error.h"

#include <string.h>
#include "common/jsonx.h"
#include "common/rest.h"
#include "common/str.h"

enum slu_kind slu_http_kind(long status)
{
	switch (status) {
	case 400:
		return SLU_INVALID;
	case 401:
	case 403:
		return SLU_DENIED;
	case 404:
		return SLU_NOTFOUND;
	case 409:
		return SLU_BUSY;
	case 503:
		return SLU_TIMEOUT; /* busy: try again */
	default:
		return SLU_IO;
	}
}

int slu_http_error(enum slu_kind kind, long status, char *body,
		   struct slu_err *err)
{
	const char *said = body ? slu_trim(body) : "";
	struct json_object *answer = NULL;

	if (*said == '{') {
		answer = slu_json_parse(said, strlen(said), NULL);
		said = slu_rest_error(answer);
	}
	if (said && *said && *said != '<') /* a page for a browser */
		slu_err(err, kind, "%s", said);
	else
		slu_err(err, kind, "answered with status %ld", status);
	json_object_put(answer);
	return -1;
}

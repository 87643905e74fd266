/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses a rate in options: "500" RPCs a second, or "2GB/s". */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <stdlib.h>
#include <string.h>
#include "common/size.h"

#define MOST 1e9 /* tokens a second */

static int parse_bytes(const char *text, double *tokens, struct slu_err *err)
{
	size_t n = strlen(text) - strlen("/s");
	uint64_t bytes;

	if (n < 2 || (text[n - 1] | 0x20) != 'b')
		return slu_err(err, SLU_INVALID,
			       "\"%s\" is no rate in bytes, as 2GB/s is", text);
	if (slu_rate_parse(text, &bytes, err))
		return -1;
	*tokens = (double)bytes / SLU_TBF_TOKEN;
	return 0;
}

int slu_tbfd_rate(const char *text, double *tokens, bool *bytes,
		  struct slu_err *err)
{
	size_t n = strlen(text);
	char *end;

	*bytes = n > 2 && strcmp(text + n - 2, "/s") == 0;
	if (*bytes && parse_bytes(text, tokens, err))
		return -1;
	if (!*bytes) {
		*tokens = strtod(text, &end);
		if (end == text || *end)
			return slu_err(err, SLU_INVALID,
				       "\"%s\" is no rate, as 500 (RPCs a "
				       "second) and 2GB/s are",
				       text);
	}
	if (*tokens >= 1 && *tokens <= MOST)
		return 0;
	return slu_err(
		err, SLU_INVALID,
		"\"%s\" is not between 1 and %g RPCs a second, or 64KiB/s "
		"and 65TB/s",
		text, MOST);
}

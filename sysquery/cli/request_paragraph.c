/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats a job's request: each size is shown in the largest binary unit that
 * divides it. */
#include "config.h"
#include "sysquery/cli/request_paragraph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/size.h"

/* In the largest binary unit that divides it. */
static void exact(uint64_t bytes, char text[SLU_SIZE_TEXT])
{
	static const char *const units[] = {"",	   "KiB", "MiB",
					    "GiB", "TiB", "PiB"};
	size_t unit = 0;

	for (; bytes && bytes % 1024 == 0 && unit < 5; unit++)
		bytes /= 1024;
	snprintf(text, SLU_SIZE_TEXT, "%ju%s", (uintmax_t)bytes, units[unit]);
}

/* Prints "capacity=104857600" with a unit. */
static void put_word(const char *word, size_t len, struct slu_buf *out)
{
	const char *equals = memchr(word, '=', len);
	const size_t at = equals ? (size_t)(equals + 1 - word) : len;
	char text[SLU_SIZE_TEXT];
	uint64_t bytes, again;
	char *end;

	bytes = at < len ? strtoull(word + at, &end, 10) : 0;
	if (bytes < 1024 || end != word + len) {
		slu_buf_add(out, word, len);
		return;
	}
	if (slu_size_parse(slu_size_text(bytes, text), &again, NULL) ||
	    again != bytes)
		exact(bytes, text);
	slu_buf_printf(out, "%.*s%s", (int)at, word, text);
}

void slu_request_paragraph(const char *request, struct slu_text_page *out)
{
	struct slu_buf line = {0};
	size_t len;

	for (; request && *request; request += len) {
		len = strcspn(request, "; ");
		put_word(request, len, &line);
		for (; request[len] && strchr("; ", request[len]); len++)
			slu_buf_add(&line, request + len, 1);
	}
	slu_paragraph(out, "Asked", line.data);
	slu_buf_free(&line);
}

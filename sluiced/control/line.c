/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits a stream into lines. Each byte is searched once, and moved at most
 * once per addition, however the stream is cut into pieces.
 */
#include "sluiced/control/line.h"

#include <string.h>

int slu_lines_add(struct slu_lines *lines, const void *data, size_t len,
		  struct slu_err *err)
{
	slu_buf_drop(&lines->buf, lines->taken);
	lines->scanned -= lines->taken;
	lines->taken = 0;
	slu_buf_add(&lines->buf, data, len);
	if (lines->buf.failed)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (lines->buf.len > lines->max &&
	    !memchr(lines->buf.data, '\n', lines->max))
		return slu_err(err, SLU_INVALID,
			       "a line is longer than %zu bytes", lines->max);
	return 0;
}

const char *slu_lines_next(struct slu_lines *lines, size_t *len)
{
	char *start, *end;

	if (lines->scanned >= lines->buf.len)
		return NULL;
	start = lines->buf.data + lines->taken;
	end = memchr(lines->buf.data + lines->scanned, '\n',
		     lines->buf.len - lines->scanned);
	if (!end) {
		lines->scanned = lines->buf.len;
		return NULL;
	}
	*end = '\0';
	*len = (size_t)(end - start);
	lines->taken = lines->scanned = (size_t)(end - lines->buf.data) + 1;
	return start;
}

void slu_lines_free(struct slu_lines *lines)
{
	slu_buf_free(&lines->buf);
	lines->scanned = lines->taken = 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the control socket's line splitter and message parser: a stream cut
 * into pieces of any size must give the same lines as in one piece. */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "sluiced/control/line.h"
#include "wire/control.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse(const char *line, size_t len)
{
	const struct slu_desc *desc;
	uint64_t id;
	void *msg;

	if (slu_envelope_parse(line, len, slu_to_daemon, &desc, &id, &msg,
			       NULL) == 0)
		slu_msg_free(desc, msg);
}

/* All lines of the stream, cut into pieces of `piece` bytes, one after the
 * other with a newline. */
static struct slu_buf split(const uint8_t *data, size_t size, size_t piece)
{
	struct slu_lines lines = {.max = size + 1};
	struct slu_buf all = {0};
	const char *line;
	size_t len;

	for (size_t at = 0; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;

		if (slu_lines_add(&lines, data + at, n, NULL) < 0)
			abort();
		while ((line = slu_lines_next(&lines, &len))) {
			slu_buf_add(&all, line, len);
			slu_buf_puts(&all, "\n");
			if (piece == size)
				parse(line, len);
		}
	}
	slu_lines_free(&lines);
	return all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slu_buf whole, pieces;

	if (size < 2)
		return 0;
	whole = split(data + 1, size - 1, size - 1);
	pieces = split(data + 1, size - 1, 1 + data[0] % 64);
	if (whole.len != pieces.len ||
	    (whole.len && memcmp(whole.data, pieces.data, whole.len) != 0) ||
	    (whole.len && memcmp(whole.data, data + 1, whole.len) != 0))
		abort();
	slu_buf_free(&whole);
	slu_buf_free(&pieces);
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the decoders of messages between libsluice and sluiced: envelope lines
 * as each side parses them, and the body of each message. A text that is
 * accepted must encode to a text that decodes to the same text.
 */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "wire/control.h"
#include "wire/node.h"
#include "wire/rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct slu_desc *const body[] = {
	&slu_node_ask_desc,  &slu_report_desc,	       &slu_barrier_desc,
	&slu_io_report_desc, &slu_cancel_desc,	       &slu_import_jobs_desc,
	&slu_plan_desc,	     &slu_barrier_answer_desc, &slu_answer_desc,
	&slu_server_io_desc, &slu_server_answer_desc,
};

static void settle(const struct slu_desc *desc, const void *msg)
{
	char *text = slu_encode_text(desc, msg), *again;
	void *copy = calloc(1, desc->size);

	if (!text || !copy ||
	    slu_decode_text(desc, text, strlen(text), copy, NULL) < 0)
		abort();
	again = slu_encode_text(desc, copy);
	if (!again || strcmp(text, again) != 0)
		abort();
	free(again);
	slu_msg_free(desc, copy);
	free(text);
}

static void envelope(const uint8_t *data, size_t size,
		     const struct slu_desc *const *known)
{
	const struct slu_desc *desc;
	uint64_t id;
	void *msg;

	if (slu_envelope_parse((const char *)data, size, known, &desc, &id,
			       &msg, NULL) < 0)
		return;
	settle(desc, msg);
	slu_msg_free(desc, msg);
}

/* Rows that are understood, packed again. */
static void repack(const char *data, size_t size, struct slu_buf *out)
{
	struct slu_history_row row;
	char *text = calloc(1, size + 1), *at = text;

	if (!text)
		abort();
	memcpy(text, data, size);
	while (slu_row_unpack(&at, &row, NULL) > 0)
		slu_row_pack(&row, out);
	free(text);
}

static void rows(const uint8_t *data, size_t size)
{
	struct slu_buf once = {0}, twice = {0};

	repack((const char *)data, size, &once);
	repack(once.data ? once.data : "", once.len, &twice);
	if (once.len != twice.len ||
	    (once.len && memcmp(once.data, twice.data, once.len) != 0))
		abort();
	slu_buf_free(&once);
	slu_buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	rows(data, size);
	envelope(data, size, slu_to_daemon);
	envelope(data, size, slu_to_ctl);
	for (size_t i = 0; i < sizeof(body) / sizeof(body[0]); i++) {
		void *msg = calloc(1, body[i]->size);

		if (slu_decode_text(body[i], (const char *)data, size, msg,
				    NULL) == 0)
			settle(body[i], msg);
		slu_msg_free(body[i], msg);
	}
	return 0;
}

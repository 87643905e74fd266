/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accepts the command line of the original sysquery of the ADA-FS project,
 * which has no subcommands, and prints its output: JSON on one line, or one
 * name per line. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include "common/jsonx.h"

/* Prints one key of every row, one per line. */
static int list(const struct slu_ask *ask, const char *question,
		const char *key, struct slu_err *err)
{
	struct json_object *rows = slu_ask_object(ask, question, err);
	struct slu_buf out = {0};
	const char *name;
	int ret = 0;

	if (!rows)
		return -1;
	for (size_t i = 0; i < json_object_array_length(rows) && !ret; i++) {
		ret = slu_json_str(json_object_array_get_idx(rows, i), key,
				   &name, err);
		if (ret == 0)
			slu_buf_printf(&out, "%s\n", name);
	}
	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	json_object_put(rows);
	return ret;
}

int slu_cmd_original(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->list_hosts)
		return list(ask, "hosts", "host", err);
	if (ask->list_extractors)
		return list(ask, "extractors", "extractor", err);
	return slu_ask_documents(ask, false, err);
}

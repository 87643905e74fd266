/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints tables, JSON and errors of the subcommands that users run. */
#include "config.h"
#include "burst_buffer/node/verbs.h"

#include <stdlib.h>
#include "common/jsonx.h"

int slu_print_rows(const struct slu_node *n, struct json_object *rows,
		   const struct slu_column *columns, struct slu_err *err)
{
	const struct slu_table_look look = {
		.width = n->opt->wide ? 0 : slu_table_width(),
		.more = "--wide",
		.whole = true};
	struct slu_buf text = {0};

	if (n->opt->json) {
		puts(slu_json_utf8(rows));
		return 0;
	}
	if (slu_table(rows, columns, &look, &text, err))
		return -1;
	fputs(text.data ? text.data : "", stdout);
	slu_buf_free(&text);
	return 0;
}

int slu_verb_failed(const char *verb, const struct slu_err *err)
{
	fprintf(stderr, "sluice-node %s: %s\n", verb, err->text);
	return EXIT_FAILURE;
}

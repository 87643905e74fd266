/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery stripe explain: how a file should be striped, and why. */
#include "config.h"
#include "sysquery/ask.h"

#include <string.h>
#include "common/jsonx.h"

static const struct slu_column columns[] = {
	{"begin", "FROM", SLU_COL_BYTES},    {"end", "TO", SLU_COL_BYTES},
	{"count", "STRIPES", SLU_COL_PLAIN}, {"width", "WIDTH", SLU_COL_BYTES},
	{"why", "WHY", SLU_COL_PLAIN},	     {.key = NULL},
};

static int show(struct json_object *answer, struct slu_buf *out,
		struct slu_err *err)
{
	struct json_object *list = NULL;
	const char *command = "";

	json_object_object_get_ex(answer, "components", &list);
	slu_json_str_opt(answer, "command", &command, NULL);
	if (slu_ask_section(NULL, list, columns, out, err))
		return -1;
	slu_buf_printf(out, "\n%s FILE\n", command);
	return 0;
}

int slu_cmd_stripe(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->n_operands != 1 || strcmp(ask->operand[0], "explain") != 0)
		return slu_err(err, SLU_INVALID, "write: stripe explain");
	return slu_ask_render(ask, "stripe", show, err);
}

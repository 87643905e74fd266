/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery why: shows what a pending job waits for, besides Slurm's reasons. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include "common/jsonx.h"

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	static const struct slu_column columns[] = {
		{"job_id", "JOB", .type = SLU_COL_PLAIN},
		{"state", "STATE", .type = SLU_COL_PLAIN},
		{"reason", "REASON", .type = SLU_COL_PLAIN},
		{"kind", "KIND", .type = SLU_COL_PLAIN},
		{"since", "SINCE", .type = SLU_COL_TIME, .drop = 1},
		{.key = NULL}};
	struct json_object *rows = json_object_new_array();
	int ret;

	json_object_array_add(rows, json_object_get(answer));
	ret = slu_ask_tabulate(ask, rows, columns, out, err);
	json_object_put(rows);
	if (ret == 0)
		slu_ask_say(ask, out, "%s", slu_json_str_at(answer, "because"));
	return ret;
}

int slu_cmd_why(struct slu_ask *ask, struct slu_err *err)
{
	if (!ask->n_operands)
		return slu_err(err, SLU_INVALID, "why: want a JOBID");
	if (slu_ask_job(ask, ask->operand[0], err))
		return -1;
	return slu_ask_render(ask, "why", show, err);
}

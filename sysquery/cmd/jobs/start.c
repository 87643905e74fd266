/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery start: shows the predicted start and nodes of a pending job. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include "common/str.h"

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	static const struct slu_column columns[] = {
		{"job_id", "JOB", .type = SLU_COL_PLAIN},
		{"nodes", "NODES", .type = SLU_COL_PLAIN},
		{"ahead", "AHEAD", .type = SLU_COL_PLAIN, .drop = 1},
		{"start_10", "10%", .type = SLU_COL_TIME, .drop = 3},
		{"start_50", "STARTS", .type = SLU_COL_TIME},
		{"start_90", "90%", .type = SLU_COL_TIME},
		{"planned", "BY_LIMITS", .type = SLU_COL_TIME, .drop = 2},
		{.key = NULL}};
	static const struct slu_column where[] = {
		{"node", "NODE", .type = SLU_COL_PLAIN},
		{"share", "PROBABILITY", .type = SLU_COL_PLAIN},
		{.key = NULL}};
	struct json_object *rows = json_object_new_array(), *nodes, *sure,
			   *reason;
	int ret;

	json_object_array_add(rows, json_object_get(answer));
	ret = slu_ask_tabulate(ask, rows, columns, out, err);
	json_object_put(rows);
	if (ret == 0 && json_object_object_get_ex(answer, "node", &nodes))
		ret = slu_ask_section(ask, NULL, nodes, where, out, err);
	if (ret == 0 && json_object_object_get_ex(answer, "sure", &sure))
		slu_ask_say(ask, out, "exactly on %s: probability %.2f",
			    json_object_get_string(json_object_object_get(
				    answer, "likely_nodes")),
			    json_object_get_double(sure));
	if (ret == 0 && json_object_object_get_ex(answer, "reason", &reason) &&
	    slu_eq(json_object_get_string(reason), "BurstBufferResources"))
		slu_ask_say(
			ask, out,
			"it waits for its file system, too, which is not "
			"predicted: BurstBufferState in \"scontrol show job "
			"%s\" says for what",
			ask->operand[0]);
	return ret;
}

int slu_cmd_start(struct slu_ask *ask, struct slu_err *err)
{
	if (!ask->n_operands)
		return slu_err(err, SLU_INVALID, "start: want a JOBID");
	if (slu_ask_job(ask, ask->operand[0], err))
		return -1;
	return slu_ask_render(ask, "start", show, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery jobs: what was predicted, and what it took. */
#include "config.h"
#include "sysquery/ask.h"

/* Three tables, or the answer as it is. */
static int accuracy(struct slu_ask *ask, struct slu_err *err)
{
	static const char *const list[] = {"user", "partition", "week"};
	static const char *const heading[] = {"USER", "PARTITION", "WEEK"};
	struct json_object *answer, *rows;
	struct slu_buf out = {0};
	int ret = 0;

	if (!slu_ask_table(ask))
		return slu_ask_show(ask, "accuracy", NULL, err);
	answer = slu_ask_object(ask, "accuracy", err);
	if (!answer)
		return -1;
	for (size_t i = 0; ret == 0 && i < 3; i++) {
		const struct slu_column columns[] = {
			{list[i], heading[i], .type = SLU_COL_PLAIN},
			{"jobs", "JOBS", .type = SLU_COL_PLAIN},
			{"median_error", "MEDIAN_ERROR",
			 .type = SLU_COL_SECONDS},
			{"mean_error", "MEAN_ERROR", .type = SLU_COL_SECONDS,
			 .drop = 2},
			{"median_error_asked", "OF_REQUEST",
			 .type = SLU_COL_SECONDS, .drop = 1},
			{"under", "UNDER", .type = SLU_COL_PLAIN},
			{"tightened", "TIGHTENED", .type = SLU_COL_PLAIN},
			{"extended", "EXTENDED", .type = SLU_COL_PLAIN},
			{.key = NULL}};

		if (json_object_object_get_ex(answer, list[i], &rows))
			ret = slu_ask_section(ask, NULL, rows, columns, &out,
					      err);
	}
	if (ret == 0 && !out.len)
		slu_ask_say(ask, &out,
			    "no ended job had a prediction; what was "
			    "imported has none (see sysquery backtest)");
	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	json_object_put(answer);
	return ret;
}

int slu_cmd_jobs(struct slu_ask *ask, struct slu_err *err)
{
	static const struct slu_column columns[] = {
		{"job_id", "JOB", .type = SLU_COL_PLAIN},
		{"user", "USER", .type = SLU_COL_PLAIN},
		{"name", "NAME", .type = SLU_COL_PLAIN, .drop = 1},
		{"nodes", "NODES", .type = SLU_COL_PLAIN},
		{"state", "STATE", .type = SLU_COL_PLAIN,
		 .color = slu_color_state},
		{"limit", "LIMIT_MIN", .type = SLU_COL_PLAIN, .drop = 3},
		{"tightened", "TIGHT_MIN", .type = SLU_COL_PLAIN, .drop = 5},
		{"predicted", "PREDICTED", .type = SLU_COL_SECONDS},
		{"predicted_from", "FROM", .type = SLU_COL_PLAIN, .drop = 6},
		{"run", "RAN", .type = SLU_COL_SECONDS},
		{"ions", "IONS", .type = SLU_COL_PLAIN, .drop = 4},
		{"read_bytes", "READ", .type = SLU_COL_BYTES},
		{"written_bytes", "WRITTEN", .type = SLU_COL_BYTES},
		{.key = NULL}};

	if (ask->accuracy)
		return accuracy(ask, err);
	return slu_ask_show(ask, "jobs", columns, err);
}

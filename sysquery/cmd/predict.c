/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery predict: the run time that a job submitted now would be given. */
#include "config.h"
#include "sysquery/ask.h"

static const struct slu_column columns[] = {
	{"name", "NAME", SLU_COL_PLAIN},
	{"nodes", "NODES", SLU_COL_PLAIN},
	{"predicted", "PREDICTED", SLU_COL_SECONDS},
	{"careful", "CAREFUL", SLU_COL_SECONDS},
	{"predicted_from", "FROM", SLU_COL_PLAIN},
	{"jobs", "JOBS", SLU_COL_PLAIN},
	{.key = NULL},
};

int slu_cmd_predict(struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *rows, *answer;
	struct slu_buf out = {0};
	int ret;

	if (!slu_ask_table(ask))
		return slu_ask_show(ask, "predict", NULL, err);
	answer = slu_ask_object(ask, "predict", err);
	if (!answer)
		return -1;
	rows = json_object_new_array();
	json_object_array_add(rows, answer);
	ret = slu_table(rows, columns, &out, err);
	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	json_object_put(rows);
	return ret;
}

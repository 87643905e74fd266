/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery predict: shows the predicted run time of a job that would be
 * submitted now, or the remaining time of a running one, with the reason; and
 * its predicted I/O.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include "common/jsonx.h"

static const struct slu_column io[] = {
	{"runs", "IO_OF_RUNS", .type = SLU_COL_PLAIN},
	{"written", "WRITES", .type = SLU_COL_BYTES},
	{"read", "READS", .type = SLU_COL_BYTES},
	{"stripe_size", "STRIPE_SIZE", .type = SLU_COL_BYTES},
	{"stripes", "STRIPES", .type = SLU_COL_PLAIN},
	{"MB/s", "MB/s", .type = SLU_COL_PLAIN},
	{.key = NULL},
};

/* Moves the predicted bytes of the next run to the top level. */
static void flatten(struct json_object *obj)
{
	static const char *const from[] = {"written_bytes", "read_bytes"};
	static const char *const to[] = {"written", "read"};
	struct json_object *list;

	for (int i = 0; i < 2; i++)
		if (json_object_object_get_ex(obj, from[i], &list))
			json_object_object_add(
				obj, to[i],
				json_object_get(
					json_object_array_get_idx(list, 0)));
}

static int show_parts(const struct slu_ask *ask, struct json_object *answer,
		      struct slu_buf *out, struct slu_err *err)
{
	struct json_object *rows = json_object_new_array(), *part;
	int ret;

	ret = slu_ask_part(ask, NULL, answer, slu_form_predict.keys, "evidence",
			   out, err);
	if (ret == 0 && json_object_object_get_ex(answer, "io", &part)) {
		flatten(part);
		json_object_array_add(rows, json_object_get(part));
		ret = slu_ask_section(ask, NULL, rows, io, out, err);
	}
	json_object_put(rows);
	return ret;
}

static void show_warning(const struct slu_ask *ask, struct json_object *answer,
			 struct slu_buf *out)
{
	struct json_object *text;

	if (!json_object_object_get_ex(answer, "warning", &text))
		return;
	slu_buf_puts(out, "\n");
	slu_ask_say(ask, out, "warning: %s", json_object_get_string(text));
}

/* Explains why there is no prediction, instead of an empty table. */
static void show_none(const struct slu_ask *ask, struct json_object *answer,
		      struct slu_buf *out)
{
	uint64_t nodes = 1;

	slu_json_u64_opt(ask->args, "nodes", &nodes, NULL);
	if (slu_eq(slu_json_str_at(answer, "from"), "none"))
		slu_ask_say(ask, out,
			    "no job like this one, of %llu node%s, has ended; "
			    "--nodes and --limit say what it asks for",
			    (unsigned long long)nodes, nodes == 1 ? "" : "s");
}

static int show(const struct slu_ask *ask, struct json_object *answer,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *rows = json_object_new_array();
	int ret;

	json_object_array_add(rows, json_object_get(answer));
	ret = slu_ask_list(ask, &slu_form_predict, rows, out, err);
	json_object_put(rows);
	if (ret == 0 && !ask->fields) {
		show_none(ask, answer, out);
		ret = show_parts(ask, answer, out, err);
		show_warning(ask, answer, out);
	}
	return ret;
}

int slu_cmd_predict(struct slu_ask *ask, struct slu_err *err)
{
	uint64_t nodes = 1;

	slu_json_u64_opt(ask->args, "nodes", &nodes, NULL);
	if (nodes == 0)
		return slu_err(err, SLU_INVALID,
			       "predict: --nodes 0: a job has one at least");
	if (ask->n_operands && slu_ask_job(ask, ask->operand[0], err))
		return -1;
	return slu_ask_render(ask, "predict", show, err);
}

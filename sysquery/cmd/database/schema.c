/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery schema: prints the JSON schema of an answer; without a name, the
 * list of answers. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include "common/jsonx.h"

static int list(const struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *rows = json_object_new_array(), *row;
	struct slu_buf out = {0};
	int ret;

	for (const struct slu_form *const *a = slu_forms; *a; a++) {
		row = json_object_new_object();
		slu_json_set_str(row, "schema", (*a)->name);
		slu_json_set_str(row, "of", (*a)->doc);
		json_object_array_add(rows, row);
	}
	if (!slu_ask_table(ask)) {
		ret = slu_ask_json(ask, "schemas", rows, err);
	} else {
		ret = slu_ask_list(ask, &slu_form_schemas, rows, &out, err);
		if (ret == 0)
			ret = slu_ask_write(ask, &out, err);
	}
	slu_buf_free(&out);
	json_object_put(rows);
	return ret;
}

int slu_cmd_schema(struct slu_ask *ask, struct slu_err *err)
{
	const struct slu_form *answer;
	struct json_object *schema;
	struct slu_buf out = {0};
	int ret;

	if (!ask->n_operands)
		return list(ask, err);
	answer = slu_form_find(ask->operand[0]);
	if (!answer)
		return slu_err(err, SLU_NOTFOUND,
			       "there is no schema \"%.40s\": see sysquery "
			       "schema",
			       ask->operand[0]);
	schema = slu_form_schema(answer);
	slu_buf_printf(&out, "%s\n",
		       json_object_to_json_string_ext(
			       schema, JSON_C_TO_STRING_PRETTY |
					       JSON_C_TO_STRING_NOSLASHESCAPE));
	ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	json_object_put(schema);
	return ret;
}

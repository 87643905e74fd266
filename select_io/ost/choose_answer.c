/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats the answer of slu_ost_choose(): a JSON object for each target, and
 * the `lfs setstripe` command that creates a file on the chosen ones.
 */
#include "config.h"
#include "select_io/ost/choose_answer.h"

#include <math.h>
#include "common/jsonx.h"
#include "common/str.h"

static struct json_object *ost_json(const struct slu_ost *o)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "name", o->name);
	slu_json_set_u64(obj, "index", o->index);
	slu_json_set_str(obj, "server", o->server);
	slu_json_set_double(obj, "cost", rint(o->cost * 1000) / 1000);
	slu_json_set_u64(obj, "total", (uint64_t)o->total * 1024);
	slu_json_set_u64(obj, "available", (uint64_t)o->available * 1024);
	slu_json_set_str(obj, "left_out", o->left_out);
	return obj;
}

static void add_command(const struct slu_osts *list, const uint32_t *chosen,
			uint32_t n, struct json_object *commands)
{
	struct slu_buf text = {0};

	slu_buf_printf(&text, "lfs setstripe -c %u -o ", n);
	for (uint32_t i = 0; i < n; i++)
		slu_buf_printf(&text, "%s%lu", i ? "," : "",
			       list->ost[chosen[i]].index);
	json_object_array_add(commands, json_object_new_string(text.data));
	slu_buf_free(&text);
}

void slu_ost_answer_file(const struct slu_osts *list, const uint32_t *chosen,
			 uint32_t n, struct json_object *files,
			 struct json_object *commands)
{
	struct json_object *indexes = json_object_new_array();

	for (uint32_t i = 0; i < n; i++)
		json_object_array_add(
			indexes,
			json_object_new_int((int)list->ost[chosen[i]].index));
	json_object_array_add(files, indexes);
	if (commands && n > 0)
		add_command(list, chosen, n, commands);
}

void slu_ost_answer_targets(const struct slu_osts *list,
			    struct json_object *answer)
{
	struct json_object *rows = json_object_new_array();
	uint32_t oldest = 0;

	for (size_t i = 0; i < list->n; i++) {
		uint32_t v = list->ost[i].version;

		json_object_array_add(rows, ost_json(&list->ost[i]));
		oldest = v && (!oldest || v < oldest) ? v : oldest;
	}
	if (oldest)
		slu_json_set_u64(answer, "lustre", oldest);
	json_object_object_add(answer, "osts", rows);
}

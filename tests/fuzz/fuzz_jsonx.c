/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the JSON parser and writer: a document that parses can be written and
 * parsed again, with exactly equal numbers. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>
#include "common/jsonx.h"

/* Every getter on every key of an object; what one reads, a setter writes. */
static void get_all(struct json_object *obj)
{
	json_object_object_foreach(obj, key, value)
	{
		struct json_object *copy = json_object_new_object();
		const char *s = NULL;
		uint64_t u = 0, u2 = 1;
		int64_t i = 0, i2 = 1;
		double d = 0;
		bool b = false;

		(void)value;
		slu_json_bool_opt(obj, key, &b, NULL);
		slu_json_double_opt(obj, key, &d, NULL);
		if (!slu_json_str(obj, key, &s, NULL))
			must(s != NULL);
		if (!slu_json_u64(obj, key, &u, NULL)) {
			slu_json_set_u64(copy, "k", u);
			must(!slu_json_u64(copy, "k", &u2, NULL) && u == u2);
		}
		if (!slu_json_i64_opt(obj, key, &i, NULL)) {
			slu_json_set_i64(copy, "k", i);
			must(!slu_json_i64_opt(copy, "k", &i2, NULL));
			must(i == i2);
		}
		json_object_put(copy);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slu_err err = {0};
	struct json_object *obj, *again;
	const char *text;

	obj = slu_json_parse((const char *)data, size, &err);
	if (!obj) {
		must(err.kind == SLU_INVALID);
		return 0;
	}
	if (json_object_is_type(obj, json_type_object))
		get_all(obj);
	text = slu_json_text(obj);
	again = slu_json_parse(text, strlen(text), &err);
	must(again && strcmp(slu_json_text(again), text) == 0);
	json_object_put(again);
	json_object_put(obj);
	return 0;
}

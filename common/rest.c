/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the reason in slurmrestd's error answers. */
#include "config.h"
#include "common/rest.h"

#include "common/jsonx.h"

static const char *text_of(struct json_object *obj, const char *key)
{
	const char *text = "";

	slu_json_str_opt(obj, key, &text, NULL);
	return *text ? text : NULL;
}

const char *slu_rest_error(struct json_object *answer)
{
	struct json_object *errors = NULL, *first;
	const char *why;

	if (!json_object_is_type(answer, json_type_object) ||
	    !json_object_object_get_ex(answer, "errors", &errors) ||
	    !json_object_is_type(errors, json_type_array) ||
	    !json_object_array_length(errors))
		return NULL;
	first = json_object_array_get_idx(errors, 0);
	why = text_of(first, "description");
	why = why ? why : text_of(first, "error");
	return why ? why : "an error that it does not name";
}

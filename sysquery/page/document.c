/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads values of the JSON document from which the page is drawn (page.h)
 * without failing: absent values, or values of a wrong type, count as empty. */
#include "config.h"
#include <math.h>
#include <string.h>
#include "sysquery/page/document.h"

static struct json_object *get(struct json_object *obj, const char *key)
{
	struct json_object *value = NULL;

	if (json_object_is_type(obj, json_type_object))
		json_object_object_get_ex(obj, key, &value);
	return value;
}

struct json_object *slu_doc_object(struct json_object *obj, const char *key)
{
	struct json_object *value = get(obj, key);

	return json_object_is_type(value, json_type_object) ? value : NULL;
}

size_t slu_doc_length(struct json_object *list)
{
	return list ? json_object_array_length(list) : 0;
}

struct json_object *slu_doc_list(struct json_object *obj, const char *key)
{
	struct json_object *value = get(obj, key);

	return json_object_is_type(value, json_type_array) &&
			       json_object_array_length(value)
		       ? value
		       : NULL;
}

struct json_object *slu_doc_at(struct json_object *list, size_t i)
{
	struct json_object *one = json_object_array_get_idx(list, i);

	return json_object_is_type(one, json_type_object) ? one : NULL;
}

static double number(struct json_object *value)
{
	double v = 0;

	if (json_object_is_type(value, json_type_int) ||
	    json_object_is_type(value, json_type_double))
		v = json_object_get_double(value);
	return isfinite(v) && fabs(v) < 1e18 ? v : 0;
}

double slu_doc_number(struct json_object *obj, const char *key)
{
	return number(get(obj, key));
}

const char *slu_doc_text(struct json_object *obj, const char *key)
{
	struct json_object *value = get(obj, key);

	return value ? json_object_get_string(value) : "";
}

size_t slu_doc_numbers(struct json_object *obj, const char *key, double *out,
		       size_t n)
{
	struct json_object *list = slu_doc_list(obj, key);
	size_t have = slu_doc_length(list);

	memset(out, 0, n * sizeof(*out));
	if (have > n)
		have = n;
	for (size_t i = 0; i < have; i++)
		out[i] = number(json_object_array_get_idx(list, i));
	return have;
}

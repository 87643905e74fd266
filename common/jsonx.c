/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads members of JSON objects with strict types. Refuses what json-c would
 * accept silently: a NUL inside a string, a number that it would clamp.
 */
#include "config.h"
#include "common/jsonx.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/str.h"

#define EXACT_MAX ((int64_t)1 << 53) /* above, a JSON number is not exact */

static int wrong(const char *key, const char *want, struct slu_err *err)
{
	return slu_err(err, SLU_INVALID, "%s: %s", key, want);
}

struct json_object *slu_json_at(struct json_object *obj, const char *key)
{
	struct json_object *value = NULL;

	if (!json_object_is_type(obj, json_type_object))
		return NULL;
	json_object_object_get_ex(obj, key, &value);
	return value;
}

int slu_json_str_opt(struct json_object *obj, const char *key, const char **out,
		     struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);
	const char *text;

	if (!value)
		return 0;
	if (!json_object_is_type(value, json_type_string))
		return wrong(key, "must be a string", err);
	text = json_object_get_string(value);
	if (strlen(text) != (size_t)json_object_get_string_len(value))
		return wrong(key, "must not hold a NUL", err);
	*out = text;
	return 0;
}

int slu_json_str(struct json_object *obj, const char *key, const char **out,
		 struct slu_err *err)
{
	if (!slu_json_at(obj, key))
		return wrong(key, "is missing", err);
	return slu_json_str_opt(obj, key, out, err);
}

static int u64_of_text(const char *text, uint64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return -1;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno || *end ? -1 : 0;
}

static int i64_of_text(const char *text, int64_t *out)
{
	char *end;

	if (!isdigit((unsigned char)text[text[0] == '-']))
		return -1;
	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno || *end ? -1 : 0;
}

/* json-c clamps numbers, so its extreme values are refused. */
static int u64_of(struct json_object *value, uint64_t *out)
{
	if (json_object_is_type(value, json_type_string))
		return u64_of_text(json_object_get_string(value), out);
	*out = json_object_get_uint64(value);
	return json_object_is_type(value, json_type_int) &&
			       json_object_get_int64(value) >= 0 &&
			       *out != UINT64_MAX
		       ? 0
		       : -1;
}

static int i64_of(struct json_object *value, int64_t *out)
{
	if (json_object_is_type(value, json_type_string))
		return i64_of_text(json_object_get_string(value), out);
	*out = json_object_get_int64(value);
	return json_object_is_type(value, json_type_int) && *out != INT64_MIN &&
			       *out != INT64_MAX
		       ? 0
		       : -1;
}

int slu_json_u64_opt(struct json_object *obj, const char *key, uint64_t *out,
		     struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);
	uint64_t n;

	if (!value)
		return 0;
	if (u64_of(value, &n) < 0)
		return wrong(key, "must be a whole number from 0 to 2^64-1",
			     err);
	*out = n;
	return 0;
}

int slu_json_u64(struct json_object *obj, const char *key, uint64_t *out,
		 struct slu_err *err)
{
	if (!slu_json_at(obj, key))
		return wrong(key, "is missing", err);
	return slu_json_u64_opt(obj, key, out, err);
}

int slu_json_i64_opt(struct json_object *obj, const char *key, int64_t *out,
		     struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);
	int64_t n;

	if (!value)
		return 0;
	if (i64_of(value, &n) < 0)
		return wrong(key, "must be a whole number from -2^63 to 2^63-1",
			     err);
	*out = n;
	return 0;
}

int slu_json_bool_opt(struct json_object *obj, const char *key, bool *out,
		      struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);

	if (!value)
		return 0;
	if (!json_object_is_type(value, json_type_boolean))
		return wrong(key, "must be true or false", err);
	*out = json_object_get_boolean(value);
	return 0;
}

int slu_json_double_opt(struct json_object *obj, const char *key, double *out,
			struct slu_err *err)
{
	struct json_object *value = slu_json_at(obj, key);

	if (!value)
		return 0;
	if (!(json_object_is_type(value, json_type_double) ||
	      json_object_is_type(value, json_type_int)) ||
	    !isfinite(json_object_get_double(value)))
		return wrong(key, "must be a number", err);
	*out = json_object_get_double(value);
	return 0;
}

static void set(struct json_object *obj, const char *key,
		struct json_object *value)
{
	if (value && json_object_object_add(obj, key, value) < 0)
		json_object_put(value);
}

struct json_object *slu_json_list_at(struct json_object *obj, const char *key)
{
	struct json_object *value = slu_json_at(obj, key);

	return json_object_is_type(value, json_type_array) ? value : NULL;
}

const char *slu_json_str_at(struct json_object *obj, const char *key)
{
	const char *value = NULL;

	slu_json_str_opt(obj, key, &value, NULL);
	return value;
}

uint64_t slu_json_u64_at(struct json_object *obj, const char *key)
{
	uint64_t value = 0;

	slu_json_u64_opt(obj, key, &value, NULL);
	return value;
}

double slu_json_number_at(struct json_object *obj, const char *key)
{
	double value = 0;

	slu_json_double_opt(obj, key, &value, NULL);
	return value;
}

bool slu_json_bool_at(struct json_object *obj, const char *key)
{
	bool value = false;

	slu_json_bool_opt(obj, key, &value, NULL);
	return value;
}

size_t slu_json_length(struct json_object *list)
{
	return json_object_is_type(list, json_type_array)
		       ? json_object_array_length(list)
		       : 0;
}

void slu_json_set_str(struct json_object *obj, const char *key,
		      const char *value)
{
	if (value)
		set(obj, key, json_object_new_string(value));
}

void slu_json_set_u64(struct json_object *obj, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	set(obj, key,
	    value <= (uint64_t)EXACT_MAX ? json_object_new_uint64(value)
					 : json_object_new_string(text));
}

void slu_json_set_i64(struct json_object *obj, const char *key, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	set(obj, key,
	    value >= -EXACT_MAX && value <= EXACT_MAX
		    ? json_object_new_int64(value)
		    : json_object_new_string(text));
}

void slu_json_set_bool(struct json_object *obj, const char *key, bool value)
{
	set(obj, key, json_object_new_boolean(value));
}

void slu_json_set_double(struct json_object *obj, const char *key, double value)
{
	char text[32];
	int digits = 15;

	if (!isfinite(value))
		return;
	value += 0.0; /* the text of -0.0 would read back as 0 */
	do	      /* the shortest text that reads back as the same number */
		snprintf(text, sizeof(text), "%.*g", digits, value);
	while (strtod(text, NULL) != value && digits++ < 17);
	set(obj, key, json_object_new_double_s(value, text));
}

const char *slu_json_text(struct json_object *obj)
{
	return json_object_to_json_string_ext(
		obj, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
}

const char *slu_json_utf8(struct json_object *obj)
{
	/* the buffer is obj's, and written anew at every call */
	char *text = (char *)(uintptr_t)slu_json_text(obj);

	if (text)
		slu_utf8_clean(text);
	return text;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encodes an answer of sluiced as JSON for output: each key that has another
 * name in JSON (one with its unit) is present under both, first all as sluiced
 * sent them. Numbers are rounded to the precision of their quantity.
 */
#include "config.h"
#include "sysquery/answers/answers.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include "common/jsonx.h"

const char *slu_key_name(const struct slu_answer_key *key)
{
	return key->json ? key->json : key->key;
}

/* The entry of a key, by the name that sluiced uses. */
static const struct slu_answer_key *find(const struct slu_answer_key *keys,
					 const char *key)
{
	for (const struct slu_answer_key *k = keys; k && k->key; k++)
		if (strcmp(k->key, key) == 0)
			return k;
	return NULL;
}

const struct slu_answer_key *slu_key_find(const struct slu_answer_key *keys,
					  const char *name)
{
	const struct slu_answer_key *found = find(keys, name);

	for (const struct slu_answer_key *k = keys; !found && k && k->key; k++)
		if (strcasecmp(k->key, name) == 0 ||
		    strcasecmp(slu_key_name(k), name) == 0 ||
		    (k->title && strcasecmp(k->title, name) == 0))
			found = k;
	return found;
}

/* The decimal place to round to, as a power of ten; 0: not rounded. */
static double unit_of(enum slu_quantity is)
{
	switch (is) {
	case SLU_IS_COUNT:
	case SLU_IS_BYTES:
	case SLU_IS_BANDWIDTH:
	case SLU_IS_TIME:
		return 1;
	case SLU_IS_SECONDS:
	case SLU_IS_SHARE:
		return 1000;
	case SLU_IS_PERCENT:
		return 10;
	case SLU_IS_NUMBER:
		return 1e6;
	case SLU_IS_ANY:
	case SLU_IS_TEXT:
	case SLU_IS_FLAG:
	case SLU_IS_OBJECT:
	case SLU_IS_LIST:
	case SLU_IS_MAP:
		break;
	}
	return 0;
}

static struct json_object *number(double value, double unit)
{
	struct json_object *holder = json_object_new_object(), *obj;
	double rounded = round(value * unit) / unit;

	if (fabs(rounded) < 9e15 && rint(rounded) == rounded)
		slu_json_set_i64(holder, "", (int64_t)rounded);
	else
		slu_json_set_double(holder, "", rounded);
	obj = json_object_get(json_object_object_get(holder, ""));
	json_object_put(holder);
	return obj;
}

static struct json_object *scalar(struct json_object *value,
				  enum slu_quantity is, double factor)
{
	double unit = unit_of(is);
	bool whole = json_object_is_type(value, json_type_int);

	if (is == SLU_IS_FLAG && whole)
		return json_object_new_boolean(json_object_get_int(value) != 0);
	if (unit == 0 || (whole && factor == 0) ||
	    (!whole && !json_object_is_type(value, json_type_double)))
		return json_object_get(value);
	return number(json_object_get_double(value) * (factor ? factor : 1),
		      unit);
}

static struct json_object *encode(struct json_object *value,
				  const struct slu_answer_key *key);

static void add(struct json_object *out, const char *name,
		struct json_object *value)
{
	json_object_object_add(out, name, value);
}

/* A null value is unknown, and left out. */
static struct json_object *object(struct json_object *from,
				  const struct slu_answer_key *keys)
{
	struct json_object *out = json_object_new_object();
	const struct slu_answer_key *k;

	if (!json_object_is_type(from, json_type_object)) {
		json_object_put(out);
		return json_object_get(from);
	}
	json_object_object_foreach(from, key, value)
	{
		k = find(keys, key);
		if (value && (!k || k->json))
			add(out, key, json_object_get(value));
		else if (value)
			add(out, key, encode(value, k));
	}
	json_object_object_foreach(from, old, renamed)
	{
		k = find(keys, old);
		if (renamed && k && k->json)
			add(out, k->json, encode(renamed, k));
	}
	return out;
}

static struct json_object *list(struct json_object *from,
				const struct slu_answer_key *key)
{
	struct json_object *out, *one;

	if (!json_object_is_type(from, json_type_array))
		return json_object_get(from);
	out = json_object_new_array();
	for (size_t i = 0; i < json_object_array_length(from); i++) {
		one = json_object_array_get_idx(from, i);
		json_object_array_add(
			out, key->of ? object(one, key->of)
				     : scalar(one, key->each, key->factor));
	}
	return out;
}

static struct json_object *map(struct json_object *from,
			       const struct slu_answer_key *key)
{
	struct json_object *out;

	if (!json_object_is_type(from, json_type_object))
		return json_object_get(from);
	out = json_object_new_object();
	json_object_object_foreach(from, name, value)
		add(out, name,
		    key->of ? object(value, key->of)
			    : scalar(value, key->each, key->factor));
	return out;
}

static struct json_object *encode(struct json_object *value,
				  const struct slu_answer_key *key)
{
	switch (key->is) {
	case SLU_IS_OBJECT:
		return object(value, key->of);
	case SLU_IS_LIST:
		return list(value, key);
	case SLU_IS_MAP:
		return map(value, key);
	case SLU_IS_ANY:
	case SLU_IS_TEXT:
	case SLU_IS_FLAG:
	case SLU_IS_COUNT:
	case SLU_IS_NUMBER:
	case SLU_IS_SHARE:
	case SLU_IS_PERCENT:
	case SLU_IS_BYTES:
	case SLU_IS_BANDWIDTH:
	case SLU_IS_SECONDS:
	case SLU_IS_TIME:
		break;
	}
	return scalar(value, key->is, key->factor);
}

static void add_head(const struct slu_form *answer, struct json_object *out)
{
	struct slu_buf name = {0};

	slu_buf_printf(&name, "sluice.%s", answer->name);
	slu_json_set_str(out, "schema", name.data);
	slu_json_set_u64(out, "version", SLU_ANSWER_VERSION);
	slu_buf_free(&name);
}

struct json_object *slu_form_rows(const struct slu_answer_key *keys,
				  struct json_object *rows)
{
	return list(rows, &(struct slu_answer_key){.of = keys});
}

struct json_object *slu_form_encode(const struct slu_form *answer,
				    struct json_object *said)
{
	struct slu_answer_key rows = {.is = answer->map ? SLU_IS_MAP
							: SLU_IS_LIST,
				      .of = answer->keys};
	struct json_object *out = json_object_new_object(), *whole;

	add_head(answer, out);
	if (answer->rows) {
		add(out, answer->rows, encode(said, &rows));
		return out;
	}
	whole = object(said, answer->keys);
	json_object_object_foreach(whole, key,
				   value) if (strcmp(key, "schema") &&
					      strcmp(key, "version"))
		add(out, key, json_object_get(value));
	json_object_put(whole);
	return out;
}

void slu_form_put_head(const struct slu_form *answer, struct slu_buf *out)
{
	slu_buf_printf(out, "{\"schema\":\"sluice.%s\",\"version\":%d,\"%s\":",
		       answer->name, SLU_ANSWER_VERSION, answer->rows);
}

void slu_form_put_tail(struct slu_buf *out)
{
	slu_buf_puts(out, "}");
}

/* Non-ASCII characters occur only within strings. A character is never split
 * between two pieces of an answer, so that each piece can be escaped alone. */
void slu_form_escape(const char *text, size_t len, struct slu_buf *out)
{
	size_t from = 0, n;
	unsigned c;

	for (size_t i = 0; i < len; i += n) {
		n = slu_terminal_control(text + i, len - i, &c);
		if (!n) {
			n = 1;
			continue;
		}
		slu_buf_add(out, text + from, i - from);
		slu_buf_printf(out, "\\u%04x", c);
		from = i + n;
	}
	slu_buf_add(out, text + from, len - from);
}

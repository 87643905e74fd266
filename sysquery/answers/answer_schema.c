/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the JSON schema of an answer from its table of keys. Unknown values
 * are absent, so only schema, version and the rows are required. Newer versions
 * of sluiced may add keys, so none are forbidden.
 */
#include "config.h"
#include "sysquery/answers/answers.h"

#include "common/jsonx.h"

static struct json_object *text(const char *s)
{
	return json_object_new_string(s);
}

static void add(struct json_object *to, const char *key,
		struct json_object *value)
{
	json_object_object_add(to, key, value);
}

/* A whole number beyond 2^53 is sent as a string. */
static void add_whole(struct json_object *out)
{
	struct json_object *types = json_object_new_array();

	json_object_array_add(types, text("integer"));
	json_object_array_add(types, text("string"));
	add(out, "type", types);
	add(out, "pattern", text("^-?[0-9]+$"));
}

static void add_range(struct json_object *out, int most)
{
	add(out, "type", text("number"));
	add(out, "minimum", json_object_new_int(0));
	add(out, "maximum", json_object_new_int(most));
}

static void add_type(struct json_object *out, enum slu_quantity is)
{
	switch (is) {
	case SLU_IS_TEXT:
		add(out, "type", text("string"));
		break;
	case SLU_IS_FLAG:
		add(out, "type", text("boolean"));
		break;
	case SLU_IS_COUNT:
	case SLU_IS_BYTES:
	case SLU_IS_BANDWIDTH:
	case SLU_IS_TIME:
		add_whole(out);
		break;
	case SLU_IS_NUMBER:
	case SLU_IS_SECONDS:
		add(out, "type", text("number"));
		break;
	case SLU_IS_SHARE:
		add_range(out, 1);
		break;
	case SLU_IS_PERCENT:
		add_range(out, 100);
		break;
	case SLU_IS_ANY:
	case SLU_IS_OBJECT:
	case SLU_IS_LIST:
	case SLU_IS_MAP:
		break;
	}
}

static struct json_object *object(const struct slu_answer_key *keys);

static struct json_object *scalar(enum slu_quantity is)
{
	struct json_object *out = json_object_new_object();

	add_type(out, is);
	return out;
}

static struct json_object *value(const struct slu_answer_key *key)
{
	struct json_object *out = scalar(key->is), *inner;

	if (key->is == SLU_IS_OBJECT) {
		json_object_put(out);
		out = object(key->of);
	}
	if (key->is == SLU_IS_LIST || key->is == SLU_IS_MAP) {
		inner = key->of ? object(key->of) : scalar(key->each);
		add(out, "type",
		    text(key->is == SLU_IS_LIST ? "array" : "object"));
		add(out,
		    key->is == SLU_IS_LIST ? "items" : "additionalProperties",
		    inner);
	}
	if (key->doc)
		slu_json_set_str(out, "description", key->doc);
	return out;
}

static void add_old(struct json_object *properties,
		    const struct slu_answer_key *key)
{
	struct json_object *out = json_object_new_object();
	char *instead = slu_asprintf("use %s", key->json);

	slu_json_set_bool(out, "deprecated", true);
	slu_json_set_str(out, "description", instead ? instead : "");
	free(instead);
	add(properties, key->key, out);
}

static struct json_object *object(const struct slu_answer_key *keys)
{
	struct json_object *out = json_object_new_object();
	struct json_object *properties = json_object_new_object();

	add(out, "type", text("object"));
	for (const struct slu_answer_key *k = keys; k && k->key; k++) {
		add(properties, slu_key_name(k), value(k));
		if (k->json)
			add_old(properties, k);
	}
	if (keys)
		add(out, "properties", properties);
	else
		json_object_put(properties);
	return out;
}

static struct json_object *constant(struct json_object *value)
{
	struct json_object *out = json_object_new_object();

	add(out, "const", value);
	return out;
}

static void add_head(struct json_object *properties,
		     const struct slu_form *answer)
{
	char *name = slu_asprintf("sluice.%s", answer->name);

	add(properties, "schema", constant(text(name ? name : "")));
	add(properties, "version",
	    constant(json_object_new_int(SLU_ANSWER_VERSION)));
	free(name);
}

static void add_required(struct json_object *out, const struct slu_form *answer)
{
	struct json_object *list = json_object_new_array();

	json_object_array_add(list, text("schema"));
	json_object_array_add(list, text("version"));
	if (answer->rows)
		json_object_array_add(list, text(answer->rows));
	add(out, "required", list);
}

struct json_object *slu_form_schema(const struct slu_form *answer)
{
	const struct slu_answer_key rows[] = {
		{.key = answer->rows,
		 .is = answer->map ? SLU_IS_MAP : SLU_IS_LIST,
		 .of = answer->keys,
		 .each = SLU_IS_OBJECT},
		{.key = NULL}};
	struct json_object *out = object(answer->rows ? rows : answer->keys);
	struct json_object *properties;

	if (!json_object_object_get_ex(out, "properties", &properties)) {
		properties = json_object_new_object();
		add(out, "properties", properties);
	}
	add(out, "$schema",
	    text("https://json-schema.org/draft/2020-12/schema"));
	slu_json_set_str(out, "title", answer->doc);
	add_head(properties, answer);
	add_required(out, answer);
	return out;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes documents as YAML and XML. YAML strings are quoted as in JSON; a YAML
 * key is unquoted only if it can be nothing but a word. In XML an element is
 * named by its key, those of a list are "item"; a key that is no XML name
 * becomes the attribute of an element "value".
 */
#include "config.h"

#include <string.h>
#include <strings.h>
#include "common/jsonx.h"
#include "sysmap/output_tree.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS	"0123456789"

static bool is_name(const char *key)
{
	return *key && strchr(LETTERS, *key) &&
	       !key[strspn(key, LETTERS DIGITS ".-")];
}

static bool is_empty(struct json_object *value)
{
	return json_object_is_type(value, json_type_array)
		       ? json_object_array_length(value) == 0
		       : json_object_object_length(value) == 0;
}

static bool is_nested(struct json_object *value)
{
	return json_object_is_type(value, json_type_array) ||
	       json_object_is_type(value, json_type_object);
}

static bool is_tree(struct json_object *value)
{
	return is_nested(value) && !is_empty(value);
}

static void indent(struct slu_buf *out, int depth)
{
	slu_buf_printf(out, "%*s", 2 * depth, "");
}

/* Words that would be something else than a text. */
static bool is_special(const char *key)
{
	static const char *const words[] = {"y",    "n",   "yes",  "no",
					    "on",   "off", "true", "false",
					    "null", NULL};

	for (const char *const *w = words; *w; w++)
		if (strcasecmp(*w, key) == 0)
			return true;
	return false;
}

static void yaml_key(struct slu_buf *out, const char *key)
{
	struct json_object *quoted;

	if (is_name(key) && !is_special(key)) {
		slu_buf_printf(out, "%s:", key);
		return;
	}
	quoted = json_object_new_string(key);
	slu_buf_printf(out, "%s:", slu_json_text(quoted));
	json_object_put(quoted);
}

static void yaml(struct slu_buf *out, struct json_object *value, int depth);

static void yaml_object(struct slu_buf *out, struct json_object *value,
			int depth, bool inlined)
{
	json_object_object_foreach(value, key, member)
	{
		if (!inlined)
			indent(out, depth);
		inlined = false;
		yaml_key(out, key);
		yaml(out, member, depth + 1);
	}
}

/* What follows a key or a dash: on the same line, or below it. */
static void yaml(struct slu_buf *out, struct json_object *value, int depth)
{
	struct json_object *item;

	if (!is_tree(value)) {
		slu_buf_printf(out, " %s\n", slu_json_text(value));
		return;
	}
	slu_buf_puts(out, "\n");
	if (json_object_is_type(value, json_type_object)) {
		yaml_object(out, value, depth, false);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(value); i++) {
		item = json_object_array_get_idx(value, i);
		indent(out, depth);
		slu_buf_puts(out, "-");
		if (is_tree(item) &&
		    json_object_is_type(item, json_type_object)) {
			slu_buf_puts(out, " ");
			yaml_object(out, item, depth + 1, true);
		} else {
			yaml(out, item, depth + 1);
		}
	}
}

static void xml_text(struct slu_buf *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			slu_buf_puts(out, "&amp;");
			break;
		case '<':
			slu_buf_puts(out, "&lt;");
			break;
		case '>':
			slu_buf_puts(out, "&gt;");
			break;
		case '"':
			slu_buf_puts(out, "&quot;");
			break;
		default:
			slu_buf_add(out, text, 1);
		}
	}
}

static void xml(struct slu_buf *out, const char *key, struct json_object *value,
		int depth);

static void xml_inside(struct slu_buf *out, struct json_object *value,
		       int depth)
{
	if (!is_tree(value)) {
		if (value && !is_nested(value))
			xml_text(out, json_object_get_string(value));
		return;
	}
	slu_buf_puts(out, "\n");
	if (json_object_is_type(value, json_type_object)) {
		json_object_object_foreach(value, key, member)
			xml(out, key, member, depth + 1);
	} else {
		for (size_t i = 0; i < json_object_array_length(value); i++)
			xml(out, "item", json_object_array_get_idx(value, i),
			    depth + 1);
	}
	indent(out, depth);
}

static void xml(struct slu_buf *out, const char *key, struct json_object *value,
		int depth)
{
	bool named = is_name(key);

	indent(out, depth);
	if (named) {
		slu_buf_printf(out, "<%s>", key);
	} else {
		slu_buf_puts(out, "<value key=\"");
		xml_text(out, key);
		slu_buf_puts(out, "\">");
	}
	xml_inside(out, value, depth);
	slu_buf_printf(out, "</%s>\n", named ? key : "value");
}

/* Each document in turn. */
static int each_document(const struct slu_map *map, struct slu_buf *out,
			 void (*write)(struct slu_buf *out, const char *name,
				       struct json_object *value),
			 struct slu_err *err)
{
	struct json_object *obj;

	for (size_t i = 0; i < map->n; i++) {
		obj = slu_json_parse(map->document[i].text,
				     map->document[i].len, err);
		if (!obj)
			return slu_err_prefix(err, "%s",
					      map->document[i].extractor);
		write(out, map->document[i].extractor, obj);
		json_object_put(obj);
	}
	return 0;
}

static void yaml_document(struct slu_buf *out, const char *name,
			  struct json_object *value)
{
	yaml_key(out, name);
	yaml(out, value, 1);
}

static void xml_document(struct slu_buf *out, const char *name,
			 struct json_object *value)
{
	xml(out, name, value, 1);
}

static int checked(const struct slu_buf *out, struct slu_err *err)
{
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

int slu_write_yaml(const struct slu_map *map, const char *host,
		   struct slu_buf *out, struct slu_err *err)
{
	(void)host;
	slu_buf_puts(out, map->n ? "---\n" : "--- {}\n");
	return each_document(map, out, yaml_document, err) ? -1
							   : checked(out, err);
}

int slu_write_xml(const struct slu_map *map, const char *host,
		  struct slu_buf *out, struct slu_err *err)
{
	slu_buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			  "<sysmap host=\"");
	xml_text(out, host);
	slu_buf_puts(out, "\">\n");
	if (each_document(map, out, xml_document, err))
		return -1;
	slu_buf_puts(out, "</sysmap>\n");
	return checked(out, err);
}

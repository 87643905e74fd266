/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery history: shows the present and former documents of hosts. sysquery
 * diff: shows the differences between two hosts, or between two times of one.
 * Tables have a line for each leaf that differs.
 */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <string.h>
#include "common/jsonx.h"

#define VALUE_MAX 60 /* characters of a value shown to people */

static const struct slu_column columns[] = {
	{"since", "SINCE", .type = SLU_COL_TIME},
	{"host", "HOST", .type = SLU_COL_PLAIN},
	{"extractor", "EXTRACTOR", .type = SLU_COL_PLAIN, .drop = 1},
	{"path", "WHAT", .type = SLU_COL_PLAIN},
	{"old", "WAS", .type = SLU_COL_PLAIN},
	{"new", "IS", .type = SLU_COL_PLAIN},
	{.key = NULL}};

/* Shortens a value to its maximum length. */
static void cut(struct json_object *row, const char *key)
{
	struct json_object *value;
	char text[VALUE_MAX + sizeof("...")];

	if (!json_object_object_get_ex(row, key, &value) || !value ||
	    slu_copy(text, VALUE_MAX,
		     json_object_is_type(value, json_type_string)
			     ? json_object_get_string(value)
			     : slu_json_text(value)))
		return;
	slu_utf8_clean(text); /* a character cut at the end */
	slu_copy(text + VALUE_MAX - 1, sizeof("..."), "...");
	slu_json_set_str(row, key, text);
}

/* Formats one difference for the table. */
static void shorten(struct json_object *row)
{
	struct json_object *path;

	if (json_object_object_get_ex(row, "path", &path) &&
	    !*json_object_get_string(path))
		slu_json_set_str(row, "path", "(all)");
	cut(row, "old");
	cut(row, "new");
}

static void copy_key(struct json_object *to, struct json_object *from,
		     const char *key)
{
	struct json_object *value;

	if (json_object_object_get_ex(from, key, &value))
		json_object_object_add(to, key, json_object_get(value));
}

/* A line for a change between versions; change NULL: the first version. */
static void add_line(struct json_object *lines, struct json_object *version,
		     struct json_object *change)
{
	static const char *const of_version[] = {"since", "host", "extractor"};
	static const char *const of_change[] = {"path", "old", "new"};
	struct json_object *line = json_object_new_object();

	for (int i = 0; i < 3; i++)
		copy_key(line, version, of_version[i]);
	for (int i = 0; change && i < 3; i++)
		copy_key(line, change, of_change[i]);
	if (!change)
		slu_json_set_str(line, "path", "(first seen)");
	shorten(line);
	json_object_array_add(lines, line);
}

/* The answer's lines. Caller puts. */
static struct json_object *lines_of(struct json_object *versions)
{
	struct json_object *lines = json_object_new_array(), *one, *changes;
	size_t n = json_object_array_length(versions);

	for (size_t i = 0; i < n; i++) {
		one = json_object_array_get_idx(versions, i);
		if (!json_object_object_get_ex(one, "changes", &changes)) {
			add_line(lines, one, NULL);
			continue;
		}
		for (size_t k = 0; k < json_object_array_length(changes); k++)
			add_line(lines, one,
				 json_object_array_get_idx(changes, k));
	}
	return lines;
}

static int show(const struct slu_ask *ask, struct json_object *versions,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *chosen = json_object_get(versions), *lines;
	int ret = slu_ask_narrow(ask, &slu_form_history, &chosen, err);

	if (ret == 0) {
		lines = lines_of(chosen);
		ret = slu_ask_tabulate(ask, lines, columns, out, err);
		json_object_put(lines);
	}
	json_object_put(chosen);
	return ret;
}

static int take_hosts(struct slu_ask *ask, struct slu_err *err)
{
	for (size_t i = 0; i < ask->n_operands; i++)
		if (slu_ask_add_hosts(ask, ask->operand[i], err))
			return -1;
	return 0;
}

int slu_cmd_history(struct slu_ask *ask, struct slu_err *err)
{
	if (take_hosts(ask, err))
		return -1;
	return slu_ask_render(ask, "history", show, err);
}

/* Columns are named after the hosts or times compared. */
static int show_diff(const struct slu_ask *ask, struct json_object *rows,
		     struct slu_buf *out, struct slu_err *err)
{
	struct slu_column column[SLU_COLUMNS_MAX + 1];
	struct json_object *chosen;
	int ret;

	if (slu_ask_columns(ask, slu_form_diff.keys, column, err))
		return -1;
	for (struct slu_column *c = column; ask->n_operands == 2 && c->key; c++)
		if (strcmp(c->key, "old") == 0)
			c->title = ask->operand[0];
		else if (strcmp(c->key, "new") == 0)
			c->title = ask->operand[1];
	for (size_t i = 0; i < json_object_array_length(rows); i++)
		shorten(json_object_array_get_idx(rows, i));
	chosen = json_object_get(rows);
	ret = slu_ask_narrow(ask, &slu_form_diff, &chosen, err);
	if (ret == 0)
		ret = slu_ask_tabulate(ask, chosen, column, out, err);
	json_object_put(chosen);
	return ret;
}

int slu_cmd_diff(struct slu_ask *ask, struct slu_err *err)
{
	if (take_hosts(ask, err))
		return -1;
	return slu_ask_render(ask, "diff", show_diff, err);
}

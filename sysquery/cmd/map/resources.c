/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery resources: prints the documents as JSON; as a table, a line per
 * host; with -e a table per extractor, with the lines of all hosts. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <string.h>
#include "common/jsonx.h"
#include "sysmap/extract.h"

#define COLUMNS_MAX 32

/* A row for an object, with the host in front; nested lists are only in JSON.
 */
static void add_row(struct json_object *rows, const char *host,
		    struct json_object *obj)
{
	struct json_object *row = json_object_new_object();

	slu_json_set_str(row, "HOST", host);
	if (json_object_is_type(obj, json_type_object)) {
		json_object_object_foreach(obj, key, value)
		{
			if (!json_object_is_type(value, json_type_array))
				json_object_object_add(row, key,
						       json_object_get(value));
		}
	}
	json_object_array_add(rows, row);
}

/* Collects the rows of all tables while answers arrive, by extractor:
 * {NAME:[ROW,...],...}. */
static void add_rows(struct json_object *rows, const char *host,
		     struct json_object *doc)
{
	if (!json_object_is_type(doc, json_type_array)) {
		add_row(rows, host, doc);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(doc); i++)
		add_row(rows, host, json_object_array_get_idx(doc, i));
}

static int take_part(void *arg, const struct slu_buf *text, struct slu_err *err)
{
	struct json_object *tables = arg, *doc;
	struct json_object *hosts = slu_json_parse(text->data, text->len, err);

	if (!hosts)
		return -1;
	if (!json_object_is_type(hosts, json_type_object)) {
		json_object_put(hosts);
		return slu_err(err, SLU_IO, "the answer is not an object");
	}
	json_object_object_foreach(hosts, host, documents)
	{
		json_object_object_foreach(tables, name, rows)
		{
			if (json_object_object_get_ex(documents, name, &doc))
				add_rows(rows, host, doc);
		}
	}
	json_object_put(hosts);
	return 0;
}

static int section(const struct slu_ask *ask, const char *name,
		   struct json_object *rows, struct slu_buf *out,
		   struct slu_err *err)
{
	const struct slu_extractor *e = slu_extractor_find(name);
	struct slu_column columns[COLUMNS_MAX] = {{.key = "HOST"}};

	for (size_t i = 0; e && e->columns && e->columns[i].key; i++)
		if (i + 2 < COLUMNS_MAX)
			columns[i + 1] = e->columns[i];
	return slu_ask_section(ask, name, rows,
			       e && e->columns ? columns : NULL, out, err);
}

static int show_documents(const struct slu_ask *ask,
			  struct json_object *extractors, struct slu_err *err)
{
	struct json_object *tables = json_object_new_object();
	struct slu_buf out = {0};
	int ret;

	for (size_t i = 0; i < json_object_array_length(extractors); i++)
		json_object_object_add(
			tables,
			json_object_get_string(
				json_object_array_get_idx(extractors, i)),
			json_object_new_array());
	ret = slu_ask_parts(ask, take_part, tables, err);
	json_object_object_foreach(tables, name, rows)
	{
		if (ret == 0)
			ret = section(ask, name, rows, &out, err);
	}
	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	json_object_put(tables);
	return ret;
}

static int explain(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->n_operands)
		return slu_err(err, SLU_INVALID,
			       "--explain names the hosts: %s is one too many",
			       ask->operand[0]);
	return slu_ask_add_hosts(ask, ask->explain, err)
		       ? -1
		       : slu_ask_show(ask, "storage", NULL, err);
}

int slu_cmd_resources(struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *extractors;

	if (ask->explain)
		return explain(ask, err);
	for (size_t i = 0; i < ask->n_operands; i++)
		if (slu_ask_add_hosts(ask, ask->operand[i], err))
			return -1;
	if (!slu_ask_table(ask))
		return slu_ask_documents(ask, true, err);
	if (json_object_object_get_ex(ask->args, "extractors", &extractors))
		return show_documents(ask, extractors, err);
	return slu_ask_show(ask, "summary", NULL, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysquery resources: the documents as JSON, for people a line per host; with
 * -e a table per extractor, in which hosts' lines stand under one another.
 */
#include "config.h"
#include "sysquery/ask.h"

#include <string.h>
#include "common/jsonx.h"
#include "sysmap/extract.h"

#define COLUMNS_MAX 32

static const struct slu_column summary[] = {
	{"host", "HOST", SLU_COL_PLAIN},
	{"storage", "STORAGE", SLU_COL_PLAIN},
	{"filesystem", "TYPE", SLU_COL_PLAIN},
	{"size", "SIZE", SLU_COL_BYTES},
	{"available", "AVAILABLE", SLU_COL_BYTES},
	{"disks", "DISKS", SLU_COL_PLAIN},
	{"disk_bytes", "ON_DISKS", SLU_COL_BYTES},
	{"memory", "MEMORY", SLU_COL_BYTES},
	{"cores", "CORES", SLU_COL_PLAIN},
	{"cpus", "CPUS", SLU_COL_PLAIN},
	{.key = NULL},
};

/* The row of an object, its host before all else; lists in it are left to
 * JSON. */
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

/* All hosts' documents of one extractor, as rows. Caller puts. */
static struct json_object *rows_of(struct json_object *hosts, const char *name)
{
	struct json_object *rows = json_object_new_array(), *doc;

	json_object_object_foreach(hosts, host, documents)
	{
		if (!json_object_object_get_ex(documents, name, &doc))
			continue;
		if (!json_object_is_type(doc, json_type_array)) {
			add_row(rows, host, doc);
			continue;
		}
		for (size_t i = 0; i < json_object_array_length(doc); i++)
			add_row(rows, host, json_object_array_get_idx(doc, i));
	}
	return rows;
}

static int section(struct json_object *hosts, const char *name,
		   struct slu_buf *out, struct slu_err *err)
{
	const struct slu_extractor *e = slu_extractor_find(name);
	struct slu_column columns[COLUMNS_MAX] = {{.key = "HOST"}};
	struct json_object *rows = rows_of(hosts, name);
	int ret;

	for (size_t i = 0; e && e->columns && e->columns[i].key; i++)
		if (i + 2 < COLUMNS_MAX)
			columns[i + 1] = e->columns[i];
	ret = slu_ask_section(name, rows, e && e->columns ? columns : NULL, out,
			      err);
	json_object_put(rows);
	return ret;
}

static int show_documents(const struct slu_ask *ask,
			  struct json_object *extractors, struct slu_err *err)
{
	struct json_object *hosts = slu_ask_object(ask, "resources", err);
	struct slu_buf out = {0};
	int ret = hosts ? 0 : -1;

	if (hosts && !json_object_is_type(hosts, json_type_object))
		ret = slu_err(err, SLU_IO, "the answer is not an object");
	for (size_t i = 0; i < json_object_array_length(extractors) && !ret;
	     i++)
		ret = section(hosts,
			      json_object_get_string(
				      json_object_array_get_idx(extractors, i)),
			      &out, err);
	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	json_object_put(hosts);
	return ret;
}

int slu_cmd_resources(struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *extractors;

	for (size_t i = 0; i < ask->n_operands; i++)
		if (slu_ask_add_hosts(ask, ask->operand[i], err))
			return -1;
	if (!slu_ask_table(ask))
		return slu_ask_show(ask, "resources", NULL, err);
	if (json_object_object_get_ex(ask->args, "extractors", &extractors))
		return show_documents(ask, extractors, err);
	return slu_ask_show(ask, "summary", summary, err);
}

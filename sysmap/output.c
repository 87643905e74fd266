/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a map as JSON (all documents, {"extractor":DATA,...}, on one line), as
 * SQL or as tables. The SQL is like the scripts of the original sysmap (of the
 * ADA-FS project): statements that insert the documents into its four tables;
 * here they also delete the host's former documents.
 */
#include "config.h"
#include "sysmap/output.h"

#include <string.h>
#include "common/jsonx.h"
#include "sysmap/output_tree.h"

#define VALUE_MAX 64 /* characters of a value shown to people */

static int checked(const struct slu_buf *out, struct slu_err *err)
{
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

static int write_json(const struct slu_map *map, const char *host,
		      struct slu_buf *out, struct slu_err *err)
{
	(void)host;
	slu_buf_puts(out, "{");
	for (size_t i = 0; i < map->n; i++) {
		slu_buf_printf(out, "%s\"%s\":", i ? "," : "",
			       map->document[i].extractor);
		slu_buf_add(out, map->document[i].text, map->document[i].len);
	}
	slu_buf_puts(out, "}\n");
	return checked(out, err);
}

/* Quotes as 'it''s'. */
static void quote(struct slu_buf *out, const char *text)
{
	slu_buf_puts(out, "'");
	for (; *text; text++)
		slu_buf_add(out, *text == '\'' ? "''" : text,
			    *text == '\'' ? 2 : 1);
	slu_buf_puts(out, "'");
}

/* %h, %e and %d are the host, the extractor and the document. */
static void statement(struct slu_buf *out, const char *sql, const char *host,
		      const struct slu_document *doc)
{
	for (; *sql; sql++) {
		if (sql[0] != '%') {
			slu_buf_add(out, sql, 1);
			continue;
		}
		sql++;
		quote(out, *sql == 'h'	 ? host
			   : *sql == 'e' ? doc->extractor
					 : doc->text);
	}
	slu_buf_puts(out, ";\n");
}

#define HOST_ID	     "(SELECT HostID FROM Hosttable WHERE Hostname = %h)"
#define EXTRACTOR_ID "(SELECT EID FROM Extractortable WHERE Name = %e)"

static int write_sql(const struct slu_map *map, const char *host,
		     struct slu_buf *out, struct slu_err *err)
{
	static const char *const tables[] = {
		"CREATE TABLE IF NOT EXISTS Hosttable (HostID INTEGER PRIMARY "
		"KEY AUTOINCREMENT, Hostname TEXT UNIQUE)",
		"CREATE TABLE IF NOT EXISTS Extractortable (EID INTEGER "
		"PRIMARY KEY AUTOINCREMENT, Name TEXT UNIQUE)",
		"CREATE TABLE IF NOT EXISTS Datatable (DID INTEGER PRIMARY "
		"KEY AUTOINCREMENT, EID INTEGER, Data TEXT UNIQUE)",
		"CREATE TABLE IF NOT EXISTS Host2Data (HostID INTEGER, "
		"DID INTEGER)",
		"INSERT OR IGNORE INTO Hosttable (Hostname) VALUES (%h)"};
	static const char *const document[] = {
		"INSERT OR IGNORE INTO Extractortable (Name) VALUES (%e)",
		"DELETE FROM Host2Data WHERE HostID = " HOST_ID " AND DID IN "
		"(SELECT DID FROM Datatable WHERE EID = " EXTRACTOR_ID ")",
		"INSERT OR IGNORE INTO Datatable (EID, Data) VALUES "
		"(" EXTRACTOR_ID ", %d)",
		"INSERT INTO Host2Data (HostID, DID) SELECT " HOST_ID
		", DID FROM Datatable WHERE Data = %d"};

	size_t n;

	slu_buf_puts(out, "BEGIN;\n");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		statement(out, tables[i], host, NULL);
	for (size_t d = 0; d < map->n; d++) {
		/* Data is unique, so "[]" could belong to one extractor only:
		 * an empty list is stored as no document */
		n = map->document[d].len > 2 ? 4 : 2;
		for (size_t i = 0; i < n; i++)
			statement(out, document[i], host, &map->document[d]);
	}
	slu_buf_puts(out, "COMMIT;\n");
	return checked(out, err);
}

/* A document that is a single object: a row per key. Long values are cut; JSON
 * has them whole. */
static struct json_object *turned(struct json_object *obj)
{
	struct json_object *rows = json_object_new_array(), *row;
	char text[VALUE_MAX + sizeof("...")];

	json_object_object_foreach(obj, key, value)
	{
		row = json_object_new_object();
		slu_json_set_str(row, "KEY", key);
		if (json_object_is_type(value, json_type_array) ||
		    json_object_is_type(value, json_type_object)) {
			if (!slu_copy(text, VALUE_MAX, slu_json_text(value)))
				strcat(text, "...");
			slu_json_set_str(row, "VALUE", text);
		} else {
			slu_json_set_str(row, "VALUE",
					 json_object_get_string(value));
		}
		json_object_array_add(rows, row);
	}
	return rows;
}

static int write_table(const struct slu_map *map, const char *host,
		       struct slu_buf *out, struct slu_err *err)
{
	const struct slu_document *doc;
	struct json_object *obj, *rows;
	int ret = 0;

	(void)host;
	for (size_t i = 0; i < map->n && ret == 0; i++) {
		doc = &map->document[i];
		obj = slu_json_parse(doc->text, doc->len, err);
		if (!obj)
			return slu_err_prefix(err, "%s", doc->extractor);
		rows = json_object_is_type(obj, json_type_object)
			       ? turned(obj)
			       : json_object_get(obj);
		slu_buf_printf(out, "%s%s\n", i ? "\n" : "", doc->extractor);
		ret = slu_table(rows,
				slu_extractor_find(doc->extractor)->columns,
				NULL, out, err);
		json_object_put(rows);
		json_object_put(obj);
	}
	return ret ? ret : checked(out, err);
}

const struct slu_format slu_formats[] = {
	{"json", "one line of compact JSON (default)", write_json},
	{"sql", "statements for sqlite3", write_sql},
	{"table", "tables for people", write_table},
	{"yaml", "YAML", slu_write_yaml},
	{"xml", "XML", slu_write_xml},
	{.name = NULL},
};

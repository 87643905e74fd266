/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The big answer is put together here and not by SQL: documents are copied
 * as they are, never parsed, and only numbers are sorted on the way.
 */
#include "config.h"
#include "sysquery/resources.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysquery/rows.h"

struct ids { /* EID or HostID, with its name */
	int64_t id;
	char *name;
};

struct id_list {
	struct ids *item;
	size_t n;
};

static void list_free(struct id_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->item[i].name);
	free(list->item);
}

static int list_add(struct id_list *list, int64_t id, const char *name)
{
	struct ids *more =
		realloc(list->item, (list->n + 1) * sizeof(*list->item));

	if (!more)
		return -1;
	list->item = more;
	more[list->n].id = id;
	more[list->n].name = strdup(name ? name : "");
	return more[list->n++].name ? 0 : -1;
}

/* Add the rows (id, name) of a query. */
static int list_read(struct id_list *list, struct slu_rows *rows,
		     struct slu_err *err)
{
	int ret;

	if (!rows)
		return -1;
	while ((ret = slu_db_step(rows, err)) == 1)
		if (list_add(list, slu_db_int(rows, 0), slu_db_text(rows, 1))) {
			ret = slu_err(err, SLU_NOMEM, "resource map");
			break;
		}
	slu_db_done(rows);
	return ret;
}

static int by_id(const void *a, const void *b)
{
	const struct ids *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int list_hosts(struct slu_db *db, const struct slu_hosts *hosts,
		      struct id_list *out, struct slu_err *err)
{
	if (!hosts || hosts->n == 0)
		return list_read(out,
				 slu_db_query(db, err,
					      "SELECT HostID, Hostname FROM "
					      "Hosttable ORDER BY HostID",
					      ""),
				 err);
	for (size_t i = 0; i < hosts->n; i++)
		if (list_read(out,
			      slu_db_query(db, err,
					   "SELECT HostID, Hostname FROM "
					   "Hosttable WHERE Hostname = ?",
					   "s", hosts->name[i]),
			      err))
			return -1;
	if (out->n)
		qsort(out->item, out->n, sizeof(*out->item), by_id);
	return 0;
}

static bool listed(char *const *names, const char *name)
{
	if (!names || !*names)
		return true;
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

/* "name": as JSON */
static void add_key(struct slu_buf *out, const char *name)
{
	struct json_object *text = json_object_new_string(name);

	slu_buf_puts(out, slu_json_text(text));
	slu_buf_puts(out, ":");
	json_object_put(text);
}

static int add_data(struct slu_db *db, int64_t did, struct slu_buf *out,
		    struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err, "SELECT Data FROM Datatable WHERE DID = ?", "I", did);
	int ret;

	if (!rows)
		return -1;
	ret = slu_db_step(rows, err);
	if (ret == 1 && slu_db_text(rows, 0))
		slu_buf_add(out, slu_db_text(rows, 0), slu_db_bytes(rows, 0));
	else if (ret == 1)
		slu_buf_puts(out, "null");
	slu_db_done(rows);
	return ret < 0 ? -1 : 0;
}

/* The documents of one host, without the braces. */
static int add_documents(struct slu_db *db, int64_t host,
			 char *const *extractors, struct slu_buf *out,
			 struct slu_err *err)
{
	struct slu_rows *rows =
		slu_db_query(db, err,
			     "SELECT x.DID, e.Name FROM Host2Data x "
			     "JOIN Datatable d ON d.DID = x.DID "
			     "JOIN Extractortable e ON e.EID = d.EID "
			     "WHERE x.HostID = ? ORDER BY d.EID, x.rowid",
			     "I", host);
	const char *comma = "", *name;
	int ret;

	if (!rows)
		return -1;
	while ((ret = slu_db_step(rows, err)) == 1) {
		name = slu_db_text(rows, 1);
		if (!name || !listed(extractors, name))
			continue;
		slu_buf_puts(out, comma);
		add_key(out, name);
		if (add_data(db, slu_db_int(rows, 0), out, err)) {
			ret = -1;
			break;
		}
		comma = ",";
	}
	slu_db_done(rows);
	return ret;
}

int slu_query_resources(struct slu_db *db, const struct slu_hosts *hosts,
			char *const *extractors, struct slu_buf *out,
			struct slu_err *err)
{
	struct id_list list = {0};
	int ret = list_hosts(db, hosts, &list, err);

	slu_buf_puts(out, "{");
	for (size_t i = 0; i < list.n && ret == 0; i++) {
		if (i)
			slu_buf_puts(out, ",");
		add_key(out, list.item[i].name);
		slu_buf_puts(out, "{");
		ret = add_documents(db, list.item[i].id, extractors, out, err);
		slu_buf_puts(out, "}");
	}
	slu_buf_puts(out, "}");
	list_free(&list);
	if (ret == 0 && out->failed)
		return slu_err(err, SLU_NOMEM, "the answer is too long");
	return ret;
}

/* Only the rows of these hosts. Takes the rows. */
static struct json_object *only(struct json_object *rows,
				const struct slu_hosts *hosts)
{
	struct json_object *kept, *row;
	const char *name;

	if (!rows || !hosts || hosts->n == 0)
		return rows;
	kept = json_object_new_array();
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		row = json_object_array_get_idx(rows, i);
		if (slu_json_str(row, "host", &name, NULL) == 0 &&
		    slu_hosts_find(hosts, name) >= 0)
			json_object_array_add(kept, json_object_get(row));
	}
	json_object_put(rows);
	return kept;
}

struct json_object *slu_query_hosts(struct slu_db *db,
				    const struct slu_hosts *hosts,
				    struct slu_err *err)
{
	const char *ours =
		"SELECT h.Hostname AS host, (SELECT count(*) FROM Host2Data x "
		"WHERE x.HostID = h.HostID) AS documents, "
		"min(s.Since) AS since, max(s.LastSeen) AS last_seen "
		"FROM Hosttable h LEFT JOIN Hostseen s ON s.HostID = h.HostID "
		"GROUP BY h.HostID ORDER BY h.HostID";
	const char *original =
		"SELECT h.Hostname AS host, count(x.DID) AS documents "
		"FROM Hosttable h LEFT JOIN Host2Data x ON x.HostID = h.HostID "
		"GROUP BY h.HostID ORDER BY h.HostID";

	return only(slu_query_rows(slu_db_query(db, err,
						slu_db_has(db, "Hostseen")
							? ours
							: original,
						""),
				   err),
		    hosts);
}

struct json_object *slu_query_extractors(struct slu_db *db, struct slu_err *err)
{
	return slu_query_rows(
		slu_db_query(db, err,
			     "SELECT e.Name AS extractor, "
			     "count(DISTINCT x.DID) AS documents, "
			     "count(DISTINCT x.HostID) AS hosts "
			     "FROM Extractortable e "
			     "LEFT JOIN Datatable d ON d.EID = e.EID "
			     "LEFT JOIN Host2Data x ON x.DID = d.DID "
			     "GROUP BY e.EID ORDER BY e.EID",
			     ""),
		err);
}

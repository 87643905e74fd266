/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the documents of many hosts without parsing them: only ids are sorted,
 * and texts are copied as they are, in pieces of one small buffer, so that the
 * answer may be larger than memory. A document that many hosts have is read
 * again for each, from a page of the file that is already mapped.
 */
#include "sysquery/map/map_resources.h"
#include "config.h"

#include "common/jsonx.h"
#include "store/column_texts.h"
#include "sysquery/json_rows.h"
#include <stdlib.h>
#include <string.h>

#define PIECE 65536 /* bytes */

struct ids { /* an EID or HostID with its name */
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

/* Adds the rows (id, name) of a query. */
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
	int64_t id;

	if (!hosts || hosts->n == 0)
		return list_read(out,
				 slu_db_query(db, err,
					      "SELECT HostID, Hostname FROM "
					      "Hosttable ORDER BY HostID",
					      ""),
				 err);
	for (size_t i = 0; i < hosts->n; i++) {
		if (slu_db_value(db, &id, 0, err,
				 "SELECT HostID FROM Hosttable WHERE "
				 "Hostname = ?",
				 "s", hosts->name[i]))
			return -1;
		if (id && list_add(out, id, hosts->name[i]))
			return slu_err(err, SLU_NOMEM, "resource map");
	}
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

/* The output. After the first error the rest is dropped. */
struct out {
	slu_piece_f *piece;
	void *arg;
	struct slu_err *err;
	bool failed;
	size_t len;
	char *data; /* PIECE bytes */
};

static void flush(struct out *out)
{
	if (out->len && !out->failed)
		out->failed = out->piece(out->arg, out->data, out->len,
					 out->err) != 0;
	out->len = 0;
}

static void add(struct out *out, const char *text, size_t len)
{
	size_t n;

	for (; len; text += n, len -= n) {
		if (out->len == PIECE)
			flush(out);
		n = PIECE - out->len < len ? PIECE - out->len : len;
		memcpy(out->data + out->len, text, n);
		out->len += n;
	}
}

/* "name": in JSON; caller frees. */
static char *make_key(const char *name)
{
	struct json_object *text = json_object_new_string(name);
	char *key = slu_asprintf("%s:", slu_json_text(text));

	json_object_put(text);
	return key;
}

struct answer {
	struct slu_db *db;
	struct slu_texts *texts;
	struct id_list extractors; /* names as JSON keys */
	struct out out;
	struct held *held; /* of the current host */
	size_t max_held;
};

static const char *key_of(const struct answer *a, int64_t eid)
{
	for (size_t i = 0; i < a->extractors.n; i++)
		if (a->extractors.item[i].id == eid)
			return a->extractors.item[i].name;
	return NULL;
}

struct held {
	int64_t did, eid;
	int64_t order;	 /* in which the host got them */
	const char *key; /* the extractor's; borrowed */
};

static int by_eid(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->eid != y->eid)
		return x->eid < y->eid ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int add_held(struct answer *a, size_t n, const struct held *held,
		    struct slu_err *err)
{
	size_t max = a->max_held ? 2 * a->max_held : 64;
	struct held *more;

	if (n == a->max_held) {
		more = realloc(a->held, max * sizeof(*more));
		if (!more)
			return slu_err(err, SLU_NOMEM, "resource map");
		a->held = more;
		a->max_held = max;
	}
	a->held[n] = *held;
	return 0;
}

/* Lists the selected documents of a host in a->held, sorted by EID. Only the
 * head of each row of Datatable is read. */
static int list_documents(struct answer *a, int64_t host, size_t *n,
			  struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		a->db, err,
		"SELECT x.DID, d.EID, x.rowid FROM Host2Data x CROSS JOIN "
		"Datatable d ON d.DID = x.DID WHERE x.HostID = ?",
		"I", host);
	struct held held;
	int ret = rows ? 0 : -1;

	*n = 0;
	while (ret == 0 && (ret = slu_db_step(rows, err)) == 1) {
		held = (struct held){slu_db_int(rows, 0), slu_db_int(rows, 1),
				     slu_db_int(rows, 2), NULL};
		held.key = key_of(a, held.eid);
		ret = held.key ? add_held(a, (*n)++, &held, err) : 0;
	}
	slu_db_done(rows);
	if (*n && ret == 0)
		qsort(a->held, *n, sizeof(*a->held), by_eid);
	return ret;
}

/* Copies "name":text from the database to the output. */
static int add_document(struct answer *a, const struct held *doc,
			struct slu_err *err)
{
	size_t len, n;
	int ret = slu_texts_at(a->texts, doc->did, &len, err);

	add(&a->out, doc->key, strlen(doc->key));
	if (ret == 0)
		add(&a->out, "null", 4);
	for (size_t at = 0; ret == 1 && at < len && !a->out.failed; at += n) {
		if (a->out.len == PIECE)
			flush(&a->out);
		n = PIECE - a->out.len < len - at ? PIECE - a->out.len
						  : len - at;
		if (slu_texts_read(a->texts, at, a->out.data + a->out.len, n,
				   err))
			ret = -1;
		a->out.len += n;
	}
	return ret < 0 ? -1 : 0;
}

static int add_host(struct answer *a, const struct ids *host,
		    struct slu_err *err)
{
	char *key = make_key(host->name);
	size_t n;
	int ret;

	if (!key)
		return slu_err(err, SLU_NOMEM, "resource map");
	ret = list_documents(a, host->id, &n, err);
	add(&a->out, key, strlen(key));
	add(&a->out, "{", 1);
	for (size_t i = 0; i < n && ret == 0; i++) {
		if (i)
			add(&a->out, ",", 1);
		ret = add_document(a, &a->held[i], err);
	}
	add(&a->out, "}", 1);
	free(key);
	return ret;
}

static int add_hosts(struct answer *a, const struct id_list *hosts,
		     struct slu_err *err)
{
	int ret = 0;

	add(&a->out, "{", 1);
	for (size_t i = 0; i < hosts->n && ret == 0 && !a->out.failed; i++) {
		if (i)
			add(&a->out, ",", 1);
		ret = add_host(a, &hosts->item[i], err);
	}
	add(&a->out, "}", 1);
	if (ret == 0)
		flush(&a->out);
	return ret || a->out.failed ? -1 : 0;
}

/* Lists the selected extractors; names become keys. */
static int list_extractors(struct answer *a, char *const *wanted,
			   struct slu_err *err)
{
	struct ids *e;
	char *key;

	if (list_read(&a->extractors,
		      slu_db_query(a->db, err,
				   "SELECT EID, Name FROM Extractortable "
				   "WHERE Name NOT NULL",
				   ""),
		      err))
		return -1;
	for (size_t i = 0; i < a->extractors.n; i++) {
		e = &a->extractors.item[i];
		key = listed(wanted, e->name) ? make_key(e->name) : NULL;
		if (!key && listed(wanted, e->name))
			return slu_err(err, SLU_NOMEM, "resource map");
		free(e->name);
		e->name = key;
	}
	return 0;
}

int slu_query_resources(struct slu_db *db, const struct slu_hosts *hosts,
			char *const *extractors, slu_piece_f *piece, void *arg,
			struct slu_err *err)
{
	struct answer a = {.db = db, .out = {piece, arg, err, false, 0, NULL}};
	struct id_list list = {0};
	int ret = slu_db_begin(db, err);

	if (ret)
		return -1;
	a.texts = slu_texts_new(db, "Datatable", "Data", err);
	a.out.data = malloc(PIECE);
	if (!a.texts || !a.out.data)
		ret = slu_err(err, SLU_NOMEM, "resource map");
	if (ret == 0)
		ret = list_hosts(db, hosts, &list, err);
	if (ret == 0)
		ret = list_extractors(&a, extractors, err);
	if (ret == 0)
		ret = add_hosts(&a, &list, err);
	slu_texts_free(a.texts);
	slu_db_rollback(db); /* only the temporary table was written */
	list_free(&a.extractors);
	list_free(&list);
	free(a.held);
	free(a.out.data);
	return ret;
}

/* Keeps the rows of these hosts. Takes the rows. */
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
		    slu_hosts_sorted_has(hosts, name))
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
				   0, err),
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
		0, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The big answer is put together here and not by SQL: documents are copied
 * as they are, never parsed, and only numbers are sorted on the way. One that
 * many hosts have is read once, and then copied from where it stands in the
 * answer already.
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

/* Documents that the answer has already: where in it they stand. A table by
 * DID, of which at most half is used; a free place has no key. */
struct copied {
	int64_t did, eid;
	const char *name; /* of the extractor; borrowed; NULL: not wanted */
	size_t at, len;	  /* "name":document in the answer */
};

struct answer {
	struct slu_db *db;
	struct id_list extractors;
	char *const *wanted;
	struct slu_buf *out;
	struct copied *slot;
	size_t n_slots, used;
};

static struct copied *place(const struct answer *a, int64_t did)
{
	size_t at =
		((uint64_t)did * 0x9e3779b97f4a7c15u >> 20) & (a->n_slots - 1);

	while (a->slot[at].did && a->slot[at].did != did)
		at = (at + 1) & (a->n_slots - 1);
	return &a->slot[at];
}

static int grow(struct answer *a, struct slu_err *err)
{
	struct answer more = {.n_slots = a->n_slots ? 2 * a->n_slots : 1024};

	more.slot = calloc(more.n_slots, sizeof(*more.slot));
	if (!more.slot)
		return slu_err(err, SLU_NOMEM, "resource map");
	for (size_t i = 0; i < a->n_slots; i++)
		if (a->slot[i].did)
			*place(&more, a->slot[i].did) = a->slot[i];
	free(a->slot);
	a->slot = more.slot;
	a->n_slots = more.n_slots;
	return 0;
}

static const char *name_of(const struct answer *a, int64_t eid)
{
	for (size_t i = 0; i < a->extractors.n; i++)
		if (a->extractors.item[i].id == eid)
			return listed(a->wanted, a->extractors.item[i].name)
				       ? a->extractors.item[i].name
				       : NULL;
	return NULL;
}

/* What is known of a document; 1, 0 when there is none, -1. Its text is not
 * read yet. */
static int look_up(struct answer *a, int64_t did, struct copied **out,
		   struct slu_err *err)
{
	int64_t eid;

	if (2 * (a->used + 1) > a->n_slots && grow(a, err))
		return -1;
	*out = place(a, did);
	if ((*out)->did)
		return 1;
	if (slu_db_value(a->db, &eid, -1, err,
			 "SELECT EID FROM Datatable WHERE DID = ?", "I", did))
		return -1;
	**out = (struct copied){
		.did = did, .eid = eid, .name = name_of(a, eid)};
	a->used++;
	return 1;
}

/* "name":text out of the database; it is then found in the answer. */
static int add_new(struct answer *a, struct copied *doc, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		a->db, err, "SELECT Data FROM Datatable WHERE DID = ?", "I",
		doc->did);
	int ret;

	if (!rows)
		return -1;
	doc->at = a->out->len;
	add_key(a->out, doc->name);
	ret = slu_db_step(rows, err);
	if (ret == 1 && slu_db_text(rows, 0))
		slu_buf_add(a->out, slu_db_text(rows, 0),
			    slu_db_bytes(rows, 0));
	else if (ret == 1)
		slu_buf_puts(a->out, "null");
	doc->len = a->out->len - doc->at;
	slu_db_done(rows);
	return ret < 0 ? -1 : 0;
}

static int add_document(struct answer *a, int64_t did, struct slu_err *err)
{
	struct copied *doc = place(a, did);

	if (doc->len == 0)
		return add_new(a, doc, err);
	slu_buf_again(a->out, doc->at, doc->len);
	return 0;
}

struct held {
	int64_t eid, did;
	size_t order; /* in which they were given to the host */
};

static int by_eid(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->eid != y->eid)
		return x->eid < y->eid ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* The wanted documents of a host, in the order of EID. Caller frees. */
static int list_documents(struct answer *a, int64_t host, struct held **out,
			  size_t *n, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(a->db, err,
					     "SELECT DID, rowid FROM Host2Data "
					     "WHERE HostID = ?",
					     "I", host);
	struct held *more;
	struct copied *doc;
	int ret;

	*out = NULL;
	*n = 0;
	while (rows && (ret = slu_db_step(rows, err)) == 1) {
		ret = look_up(a, slu_db_int(rows, 0), &doc, err);
		if (ret < 0)
			break;
		if (!doc->name)
			continue;
		more = realloc(*out, (*n + 1) * sizeof(*more));
		if (!more) {
			ret = slu_err(err, SLU_NOMEM, "resource map");
			break;
		}
		*out = more;
		more[(*n)++] = (struct held){doc->eid, doc->did,
					     (size_t)slu_db_int(rows, 1)};
	}
	slu_db_done(rows);
	if (*n)
		qsort(*out, *n, sizeof(**out), by_eid);
	return rows && ret == 0 ? 0 : -1;
}

/* The documents of one host, without the braces. */
static int add_documents(struct answer *a, int64_t host, struct slu_err *err)
{
	struct held *held;
	size_t n;
	int ret = list_documents(a, host, &held, &n, err);

	for (size_t i = 0; i < n && ret == 0; i++) {
		if (i)
			slu_buf_puts(a->out, ",");
		ret = add_document(a, held[i].did, err);
	}
	free(held);
	return ret;
}

static int add_hosts(struct answer *a, const struct id_list *hosts,
		     struct slu_err *err)
{
	int ret = 0;

	slu_buf_puts(a->out, "{");
	for (size_t i = 0; i < hosts->n && ret == 0; i++) {
		if (i)
			slu_buf_puts(a->out, ",");
		add_key(a->out, hosts->item[i].name);
		slu_buf_puts(a->out, "{");
		ret = add_documents(a, hosts->item[i].id, err);
		slu_buf_puts(a->out, "}");
	}
	slu_buf_puts(a->out, "}");
	if (ret == 0 && a->out->failed)
		return slu_err(err, SLU_NOMEM, "the answer is too long");
	return ret;
}

int slu_query_resources(struct slu_db *db, const struct slu_hosts *hosts,
			char *const *extractors, struct slu_buf *out,
			struct slu_err *err)
{
	struct answer a = {.db = db, .wanted = extractors, .out = out};
	struct id_list list = {0};
	int ret = slu_db_begin(db, err);

	if (ret)
		return -1;
	ret = list_hosts(db, hosts, &list, err);
	if (ret == 0)
		ret = list_read(&a.extractors,
				slu_db_query(db, err,
					     "SELECT EID, Name FROM "
					     "Extractortable WHERE Name NOT "
					     "NULL",
					     ""),
				err);
	if (ret == 0)
		ret = add_hosts(&a, &list, err);
	slu_db_rollback(db); /* there is nothing to keep */
	list_free(&a.extractors);
	list_free(&list);
	free(a.slot);
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

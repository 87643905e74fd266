/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The original tool's tables are the truth about what a host has; ours only
 * add to it, so that both may write the same database. Since Datatable.Data is
 * unique whatever the extractor, the second extractor with the same text (most
 * often "[]") gets a blank behind it, which is the same JSON.
 */
#include "config.h"
#include "sysmap/documents.h"

#include <stdlib.h>
#include <string.h>

#define SAME_TEXT_MAX 64 /* extractors that may share a text */

int64_t slu_host_id(struct slu_db *db, const char *host, bool make,
		    struct slu_err *err)
{
	int64_t id;

	if (make &&
	    slu_db_exec(db, err,
			"INSERT OR IGNORE INTO Hosttable (Hostname) VALUES (?)",
			"s", host) < 0)
		return -1;
	if (slu_db_value(db, &id, 0, err,
			 "SELECT HostID FROM Hosttable WHERE Hostname = ?", "s",
			 host))
		return -1;
	return id;
}

static int64_t extractor_id(struct slu_db *db, const char *name,
			    struct slu_err *err)
{
	int64_t id;

	if (slu_db_exec(db, err,
			"INSERT OR IGNORE INTO Extractortable (Name) "
			"VALUES (?)",
			"s", name) < 0 ||
	    slu_db_value(db, &id, 0, err,
			 "SELECT EID FROM Extractortable WHERE Name = ?", "s",
			 name))
		return -1;
	return id;
}

/* Rows of DID, EID, Hash into a list. */
static int read_held(struct slu_rows *rows, struct slu_held **out, size_t *n,
		     struct slu_err *err)
{
	struct slu_held *list = NULL, *more;
	size_t len = 0;
	int ret;

	while ((ret = slu_db_step(rows, err)) == 1) {
		more = realloc(list, (len + 1) * sizeof(*list));
		if (!more) {
			ret = slu_err(err, SLU_NOMEM, "documents of a host");
			break;
		}
		list = more;
		list[len++] = (struct slu_held){
			.did = slu_db_int(rows, 0),
			.eid = slu_db_int(rows, 1),
			.hash = (uint64_t)slu_db_int(rows, 2),
		};
	}
	if (ret) {
		free(list);
		return -1;
	}
	*out = list;
	*n = len;
	return 0;
}

int slu_documents_held(struct slu_db *db, int64_t host, struct slu_held **out,
		       size_t *n, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT x.DID, d.EID, h.Hash FROM Host2Data x "
		"JOIN Datatable d ON d.DID = x.DID "
		"LEFT JOIN Datahash h ON h.DID = x.DID WHERE x.HostID = ?",
		"I", host);
	int ret;

	if (!rows)
		return -1;
	ret = read_held(rows, out, n, err);
	slu_db_done(rows);
	return ret;
}

int slu_documents_known(struct slu_db *db, uint64_t hash, struct slu_held *out,
			struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT d.DID, d.EID FROM Datahash h "
		"JOIN Datatable d ON d.DID = h.DID WHERE h.Hash = ?",
		"I", (int64_t)hash);
	int ret;

	if (!rows)
		return -1;
	ret = slu_db_step(rows, err);
	if (ret == 1)
		*out = (struct slu_held){.hash = hash,
					 .did = slu_db_int(rows, 0),
					 .eid = slu_db_int(rows, 1)};
	slu_db_done(rows);
	return ret;
}

/* Is the extractor one whose documents are not worth remembering? */
static int is_dynamic(struct slu_db *db, int64_t eid, bool *out,
		      struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err, "SELECT Name FROM Extractortable WHERE EID = ?", "I",
		eid);
	const struct slu_extractor *e;
	int ret;

	if (!rows)
		return -1;
	*out = false;
	ret = slu_db_step(rows, err);
	if (ret == 1 && slu_db_text(rows, 0)) {
		e = slu_extractor_find(slu_db_text(rows, 0));
		*out = e && e->dynamic;
	}
	slu_db_done(rows);
	return ret < 0 ? -1 : 0;
}

/* Take a document away from a host: into its history, or, when dynamic, out
 * of the database unless somebody else has it. */
static int unlink_one(struct slu_db *db, int64_t host,
		      const struct slu_held *old, int64_t now, bool dynamic,
		      struct slu_err *err)
{
	if (!dynamic &&
	    slu_db_exec(db, err,
			"INSERT INTO Change (HostID, EID, DID, Since, Until) "
			"VALUES (?1, ?2, ?3, coalesce((SELECT Since FROM "
			"Hostseen WHERE HostID = ?1 AND EID = ?2 AND "
			"DID = ?3), 0), ?4)",
			"IIII", host, old->eid, old->did, now) < 0)
		return -1;
	if (slu_db_exec(db, err,
			"DELETE FROM Host2Data WHERE HostID = ? AND DID = ?",
			"II", host, old->did) < 0)
		return -1;
	if (!dynamic)
		return 0;
	if (slu_db_exec(db, err,
			"DELETE FROM Datatable WHERE DID = ?1 AND NOT EXISTS "
			"(SELECT 1 FROM Host2Data WHERE DID = ?1)",
			"I", old->did) < 0 ||
	    slu_db_exec(db, err,
			"DELETE FROM Datahash WHERE DID = ?1 AND NOT EXISTS "
			"(SELECT 1 FROM Datatable WHERE DID = ?1)",
			"I", old->did) < 0)
		return -1;
	return 0;
}

int slu_documents_link(struct slu_db *db, int64_t host,
		       const struct slu_held *doc, int64_t now,
		       struct slu_err *err)
{
	struct slu_held *held;
	bool has = false, dynamic;
	size_t n;
	int ret;

	if (is_dynamic(db, doc->eid, &dynamic, err) ||
	    slu_documents_held(db, host, &held, &n, err))
		return -1;
	ret = 0;
	for (size_t i = 0; i < n && ret == 0; i++) {
		if (held[i].did == doc->did)
			has = true;
		else if (held[i].eid == doc->eid)
			ret = unlink_one(db, host, &held[i], now, dynamic, err);
	}
	free(held);
	if (ret || has)
		return ret;
	if (slu_db_exec(db, err,
			"INSERT INTO Host2Data (HostID, DID) VALUES (?, ?)",
			"II", host, doc->did) < 0 ||
	    slu_db_exec(db, err,
			"INSERT OR REPLACE INTO Hostseen "
			"(HostID, EID, DID, Since, LastSeen) "
			"VALUES (?1, ?2, ?3, ?4, ?4)",
			"IIII", host, doc->eid, doc->did, now) < 0)
		return -1;
	return 0;
}

/* The row of exactly this text: 1 found, 0 free, -1. */
static int find_text(struct slu_db *db, const struct slu_buf *text,
		     struct slu_held *out, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err, "SELECT DID, EID FROM Datatable WHERE Data = ?", "S",
		text->data, text->len);
	int ret;

	if (!rows)
		return -1;
	ret = slu_db_step(rows, err);
	if (ret == 1) {
		out->did = slu_db_int(rows, 0);
		out->eid = slu_db_int(rows, 1);
	}
	slu_db_done(rows);
	return ret;
}

static int insert_text(struct slu_db *db, const struct slu_buf *text,
		       struct slu_held *doc, struct slu_err *err)
{
	if (slu_db_exec(db, err,
			"INSERT INTO Datatable (EID, Data) VALUES (?, ?)", "IS",
			doc->eid, text->data, text->len) < 0)
		return -1;
	doc->did = slu_db_last_id(db);
	return 0;
}

/* Find or store the text as a document of doc->eid; fills in doc->did. */
static int store_text(struct slu_db *db, struct slu_buf *text,
		      struct slu_held *doc, struct slu_err *err)
{
	struct slu_held found = {0};
	int ret;

	for (int i = 0; i < SAME_TEXT_MAX; i++) {
		ret = find_text(db, text, &found, err);
		if (ret < 0)
			return -1;
		if (ret == 0)
			return insert_text(db, text, doc, err);
		if (found.eid == doc->eid) {
			doc->did = found.did;
			return 0;
		}
		slu_buf_add(text, " ", 1);
		if (text->failed)
			return slu_err(err, SLU_NOMEM, "document");
	}
	return slu_err(err, SLU_INVALID,
		       "too many extractors have the same document");
}

int slu_documents_put(struct slu_db *db, int64_t host,
		      const struct slu_document *doc, int64_t now,
		      struct slu_err *err)
{
	struct slu_buf text = {0};
	struct slu_held held = {.hash = doc->hash};
	int ret = -1;

	slu_buf_add(&text, doc->text, doc->len);
	if (text.failed) {
		slu_err(err, SLU_NOMEM, "document");
		goto out;
	}
	held.eid = extractor_id(db, doc->extractor, err);
	if (held.eid < 0 || store_text(db, &text, &held, err) ||
	    slu_db_exec(db, err,
			"INSERT OR REPLACE INTO Datahash (DID, Hash) "
			"VALUES (?, ?)",
			"II", held.did, (int64_t)doc->hash) < 0)
		goto out;
	ret = slu_documents_link(db, host, &held, now, err);
out:
	slu_buf_free(&text);
	return ret;
}

/* The first row's text, if there is one: 1, 0 or -1. Ends the query. */
static int read_text(struct slu_rows *rows, struct slu_buf *out,
		     struct slu_err *err)
{
	int ret;

	if (!rows)
		return -1;
	ret = slu_db_step(rows, err);
	if (ret == 1) {
		slu_buf_reset(out);
		slu_buf_add(out, slu_db_text(rows, 0), slu_db_bytes(rows, 0));
		if (out->failed)
			ret = slu_err(err, SLU_NOMEM, "document");
	}
	slu_db_done(rows);
	return ret;
}

int slu_documents_read(struct slu_db *db, const char *host,
		       const char *extractor, struct slu_buf *out,
		       struct slu_err *err)
{
	struct slu_rows *rows =
		slu_db_query(db, err,
			     "SELECT d.Data FROM Hosttable h "
			     "JOIN Host2Data x ON x.HostID = h.HostID "
			     "JOIN Datatable d ON d.DID = x.DID "
			     "JOIN Extractortable e ON e.EID = d.EID "
			     "WHERE h.Hostname = ? AND e.Name = ? "
			     "ORDER BY d.DID DESC LIMIT 1",
			     "ss", host, extractor);
	int ret = read_text(rows, out, err);

	if (ret == 0)
		return slu_err(err, SLU_NOTFOUND,
			       "the resource map has no %s of %s", extractor,
			       host);
	return ret == 1 ? 0 : -1;
}

int slu_documents_newest(struct slu_db *db, const char *extractor,
			 struct slu_buf *out, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT d.Data FROM Extractortable e "
		"JOIN Hostseen s ON s.EID = e.EID "
		"JOIN Host2Data x ON x.HostID = s.HostID AND x.DID = s.DID "
		"JOIN Datatable d ON d.DID = s.DID WHERE e.Name = ? "
		"ORDER BY s.Since DESC, d.DID DESC LIMIT 1",
		"s", extractor);
	int ret = read_text(rows, out, err);

	if (ret == 0)
		return slu_err(err, SLU_NOTFOUND,
			       "the resource map has no %s of any host",
			       extractor);
	return ret == 1 ? 0 : -1;
}

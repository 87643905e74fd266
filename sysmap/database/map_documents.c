/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the links between hosts and documents, with their history.
 * The tables of the original sysmap (of the ADA-FS project) are authoritative
 * for the present documents of a host; ours only extend them, so that both
 * programs can write the same database.
 */
#include "config.h"
#include "sysmap/database/map_documents.h"
#include "common/jsonx.h"

#include <stdlib.h>

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

/* Reads rows of DID, EID, Hash into a list. */
static int read_held(struct slu_rows *rows, struct slu_known_document **out,
		     size_t *n, struct slu_err *err)
{
	struct slu_known_document *list = NULL, *more;
	size_t len = 0;
	int ret;

	while ((ret = slu_db_step(rows, err)) == 1) {
		more = realloc(list, (len + 1) * sizeof(*list));
		if (!more) {
			ret = slu_err(err, SLU_NOMEM, "documents of a host");
			break;
		}
		list = more;
		list[len++] = (struct slu_known_document){
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

int slu_documents_held(struct slu_db *db, int64_t host,
		       struct slu_known_document **out, size_t *n,
		       struct slu_err *err)
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

int slu_documents_take(struct slu_db *db, int64_t host,
		       const struct slu_known_document *old, bool remember,
		       int64_t now, bool *deleted, struct slu_err *err)
{
	long n = 0;

	if (remember &&
	    slu_db_exec(db, err,
			"INSERT INTO Change (HostID, EID, DID, Since, Until, "
			"Bytes) VALUES (?1, ?2, ?3, coalesce((SELECT Since "
			"FROM Hostseen WHERE HostID = ?1 AND EID = ?2 AND "
			"DID = ?3), 0), ?4, coalesce((SELECT length(Data) "
			"FROM Datatable WHERE DID = ?3), 0))",
			"IIII", host, old->eid, old->did, now) < 0)
		return -1;
	if (slu_db_exec(db, err,
			"DELETE FROM Host2Data WHERE HostID = ? AND DID = ?",
			"II", host, old->did) < 0)
		return -1;
	if (!remember)
		n = slu_db_exec(db, err,
				"DELETE FROM Datatable WHERE DID = ?1 AND NOT "
				"EXISTS (SELECT 1 FROM Host2Data WHERE DID = "
				"?1)",
				"I", old->did);
	if (n < 0 ||
	    (n > 0 && slu_db_exec(db, err, "DELETE FROM Datahash WHERE DID = ?",
				  "I", old->did) < 0))
		return -1;
	*deleted = n > 0;
	return 0;
}

/* Creates the empty table Old, for rows of Change that are to be deleted. */
static int begin_old(struct slu_db *db, struct slu_err *err)
{
	if (slu_db_exec(db, err,
			"CREATE TEMP TABLE IF NOT EXISTS Old (Change INTEGER, "
			"DID INTEGER)",
			"") < 0 ||
	    slu_db_exec(db, err, "DELETE FROM Old", "") < 0)
		return -1;
	return 0;
}

/* Deletes these n rows, and documents without any reference left. Returns n, or
 * -1. */
static long end_old(struct slu_db *db, long n, struct slu_err *err)
{
	static const char *const then[] = {
		"DELETE FROM Change WHERE rowid IN (SELECT Change FROM Old)",
		"DELETE FROM Old WHERE EXISTS (SELECT 1 FROM Host2Data x "
		"WHERE x.DID = Old.DID) OR EXISTS (SELECT 1 FROM Change c "
		"WHERE c.DID = Old.DID)",
		"DELETE FROM Datahash WHERE DID IN (SELECT DID FROM Old)",
		"DELETE FROM Datatable WHERE DID IN (SELECT DID FROM Old)",
	};

	for (size_t i = 0; n > 0 && i < sizeof(then) / sizeof(then[0]); i++)
		if (slu_db_exec(db, err, then[i], "") < 0)
			return -1;
	return n;
}

long slu_documents_prune(struct slu_db *db, int64_t before, size_t max,
			 struct slu_err *err)
{
	if (begin_old(db, err))
		return -1;
	return end_old(db,
		       slu_db_exec(db, err,
				   "INSERT INTO Old SELECT rowid, DID FROM "
				   "Change WHERE Until < ? LIMIT ?",
				   "II", before, (int64_t)max),
		       err);
}

long slu_documents_bound(struct slu_db *db, int64_t host, int64_t eid,
			 struct slu_err *err)
{
	int64_t bytes;

	if (slu_db_value(db, &bytes, 0, err,
			 "SELECT sum(Bytes) FROM Change WHERE HostID = ? AND "
			 "EID = ?",
			 "II", host, eid))
		return -1;
	if (bytes <= SLU_WORKLOAD_MAX)
		return 0;
	if (begin_old(db, err))
		return -1;
	return end_old(db,
		       slu_db_exec(db, err,
				   "INSERT INTO Old SELECT Change, DID FROM "
				   "(SELECT rowid AS Change, DID, sum(Bytes) "
				   "OVER (ORDER BY Until DESC, rowid DESC) AS "
				   "Sum FROM Change WHERE HostID = ? AND "
				   "EID = ?) WHERE Sum > ?",
				   "III", host, eid, (int64_t)SLU_WORKLOAD_MAX),
		       err);
}

int slu_documents_give(struct slu_db *db, int64_t host,
		       const struct slu_known_document *doc, int64_t now,
		       struct slu_err *err)
{
	if (slu_db_exec(db, err,
			"INSERT INTO Host2Data (HostID, DID) VALUES (?, ?)",
			"II", host, doc->did) < 0 ||
	    slu_db_exec(db, err,
			"INSERT INTO Hostseen "
			"(HostID, EID, DID, Since, LastSeen) "
			"VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (HostID, EID) "
			"DO UPDATE SET DID = ?3, Since = ?4, LastSeen = ?4",
			"IIII", host, doc->eid, doc->did, now) < 0)
		return -1;
	return 0;
}

/* The text of the first row: 1, none: 0, or -1. Ends the query. */
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
	/* in this order, so that the index HostseenNewest is used */
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT d.Data FROM Hostseen s "
		"CROSS JOIN Host2Data x ON x.HostID = s.HostID AND "
		"x.DID = s.DID CROSS JOIN Datatable d ON d.DID = s.DID "
		"WHERE s.EID = (SELECT EID FROM Extractortable WHERE Name = ?) "
		"ORDER BY s.Since DESC, s.DID DESC LIMIT 1",
		"s", extractor);
	int ret = read_text(rows, out, err);

	if (ret == 0)
		return slu_err(err, SLU_NOTFOUND,
			       "the resource map has no %s of any host",
			       extractor);
	return ret == 1 ? 0 : -1;
}

int slu_documents_earlier(struct slu_db *db, const char *extractor, size_t nth,
			  struct slu_buf *out, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"WITH e AS (SELECT EID FROM Extractortable WHERE Name = ?1), "
		"has AS (SELECT HostID, EID, DID, Since FROM Hostseen WHERE "
		"EID = (SELECT EID FROM e)), "
		"had AS (SELECT DID, Since FROM has UNION ALL "
		"SELECT c.DID, c.Since FROM has CROSS JOIN Change c ON "
		"c.HostID = has.HostID AND c.EID = has.EID) "
		"SELECT d.Data FROM (SELECT DID, max(Since) AS At FROM had "
		"GROUP BY DID ORDER BY At DESC, DID DESC LIMIT 1 OFFSET ?2) o "
		"JOIN Datatable d ON d.DID = o.DID",
		"sI", extractor, (int64_t)nth);
	int ret = read_text(rows, out, err);

	if (ret == 0)
		return slu_err(err, SLU_NOTFOUND,
			       "the resource map has no other %s of any host",
			       extractor);
	return ret == 1 ? 0 : -1;
}

struct json_object *slu_documents_array(struct slu_db *db, const char *host,
					const char *extractor,
					struct slu_err *err)
{
	struct json_object *array = NULL;
	struct slu_buf text = {0};

	if (slu_documents_read(db, host, extractor, &text, err) == 0)
		array = slu_json_parse(text.data, text.len, err);
	slu_buf_free(&text);
	if (!array || json_object_is_type(array, json_type_array))
		return array;
	json_object_put(array);
	slu_err(err, SLU_INVALID, "%s of %s: not an array", extractor, host);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Caches which documents the database has, by hash: a hash table with open
 * addressing that is at most half full. A slot with DID 0 is free, one with DID
 * GONE was deleted. Documents that the original sysmap (of the ADA-FS project)
 * wrote have no hashes; they are computed before the first new document is
 * stored.
 */
#include "config.h"
#include "sysmap/database/known_documents.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST    1024
#define EXTRACTORS_MAX 256
#define GONE	       -1

struct extractor {
	int64_t eid;
	char *name; /* owned */
	bool dynamic;
};

struct slu_known {
	struct slu_db *db;
	struct slu_known_document *slot;
	size_t n_slots, used; /* a power of 2; slots that are not free */
	struct extractor extractor[EXTRACTORS_MAX];
	size_t n_extractors;
	bool adopted; /* every document has its hash */
};

struct slu_known *slu_known_new(struct slu_db *db, struct slu_err *err)
{
	struct slu_known *k = calloc(1, sizeof(*k));

	if (!k)
		slu_err(err, SLU_NOMEM, "resource map");
	else
		k->db = db;
	return k;
}

void slu_known_forget(struct slu_known *k)
{
	for (size_t i = 0; i < k->n_extractors; i++)
		free(k->extractor[i].name);
	k->n_extractors = 0;
	free(k->slot);
	k->slot = NULL;
	k->n_slots = k->used = 0;
	k->adopted = false;
}

void slu_known_free(struct slu_known *k)
{
	if (!k)
		return;
	slu_known_forget(k);
	free(k);
}

/* The slot of this hash, or the free one for it. */
static struct slu_known_document *place(const struct slu_known *k,
					uint64_t hash)
{
	size_t at = hash & (k->n_slots - 1);

	while (k->slot[at].did &&
	       (k->slot[at].did == GONE || k->slot[at].hash != hash))
		at = (at + 1) & (k->n_slots - 1);
	return &k->slot[at];
}

/* Resizes for the present entries, without the deleted ones. */
static bool grow(struct slu_known *k)
{
	struct slu_known more = {.n_slots = SLOTS_FIRST};

	for (size_t i = 0; i < k->n_slots; i++)
		more.used += k->slot[i].did > 0;
	while (more.n_slots < 4 * more.used)
		more.n_slots *= 2;
	more.slot = calloc(more.n_slots, sizeof(*more.slot));
	if (!more.slot)
		return false;
	for (size_t i = 0; i < k->n_slots; i++)
		if (k->slot[i].did > 0)
			*place(&more, k->slot[i].hash) = k->slot[i];
	free(k->slot);
	k->slot = more.slot;
	k->n_slots = more.n_slots;
	k->used = more.used;
	return true;
}

/* Without memory the document is looked up in the database each time. */
static void remember(struct slu_known *k, const struct slu_known_document *doc)
{
	struct slu_known_document *at;

	if (2 * (k->used + 1) > k->n_slots && !grow(k))
		return;
	at = place(k, doc->hash);
	k->used += at->did == 0;
	*at = *doc;
}

void slu_known_drop(struct slu_known *k, uint64_t hash)
{
	struct slu_known_document *at = k->n_slots ? place(k, hash) : NULL;

	if (at && at->did)
		at->did = GONE;
}

/* The first row (DID, EID) of a query: 1 found, 0 not there, -1. */
static int read_ids(struct slu_rows *rows, struct slu_known_document *out,
		    struct slu_err *err)
{
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

int slu_known_find(struct slu_known *k, uint64_t hash,
		   struct slu_known_document *out, struct slu_err *err)
{
	struct slu_known_document doc = {.hash = hash};
	struct slu_known_document *at = k->n_slots ? place(k, hash) : NULL;
	int ret;

	if (at && at->did) {
		*out = *at;
		return 1;
	}
	ret = read_ids(slu_db_query(k->db, err,
				    "SELECT d.DID, d.EID FROM Datahash h "
				    "JOIN Datatable d ON d.DID = h.DID "
				    "WHERE h.Hash = ?",
				    "I", (int64_t)hash),
		       &doc, err);
	if (ret == 1) {
		remember(k, &doc);
		*out = doc;
	}
	return ret;
}

static const struct extractor *add_extractor(struct slu_known *k, int64_t eid,
					     const char *name,
					     struct slu_err *err)
{
	const struct slu_extractor *e = slu_extractor_find(name);
	struct extractor *new = &k->extractor[k->n_extractors];

	if (k->n_extractors == EXTRACTORS_MAX) {
		slu_err(err, SLU_INVALID, "more than %d extractors",
			EXTRACTORS_MAX);
		return NULL;
	}
	*new = (struct extractor){eid, strdup(name), e && e->dynamic};
	if (!new->name) {
		slu_err(err, SLU_NOMEM, "extractor");
		return NULL;
	}
	k->n_extractors++;
	return new;
}

/* The extractor of this name, created if it is new; NULL: error. */
static const struct extractor *named(struct slu_known *k, const char *name,
				     struct slu_err *err)
{
	int64_t id;

	for (size_t i = 0; i < k->n_extractors; i++)
		if (strcmp(k->extractor[i].name, name) == 0)
			return &k->extractor[i];
	if (slu_db_exec(k->db, err,
			"INSERT OR IGNORE INTO Extractortable (Name) "
			"VALUES (?)",
			"s", name) < 0 ||
	    slu_db_value(k->db, &id, 0, err,
			 "SELECT EID FROM Extractortable WHERE Name = ?", "s",
			 name))
		return NULL;
	return add_extractor(k, id, name, err);
}

bool slu_known_named(const struct slu_known *k, int64_t eid, const char *name)
{
	for (size_t i = 0; i < k->n_extractors; i++)
		if (k->extractor[i].eid == eid)
			return strcmp(k->extractor[i].name, name) == 0;
	return false;
}

int slu_known_dynamic(struct slu_known *k, int64_t eid, bool *out,
		      struct slu_err *err)
{
	const struct extractor *e = NULL;
	struct slu_rows *rows;
	int ret;

	for (size_t i = 0; i < k->n_extractors; i++)
		if (k->extractor[i].eid == eid) {
			*out = k->extractor[i].dynamic;
			return 0;
		}
	rows = slu_db_query(k->db, err,
			    "SELECT Name FROM Extractortable WHERE EID = ?",
			    "I", eid);
	if (!rows)
		return -1;
	ret = slu_db_step(rows, err);
	if (ret == 1 && slu_db_text(rows, 0)) {
		e = add_extractor(k, eid, slu_db_text(rows, 0), err);
		ret = e ? 1 : -1;
	}
	slu_db_done(rows);
	*out = e && e->dynamic;
	return ret < 0 ? -1 : 0;
}

/* Stores the hash of the document in this row (DID, EID, Name, Data). */
static int adopt_row(struct slu_known *k, struct slu_rows *row,
		     struct slu_err *err)
{
	struct slu_known_document doc = {.did = slu_db_int(row, 0),
					 .eid = slu_db_int(row, 1)};
	const char *name = slu_db_text(row, 2), *text = slu_db_text(row, 3);
	struct slu_known_document other;
	int ret;

	doc.hash = slu_document_hash(name, text, slu_db_bytes(row, 3));
	ret = slu_known_find(k, doc.hash, &other, err);
	if (ret == 0 && slu_db_exec(k->db, err,
				    "INSERT INTO Datahash (DID, Hash) "
				    "VALUES (?1, ?2) ON CONFLICT (Hash) DO "
				    "UPDATE SET DID = ?1",
				    "II", doc.did, (int64_t)doc.hash) < 0)
		return -1;
	return ret < 0 ? -1 : 0;
}

/* Hashes the documents that were written by the original tool. */
static int adopt(struct slu_known *k, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		k->db, err,
		"SELECT d.DID, d.EID, e.Name, d.Data FROM Datatable d "
		"JOIN Extractortable e ON e.EID = d.EID WHERE d.Data NOT NULL "
		"AND e.Name NOT NULL AND d.DID IN (SELECT DID FROM Datatable "
		"EXCEPT SELECT DID FROM Datahash) ORDER BY d.DID",
		"");
	int ret = rows ? 0 : -1;

	while (ret == 0 && (ret = slu_db_step(rows, err)) == 1)
		ret = adopt_row(k, rows, err);
	slu_db_done(rows);
	k->adopted = ret == 0;
	return ret;
}

/* The hash is stored first, see store/migrations.c; one without its document is
 * deleted. OR FAIL, because SQLite copies pages for a statement with a trigger
 * that it might have to roll back. */
static int store(struct slu_known *k, const struct slu_document *doc,
		 struct slu_known_document *new, struct slu_err *err)
{
	if (slu_db_exec(k->db, err, "DELETE FROM Datahash WHERE Hash = ?", "I",
			(int64_t) new->hash) < 0 ||
	    slu_db_exec(k->db, err,
			"INSERT INTO Datahash (DID, Hash) VALUES (1 + coalesce("
			"(SELECT seq FROM sqlite_sequence WHERE name = "
			"'Datatable'), 0), ?)",
			"I", (int64_t) new->hash) < 0)
		return -1;
	new->did = slu_db_last_id(k->db);
	if (slu_db_exec(k->db, err,
			"INSERT OR FAIL INTO Datatable (DID, EID, Data) "
			"VALUES (?, ?, ?)",
			"IIS", new->did, new->eid, doc->text, doc->len) < 0)
		return -1;
	remember(k, new);
	return 0;
}

int slu_known_store(struct slu_known *k, const struct slu_document *doc,
		    struct slu_known_document *out, struct slu_err *err)
{
	const struct extractor *e = named(k, doc->extractor, err);
	struct slu_known_document new = {.hash = doc->hash};
	int ret;

	if (!e)
		return -1;
	ret = slu_known_find(k, doc->hash, &new, err);
	if (ret == 0 && !k->adopted) {
		ret = adopt(k, err);
		if (ret == 0)
			ret = slu_known_find(k, doc->hash, &new, err);
	}
	if (ret == 0) {
		new.eid = e->eid;
		ret = store(k, doc, &new, err);
	}
	if (ret >= 0)
		*out = new;
	return ret < 0 ? -1 : 0;
}

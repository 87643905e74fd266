/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes in an open-addressing table, of which at most half is used; a place
 * whose DID is 0 is free, one whose DID is GONE was used. Since Datatable.Data
 * is unique whatever the extractor, the second extractor with the same text
 * (most often "[]") gets a blank behind it, which is the same JSON.
 */
#include "config.h"
#include "sysmap/known.h"

#include <stdlib.h>
#include <string.h>

#define SAME_TEXT_MAX  64 /* extractors that may share a text */
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
	struct slu_held *slot;
	size_t n_slots, used; /* a power of 2; places that are not free */
	struct extractor extractor[EXTRACTORS_MAX];
	size_t n_extractors;
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

static void forget_hashes(struct slu_known *k)
{
	free(k->slot);
	k->slot = NULL;
	k->n_slots = k->used = 0;
}

void slu_known_forget(struct slu_known *k)
{
	for (size_t i = 0; i < k->n_extractors; i++)
		free(k->extractor[i].name);
	k->n_extractors = 0;
	forget_hashes(k);
}

void slu_known_free(struct slu_known *k)
{
	if (!k)
		return;
	slu_known_forget(k);
	free(k);
}

/* Its place, or the free one where it would be. */
static struct slu_held *place(const struct slu_known *k, uint64_t hash)
{
	size_t at = hash & (k->n_slots - 1);

	while (k->slot[at].did &&
	       (k->slot[at].did == GONE || k->slot[at].hash != hash))
		at = (at + 1) & (k->n_slots - 1);
	return &k->slot[at];
}

static bool grow(struct slu_known *k)
{
	struct slu_known more = {.n_slots = k->n_slots ? 2 * k->n_slots
						       : SLOTS_FIRST};

	more.slot = calloc(more.n_slots, sizeof(*more.slot));
	if (!more.slot)
		return false;
	for (size_t i = 0; i < k->n_slots; i++) {
		if (k->slot[i].did <= 0)
			continue;
		*place(&more, k->slot[i].hash) = k->slot[i];
		more.used++;
	}
	free(k->slot);
	k->slot = more.slot;
	k->n_slots = more.n_slots;
	k->used = more.used;
	return true;
}

/* Without memory it is only not remembered. */
static void remember(struct slu_known *k, const struct slu_held *doc)
{
	struct slu_held *at;

	if (2 * (k->used + 1) > k->n_slots && !grow(k))
		return;
	at = place(k, doc->hash);
	k->used += at->did == 0;
	*at = *doc;
}

void slu_known_drop(struct slu_known *k, uint64_t hash)
{
	struct slu_held *at = k->n_slots ? place(k, hash) : NULL;

	if (at && at->did)
		at->did = GONE;
}

/* The first row (DID, EID) of a query: 1 found, 0 not there, -1. */
static int read_ids(struct slu_rows *rows, struct slu_held *out,
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

int slu_known_find(struct slu_known *k, uint64_t hash, struct slu_held *out,
		   struct slu_err *err)
{
	struct slu_held doc = {.hash = hash};
	struct slu_held *at = k->n_slots ? place(k, hash) : NULL;
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

/* The extractor of this name, made when new; NULL: error. */
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

/* The row of exactly this text, stored when it is new. 1: it is doc->eid's,
 * doc->did is filled in; 0: it is another extractor's. */
static int store_text(struct slu_known *k, const struct slu_buf *text,
		      struct slu_held *doc, struct slu_err *err)
{
	struct slu_held found = {0};
	long n = slu_db_exec(k->db, err,
			     "INSERT OR IGNORE INTO Datatable (EID, Data) "
			     "VALUES (?, ?)",
			     "IS", doc->eid, text->data, text->len);

	if (n < 0)
		return -1;
	if (n == 1) {
		doc->did = slu_db_last_id(k->db);
		return 1;
	}
	if (read_ids(slu_db_query(k->db, err,
				  "SELECT DID, EID FROM Datatable "
				  "WHERE Data = ?",
				  "S", text->data, text->len),
		     &found, err) < 0)
		return -1;
	doc->did = found.did;
	if (found.eid != doc->eid)
		return 0;
	forget_hashes(k); /* it had another one, or none */
	return 1;
}

static int store(struct slu_known *k, struct slu_buf *text,
		 struct slu_held *doc, struct slu_err *err)
{
	int ret = 0;

	for (int i = 0; i < SAME_TEXT_MAX && ret == 0; i++) {
		if (i)
			slu_buf_add(text, " ", 1);
		if (text->failed)
			return slu_err(err, SLU_NOMEM, "document");
		ret = store_text(k, text, doc, err);
	}
	if (ret == 0)
		return slu_err(err, SLU_INVALID,
			       "too many extractors have the same document");
	if (ret < 0 || slu_db_exec(k->db, err,
				   "INSERT OR REPLACE INTO Datahash "
				   "(DID, Hash) VALUES (?, ?)",
				   "II", doc->did, (int64_t)doc->hash) < 0)
		return -1;
	return 0;
}

int slu_known_store(struct slu_known *k, const struct slu_document *doc,
		    struct slu_held *out, struct slu_err *err)
{
	const struct extractor *e = named(k, doc->extractor, err);
	struct slu_held new = {.hash = doc->hash};
	struct slu_buf text = {0};
	int ret;

	if (!e)
		return -1;
	ret = slu_known_find(k, doc->hash, &new, err);
	if (ret == 0) {
		new.eid = e->eid;
		slu_buf_add(&text, doc->text, doc->len);
		ret = store(k, &text, &new, err);
		if (ret == 0)
			remember(k, &new);
		slu_buf_free(&text);
	}
	if (ret >= 0)
		*out = new;
	return ret < 0 ? -1 : 0;
}

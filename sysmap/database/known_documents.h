/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_KNOWN_DOCUMENTS_H
#define SLU_SYSMAP_DATABASE_KNOWN_DOCUMENTS_H

/*
 * Finds a document (one extractor's JSON text) in the resource database by its
 * hash, and stores it if it is new, so that equal documents of many hosts are
 * stored once. Results are cached in memory; the caller must call
 * slu_known_forget() or slu_known_drop() when the database was changed in
 * another way. slu_known_store() needs a transaction, which the caller begins
 * and ends. One thread.
 */

#include "store/db.h"
#include "sysmap/database/map_documents.h"

struct slu_known;

/* db is borrowed. */
struct slu_known *slu_known_new(struct slu_db *db, struct slu_err *err);
void slu_known_free(struct slu_known *known);
/* Empty the cache: another connection has written, or a transaction was rolled
 * back. */
void slu_known_forget(struct slu_known *known);
/* The document with this hash was deleted. */
void slu_known_drop(struct slu_known *known, uint64_t hash);

/* 1 found, 0 not in the database, -1. */
int slu_known_find(struct slu_known *known, uint64_t hash,
		   struct slu_known_document *out, struct slu_err *err);
/* The same; a new document is stored. */
int slu_known_store(struct slu_known *known, const struct slu_document *doc,
		    struct slu_known_document *out, struct slu_err *err);
/* Is this the extractor's name? Only for extractors that were looked up before.
 */
bool slu_known_named(const struct slu_known *known, int64_t eid,
		     const char *name);
/* Does this extractor's document change by the minute? */
int slu_known_dynamic(struct slu_known *known, int64_t eid, bool *out,
		      struct slu_err *err);

#endif

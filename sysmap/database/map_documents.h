/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_MAP_DOCUMENTS_H
#define SLU_SYSMAP_DATABASE_MAP_DOCUMENTS_H

/*
 * Stores which documents a host has in the resource database, since when, and
 * which it had before; and reads their texts. A document is stored once,
 * however many hosts have it. Functions that write need a transaction, which
 * the caller begins and ends. Times are Unix seconds.
 */

#include "store/db.h"
#include "sysmap/extract.h"

/* HostID of a name: 0: unknown, and `make` is not set; -1. */
int64_t slu_host_id(struct slu_db *db, const char *host, bool make,
		    struct slu_err *err);

/* A document that a host has; hash 0: not computed yet (the original tool wrote
 * the document). */
struct slu_known_document {
	uint64_t hash;
	int64_t did, eid;
};
/* All of a host; caller frees *out. */
int slu_documents_held(struct slu_db *db, int64_t host,
		       struct slu_known_document **out, size_t *n,
		       struct slu_err *err);

/* The host no longer has this document. `remember`: keep it as history; else
 * the document is deleted as well if no host has it (*deleted). */
int slu_documents_take(struct slu_db *db, int64_t host,
		       const struct slu_known_document *old, bool remember,
		       int64_t now, bool *deleted, struct slu_err *err);

/* Delete history that ended before `before` (Unix seconds) of at most max
 * hosts, and documents that no host has had since. Returns how many, or -1. */
long slu_documents_prune(struct slu_db *db, int64_t before, size_t max,
			 struct slu_err *err);

/* Delete the oldest history of one extractor of a host, beyond SLU_WORKLOAD_MAX
 * bytes; and documents, as above. Returns how many, or -1. */
#define SLU_WORKLOAD_MAX (4 << 20)
long slu_documents_bound(struct slu_db *db, int64_t host, int64_t eid,
			 struct slu_err *err);

/* The host has this document from now on, and did not have it before. */
int slu_documents_give(struct slu_db *db, int64_t host,
		       const struct slu_known_document *doc, int64_t now,
		       struct slu_err *err);

/* Text of a host's present document; *out is overwritten. SLU_NOTFOUND when it
 * has none. Works on a database that the original tool wrote. */
int slu_documents_read(struct slu_db *db, const char *host,
		       const char *extractor, struct slu_buf *out,
		       struct slu_err *err);

/* The same parsed: an array. Caller frees with json_object_put(). NULL: err. */
struct json_object *slu_documents_array(struct slu_db *db, const char *host,
					const char *extractor,
					struct slu_err *err);

/* Text of the newest document of an extractor, from any host: for what is the
 * same on all hosts, like a fabric. */
int slu_documents_newest(struct slu_db *db, const char *extractor,
			 struct slu_buf *out, struct slu_err *err);

/* The nth newest document that any host has or had, 0 being the newest: for
 * when the newest is unusable. It looks at all of these hosts. */
int slu_documents_earlier(struct slu_db *db, const char *extractor, size_t nth,
			  struct slu_buf *out, struct slu_err *err);

#endif

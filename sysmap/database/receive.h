/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_RECEIVE_H
#define SLU_SYSMAP_DATABASE_RECEIVE_H

/*
 * Stores the maps that nodes push with `sysmap --push`, in sluiced. A node
 * first sends the hashes of its documents, then the documents that the database
 * does not have. The documents of each host are cached, so that a push without
 * changes writes to no table. Each call has written its data when it returns,
 * in one transaction of its own or in the caller's, which may cover many hosts.
 * The caller has authenticated the sender as the host. One thread.
 */

#include "sysmap/extract.h"
#include "store/db.h"

#define SLU_RECEIVE_HASHES_MAX 256 /* documents of one host */

struct slu_receiver;

/* db: opened for writing; borrowed. */
struct slu_receiver *slu_receiver_new(struct slu_db *db, struct slu_err *err);
void slu_receiver_free(struct slu_receiver *r);

/* The host has documents with these hashes; missing[i] becomes true if the
 * database does not have that document. now: Unix seconds. */
int slu_receive_hashes(struct slu_receiver *r, const char *host,
		       const uint64_t *hash, size_t n, int64_t now,
		       bool *missing, struct slu_err *err);
/* The host has these documents; those of other extractors are kept. */
int slu_receive_map(struct slu_receiver *r, const char *host,
		    const struct slu_map *map, int64_t now,
		    struct slu_err *err);

/*
 * The same for the bodies of requests, which are not trusted.
 * /v1/sysmap/hashes: 8 bytes for each hash, little-endian; answer
 * {"missing":[INDEX,...]}. /v1/sysmap/documents:
 * {"host":NAME,"documents":{EXTRACTOR:TEXT,...}}, the text of each document
 * being a JSON string; answer {}. *reply is overwritten. slu_receive_host only
 * finds the name in the latter, so that it can be authenticated first.
 */
int slu_receive_hashes_body(struct slu_receiver *r, const char *host,
			    const void *body, size_t len, int64_t now,
			    struct slu_buf *reply, struct slu_err *err);
int slu_receive_documents_body(struct slu_receiver *r, const char *body,
			       size_t len, int64_t now, struct slu_buf *reply,
			       struct slu_err *err);
/* Caller frees. */
char *slu_receive_host(const char *body, size_t len, struct slu_err *err);

/* Empty the memory, and read the database again. This also happens
 * automatically when another connection has written, or a transaction was
 * rolled back. */
void slu_receiver_forget(struct slu_receiver *r);

/* See slu_documents_prune(). */
long slu_receiver_prune(struct slu_receiver *r, int64_t before, size_t max,
			struct slu_err *err);

/* Counts every change that may change the newest topology: a host got another
 * one, also in a transaction that was rolled back, something was deleted, or
 * another connection has written. */
uint64_t slu_receiver_topologies(const struct slu_receiver *r);
/* The same for hosts without any document before. */
uint64_t slu_receiver_newcomers(const struct slu_receiver *r);

/* Write when hosts were last seen, for at most `max` hosts at once: 1: call
 * again for the next ones, 0: the list's end was reached, -1. Called now and
 * then, and at the end. */
int slu_receiver_flush(struct slu_receiver *r, size_t max, struct slu_err *err);

#endif

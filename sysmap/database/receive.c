/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores the documents that nodes push (receive.h), with a write-through cache
 * of each host's documents. A host's list is read from the database at its
 * first push. The whole cache is dropped when another connection has written
 * the file, or a transaction was rolled back. Invariant: a document is in a
 * host's list exactly if Host2Data links it to the host.
 */
#include "config.h"
#include "sysmap/database/receive.h"

#include <stdlib.h>
#include <string.h>
#include "sysmap/database/known_documents.h"

#define HOSTS_MAX   65536
#define NAME_LENGTH 255
#define HOST_CHARS                                             \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789-_."

struct entry {
	struct slu_known_document held;
	int64_t seen, written; /* last push: in memory, on disk */
};

struct host {
	char *name;
	bool fresh; /* the list is that of the database */
	int64_t id; /* HostID; 0: not in the database */
	struct entry *entry;
	size_t n;
};

struct slu_receiver {
	struct slu_db *db;
	struct slu_known *known;
	int64_t version;    /* data version of the file in the cache, */
	uint64_t rollbacks; /* and number of rollbacks */
	struct host *host;  /* sorted by name */
	size_t n, flushed;  /* hosts; those flushed in this round */
	uint64_t topologies;
	uint64_t newcomers;
};

struct slu_receiver *slu_receiver_new(struct slu_db *db, struct slu_err *err)
{
	struct slu_receiver *r = calloc(1, sizeof(*r));

	if (!r) {
		slu_err(err, SLU_NOMEM, "receiver");
		return NULL;
	}
	r->db = db;
	r->version = -1;
	r->known = slu_known_new(db, err);
	if (r->known)
		return r;
	slu_receiver_free(r);
	return NULL;
}

void slu_receiver_free(struct slu_receiver *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++) {
		free(r->host[i].name);
		free(r->host[i].entry);
	}
	free(r->host);
	slu_known_free(r->known);
	free(r);
}

static bool is_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= NAME_LENGTH && strspn(name, HOST_CHARS) == len;
}

/* Position of the first host whose name is not below `name`. */
static size_t position(const struct slu_receiver *r, const char *name)
{
	size_t low = 0, high = r->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (strcmp(r->host[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct host *get_host(struct slu_receiver *r, const char *name,
			     struct slu_err *err)
{
	size_t at = position(r, name);
	struct host *more;
	char *copy;

	if (at < r->n && strcmp(r->host[at].name, name) == 0)
		return &r->host[at];
	if (!is_name(name)) {
		slu_err(err, SLU_INVALID, "\"%.64s\" is no host name", name);
		return NULL;
	}
	copy = r->n < HOSTS_MAX ? strdup(name) : NULL;
	more = copy ? realloc(r->host, (r->n + 1) * sizeof(*more)) : NULL;
	if (!more) {
		free(copy);
		slu_err(err, SLU_NOMEM, "too many hosts");
		return NULL;
	}
	r->host = more;
	memmove(more + at + 1, more + at, (r->n - at) * sizeof(*more));
	more[at] = (struct host){.name = copy};
	r->n++;
	return &more[at];
}

/* Rebuilds the list from `held`, keeping the times. */
static int replace(struct host *host, const struct slu_known_document *held,
		   size_t n, struct slu_err *err)
{
	struct entry *entry = calloc(n + 1, sizeof(*entry));

	if (!entry)
		return slu_err(err, SLU_NOMEM, "documents of %s", host->name);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < host->n; k++)
			if (host->entry[k].held.did == held[i].did)
				entry[i] = host->entry[k];
		entry[i].held = held[i];
	}
	free(host->entry);
	host->entry = entry;
	host->n = n;
	return 0;
}

static int read_host(struct slu_receiver *r, struct host *host,
		     struct slu_err *err)
{
	struct slu_known_document *held;
	size_t n;
	int ret;

	host->id = slu_host_id(r->db, host->name, false, err);
	if (host->id < 0 || slu_documents_held(r->db, host->id, &held, &n, err))
		return -1;
	ret = replace(host, held, n, err);
	free(held);
	host->fresh = ret == 0;
	return ret;
}

/* A host whose list is up to date; NULL: error. The data version changes with
 * every commit of another connection. */
static struct host *open_host(struct slu_receiver *r, const char *name,
			      struct slu_err *err)
{
	uint64_t rollbacks = slu_db_rollbacks(r->db);
	struct host *host;
	int64_t version;

	if (slu_db_value(r->db, &version, 0, err, "PRAGMA data_version", ""))
		return NULL;
	if (version != r->version || rollbacks != r->rollbacks) {
		slu_receiver_forget(r);
		r->topologies += r->version >= 0; /* not at the first time */
	}
	r->version = version;
	r->rollbacks = rollbacks;
	host = get_host(r, name, err);
	if (!host || (!host->fresh && read_host(r, host, err)))
		return NULL;
	return host;
}

/* The same after beginning a transaction, since others may have written before
 * the lock was acquired. */
static struct host *begin_host(struct slu_receiver *r, const char *name,
			       struct slu_err *err)
{
	struct host *host;

	if (!open_host(r, name, err) || slu_db_begin(r->db, err))
		return NULL;
	host = open_host(r, name, err);
	if (!host)
		slu_db_rollback(r->db);
	return host;
}

static bool mark_seen(struct host *host, uint64_t hash, int64_t now)
{
	for (size_t i = 0; i < host->n; i++) {
		if (host->entry[i].held.hash != hash)
			continue;
		host->entry[i].seen = now;
		return true;
	}
	return false;
}

/* Commits or rolls back, by `ret`. */
static int end(struct slu_receiver *r, int ret, struct slu_err *err)
{
	if (ret == 0 && slu_db_commit(r->db, err) == 0)
		return 0;
	slu_db_rollback(r->db);
	return -1;
}

/* Unlinks the host's documents of this extractor. */
static int take(struct slu_receiver *r, struct host *host, int64_t eid,
		int64_t now, struct slu_err *err)
{
	bool dynamic, deleted;
	struct slu_known_document old;
	size_t i = 0;

	if (slu_known_dynamic(r->known, eid, &dynamic, err))
		return -1;
	while (i < host->n) {
		old = host->entry[i].held;
		if (old.eid != eid) {
			i++;
			continue;
		}
		if (slu_documents_take(r->db, host->id, &old, !dynamic, now,
				       &deleted, err))
			return -1;
		if (deleted)
			slu_known_drop(r->known, old.hash);
		host->entry[i] = host->entry[--host->n];
	}
	return 0;
}

/* The entry of this document, which the original tool may have written without
 * a hash. */
static struct entry *find_entry(struct host *host, int64_t did)
{
	for (size_t i = 0; i < host->n; i++)
		if (host->entry[i].held.did == did)
			return &host->entry[i];
	return NULL;
}

static int give(struct slu_receiver *r, struct host *host,
		const struct slu_known_document *doc, int64_t now,
		struct slu_err *err)
{
	struct entry *more = find_entry(host, doc->did);
	long gone;

	if (more) {
		more->held = *doc;
		more->seen = now;
		return 0;
	}
	if (host->id == 0) {
		host->id = slu_host_id(r->db, host->name, true, err);
		r->newcomers++;
	}
	if (host->id < 0 || take(r, host, doc->eid, now, err) ||
	    slu_documents_give(r->db, host->id, doc, now, err))
		return -1;
	r->topologies += slu_known_named(r->known, doc->eid, "topology");
	gone = slu_documents_bound(r->db, host->id, doc->eid, err);
	if (gone < 0)
		return -1;
	if (gone > 0)
		slu_known_forget(r->known);
	more = realloc(host->entry, (host->n + 1) * sizeof(*more));
	if (!more)
		return slu_err(err, SLU_NOMEM, "documents of %s", host->name);
	host->entry = more;
	more[host->n++] = (struct entry){*doc, now, now};
	return 0;
}

/* Links documents that other hosts have pushed; unknown ones are requested. */
static int link_known(struct slu_receiver *r, struct host *host,
		      const uint64_t *hash, size_t n, int64_t now,
		      bool *missing, struct slu_err *err)
{
	struct slu_known_document doc;
	int ret;

	for (size_t i = 0; i < n; i++) {
		if (!missing[i])
			continue;
		ret = slu_known_find(r->known, hash[i], &doc, err);
		if (ret < 0 || (ret == 1 && give(r, host, &doc, now, err)))
			return -1;
		missing[i] = ret == 0;
	}
	return 0;
}

int slu_receive_hashes(struct slu_receiver *r, const char *name,
		       const uint64_t *hash, size_t n, int64_t now,
		       bool *missing, struct slu_err *err)
{
	struct host *host = open_host(r, name, err);
	bool lacks[SLU_RECEIVE_HASHES_MAX], any = false;

	if (n > SLU_RECEIVE_HASHES_MAX)
		return slu_err(err, SLU_INVALID, "more than %d documents",
			       SLU_RECEIVE_HASHES_MAX);
	if (!host)
		return -1;
	for (size_t i = 0; i < n; i++) {
		lacks[i] = !mark_seen(host, hash[i], now);
		any |= lacks[i];
	}
	if (any) {
		host = begin_host(r, name, err);
		if (!host ||
		    end(r, link_known(r, host, hash, n, now, lacks, err), err))
			return -1;
	}
	memcpy(missing, lacks, n * sizeof(*missing));
	return 0;
}

static int put_all(struct slu_receiver *r, struct host *host,
		   const struct slu_map *map, int64_t now, struct slu_err *err)
{
	struct slu_known_document doc;

	for (size_t i = 0; i < map->n; i++)
		if (slu_known_store(r->known, &map->document[i], &doc, err) ||
		    give(r, host, &doc, now, err))
			return slu_err_prefix(err, "%s",
					      map->document[i].extractor);
	return 0;
}

int slu_receive_map(struct slu_receiver *r, const char *name,
		    const struct slu_map *map, int64_t now, struct slu_err *err)
{
	struct host *host = begin_host(r, name, err);

	if (!host)
		return -1;
	return end(r, put_all(r, host, map, now, err), err);
}

uint64_t slu_receiver_topologies(const struct slu_receiver *r)
{
	return r->topologies;
}

uint64_t slu_receiver_newcomers(const struct slu_receiver *r)
{
	return r->newcomers;
}

void slu_receiver_forget(struct slu_receiver *r)
{
	slu_known_forget(r->known);
	for (size_t i = 0; i < r->n; i++)
		r->host[i].fresh = false;
}

long slu_receiver_prune(struct slu_receiver *r, int64_t before, size_t max,
			struct slu_err *err)
{
	long n;

	if (slu_db_begin(r->db, err))
		return -1;
	n = slu_documents_prune(r->db, before, max, err);
	if (n < 0 || slu_db_commit(r->db, err)) {
		slu_db_rollback(r->db);
		return -1;
	}
	if (n > 0) {
		slu_receiver_forget(r);
		r->topologies++;
	}
	return n;
}

static bool has_news(const struct host *host)
{
	for (size_t i = 0; i < host->n; i++)
		if (host->entry[i].seen > host->entry[i].written)
			return true;
	return false;
}

/* A host keeps its id, whichever program writes the file. */
static int write_seen(struct slu_receiver *r, const struct host *host,
		      struct slu_err *err)
{
	const struct entry *e;

	for (size_t i = 0; i < host->n; i++) {
		e = &host->entry[i];
		if (e->seen <= e->written)
			continue;
		if (slu_db_exec(r->db, err,
				"UPDATE Hostseen SET LastSeen = max(LastSeen, "
				"?) WHERE DID = ? AND EID = ? AND HostID = ?",
				"IIII", e->seen, e->held.did, e->held.eid,
				host->id) < 0)
			return -1;
	}
	return 0;
}

static void have_written(struct host *host)
{
	for (size_t i = 0; i < host->n; i++)
		if (host->entry[i].written < host->entry[i].seen)
			host->entry[i].written = host->entry[i].seen;
}

int slu_receiver_flush(struct slu_receiver *r, size_t max, struct slu_err *err)
{
	size_t begin = r->flushed, to = begin;
	int ret = slu_db_begin(r->db, err);

	if (ret)
		return -1;
	for (size_t n = 0; to < r->n && n < max && ret == 0; to++) {
		if (!has_news(&r->host[to]))
			continue;
		ret = write_seen(r, &r->host[to], err);
		n++;
	}
	if (end(r, ret, err)) {
		r->flushed = 0;
		return -1;
	}
	for (size_t i = begin; i < to; i++)
		have_written(&r->host[i]);
	r->flushed = to < r->n ? to : 0;
	return r->flushed > 0;
}

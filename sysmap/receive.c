/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each host has, in memory: filled from the database when a host first
 * calls, and again when another program has written the file. Invariant: a
 * hash is in a host's list only if Host2Data links that document to it.
 */
#include "config.h"
#include "sysmap/receive.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/documents.h"
#include "wire/node.h"

#define HOSTS_MAX   65536
#define HASH_BYTES  8
#define NEVER	    -1
#define LETTERS	    "abcdefghijklmnopqrstuvwxyz0123456789_"
#define HOST_CHARS  LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZ-."
#define NAME_LENGTH 255

struct entry {
	struct slu_held held;
	int64_t seen, written; /* last seen: known here, and on disk */
};

struct host {
	char *name;
	int64_t version; /* of the file, when `entry` was read */
	struct entry *entry;
	size_t n;
};

struct slu_receiver {
	struct slu_db *db;
	struct host *host; /* sorted by name */
	size_t n;
};

struct slu_receiver *slu_receiver_new(struct slu_db *db, struct slu_err *err)
{
	struct slu_receiver *r = calloc(1, sizeof(*r));

	if (!r)
		slu_err(err, SLU_NOMEM, "receiver");
	else
		r->db = db;
	return r;
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
	free(r);
}

static bool is_name(const char *name, const char *characters)
{
	size_t len = strlen(name);

	return len > 0 && len <= NAME_LENGTH && strspn(name, characters) == len;
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
	if (!is_name(name, HOST_CHARS)) {
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
	more[at] = (struct host){.name = copy, .version = NEVER};
	r->n++;
	return &more[at];
}

/* The list anew from `held`, keeping what is known of the times. */
static int replace(struct host *host, const struct slu_held *held, size_t n,
		   struct slu_err *err)
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
	int64_t id = slu_host_id(r->db, host->name, false, err);
	struct slu_held *held;
	size_t n;
	int ret;

	if (id < 0 || slu_documents_held(r->db, id, &held, &n, err))
		return -1;
	ret = replace(host, held, n, err);
	free(held);
	return ret;
}

/* Read a host's list when it may have changed: the number changes with every
 * commit of another connection; our own set version to NEVER. */
static int refresh(struct slu_receiver *r, struct host *host,
		   struct slu_err *err)
{
	int64_t version;

	if (slu_db_value(r->db, &version, 0, err, "PRAGMA data_version", ""))
		return -1;
	if (version == host->version)
		return 0;
	if (read_host(r, host, err))
		return -1;
	host->version = version;
	return 0;
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

/* End what a begin began: `ret` says whether it went well. */
static int end(struct slu_receiver *r, struct host *host, int ret,
	       struct slu_err *err)
{
	host->version = NEVER;
	if (ret == 0 && slu_db_commit(r->db, err) == 0)
		return 0;
	slu_db_rollback(r->db);
	return -1;
}

/* Link what another host has sent before; what nobody sent stays missing. */
static int link_known(struct slu_receiver *r, struct host *host,
		      const uint64_t *hash, size_t n, int64_t now,
		      bool *missing, struct slu_err *err)
{
	struct slu_held doc;
	int64_t id;
	int ret;

	for (size_t i = 0; i < n; i++) {
		if (!missing[i])
			continue;
		ret = slu_documents_known(r->db, hash[i], &doc, err);
		if (ret < 0)
			return -1;
		if (ret == 0)
			continue;
		id = slu_host_id(r->db, host->name, true, err);
		if (id < 0 || slu_documents_link(r->db, id, &doc, now, err))
			return -1;
		missing[i] = false;
	}
	return 0;
}

int slu_receive_hashes(struct slu_receiver *r, const char *name,
		       const uint64_t *hash, size_t n, int64_t now,
		       bool *missing, struct slu_err *err)
{
	struct host *host = get_host(r, name, err);
	bool lacks[SLU_RECEIVE_HASHES_MAX], any = false;

	if (n > SLU_RECEIVE_HASHES_MAX)
		return slu_err(err, SLU_INVALID, "more than %d documents",
			       SLU_RECEIVE_HASHES_MAX);
	if (!host || refresh(r, host, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		lacks[i] = !mark_seen(host, hash[i], now);
		any |= lacks[i];
	}
	if (any &&
	    (slu_db_begin(r->db, err) ||
	     end(r, host, link_known(r, host, hash, n, now, lacks, err), err)))
		return -1;
	memcpy(missing, lacks, n * sizeof(*missing));
	return 0;
}

static int put_all(struct slu_receiver *r, const struct host *host,
		   const struct slu_map *map, int64_t now, struct slu_err *err)
{
	int64_t id = slu_host_id(r->db, host->name, true, err);
	int ret = id < 0 ? -1 : 0;

	for (size_t i = 0; i < map->n && ret == 0; i++) {
		ret = slu_documents_put(r->db, id, &map->document[i], now, err);
		if (ret)
			slu_err_prefix(err, "%s", map->document[i].extractor);
	}
	return ret;
}

int slu_receive_map(struct slu_receiver *r, const char *name,
		    const struct slu_map *map, int64_t now, struct slu_err *err)
{
	struct host *host = get_host(r, name, err);

	if (!host || slu_db_begin(r->db, err))
		return -1;
	return end(r, host, put_all(r, host, map, now, err), err);
}

void slu_receiver_forget(struct slu_receiver *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->host[i].version = NEVER;
}

static int write_seen(struct slu_receiver *r, struct host *host,
		      struct slu_err *err)
{
	struct entry *e;

	for (size_t i = 0; i < host->n; i++) {
		e = &host->entry[i];
		if (e->seen <= e->written)
			continue;
		if (slu_db_exec(r->db, err,
				"UPDATE Hostseen SET LastSeen = max(LastSeen, "
				"?) WHERE DID = ? AND EID = ? AND HostID = "
				"(SELECT HostID FROM Hosttable WHERE "
				"Hostname = ?)",
				"IIIs", e->seen, e->held.did, e->held.eid,
				host->name) < 0)
			return -1;
		e->written = e->seen;
	}
	return 0;
}

int slu_receiver_flush(struct slu_receiver *r, struct slu_err *err)
{
	int ret = slu_db_begin(r->db, err);

	if (ret)
		return -1;
	for (size_t i = 0; i < r->n && ret == 0; i++)
		ret = write_seen(r, &r->host[i], err);
	if (ret == 0 && slu_db_commit(r->db, err) == 0)
		return 0;
	slu_db_rollback(r->db);
	return -1;
}

/* As they travel */

static uint64_t little_endian(const unsigned char *byte)
{
	uint64_t value = 0;

	for (int i = HASH_BYTES - 1; i >= 0; i--)
		value = value << 8 | byte[i];
	return value;
}

int slu_receive_hashes_body(struct slu_receiver *r, const char *host,
			    const void *body, size_t len, int64_t now,
			    struct slu_buf *reply, struct slu_err *err)
{
	uint64_t hash[SLU_RECEIVE_HASHES_MAX] = {0};
	bool missing[SLU_RECEIVE_HASHES_MAX];
	size_t n = len / HASH_BYTES;
	const char *comma = "";

	if (len % HASH_BYTES || n > SLU_RECEIVE_HASHES_MAX)
		return slu_err(err, SLU_INVALID,
			       "%zu bytes are not at most %d hashes", len,
			       SLU_RECEIVE_HASHES_MAX);
	for (size_t i = 0; i < n; i++)
		hash[i] = little_endian((const unsigned char *)body +
					i * HASH_BYTES);
	if (slu_receive_hashes(r, host, hash, n, now, missing, err))
		return -1;
	slu_buf_reset(reply);
	slu_buf_puts(reply, "{\"missing\":[");
	for (size_t i = 0; i < n; i++) {
		if (!missing[i])
			continue;
		slu_buf_printf(reply, "%s%zu", comma, i);
		comma = ",";
	}
	slu_buf_puts(reply, "]}");
	return reply->failed ? slu_err(err, SLU_NOMEM, "reply") : 0;
}

/* One document as it travels; texts are borrowed from value. */
static int read_document(const char *name, struct json_object *value,
			 struct slu_document *doc, struct slu_err *err)
{
	struct json_object *parsed;

	if (!is_name(name, LETTERS))
		return slu_err(err, SLU_INVALID, "\"%.64s\" is no extractor",
			       name);
	if (!json_object_is_type(value, json_type_string))
		return slu_err(err, SLU_INVALID, "%s: not a text", name);
	doc->extractor = name;
	doc->text = (char *)json_object_get_string(value);
	doc->len = (size_t)json_object_get_string_len(value);
	if (doc->len > SLU_DOC_MAX)
		return slu_err(err, SLU_INVALID, "%s: longer than %u bytes",
			       name, SLU_DOC_MAX);
	parsed = slu_json_parse(doc->text, doc->len, err);
	if (!parsed)
		return slu_err_prefix(err, "%s", name);
	json_object_put(parsed);
	doc->hash = slu_document_hash(name, doc->text, doc->len);
	return 0;
}

static int read_map(struct json_object *documents, struct slu_map *map,
		    struct slu_err *err)
{
	size_t n = (size_t)json_object_object_length(documents);

	if (n > SLU_RECEIVE_HASHES_MAX)
		return slu_err(err, SLU_INVALID, "more than %d documents",
			       SLU_RECEIVE_HASHES_MAX);
	map->document = calloc(n + 1, sizeof(*map->document));
	if (!map->document)
		return slu_err(err, SLU_NOMEM, "documents");
	json_object_object_foreach(documents, name, value)
	{
		if (read_document(name, value, &map->document[map->n], err))
			return -1;
		map->n++;
	}
	return 0;
}

static struct json_object *read_body(const char *body, size_t len,
				     const char **host, struct slu_err *err)
{
	struct json_object *obj = slu_json_parse(body, len, err);

	if (obj && slu_json_str(obj, "host", host, err) == 0)
		return obj;
	json_object_put(obj);
	return NULL;
}

char *slu_receive_host(const char *body, size_t len, struct slu_err *err)
{
	const char *host;
	struct json_object *obj = read_body(body, len, &host, err);
	char *copy = obj ? strdup(host) : NULL;

	if (obj && !copy)
		slu_err(err, SLU_NOMEM, "host");
	json_object_put(obj);
	return copy;
}

int slu_receive_documents_body(struct slu_receiver *r, const char *body,
			       size_t len, int64_t now, struct slu_buf *reply,
			       struct slu_err *err)
{
	const char *host;
	struct json_object *documents, *obj = read_body(body, len, &host, err);
	struct slu_map map = {0};
	int ret;

	if (!obj)
		return -1;
	if (!json_object_object_get_ex(obj, "documents", &documents) ||
	    !json_object_is_type(documents, json_type_object))
		ret = slu_err(err, SLU_INVALID, "documents: not an object");
	else
		ret = read_map(documents, &map, err);
	if (ret == 0)
		ret = slu_receive_map(r, host, &map, now, err);
	if (ret == 0) {
		slu_buf_reset(reply);
		slu_buf_puts(reply, "{}");
		if (reply->failed)
			ret = slu_err(err, SLU_NOMEM, "reply");
	}
	free(map.document); /* its texts are obj's */
	json_object_put(obj);
	return ret;
}

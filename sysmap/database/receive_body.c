/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the bodies of nodes' pushes, which are not trusted, and passes them to
 * the receiver. A body is validated completely before anything is stored. */
#include "config.h"
#include "sysmap/database/receive.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/topology.h"
#include "wire/node.h"

#define HASH_BYTES 8
#define DEPTH_MAX  24 /* leaves depth for an enclosing answer */

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

static bool is_utf8(const char *text)
{
	char *copy = strdup(text);
	bool same = false;

	if (copy) {
		slu_utf8_clean(copy);
		same = strcmp(copy, text) == 0;
	}
	free(copy);
	return same;
}

/* Most documents are validated when they are used. The topology is validated
 * here, as a single one, from any node, affects the placement of all jobs. */
static int check_topology(struct json_object *parsed, struct slu_err *err)
{
	struct slu_topology t;

	if (slu_topology_of_json(parsed, &t, err))
		return -1;
	slu_topology_free(&t);
	return 0;
}

/* One document of the body; texts are borrowed from value. */
static int read_document(const char *name, struct json_object *value,
			 struct slu_document *doc, struct slu_err *err)
{
	struct json_object *parsed;
	int ret = 0;

	if (!json_object_is_type(value, json_type_string))
		return slu_err(err, SLU_INVALID, "%s: not a text", name);
	doc->extractor = name;
	doc->text = (char *)json_object_get_string(value);
	doc->len = (size_t)json_object_get_string_len(value);
	if (doc->len > SLU_DOC_MAX)
		return slu_err(err, SLU_INVALID, "%s: longer than %u bytes",
			       name, SLU_DOC_MAX);
	parsed = slu_json_parse_to(doc->text, doc->len, DEPTH_MAX, err);
	if (!parsed)
		return slu_err_prefix(err, "%s", name);
	if (strcmp(name, "topology") == 0)
		ret = check_topology(parsed, err);
	json_object_put(parsed);
	if (ret)
		return slu_err_prefix(err, "%s", name);
	if (!is_utf8(doc->text))
		return slu_err(err, SLU_INVALID, "%s: not UTF-8", name);
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
		if (!slu_document_expected(name)) /* from a newer release */
			continue;
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
	free(map.document); /* its texts belong to obj */
	json_object_put(obj);
	return ret;
}

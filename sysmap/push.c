/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pushes this node's documents to sluiced (sysmap --push) by two POST requests.
 * No state is kept between two runs.
 */
#include "config.h"
#include "sysmap/push.h"

#include <string.h>
#include "common/jsonx.h"

#define HASH_BYTES 8
#define HOST_CHARS                                             \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789-_."

static void add_hash(struct slu_buf *body, uint64_t hash)
{
	unsigned char byte[HASH_BYTES];

	for (int i = 0; i < HASH_BYTES; i++)
		byte[i] = (unsigned char)(hash >> (8 * i));
	slu_buf_add(body, byte, sizeof(byte));
}

static int send_hashes(struct slu_http *http, const char *host,
		       const struct slu_map *map, double deadline,
		       struct slu_pushed *pushed, struct slu_buf *reply,
		       struct slu_err *err)
{
	char *path = slu_asprintf("/v1/sysmap/hashes?host=%s", host);
	struct slu_buf body = {0};
	int ret = -1;

	for (size_t i = 0; i < map->n; i++)
		add_hash(&body, map->document[i].hash);
	if (!path || body.failed)
		slu_err(err, SLU_NOMEM, "out of memory");
	else
		ret = slu_http_post(http, path, body.data, body.len, deadline,
				    reply, err);
	pushed->bytes += body.len;
	slu_buf_free(&body);
	free(path);
	return ret;
}

/* The second body: documents that the answer asks for. Caller puts. */
static struct json_object *missing(const struct slu_buf *reply,
				   const char *host, const struct slu_map *map,
				   size_t *n, struct slu_err *err)
{
	struct json_object *answer, *list = NULL, *body, *documents;
	uint64_t index;

	answer = slu_json_parse(reply->data, reply->len, err);
	if (!answer)
		return NULL;
	json_object_object_get_ex(answer, "missing", &list);
	if (!json_object_is_type(list, json_type_array)) {
		slu_err(err, SLU_IO, "sluiced did not say what is missing");
		json_object_put(answer);
		return NULL;
	}
	*n = json_object_array_length(list);
	body = json_object_new_object();
	documents = json_object_new_object();
	for (size_t i = 0; i < *n; i++) {
		index = json_object_get_uint64(
			json_object_array_get_idx(list, i));
		if (index < map->n)
			slu_json_set_str(documents,
					 map->document[index].extractor,
					 map->document[index].text);
	}
	slu_json_set_str(body, "host", host);
	json_object_object_add(body, "documents", documents);
	json_object_put(answer);
	return body;
}

int slu_push(struct slu_http *http, const char *host, const struct slu_map *map,
	     double deadline, struct slu_pushed *out, struct slu_err *err)
{
	struct slu_pushed pushed = {0};
	struct json_object *body = NULL;
	struct slu_buf reply = {0};
	const char *text;
	int ret;

	if (host[strspn(host, HOST_CHARS)]) /* it becomes part of the URL */
		return slu_err(err, SLU_INVALID, "\"%.64s\" is no host name",
			       host);
	ret = send_hashes(http, host, map, deadline, &pushed, &reply, err);
	if (ret == 0) {
		body = missing(&reply, host, map, &pushed.documents, err);
		ret = body ? 0 : -1;
	}
	if (ret == 0 && pushed.documents) {
		text = slu_json_text(body);
		pushed.bytes += strlen(text);
		ret = slu_http_post(http, "/v1/sysmap/documents", text,
				    strlen(text), deadline, &reply, err);
	}
	json_object_put(body);
	slu_buf_free(&reply);
	if (ret == 0)
		*out = pushed;
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments out of JSON, answers into text. */
#include "config.h"
#include "sysquery/query.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysquery/resources.h"

static int give(struct json_object *obj, struct slu_buf *out,
		struct slu_err *err)
{
	if (!obj)
		return -1;
	slu_buf_puts(out, slu_json_text(obj));
	json_object_put(obj);
	return out->failed ? slu_err(err, SLU_NOMEM, "the answer is too long")
			   : 0;
}

static struct json_object *argument(struct json_object *args, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(args, key, &value);
	return value;
}

/* Text i of an array. */
static const char *text_at(struct json_object *array, size_t i)
{
	struct json_object *one = json_object_array_get_idx(array, i);

	return json_object_is_type(one, json_type_string)
		       ? json_object_get_string(one)
		       : NULL;
}

static int get_hosts(struct json_object *args, struct slu_hosts *out,
		     struct slu_err *err)
{
	struct json_object *value = argument(args, "hosts");
	size_t n;

	*out = (struct slu_hosts){0};
	if (!value)
		return 0;
	if (json_object_is_type(value, json_type_string))
		return slu_hosts_parse(json_object_get_string(value), out, err);
	if (!json_object_is_type(value, json_type_array))
		return slu_err(err, SLU_INVALID, "hosts: not an array");
	n = json_object_array_length(value);
	for (size_t i = 0; i < n; i++) {
		if (text_at(value, i) &&
		    slu_hosts_add(out, text_at(value, i)) == 0)
			continue;
		slu_hosts_free(out);
		return slu_err(err, SLU_INVALID, "hosts[%zu]: not a name", i);
	}
	return 0;
}

/* A NULL-ended list whose texts are args'; caller frees the list. */
static int get_extractors(struct json_object *args, char ***out,
			  struct slu_err *err)
{
	struct json_object *value = argument(args, "extractors");
	size_t n;

	*out = NULL;
	if (!value)
		return 0;
	if (!json_object_is_type(value, json_type_array))
		return slu_err(err, SLU_INVALID, "extractors: not an array");
	n = json_object_array_length(value);
	*out = calloc(n + 1, sizeof(char *));
	if (!*out)
		return slu_err(err, SLU_NOMEM, "extractors");
	for (size_t i = 0; i < n; i++) {
		(*out)[i] = (char *)text_at(value, i);
		if ((*out)[i])
			continue;
		free(*out);
		return slu_err(err, SLU_INVALID, "extractors[%zu]: not a name",
			       i);
	}
	return 0;
}

static int resources(struct slu_db *db, struct json_object *args,
		     struct slu_buf *out, struct slu_err *err)
{
	struct slu_hosts hosts;
	char **extractors;
	int ret;

	if (get_hosts(args, &hosts, err))
		return -1;
	ret = get_extractors(args, &extractors, err);
	if (ret == 0) {
		ret = slu_query_resources(db, &hosts, extractors, out, err);
		free(extractors);
	}
	slu_hosts_free(&hosts);
	return ret;
}

static int summary(struct slu_db *db, struct json_object *args,
		   struct slu_buf *out, struct slu_err *err)
{
	struct slu_hosts hosts;
	int ret;

	if (get_hosts(args, &hosts, err))
		return -1;
	ret = give(slu_query_summary(db, &hosts, err), out, err);
	slu_hosts_free(&hosts);
	return ret;
}

static int hosts(struct slu_db *db, struct json_object *args,
		 struct slu_buf *out, struct slu_err *err)
{
	(void)args;
	return give(slu_query_hosts(db, err), out, err);
}

static int extractors(struct slu_db *db, struct json_object *args,
		      struct slu_buf *out, struct slu_err *err)
{
	(void)args;
	return give(slu_query_extractors(db, err), out, err);
}

const struct slu_query slu_queries[] = {
	{"resources", "documents of hosts", resources},
	{"summary", "a line for each host", summary},
	{"hosts", "hosts in the map", hosts},
	{"extractors", "extractors in the map", extractors},
	{.name = NULL},
};

const struct slu_query *slu_query_find(const char *question)
{
	for (const struct slu_query *q = slu_queries; q->name; q++)
		if (strcmp(q->name, question) == 0)
			return q;
	return NULL;
}

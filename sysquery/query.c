/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers questions from the database: parses their arguments from JSON, and
 * formats the answers. */
#include "config.h"
#include "sysquery/query.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysquery/map/slurmconf_check.h"
#include "sysquery/map/map_history.h"
#include "sysquery/map/map_resources.h"
#include "sysmap/database/planner_storage.h"
#include "sysquery/map/map_select.h"

static int give(struct json_object *obj, struct slu_buf *out,
		struct slu_err *err)
{
	if (!obj)
		return -1;
	slu_buf_puts(out, slu_json_utf8(obj));
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

/* Element i of an array, as text. */
static const char *text_at(struct json_object *array, size_t i)
{
	struct json_object *one = json_object_array_get_idx(array, i);

	return json_object_is_type(one, json_type_string)
		       ? json_object_get_string(one)
		       : NULL;
}

static int named_hosts(struct json_object *args, struct slu_hosts *out,
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
	out->name = calloc(n + 1, sizeof(*out->name));
	if (!out->name)
		return slu_err(err, SLU_NOMEM, "hosts");
	for (; out->n < n; out->n++) {
		if (text_at(value, out->n))
			out->name[out->n] = strdup(text_at(value, out->n));
		if (out->name[out->n])
			continue;
		slu_err(err, SLU_INVALID, "hosts[%zu]: not a name", out->n);
		slu_hosts_free(out);
		return -1;
	}
	return 0;
}

/* Replaces `found` by those that are also in `hosts` (all if that is empty). */
static void keep(struct slu_hosts *hosts, struct slu_hosts *found)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++) {
		if (!hosts->n || slu_hosts_sorted_has(hosts, found->name[i]))
			found->name[n++] = found->name[i];
		else
			free(found->name[i]);
	}
	found->n = n;
	slu_hosts_free(hosts);
	*hosts = *found;
}

/* Sorted and distinct. 0 with none in *out: all hosts; 1: none. */
static int get_hosts(struct slu_db *db, struct json_object *args,
		     struct slu_hosts *out, struct slu_err *err)
{
	struct slu_hosts found;
	const char *where = NULL;

	if (slu_json_str_opt(args, "where", &where, err) ||
	    named_hosts(args, out, err))
		return -1;
	slu_hosts_sort(out);
	if (!where)
		return 0;
	if (slu_select_hosts(db, where, &found, err)) {
		slu_hosts_free(out);
		return slu_err_prefix(err, "where");
	}
	keep(out, &found);
	slu_hosts_sort(out);
	return out->n == 0;
}

/* A NULL-terminated list of texts borrowed from args; caller frees the list. */
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
		*out = NULL;
		return slu_err(err, SLU_INVALID, "extractors[%zu]: not a name",
			       i);
	}
	return 0;
}

static int stream(struct slu_db *db, struct json_object *args,
		  slu_piece_f *piece, void *arg, struct slu_err *err)
{
	struct slu_hosts hosts = {0};
	char **extractors;
	int ret;

	if (get_extractors(args, &extractors, err))
		return -1;
	ret = get_hosts(db, args, &hosts, err);
	if (ret == 0)
		ret = slu_query_resources(db, &hosts, extractors, piece, arg,
					  err);
	else if (ret == 1)
		ret = piece(arg, "{}", 2, err);
	slu_hosts_free(&hosts);
	free(extractors);
	return ret;
}

static int keep_piece(void *arg, const void *data, size_t len,
		      struct slu_err *err)
{
	struct slu_buf *out = arg;

	slu_buf_add(out, data, len);
	return out->failed ? slu_err(err, SLU_NOMEM, "the answer is too long")
			   : 0;
}

static int resources(struct slu_db *db, struct json_object *args,
		     struct slu_buf *out, struct slu_err *err)
{
	return stream(db, args, keep_piece, out, err);
}

/* A question about hosts, answered with an array. */
static int about_hosts(struct slu_db *db, struct json_object *args,
		       struct json_object *(*get)(struct slu_db *,
						  const struct slu_hosts *,
						  struct slu_err *),
		       struct slu_buf *out, struct slu_err *err)
{
	struct slu_hosts hosts;
	int ret = get_hosts(db, args, &hosts, err);

	if (ret < 0)
		return -1;
	ret = give(ret ? json_object_new_array() : get(db, &hosts, err), out,
		   err);
	slu_hosts_free(&hosts);
	return ret;
}

static int summary(struct slu_db *db, struct json_object *args,
		   struct slu_buf *out, struct slu_err *err)
{
	struct slu_storage_choice choice = {.choice = "auto"};
	struct slu_hosts hosts;
	int ret;

	if (slu_json_str_opt(args, "choice", &choice.choice, err) ||
	    slu_json_bool_opt(args, "each", &choice.each, err))
		return -1;
	ret = get_hosts(db, args, &hosts, err);
	if (ret < 0)
		return -1;
	ret = give(ret ? json_object_new_array()
		       : slu_query_summary(db, &hosts, &choice, err),
		   out, err);
	slu_hosts_free(&hosts);
	return ret;
}

static int storage(struct slu_db *db, struct json_object *args,
		   struct slu_buf *out, struct slu_err *err)
{
	struct slu_hosts hosts;
	int ret;

	if (named_hosts(args, &hosts, err))
		return -1;
	ret = hosts.n ? give(slu_query_storage(db, &hosts,
					       argument(args, "choices"), err),
			     out, err)
		      : slu_err(err, SLU_INVALID, "of which host?");
	slu_hosts_free(&hosts);
	return ret;
}

static int hosts(struct slu_db *db, struct json_object *args,
		 struct slu_buf *out, struct slu_err *err)
{
	return about_hosts(db, args, slu_query_hosts, out, err);
}

static int extractors(struct slu_db *db, struct json_object *args,
		      struct slu_buf *out, struct slu_err *err)
{
	(void)args;
	return give(slu_query_extractors(db, err), out, err);
}

/* The rows of each host, with its name as the first key. */
static int add_history(struct slu_db *db, const char *host, char **extractors,
		       struct json_object *out, struct slu_err *err)
{
	struct json_object *rows = slu_query_history(db, host, extractors, err);
	size_t n = rows ? json_object_array_length(rows) : 0;
	struct json_object *row;

	for (size_t i = 0; i < n; i++) {
		row = json_object_array_get_idx(rows, i);
		slu_json_set_str(row, "host", host);
		json_object_array_add(out, json_object_get(row));
	}
	json_object_put(rows);
	return rows ? 0 : -1;
}

static struct json_object *histories(struct slu_db *db,
				     const struct slu_hosts *hosts,
				     char **extractors, struct slu_err *err)
{
	struct json_object *out = json_object_new_array();

	for (size_t i = 0; i < hosts->n; i++) {
		if (add_history(db, hosts->name[i], extractors, out, err) == 0)
			continue;
		json_object_put(out);
		return NULL;
	}
	return out;
}

static int history(struct slu_db *db, struct json_object *args,
		   struct slu_buf *out, struct slu_err *err)
{
	struct slu_hosts hosts;
	char **extractors;
	int ret;

	if (named_hosts(args, &hosts, err))
		return -1;
	ret = get_extractors(args, &extractors, err);
	if (ret == 0)
		ret = hosts.n ? give(histories(db, &hosts, extractors, err),
				     out, err)
			      : slu_err(err, SLU_INVALID, "of which host?");
	free(extractors);
	slu_hosts_free(&hosts);
	return ret;
}

static struct json_object *difference(struct slu_db *db,
				      const struct slu_hosts *hosts,
				      int64_t since, char **extractors,
				      struct slu_err *err)
{
	if (since < 0 && hosts->n == 2)
		return slu_query_diff(db, hosts->name[0], hosts->name[1],
				      extractors, err);
	if (since >= 0 && hosts->n == 1)
		return slu_query_diff_since(db, hosts->name[0], since,
					    extractors, err);
	slu_err(err, SLU_INVALID, "want two hosts, or one and since when");
	return NULL;
}

static int diff(struct slu_db *db, struct json_object *args,
		struct slu_buf *out, struct slu_err *err)
{
	struct slu_hosts hosts;
	char **extractors;
	int64_t since = -1;
	int ret;

	if (slu_json_i64_opt(args, "since", &since, err) ||
	    named_hosts(args, &hosts, err))
		return -1;
	ret = get_extractors(args, &extractors, err);
	if (ret == 0)
		ret = give(difference(db, &hosts, since, extractors, err), out,
			   err);
	free(extractors);
	slu_hosts_free(&hosts);
	return ret;
}

static int select_rows(struct slu_db *db, struct json_object *args,
		       struct slu_buf *out, struct slu_err *err)
{
	const char *sql;

	if (slu_json_str(args, "sql", &sql, err))
		return -1;
	return give(slu_select(db, sql, err), out, err);
}

static int check(struct slu_db *db, struct json_object *args,
		 struct slu_buf *out, struct slu_err *err)
{
	return give(slu_slurmconf_check(db, args, err), out, err);
}

static int views(struct slu_db *db, struct json_object *args,
		 struct slu_buf *out, struct slu_err *err)
{
	(void)args;
	return give(slu_select_views(db, err), out, err);
}

static const struct slu_query queries[] = {
	{"resources", "documents of hosts", resources},
	{"summary", "a line for each host", summary},
	{"storage", "why file systems of hosts are taken", storage},
	{"hosts", "hosts in the map", hosts},
	{"extractors", "extractors in the map", extractors},
	{"history", "what hosts have and had", history},
	{"diff", "how hosts differ, or one from its past", diff},
	{"select", "selection by content", select_rows},
	{"check", "the map against slurm.conf", check},
	{"views", "what select selects from", views},
	{.name = NULL},
};

const struct slu_query *slu_query_find(const char *question)
{
	for (const struct slu_query *q = queries; q->name; q++)
		if (strcmp(q->name, question) == 0)
			return q;
	return NULL;
}

int slu_query_stream(const struct slu_query *query, struct slu_db *db,
		     struct json_object *args, slu_piece_f *piece, void *arg,
		     struct slu_err *err)
{
	struct slu_buf out = {0};
	int ret;

	if (query->answer == resources)
		return stream(db, args, piece, arg, err);
	ret = query->answer(db, args, &out, err);
	if (ret == 0)
		ret = piece(arg, out.data ? out.data : "", out.len, err);
	slu_buf_free(&out);
	return ret;
}

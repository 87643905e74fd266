/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the history of the resource map as lists of versions. A version is a
 * document that a host had for some time: former ones are in table Change, the
 * present one in Host2Data, with its times in Hostseen. The versions of a host
 * are sorted by extractor, then by time.
 */
#include "config.h"
#include "sysquery/map/map_history.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/map_documents.h"
#include "sysquery/map/json_differences.h"

#define ALWAYS 0	 /* since: unknown */
#define STILL  INT64_MAX /* until: the present version */

struct version {
	char *extractor; /* owned */
	int64_t since, until, seen;
	struct json_object *document; /* owned; NULL: not JSON */
};

struct versions {
	struct version *item;
	size_t n;
};

static void versions_free(struct versions *v)
{
	for (size_t i = 0; i < v->n; i++) {
		free(v->item[i].extractor);
		json_object_put(v->item[i].document);
	}
	free(v->item);
}

static bool wanted(char *const *names, const char *name)
{
	const struct slu_extractor *e;

	if (!names || !*names) {
		e = slu_extractor_find(name);
		return !e || !e->dynamic;
	}
	for (; *names; names++)
		if (strcmp(*names, name) == 0)
			return true;
	return false;
}

static int add(struct versions *v, struct slu_rows *row, struct slu_err *err)
{
	struct version *more = realloc(v->item, (v->n + 1) * sizeof(*more));
	const char *text = slu_db_text(row, 4);

	if (!more)
		return slu_err(err, SLU_NOMEM, "history");
	v->item = more;
	more[v->n] = (struct version){
		.extractor = strdup(slu_db_text(row, 0)),
		.since = slu_db_int(row, 1),
		.until = slu_db_int(row, 2),
		.seen = slu_db_int(row, 3),
		.document = slu_json_parse(text ? text : "",
					   slu_db_bytes(row, 4), NULL),
	};
	return more[v->n++].extractor ? 0 : slu_err(err, SLU_NOMEM, "history");
}

#define COLUMNS "SELECT e.Name, v.Since, v.Until, v.Seen, d.Data FROM ("
#define NAMES                                                             \
	") v JOIN Datatable d ON d.DID = v.DID JOIN Extractortable e ON " \
	"e.EID = d.EID WHERE e.Name NOT NULL ORDER BY e.EID, v.Until, "   \
	"v.Since, v.DID"

static const char versions_sql[] = COLUMNS
	"SELECT DID, Since, Until, 0 AS Seen FROM Change WHERE HostID = ?1 "
	"UNION ALL SELECT x.DID, coalesce(s.Since, 0), 9223372036854775807, "
	"coalesce(s.LastSeen, 0) FROM Host2Data x LEFT JOIN Hostseen s ON "
	"s.HostID = x.HostID AND s.DID = x.DID WHERE x.HostID = ?1" NAMES;
static const char original_sql[] = COLUMNS
	"SELECT DID, 0 AS Since, 9223372036854775807 AS Until, 0 AS Seen "
	"FROM Host2Data WHERE HostID = ?1" NAMES;

static int read_versions(struct slu_db *db, const char *host,
			 char *const *extractors, struct versions *out,
			 struct slu_err *err)
{
	int64_t id = slu_host_id(db, host, false, err);
	struct slu_rows *rows;
	int ret = -1;

	if (id < 0)
		return -1;
	if (id == 0)
		return slu_err(err, SLU_NOTFOUND,
			       "the resource map knows nothing of %s", host);
	rows = slu_db_query(
		db, err, slu_db_has(db, "Change") ? versions_sql : original_sql,
		"I", id);
	while (rows && (ret = slu_db_step(rows, err)) == 1) {
		if (!wanted(extractors, slu_db_text(rows, 0)))
			continue;
		ret = add(out, rows, err);
		if (ret)
			break;
	}
	slu_db_done(rows);
	return ret == 0 ? 0 : -1;
}

static struct json_object *version_row(const struct version *v,
				       const struct version *before,
				       struct slu_err *err)
{
	struct json_object *row = json_object_new_object();
	struct json_object *changes;

	slu_json_set_str(row, "extractor", v->extractor);
	if (v->since != ALWAYS)
		slu_json_set_i64(row, "since", v->since);
	if (v->until != STILL)
		slu_json_set_i64(row, "until", v->until);
	else if (v->seen)
		slu_json_set_i64(row, "last_seen", v->seen);
	if (!before)
		return row;
	changes = json_object_new_array();
	json_object_object_add(row, "changes", changes);
	if (slu_leaves_diff(before->document, v->document, changes, err) == 0)
		return row;
	json_object_put(row);
	return NULL;
}

static int by_since(const void *a, const void *b)
{
	struct json_object *const *x = a, *const *y = b;
	int64_t s = ALWAYS, t = ALWAYS;

	slu_json_i64_opt(*x, "since", &s, NULL);
	slu_json_i64_opt(*y, "since", &t, NULL);
	return (s > t) - (s < t);
}

struct json_object *slu_query_history(struct slu_db *db, const char *host,
				      char *const *extractors,
				      struct slu_err *err)
{
	struct json_object *out = json_object_new_array(), *row;
	struct versions v = {0};
	const struct version *before;
	int ret = read_versions(db, host, extractors, &v, err);

	for (size_t i = 0; i < v.n && ret == 0; i++) {
		before = i ? &v.item[i - 1] : NULL;
		if (before && strcmp(before->extractor, v.item[i].extractor))
			before = NULL;
		row = version_row(&v.item[i], before, err);
		if (row)
			json_object_array_add(out, row);
		ret = row ? 0 : -1;
	}
	versions_free(&v);
	if (ret == 0) {
		json_object_array_sort(out, by_since);
		return out;
	}
	json_object_put(out);
	return NULL;
}

/* The version that was valid at that time. */
static struct json_object *at(const struct versions *v, const char *extractor,
			      int64_t then)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->item[i].extractor, extractor) == 0 &&
		    v->item[i].since <= then && then < v->item[i].until)
			return v->item[i].document;
	return NULL;
}

static int diff_extractor(const char *extractor, struct json_object *old,
			  struct json_object *new, struct json_object *out,
			  struct slu_err *err)
{
	size_t n = json_object_array_length(out);

	if (slu_leaves_diff(old, new, out, err))
		return -1;
	for (; n < json_object_array_length(out); n++)
		slu_json_set_str(json_object_array_get_idx(out, n), "extractor",
				 extractor);
	return 0;
}

/* Is item i the first of its extractor, which `other` (or NULL) does not have?
 */
static bool first(const struct versions *v, size_t i,
		  const struct versions *other)
{
	const char *name = v->item[i].extractor;

	if (i && strcmp(v->item[i - 1].extractor, name) == 0)
		return false;
	for (size_t k = 0; other && k < other->n; k++)
		if (strcmp(other->item[k].extractor, name) == 0)
			return false;
	return true;
}

/* Differences of every extractor in either, at these times. */
static struct json_object *diff(const struct versions *a, int64_t then,
				const struct versions *b, struct slu_err *err)
{
	struct json_object *out = json_object_new_array();
	int ret = 0;

	for (size_t i = 0; i < a->n && ret == 0; i++)
		if (first(a, i, NULL))
			ret = diff_extractor(
				a->item[i].extractor,
				at(a, a->item[i].extractor, then),
				at(b, a->item[i].extractor, STILL - 1), out,
				err);
	for (size_t i = 0; i < b->n && ret == 0; i++)
		if (first(b, i, a))
			ret = diff_extractor(
				b->item[i].extractor, NULL,
				at(b, b->item[i].extractor, STILL - 1), out,
				err);
	if (ret == 0)
		return out;
	json_object_put(out);
	return NULL;
}

struct json_object *slu_query_diff(struct slu_db *db, const char *first,
				   const char *second, char *const *extractors,
				   struct slu_err *err)
{
	struct versions a = {0}, b = {0};
	struct json_object *out = NULL;

	if (read_versions(db, first, extractors, &a, err) == 0 &&
	    read_versions(db, second, extractors, &b, err) == 0)
		out = diff(&a, STILL - 1, &b, err);
	versions_free(&a);
	versions_free(&b);
	return out;
}

struct json_object *slu_query_diff_since(struct slu_db *db, const char *host,
					 int64_t then, char *const *extractors,
					 struct slu_err *err)
{
	struct json_object *out = NULL;
	struct versions v = {0};

	if (read_versions(db, host, extractors, &v, err) == 0)
		out = diff(&v, then, &v, err);
	versions_free(&v);
	return out;
}

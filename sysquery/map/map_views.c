/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates the SQL views of the documents. Each distinct document is split once
 * into rows of a temporary table; the view joins these with the hosts that have
 * the document. Columns are all keys that occur in documents, and those that
 * the extractor is known to produce, so that a query about GPUs is valid where
 * there are none.
 */
#include "config.h"
#include "sysquery/map/map_select.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/extract.h"
#include "sysquery/map/map_resources.h"
#include "sysmap/database/planner_storage.h"
#include "sysquery/json_rows.h"

#define KEYS_MAX 500
#define WORD_MAX 128

/* The source of one view. */
struct source {
	char view[WORD_MAX];
	char extractor[WORD_MAX];
	char key[WORD_MAX]; /* of a nested array; "": the top level */
};

/* Columns: keys quoted as "KEY". */
struct columns {
	char *name[KEYS_MAX];
	size_t n;
};

static void columns_free(struct columns *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->name[i]);
}

/* Column names are case-insensitive; "host" is ours, so a document's own key
 * becomes "its_host". */
static void add_column(struct columns *c, const char *key)
{
	if (c->n == KEYS_MAX || !*key || strpbrk(key, "\"'[]\\"))
		return;
	for (size_t i = 0; i < c->n; i++)
		if (strcasecmp(c->name[i], key) == 0)
			return;
	c->name[c->n] = strdup(key);
	c->n += c->name[c->n] != NULL;
}

/* The elements e of the documents d of a source: ?1 is the extractor, which old
 * databases may have in two spellings, ?2 the path of the array. A document
 * that is not JSON, or has no such array, has no elements. */
#define ELEMENTS                                                         \
	" FROM Datatable d, json_each(CASE WHEN NOT json_valid(d.Data) " \
	"THEN '[]' WHEN json_type(d.Data, ?2) = 'array' "                \
	"THEN json_extract(d.Data, ?2) "                                 \
	"WHEN ?2 = '$' THEN json_array(json(d.Data)) "                   \
	"ELSE '[]' END) e WHERE d.EID IN (SELECT EID FROM "              \
	"Extractortable WHERE lower(Name) = lower(?1)) AND d.DID IN "    \
	"(SELECT DID FROM Host2Data)"

static void path_of(const struct source *s, char path[WORD_MAX + 8])
{
	snprintf(path, WORD_MAX + 8, *s->key ? "$.\"%s\"" : "$", s->key);
}

/* Documents without a known NUMA node lack the key, but it may be queried. */
static void add_place(const char *extractor, struct columns *c)
{
	static const char *const devices[] = {
		"nvme", "infiniband", "networkdevices", "gpus", "pcidevices"};

	for (size_t i = 0; i < sizeof(devices) / sizeof(devices[0]); i++)
		if (strcasecmp(extractor, devices[i]) == 0)
			add_column(c, "numa_node");
}

static int read_columns(struct slu_db *db, const struct source *s,
			struct columns *c, struct slu_err *err)
{
	const struct slu_extractor *e = slu_extractor_find(s->extractor);
	char path[WORD_MAX + 8];
	struct slu_rows *rows;
	int ret;

	for (size_t i = 0; !*s->key && e && e->columns && e->columns[i].key;
	     i++)
		add_column(c, e->columns[i].key);
	for (size_t i = 0; !*s->key && e && e->keys && e->keys[i]; i++)
		add_column(c, e->keys[i]);
	if (!*s->key)
		add_place(s->extractor, c);
	path_of(s, path);
	rows = slu_db_query(
		db, err,
		"SELECT DISTINCT k.key FROM (SELECT CASE e.type "
		"WHEN 'object' THEN e.value ELSE '{}' END AS o" ELEMENTS
		") x, json_each(x.o) k",
		"ss", s->extractor, path);
	if (!rows)
		return -1;
	while ((ret = slu_db_step(rows, err)) == 1)
		add_column(c, slu_db_text(rows, 0));
	slu_db_done(rows);
	if (ret == 0 && c->n == 0)
		add_column(c, "value"); /* an array of plain values */
	return ret;
}

/* "KEY" for every column, without a type, so that values are not converted. */
static void add_names(struct slu_buf *sql, const struct columns *c,
		      const char *before)
{
	for (size_t i = 0; i < c->n; i++)
		slu_buf_printf(sql, ", %s\"%s%s\"", before,
			       strcasecmp(c->name[i], "host") ? "" : "its_",
			       c->name[i]);
}

/* The value of a key; an element that is not an object is itself the value. */
static const char *plain(const char *key)
{
	if (strcasecmp(key, "value") == 0)
		return ", coalesce(o ->> '$.\"%s\"', v)";
	return ", o ->> '$.\"%s\"'";
}

static int fill(struct slu_db *db, const struct source *s,
		const struct columns *c, struct slu_err *err)
{
	struct slu_buf sql = {0};
	char path[WORD_MAX + 8];
	int ret = -1;

	path_of(s, path);
	slu_buf_printf(&sql, "INSERT INTO temp.\"t_%s\" SELECT DID", s->view);
	for (size_t i = 0; i < c->n; i++)
		slu_buf_printf(&sql, plain(c->name[i]), c->name[i]);
	slu_buf_puts(&sql, " FROM (SELECT d.DID, e.atom AS v, CASE e.type "
			   "WHEN 'object' THEN e.value END AS o" ELEMENTS ")");
	if (sql.failed)
		slu_err(err, SLU_NOMEM, "%s", s->view);
	else if (slu_db_exec(db, err, sql.data, "ss", s->extractor, path) >= 0)
		ret = 0;
	slu_buf_free(&sql);
	return ret;
}

static int create(struct slu_db *db, const struct source *s,
		  const struct columns *c, struct slu_err *err)
{
	struct slu_buf sql = {0};
	int ret;

	slu_buf_printf(&sql, "CREATE TEMP TABLE \"t_%s\" (\"DID of t\"",
		       s->view);
	add_names(&sql, c, "");
	slu_buf_printf(&sql,
		       "); CREATE INDEX temp.\"i_%s\" ON \"t_%s\" "
		       "(\"DID of t\"); CREATE TEMP VIEW \"%s\" AS "
		       "SELECT h.Hostname AS host",
		       s->view, s->view, s->view);
	add_names(&sql, c, "t.");
	slu_buf_printf(&sql,
		       " FROM \"t_%s\" t JOIN main.Host2Data x ON x.DID = "
		       "t.\"DID of t\" JOIN main.Hosttable h ON "
		       "h.HostID = x.HostID",
		       s->view);
	ret = sql.failed ? slu_err(err, SLU_NOMEM, "%s", s->view)
			 : slu_db_script(db, sql.data, err);
	slu_buf_free(&sql);
	return ret;
}

static int make(struct slu_db *db, const struct source *s, bool rows,
		struct slu_err *err)
{
	struct columns c = {.n = 0};
	int ret = read_columns(db, s, &c, err);

	if (ret == 0)
		ret = create(db, s, &c, err);
	if (ret == 0 && rows)
		ret = fill(db, s, &c, err);
	columns_free(&c);
	return ret;
}

static int make_summary(struct slu_db *db, struct slu_err *err)
{
	return slu_db_script(
		db,
		"CREATE TEMP TABLE v_summary (host, storage, "
		"filesystem, tier, size, available, disks, disk_bytes, "
		"memory, cores, cpus)",
		err);
}

static int fill_summary(struct slu_db *db, struct slu_err *err)
{
	const struct slu_storage_choice usual = {.choice = "auto"};
	struct json_object *rows = slu_query_summary(db, NULL, &usual, err);
	long n = -1;

	if (rows)
		n = slu_db_exec(db, err,
				"INSERT INTO v_summary SELECT "
				"value ->> 'host', value ->> 'storage', "
				"value ->> 'filesystem', value ->> 'tier', "
				"value ->> 'size', "
				"value ->> 'available', value ->> 'disks', "
				"value ->> 'disk_bytes', value ->> 'memory', "
				"value ->> 'cores', value ->> 'cpus' "
				"FROM json_each(?)",
				"s", slu_json_text(rows));
	json_object_put(rows);
	return n < 0 ? -1 : 0;
}

static int make_leaf(struct slu_db *db, struct slu_err *err)
{
	return slu_db_script(db, "CREATE TEMP TABLE v_leaf (host, switch)",
			     err);
}

/* An element that is not such an object has no hosts. */
static int add_leaf(struct slu_db *db, struct json_object *sw,
		    struct slu_err *err)
{
	const char *name = "", *list = "";
	struct slu_hosts hosts;
	long n = 0;

	if (slu_json_str_opt(sw, "switch", &name, NULL) ||
	    slu_json_str_opt(sw, "hosts", &list, NULL) ||
	    slu_hosts_parse(list, &hosts, NULL))
		return 0;
	for (size_t i = 0; i < hosts.n && n >= 0; i++)
		n = slu_db_exec(db, err, "INSERT INTO v_leaf VALUES (?, ?)",
				"ss", hosts.name[i], name);
	slu_hosts_free(&hosts);
	return n < 0 ? -1 : 0;
}

/* Maps hosts to switches by the newest document "topology", an array of
 * {"switch":NAME,"hosts":LIST,...} that any node may have sent. */
static int fill_leaf(struct slu_db *db, struct slu_err *err)
{
	struct json_object *topology = NULL;
	struct slu_buf text = {0};
	size_t n = 0;
	int ret = 0;

	if (slu_documents_newest(db, "topology", &text, NULL) == 0)
		topology = slu_json_parse(text.data, text.len, NULL);
	if (json_object_is_type(topology, json_type_array))
		n = json_object_array_length(topology);
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = add_leaf(db, json_object_array_get_idx(topology, i), err);
	json_object_put(topology);
	slu_buf_free(&text);
	return ret;
}

/* The longest extractor name that is a prefix of the word after "v_"; the rest
 * is a key. 1: found; 0: there is none. */
static int find_source(struct slu_db *db, const char *word, struct source *s,
		       struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT Name FROM Extractortable WHERE "
		"lower(substr(?1, 1, length(Name))) = lower(Name) AND "
		"substr(?1, length(Name) + 1, 1) IN ('', '_') "
		"ORDER BY length(Name) DESC, EID LIMIT 1",
		"s", word + 2);
	size_t len;
	int ret;

	*s = (struct source){.view = ""};
	if (!rows)
		return -1;
	slu_copy(s->view, sizeof(s->view), word);
	ret = slu_db_step(rows, err);
	if (ret == 1) {
		slu_copy(s->extractor, sizeof(s->extractor),
			 slu_db_text(rows, 0));
		len = strlen(s->extractor) + 2;
		if (word[len] == '_')
			slu_copy(s->key, sizeof(s->key), word + len + 1);
	}
	slu_db_done(rows);
	if (ret == 0 && slu_extractor_find(word + 2)) {
		slu_copy(s->extractor, sizeof(s->extractor), word + 2);
		ret = 1;
	}
	return ret;
}

/* Views that are not of one extractor. */
static const struct {
	const char *view;
	int (*make)(struct slu_db *db, struct slu_err *err);
	int (*fill)(struct slu_db *db, struct slu_err *err);
} ours[] = {
	{"v_summary", make_summary, fill_summary},
	{"v_leaf", make_leaf, fill_leaf},
};

#define OURS (sizeof(ours) / sizeof(ours[0]))

/* Makes the view of that name, if it exists; rows false: only its columns are
 * needed. */
static int make_word(struct slu_db *db, const char *word, bool rows,
		     struct slu_err *err)
{
	struct source s;
	int64_t made;
	int ret;

	if (slu_db_value(db, &made, 0, err,
			 "SELECT 1 FROM temp.sqlite_schema WHERE name = ?", "s",
			 word))
		return -1;
	if (made)
		return 0;
	for (size_t i = 0; i < OURS; i++)
		if (strcmp(word, ours[i].view) == 0)
			return ours[i].make(db, err) ||
					       (rows && ours[i].fill(db, err))
				       ? -1
				       : 0;
	ret = find_source(db, word, &s, err);
	return ret == 1 ? make(db, &s, rows, err) : ret;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Makes the views of all words in the statement. Other words, also in quotes,
 * do no harm. */
int slu_views_make(struct slu_db *db, const char *sql, struct slu_err *err)
{
	char word[WORD_MAX];
	size_t len;

	if (slu_db_script(db, "PRAGMA temp_store = MEMORY", err))
		return -1;
	for (const char *at = sql; *at; at += len) {
		len = 0;
		while (is_word(at[len]))
			len++;
		if (len > 2 && len < sizeof(word) && tolower(at[0]) == 'v' &&
		    at[1] == '_') {
			for (size_t i = 0; i <= len; i++)
				word[i] = (char)(i < len ? tolower(at[i]) : 0);
			if (make_word(db, word, true, err))
				return -1;
		}
		len += len == 0;
	}
	return 0;
}

/* Every extractor with at least one document. */
static struct json_object *all_views(struct slu_db *db, struct slu_err *err)
{
	struct json_object *rows = slu_query_rows(
		slu_db_query(db, err,
			     "SELECT 'v_' || lower(Name) AS view FROM "
			     "Extractortable WHERE EID IN (SELECT d.EID FROM "
			     "Host2Data x JOIN Datatable d ON d.DID = x.DID) "
			     "GROUP BY 1 ORDER BY min(EID)",
			     ""),
		0, err);
	struct json_object *row;

	for (size_t i = 0; rows && i < OURS; i++) {
		row = json_object_new_object();
		slu_json_set_str(row, "view", ours[i].view);
		json_object_array_add(rows, row);
	}
	return rows;
}

static struct json_object *describe(struct slu_db *db, const char *view,
				    struct slu_err *err)
{
	return slu_query_rows(
		slu_db_query(db, err,
			     "SELECT ?1 AS view, group_concat(name, ', ') AS "
			     "columns FROM pragma_table_info(?1)",
			     "s", view),
		0, err);
}

static int add_described(struct slu_db *db, const char *view,
			 struct json_object *out, struct slu_err *err)
{
	struct json_object *columns;

	if (view[strspn(view, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return 0; /* would need quotes: cannot be used */
	if (make_word(db, view, false, err))
		return -1;
	columns = describe(db, view, err);
	if (!columns)
		return -1;
	for (size_t i = 0; i < json_object_array_length(columns); i++)
		json_object_array_add(
			out,
			json_object_get(json_object_array_get_idx(columns, i)));
	json_object_put(columns);
	return 0;
}

struct json_object *slu_select_views(struct slu_db *db, struct slu_err *err)
{
	struct json_object *views = all_views(db, err);
	struct json_object *out = json_object_new_array();
	size_t n = views ? json_object_array_length(views) : 0;
	const char *name;
	int ret = views ? 0 : -1;

	for (size_t i = 0; i < n && ret == 0; i++) {
		ret = slu_json_str(json_object_array_get_idx(views, i), "view",
				   &name, err);
		if (ret == 0)
			ret = add_described(db, name, out, err);
	}
	json_object_put(views);
	if (ret == 0)
		return out;
	json_object_put(out);
	return NULL;
}

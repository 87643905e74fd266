/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs an untrusted SELECT: first its views are created, then the connection is
 * confined to reading them, then the statement runs. */
#include "config.h"
#include "sysquery/map/map_select.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/size.h"
#include "common/str.h"
#include "sysquery/json_rows.h"

#define ROWS_MAX (256u << 20) /* bytes of memory */

static const char *const resource_map[] = {
	"Hosttable", "Extractortable", "Datatable",	"Host2Data", "Datahash",
	"Hostseen",  "Change",	       "sqlite_master", NULL};

/* Length of a number with a unit at `at`; 0: none. */
static size_t size_length(const char *at)
{
	size_t digits = strspn(at, "0123456789"), unit;

	if (digits == 0)
		return 0;
	if (at[digits] == '.')
		digits += 1 + strspn(at + digits + 1, "0123456789");
	if (!at[digits] || !strchr("KMGTPkmgtp", at[digits]))
		return 0;
	unit = strspn(at + digits, "KMGTPkmgtpiIbB");
	if (isalnum((unsigned char)at[digits + unit]) ||
	    at[digits + unit] == '_')
		return 0;
	return digits + unit;
}

static int add_size(struct slu_buf *out, const char *at, size_t len,
		    struct slu_err *err)
{
	char text[64];
	uint64_t bytes;

	slu_copy(text, len + 1 < sizeof(text) ? len + 1 : sizeof(text), at);
	if (slu_size_parse(text, &bytes, err))
		return -1;
	slu_buf_printf(out, "%llu", (unsigned long long)bytes);
	return 0;
}

/* Length of the token at `at`: a quoted text, a word, a number, or one
 * character. */
static size_t piece_length(const char *at)
{
	const char *end;
	size_t len = 0;

	if (strchr("'\"`", *at)) {
		end = strchr(at + 1, *at);
		return end ? (size_t)(end - at) + 1 : strlen(at);
	}
	while (isalnum((unsigned char)at[len]) || at[len] == '_')
		len++;
	return len ? len : 1;
}

char *slu_select_numbers(const char *sql, struct slu_err *err)
{
	struct slu_buf out = {0};
	size_t len;

	for (const char *at = sql; *at; at += len) {
		len = size_length(at);
		if (len && add_size(&out, at, len, err)) {
			slu_buf_free(&out);
			return NULL;
		}
		if (len)
			continue;
		len = piece_length(at);
		slu_buf_add(&out, at, len);
	}
	if (out.failed)
		slu_err(err, SLU_NOMEM, "out of memory");
	return slu_buf_steal(&out);
}

/* Two columns of the same name would be one key of an object. */
static int check_columns(struct slu_rows *rows, struct slu_err *err)
{
	for (int i = 0; i < slu_db_columns(rows); i++)
		for (int k = 0; k < i; k++)
			if (strcmp(slu_db_column_name(rows, i),
				   slu_db_column_name(rows, k)) == 0)
				return slu_err(err, SLU_INVALID,
					       "two columns are called %s: "
					       "name one with AS",
					       slu_db_column_name(rows, i));
	return 0;
}

static struct json_object *select_rows(struct slu_db *db, const char *sql,
				       struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(db, err, sql, "");

	if (!rows)
		return NULL;
	if (check_columns(rows, err) == 0)
		return slu_query_rows(rows, ROWS_MAX, err);
	slu_db_done(rows);
	return NULL;
}

struct json_object *slu_select(struct slu_db *db, const char *sql,
			       struct slu_err *err)
{
	char *text = slu_select_numbers(sql, err);
	struct json_object *rows = NULL;
	struct slu_err why = {0};

	if (text && slu_views_make(db, text, err) == 0 &&
	    slu_db_confine(db, resource_map, err) == 0) {
		rows = select_rows(db, text, &why);
		if (!rows) /* an internal error here is the user's mistake */
			slu_err(err,
				why.kind == SLU_INTERNAL ? SLU_INVALID
							 : why.kind,
				"%s", why.text);
	}
	free(text);
	return rows;
}

/* The values of the key "host", which must be distinct. */
static int take_hosts(struct json_object *rows, struct slu_hosts *out,
		      struct slu_err *err)
{
	size_t n = json_object_array_length(rows);
	const char *host;

	out->name = calloc(n + 1, sizeof(*out->name));
	if (!out->name)
		return slu_err(err, SLU_NOMEM, "hosts");
	for (; out->n < n; out->n++) {
		if (slu_json_str(json_object_array_get_idx(rows, out->n),
				 "host", &host, err))
			return -1;
		out->name[out->n] = strdup(host);
		if (!out->name[out->n])
			return slu_err(err, SLU_NOMEM, "hosts");
	}
	return 0;
}

int slu_select_hosts(struct slu_db *db, const char *condition,
		     struct slu_hosts *out, struct slu_err *err)
{
	char *sql = slu_asprintf(
		"SELECT DISTINCT host FROM v_summary WHERE (%s\n)", condition);
	struct json_object *rows = NULL;
	int ret = -1;

	*out = (struct slu_hosts){0};
	if (sql)
		rows = slu_select(db, sql, err);
	else
		slu_err(err, SLU_NOMEM, "out of memory");
	if (rows)
		ret = take_hosts(rows, out, err);
	if (ret)
		slu_hosts_free(out);
	json_object_put(rows);
	free(sql);
	return ret;
}

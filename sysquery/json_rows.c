/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts the rows of an SQL query to JSON. Numbers stay numbers (whole ones
 * beyond 2^53 become strings), all else are strings; NULL and non-finite values
 * are absent.
 */
#include "config.h"
#include "sysquery/json_rows.h"

#include "common/jsonx.h"

#define ROW_MEMORY   1024 /* bytes of an object with its hash table */
#define VALUE_MEMORY 128  /* bytes of a key and a number */

static struct json_object *value(struct slu_rows *rows, int column)
{
	switch (slu_db_type(rows, column)) {
	case SLU_DB_INTEGER: /* see slu_query_row() */
	case SLU_DB_REAL:
	case SLU_DB_NULL:
		break;
	case SLU_DB_TEXT:
		return json_object_new_string_len(
			slu_db_text(rows, column),
			(int)slu_db_bytes(rows, column));
	}
	return NULL;
}

struct json_object *slu_query_row(struct slu_rows *rows)
{
	struct json_object *obj = json_object_new_object(), *v;

	for (int i = 0; i < slu_db_columns(rows); i++) {
		v = value(rows, i);
		if (v)
			json_object_object_add(obj, slu_db_column_name(rows, i),
					       v);
		if (slu_db_type(rows, i) == SLU_DB_INTEGER)
			slu_json_set_i64(obj, slu_db_column_name(rows, i),
					 slu_db_int(rows, i));
		if (slu_db_type(rows, i) ==
		    SLU_DB_REAL) /* JSON has no Infinity */
			slu_json_set_double(obj, slu_db_column_name(rows, i),
					    slu_db_double(rows, i));
	}
	return obj;
}

/* An upper estimate of json-c's memory for the row. */
static size_t memory(struct slu_rows *rows)
{
	size_t bytes = ROW_MEMORY;

	for (int i = 0; i < slu_db_columns(rows); i++)
		bytes += VALUE_MEMORY + (slu_db_type(rows, i) == SLU_DB_TEXT
						 ? slu_db_bytes(rows, i)
						 : 0);
	return bytes;
}

struct json_object *slu_query_rows(struct slu_rows *rows, size_t max,
				   struct slu_err *err)
{
	struct json_object *list = json_object_new_array();
	size_t taken = 0;
	int ret = -1;

	while (rows && (ret = slu_db_step(rows, err)) == 1) {
		taken += memory(rows);
		if (max && taken > max) {
			ret = slu_err(err, SLU_NOMEM,
				      "the rows take more than %zu MiB of "
				      "memory: ask for fewer (LIMIT)",
				      max >> 20);
			break;
		}
		json_object_array_add(list, slu_query_row(rows));
	}
	slu_db_done(rows);
	if (ret == 0)
		return list;
	json_object_put(list);
	return NULL;
}

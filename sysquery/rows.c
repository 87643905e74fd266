/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any query's rows as JSON: numbers as numbers, all else as text; what is NULL
 * or not finite is absent. */
#include "config.h"
#include "sysquery/rows.h"

#include "common/jsonx.h"

static struct json_object *value(struct slu_rows *rows, int column)
{
	switch (slu_db_type(rows, column)) {
	case SLU_DB_INTEGER:
		return json_object_new_int64(slu_db_int(rows, column));
	case SLU_DB_REAL: /* see row() */
	case SLU_DB_NULL:
		break;
	case SLU_DB_TEXT:
		return json_object_new_string_len(
			slu_db_text(rows, column),
			(int)slu_db_bytes(rows, column));
	}
	return NULL;
}

static struct json_object *row(struct slu_rows *rows)
{
	struct json_object *obj = json_object_new_object(), *v;

	for (int i = 0; i < slu_db_columns(rows); i++) {
		v = value(rows, i);
		if (v)
			json_object_object_add(obj, slu_db_column(rows, i), v);
		if (slu_db_type(rows, i) ==
		    SLU_DB_REAL) /* JSON has no Infinity */
			slu_json_set_double(obj, slu_db_column(rows, i),
					    slu_db_double(rows, i));
	}
	return obj;
}

struct json_object *slu_query_rows(struct slu_rows *rows, struct slu_err *err)
{
	struct json_object *list = json_object_new_array();
	int ret = -1;

	while (rows && (ret = slu_db_step(rows, err)) == 1)
		json_object_array_add(list, row(rows));
	slu_db_done(rows);
	if (ret == 0)
		return list;
	json_object_put(list);
	return NULL;
}

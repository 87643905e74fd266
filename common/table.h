/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_TABLE_H
#define SLU_COMMON_TABLE_H

/*
 * JSON for people: an array of objects as an aligned table, one row an
 * object, one column a key; numbers stand to the right. Texts are made safe
 * for a terminal: control characters become '?'.
 */

#include <json-c/json.h>
#include "common/err.h"
#include "common/str.h"

enum slu_column_type {
	SLU_COL_PLAIN,	 /* as it is; nested values as compact JSON */
	SLU_COL_ROUND,	 /* a number's first six digits */
	SLU_COL_BYTES,	 /* "1.5GiB" */
	SLU_COL_SECONDS, /* "2:03:04" */
	SLU_COL_TIME,	 /* Unix seconds, as local time; 0 is "-" */
};

struct slu_column {
	const char *key;
	const char *title; /* NULL: the key */
	enum slu_column_type type;
};

/* Add the table to *out, a title line first. columns: ended by a NULL key;
 * NULL: every key, in the order of first sight. Absent and null values are
 * "-". Rows that are not objects are SLU_INVALID. */
int slu_table(struct json_object *rows, const struct slu_column *columns,
	      struct slu_buf *out, struct slu_err *err);

#endif

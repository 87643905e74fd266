/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_TABLE_H
#define SLU_COMMON_TABLE_H

/*
 * Prints JSON for people: an array of objects as an aligned table, with one row
 * per object and one column per key. Numbers are aligned to the right; columns
 * by the width of characters on a terminal. Control characters in texts become
 * '?'.
 *
 * A table that is too wide is reduced: columns without any value are dropped
 * first, then those with the highest `drop`; texts are cut, with an ellipsis. A
 * number, a size or a time is never cut, as the rest would be another value.
 */

#include <json-c/json.h>
#include "common/err.h"
#include "common/str.h"

enum slu_column_type {
	SLU_COL_PLAIN,	 /* as it is; nested values as compact JSON */
	SLU_COL_TEXT,	 /* the same; a sentence: cut as late as can be */
	SLU_COL_ROUND,	 /* a number's first six digits */
	SLU_COL_BYTES,	 /* "1.5GiB" */
	SLU_COL_SECONDS, /* "2:03:04" */
	SLU_COL_TIME,	 /* Unix seconds, as local time; 0 is "-" */
};

enum slu_color {
	SLU_COLOR_NONE,
	SLU_COLOR_GOOD,
	SLU_COLOR_CAUTION,
	SLU_COLOR_BAD,
};
/* The color of a cell, by its content. */
typedef enum slu_color slu_color_f(const char *text);

struct slu_column {
	const char *key;
	const char *title; /* NULL: the key */
	bool capitals;	   /* that, in capital letters */
	enum slu_column_type type;
	unsigned drop;	    /* the highest is dropped first, 0 last */
	slu_color_f *color; /* NULL: none */
};

struct slu_table_look {
	size_t width;	  /* columns of the terminal; 0: no limit */
	bool color;	  /* SGR sequences, of 16 colors */
	const char *more; /* the option that shows all: "--wide"; NULL: none */
	bool whole;	  /* a sentence in the last column is broken, not cut */
};

/* The width for a table on standard output: $COLUMNS, else that of the
 * terminal; 0: there is none, and no limit. */
size_t slu_table_width(void);

/* Appends the table to *out, a title line first, and if columns were dropped a
 * last line that names them. columns: ended by a NULL key; NULL: every key, in
 * order of first appearance, of which the last are dropped first. Absent and
 * null values are "-". look: NULL: full width, without colors. Rows that are
 * not objects are SLU_INVALID. */
int slu_table(struct json_object *rows, const struct slu_column *columns,
	      const struct slu_table_look *look, struct slu_buf *out,
	      struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_TABLE_H
#define SLU_COMMON_TABLE_H

/*
 * JSON for people: an array of objects as an aligned table, one row an
 * object, one column a key; numbers stand to the right. Texts are made safe
 * for a terminal: control characters become '?'. Columns are aligned by what
 * they take on a terminal.
 *
 * A table that does not fit is made to: columns in which no row has a value go
 * first, then those with the highest `drop`; texts are cut, with an ellipsis
 * for what is lost; a number, a size or a time never is, for it would be
 * another one.
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
/* The color of a cell, by what stands in it. */
typedef enum slu_color slu_color_f(const char *text);

struct slu_column {
	const char *key;
	const char *title; /* NULL: the key */
	bool capitals;	   /* that, in capital letters */
	enum slu_column_type type;
	unsigned drop;	    /* the highest goes first, 0 last */
	slu_color_f *color; /* NULL: none */
};

struct slu_table_look {
	size_t width;	  /* columns of the terminal; 0: as wide as it takes */
	bool color;	  /* SGR sequences, of 16 colors */
	const char *more; /* what shows all of it: "--wide"; NULL: nothing */
	bool whole;	  /* a sentence in the last column is broken, not cut */
};

/* The columns that a table on standard output may have: what COLUMNS says, else
 * those of the terminal; 0: there is none, and no limit. */
size_t slu_table_width(void);

/* Add the table to *out, a title line first, and where columns were left out a
 * last line that names them. columns: ended by a NULL key;
 * NULL: every key, in the order of first sight, of which the last go first.
 * Absent and null values are "-". look: NULL: whole, without colors. Rows that
 * are not objects are SLU_INVALID. */
int slu_table(struct json_object *rows, const struct slu_column *columns,
	      const struct slu_table_look *look, struct slu_buf *out,
	      struct slu_err *err);

#endif

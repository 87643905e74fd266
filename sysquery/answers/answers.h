/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_ANSWERS_ANSWERS_H
#define SLU_SYSQUERY_ANSWERS_ANSWERS_H

/*
 * Describes the answers that sysquery shows: the keys of each, with their
 * types, units and columns. From these tables come the JSON output
 * (answer_json.c), its schemas (answer_schema.c), the tables for people, and
 * the names for -o and --sort.
 *
 * A key may have another name in JSON than in sluiced's answer: one with its
 * unit. There the old name is kept as deprecated until the next version.
 */

#include <json-c/json.h>
#include "common/err.h"
#include "common/str.h"
#include "common/table.h"

#define SLU_ANSWER_VERSION 1

enum slu_quantity {
	SLU_IS_ANY, /* not converted */
	SLU_IS_TEXT,
	SLU_IS_FLAG,
	SLU_IS_COUNT,	  /* a whole number: a count or an id */
	SLU_IS_NUMBER,	  /* without a unit */
	SLU_IS_SHARE,	  /* 0 to 1 */
	SLU_IS_PERCENT,	  /* 0 to 100 */
	SLU_IS_BYTES,	  /* whole ones */
	SLU_IS_BANDWIDTH, /* whole bytes per second */
	SLU_IS_SECONDS,	  /* not finer than milliseconds */
	SLU_IS_TIME,	  /* seconds since 1970, UTC */
	SLU_IS_OBJECT,	  /* with the keys `of` */
	SLU_IS_LIST,	  /* of such objects; of NULL: of `each` */
	SLU_IS_MAP,	  /* an object of such objects, by name */
};

struct slu_answer_key {
	const char *key;  /* in sluiced's answer */
	const char *json; /* NULL: the same */
	enum slu_quantity is;
	double factor; /* from sluiced's unit to that of JSON; 0: 1 */
	const struct slu_answer_key *of;
	enum slu_quantity each;
	const char *doc;
	/* The column of a table, if there is a title; see slu_column. */
	const char *title;
	bool text;  /* a sentence */
	bool round; /* a number's first six digits */
	unsigned drop;
	slu_color_f *color;
};

struct slu_form {
	const char *name; /* its schema is "sluice." and this */
	const char *doc;
	const char *question; /* asked of sluiced; NULL: the name */
	/* If sluiced's answer is a list (or `map`, objects by name): its key in
	 * JSON. NULL: it is an object. */
	const char *rows;
	bool map;
	const struct slu_answer_key *keys; /* NULL: any; key NULL ends them */
	/* For a list: the keys by which --state and --since select rows; NULL:
	 * no selection. */
	const char *state, *time;
	const char *states; /* the possible states, "A,B"; NULL: any */
	const char *
		main; /* for an object: its list to which -o and --sort apply */
};

extern const struct slu_form *const slu_forms[]; /* NULL ends it */
extern const struct slu_form slu_form_accuracy, slu_form_backtest,
	slu_form_buffers, slu_form_check, slu_form_diff, slu_form_doctor,
	slu_form_dump, slu_form_extractors, slu_form_history, slu_form_hosts,
	slu_form_import, slu_form_integrity, slu_form_iostart, slu_form_ions,
	slu_form_jobs, slu_form_osts, slu_form_page, slu_form_predict,
	slu_form_job, slu_form_layouts, slu_form_report, slu_form_resources,
	slu_form_schemas, slu_form_select, slu_form_site, slu_form_start,
	slu_form_stripe, slu_form_summary, slu_form_storage, slu_form_views,
	slu_form_why, slu_form_prestage;

const struct slu_form *slu_form_find(const char *name);
/* Its name in JSON. */
const char *slu_key_name(const struct slu_answer_key *key);
/* Find a key by its name in JSON, in sluiced's answer or in a table, without
 * case; NULL: unknown. */
const struct slu_answer_key *slu_key_find(const struct slu_answer_key *keys,
					  const char *name);

/* answer_json.c: sluiced's answer as JSON output, starting with schema and
 * version. Caller frees with json_object_put(). */
struct json_object *slu_form_encode(const struct slu_form *answer,
				    struct json_object *said);
/* Rows of a list with these keys (NULL: any), the same way. Caller puts. */
struct json_object *slu_form_rows(const struct slu_answer_key *keys,
				  struct json_object *rows);
/* The text before and after the rows of an answer that is too long to be held
 * in memory. */
void slu_form_put_head(const struct slu_form *answer, struct slu_buf *out);
void slu_form_put_tail(struct slu_buf *out);
/* JSON text with characters that control a terminal replaced by \uXXXX.
 * Appended to *out. */
void slu_form_escape(const char *text, size_t len, struct slu_buf *out);

/* answer_schema.c: the JSON Schema (2020-12) of an answer. Caller puts. */
struct json_object *slu_form_schema(const struct slu_form *answer);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_MAP_SELECT_H
#define SLU_SYSQUERY_MAP_MAP_SELECT_H

/*
 * Selects hosts and rows of the resource map by content: runs one SELECT over
 * views of the documents. The statement may come from an untrusted user: from
 * then on the connection only reads, and of the database only the tables of the
 * resource map; its steps and memory are bounded (store/db.h).
 */

#include <json-c/json.h>
#include "common/hostlist.h"
#include "store/db.h"

/*
 * The views that a statement may use: v_EXTRACTOR has a row for each element of
 * each host's document (one row, if that is no array); its columns are "host"
 * and the keys of the elements; nested values are JSON texts. Where a document
 * is an object, v_EXTRACTOR_KEY has the same for the array under that key.
 * Where a document has a key "host", its column is "its_host". v_summary has
 * the answer of slu_query_summary(), with every host; v_leaf has (host, switch)
 * for each host on a switch of the document "topology".
 *
 * Sizes may be written with units: 1TiB, 1.5GB (see common/size.h; there must
 * be a letter after K, M, G, T or P).
 */

/* The rows, as objects. SLU_INVALID: not one SELECT, SLU_DENIED: it would do or
 * read something else, SLU_NOMEM or SLU_BUSY: it exceeds its limits. Caller
 * puts. */
struct json_object *slu_select(struct slu_db *db, const char *sql,
			       struct slu_err *err);

/* Hosts for which a condition on the columns of v_summary holds. Caller frees
 * with slu_hosts_free. */
int slu_select_hosts(struct slu_db *db, const char *condition,
		     struct slu_hosts *out, struct slu_err *err);

/* {view, columns} of the views with rows in this database; without those of
 * nested arrays. Caller frees with json_object_put(). */
struct json_object *slu_select_views(struct slu_db *db, struct slu_err *err);

/* The statement with sizes replaced by numbers. */
char *slu_select_numbers(const char *sql, struct slu_err *err);

/* map_views.c: create the views that a statement uses. */
int slu_views_make(struct slu_db *db, const char *sql, struct slu_err *err);

#endif

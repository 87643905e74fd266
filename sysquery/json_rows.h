/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_JSON_ROWS_H
#define SLU_SYSQUERY_JSON_ROWS_H

/* Converts the rows of an SQL query to JSON. */

#include <json-c/json.h>
#include "store/db.h"

/* All rows of a query as an array of objects, a key per column (NULL values are
 * left out). Ends the query; rows may be NULL (if it failed already). SLU_NOMEM
 * if they take more than about max bytes of memory (0: no limit). Caller puts.
 */
struct json_object *slu_query_rows(struct slu_rows *rows, size_t max,
				   struct slu_err *err);
/* The row at which slu_db_step() is, in the same form. Caller frees with
 * json_object_put(). */
struct json_object *slu_query_row(struct slu_rows *rows);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_ROWS_H
#define SLU_SYSQUERY_ROWS_H

#include <json-c/json.h>
#include "store/db.h"

/* All rows of a query as an array of objects, a key per column (NULL values
 * are left out). Ends the query; rows may be NULL (it failed already). Caller
 * puts. */
struct json_object *slu_query_rows(struct slu_rows *rows, struct slu_err *err);

#endif

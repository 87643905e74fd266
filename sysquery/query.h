/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_QUERY_H
#define SLU_SYSQUERY_QUERY_H

/*
 * Answers the questions that need only the database and that every user may
 * ask: the same table serves `sysquery -f DB` and sluiced's /v1/query.
 * Arguments are a JSON object: "hosts" (a host list in brackets, or an array of
 * names), "where" (a condition that hosts must meet, see slu_select_hosts),
 * "extractors" (an array of names); "choice" (of summary) and "choices" (of
 * storage: map_resources.h), which sluiced sets itself; "since" (of diff: Unix
 * seconds), "sql" (of select), and those in sysquery/map/slurmconf_check.h.
 * select and where confine the connection, so a connection serves only one
 * question.
 */

#include <json-c/json.h>
#include "common/str.h"
#include "store/db.h"
#include "sysquery/map/map_resources.h"

struct slu_query {
	const char *name;
	const char *help;
	/* Adds JSON to *out; args may be NULL. */
	int (*answer)(struct slu_db *db, struct json_object *args,
		      struct slu_buf *out, struct slu_err *err);
};
/* How long sluiced works on an answer before it gives up; clients wait longer.
 */
#define SLU_QUESTION_SECONDS 60.0

/* NULL: there is no such question. */
const struct slu_query *slu_query_find(const char *question);

/* The same answer in pieces (map_resources.h): that of "resources" may not fit
 * in memory. */
int slu_query_stream(const struct slu_query *query, struct slu_db *db,
		     struct json_object *args, slu_piece_f *piece, void *arg,
		     struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_MAP_HISTORY_H
#define SLU_SYSQUERY_MAP_MAP_HISTORY_H

/*
 * Shows changes in the resource map: since when a host has a document, its
 * earlier documents, and how two hosts differ (by json_differences.h).
 * Documents that change by the minute have no history, and are left out unless
 * `extractors` names them (a NULL-ended list; NULL or empty: all others). A
 * database of the original sysmap (of the ADA-FS project) has no times: its
 * documents count as unchanged. The caller frees answers with
 * json_object_put().
 */

#include <json-c/json.h>
#include <stdint.h>
#include "store/db.h"

/* Every document that the host has or had, the oldest first: an array of
 * {extractor, since, until, last_seen, changes: [{path, old, new}, ...]}.
 * since: Unix seconds, absent when not known; until: absent while the host
 * has it; last_seen: of those; changes: against the document before, absent
 * for the first. SLU_NOTFOUND: the map knows no such host. */
struct json_object *slu_query_history(struct slu_db *db, const char *host,
				      char *const *extractors,
				      struct slu_err *err);

/* How the second host differs: [{extractor, path, old, new}, ...]. */
struct json_object *slu_query_diff(struct slu_db *db, const char *first,
				   const char *second, char *const *extractors,
				   struct slu_err *err);

/* The same for one host: its documents at `then` (Unix seconds), and now. */
struct json_object *slu_query_diff_since(struct slu_db *db, const char *host,
					 int64_t then, char *const *extractors,
					 struct slu_err *err);

#endif

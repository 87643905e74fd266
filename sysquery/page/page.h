/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PAGE_H
#define SLU_PAGE_H

/*
 * Writes the page of `sysquery page`: an overview of the site, or of one user's
 * jobs, as one HTML file with inline SVG. It is made in two steps, so that the
 * first can run on the host of the database and the second on the viewer's:
 * slu_page_collect() summarises the database in one JSON document of bounded
 * size, and slu_page_render() writes the page from it; the same document always
 * gives the same bytes.
 */

#include <json-c/json.h>
#include <stdint.h>
#include "common/str.h"
#include "store/db.h"

#define SLU_BINS 240

struct slu_page_query {
	uint32_t uid; /* SLU_NO_ID: all users */
	int64_t since, now;
};

/*
 * The document, "schema": "sluice.page", "version": 1 (a key ends in its unit;
 * times are Unix seconds, mbps is 10^6 bytes a second, bins are SLU_BINS means
 * over equal parts of since to now; unknown values are absent):
 *
 *	now, since, own (only the data of one user)
 *	pools	[{name, total_bytes, free_bytes, used_bytes, kept_bytes}]; only
 *		sluiced knows
 *	buffers {total, failed, shown, alive [{buffer, job, name, user,
 *		filesystem, capacity_bytes, nodes, state, since, failure,
 *		progress}], bins {SETUP ... TEARDOWN}, timeline [{buffer, job,
 *		name, user, created, failure, spans [{state, from, to}]}]}
 *	holds	[{job, name, user, when, why}]: held by Sluice, not run since
 *	drained [{node, job, since}]
 *	ions	{events, total, pool, policy, bins {held, predicted_mbps,
 *		static_mbps, reached_mbps}, lanes [{job, name, user,
 *		reached_mbps, predicted_mbps, spans [{ions, from, to}]}],
 *		runs [{job, name, ions, predicted_mbps, reached_mbps}]}
 *	errors	{jobs, under, week [...], user [...]
 *		(job_submit/history/job_history.h), calibration
 *		[{predicted_seconds, jobs, q10_seconds, q25_seconds,
 *		q50_seconds, q75_seconds, q90_seconds}]}
 *	limits	{jobs, asked [11 numbers of jobs], granted [...], user [{user,
 *		jobs, timeouts, asked_node_hours, granted_node_hours,
 *		used_node_hours}]}: by tenths of the limit that were used, the
 *		last: more than all of it
 *	machine {switches [{switch, level, hosts}], hosts, silent} (host lists)
 *
 * The caller adds the answers of other questions: osts (the answer of "osts")
 * and check (that of "check"), or osts_error, check_error (why there is none).
 */

/* Collects the document. Only reads the database. Caller frees with
 * json_object_put(). */
struct json_object *slu_page_collect(struct slu_db *db,
				     const struct slu_page_query *query,
				     struct slu_err *err);

/* Appends the page. refresh: seconds after which a browser shall load it again;
 * 0: never. Text in the document cannot become markup; invalid values are left
 * out. SLU_NOMEM; SLU_INVALID: not such a document. Times are shown in the
 * local time zone. */
int slu_page_render(struct json_object *document, unsigned refresh,
		    struct slu_buf *out, struct slu_err *err);

/* Appends a whole page that shows the "replay" of
 * sysquery/cmd/io/ions_replay.h. */
void slu_page_replay(struct json_object *replay, struct slu_buf *out);
/* The same for an answer of slu_backtest(). */
void slu_page_backtest(struct json_object *answer, struct slu_buf *out);

#endif

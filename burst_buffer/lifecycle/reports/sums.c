/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums up the buffers (job file systems) of jobs that have ended: how many
 * failed in which phase, how full they were, how long phases took. SQLite
 * computes the sums. */
#include "config.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "burst_buffer/lifecycle/transitions.h"
#include "common/jsonx.h"
#include "common/str.h"

_Static_assert(SLU_BB_DONE == 6 && SLU_PERSIST_FIRST == 4244635648,
	       "as in the query");

/* The rows that count: buffers of jobs, not persistent ones. */
#define THOSE                                                                \
	"those AS (SELECT BID, Nodes, Capacity, FailedIn, Ready FROM Buffer" \
	" WHERE Broken IS NULL AND State = 6 AND Since >= ?1"                \
	" AND JobID < 4244635648 AND (?2 < 0 OR Uid = ?2)"                   \
	" AND (?3 IS NULL OR EXISTS (SELECT 1 FROM History AS h WHERE"       \
	" h.JobID = Buffer.JobID AND h.StartTime = Buffer.JobStart"          \
	" AND h.Account = ?3)))"

/* Sums over the buffers whose nodes have all reported how full they were: the
 * capacity asked for, the highest use, and how many were never more than a
 * third full on any node. */
static const char fullness[] =
	"WITH " THOSE ", told AS (SELECT those.BID, those.Capacity,"
	" total(n.UsedMost) AS Used, MAX(CAST(n.UsedMost AS REAL) /"
	"  json_extract(p.value, '$.capacity')) AS Fullest FROM those"
	" CROSS JOIN Buffer AS b ON b.BID = those.BID" /* in this order */
	" CROSS JOIN json_each(CASE WHEN"
	"  json_valid(b.Plan) THEN b.Plan ELSE '{}' END, '$.node') AS p"
	" CROSS JOIN BufferNode AS n ON n.BID = those.BID"
	"  AND n.Position = p.key"
	" WHERE those.Ready > 0 AND json_extract(p.value, '$.capacity') > 0"
	" GROUP BY those.BID HAVING COUNT(*) = COUNT(n.UsedMost))"
	" SELECT json_object('known', COUNT(*),"
	" 'capacity_bytes', CAST(total(Capacity) AS INTEGER),"
	" 'used_most_bytes', CAST(total(Used) AS INTEGER),"
	" 'at_most_a_third', coalesce(SUM(Fullest * 3 <= 1), 0)) FROM told";

static const char phases[] =
	"WITH " THOSE ", one AS (SELECT BID, Phase, MAX(Ended) - MIN(Began)"
	"  AS Seconds, total(CASE WHEN Step LIKE '%.share' THEN Bytes END)"
	"  AS Bytes, total(CASE WHEN Step LIKE '%.share' THEN Files END)"
	"  AS Files FROM BufferPhase JOIN those USING (BID)"
	" WHERE Phase IN ('setup', 'stage_in', 'stage_out')"
	" AND Step <> 'ready' GROUP BY BID, Phase)"
	" SELECT json_group_array(json(Line)) FROM (SELECT json_object("
	"'name', Phase, 'count', COUNT(*),"
	" 'seconds', round(total(Seconds), 3),"
	" 'node_seconds', round(total(Seconds * those.Nodes), 3),"
	" 'bytes', CAST(total(Bytes) AS INTEGER),"
	" 'files', CAST(total(Files) AS INTEGER)) AS Line FROM one"
	" JOIN those USING (BID) GROUP BY Phase ORDER BY Phase)";

static const char fates[] =
	"WITH " THOSE " SELECT json_object('count', COUNT(*),"
	" 'failed_in_setup', coalesce(SUM(FailedIn = 1), 0),"
	" 'failed_in_stage_in', coalesce(SUM(FailedIn = 2), 0),"
	" 'failed_in_run', coalesce(SUM(FailedIn = 3), 0),"
	" 'failed_in_stage_out', coalesce(SUM(FailedIn = 4), 0)) FROM those";

_Static_assert(SLU_BB_SETUP == 1 && SLU_BB_STAGE_IN == 2 &&
		       SLU_BB_RUNNING == 3 && SLU_BB_STAGE_OUT == 4,
	       "as in the query");

static struct json_object *ask(struct slu_db *db, const char *sql,
			       int64_t since, uint32_t uid, const char *account,
			       struct slu_err *err)
{
	struct json_object *obj = NULL;
	struct slu_rows *rows = slu_db_query(
		db, err, sql, "IIs", since,
		uid == SLU_NO_ID ? INT64_C(-1) : (int64_t)uid, account);

	if (rows && slu_db_step(rows, err) > 0)
		obj = slu_json_parse(slu_db_text(rows, 0),
				     slu_db_bytes(rows, 0), err);
	slu_db_done(rows);
	return obj;
}

struct json_object *slu_buffers_sums(struct slu_db *db, int64_t since,
				     uint32_t uid, const char *account,
				     struct slu_err *err)
{
	struct json_object *all = ask(db, fates, since, uid, account, err),
			   *full = NULL, *list = NULL;

	if (all)
		full = ask(db, fullness, since, uid, account, err);
	if (full)
		json_object_object_add(all, "fullness", full);
	if (full)
		list = ask(db, phases, since, uid, account, err);
	if (list) {
		json_object_object_add(all, "phases", list);
		return all;
	}
	json_object_put(all);
	return NULL;
}

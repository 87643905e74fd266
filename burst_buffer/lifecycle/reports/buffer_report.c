/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports buffers to people as JSON (sysquery buffers): one object per buffer,
 * read from the database alone, so that it works on a copy of it as well as
 * beside a running sluiced. SQLite writes the JSON; only states, which are
 * numbers there, get their names here.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "burst_buffer/lifecycle/transitions.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/jsonx.h"
#include "common/str.h"

#define DAY 86400.0

/* Where the plan is not valid JSON the rest of the row is still shown. */
#define PLAN "(CASE WHEN json_valid(Buffer.Plan) THEN Buffer.Plan END)"

/*
 * A phase lasts from the first node that began it to the last that ended it
 * (teardown: from the end of stage-out until all are clean); one that still
 * runs shows what is known so far. node_seconds is what it cost in nodes'
 * time.
 */
static const char object[] =
	"SELECT json_object('buffer', BID, 'job', JobID, 'restarts', Restarts,"
	" 'uid', Uid, 'user', User, 'job_name', JobName, 'name', Name,"
	" 'filesystem', FileSystem, 'driver', Driver,"
	" 'coherence', (SELECT json_extract(value, '$.value')"
	"  FROM json_each(" PLAN ", '$.option')"
	"  WHERE lower(CASE type WHEN 'object' THEN"
	"   json_extract(value, '$.key') END) = 'coherence'"
	"  ORDER BY CAST(key AS INTEGER) LIMIT 1), 'capacity', Capacity,"
	" 'nodes', Nodes, 'state', State, 'created', Created,"
	" 'job_start', JobStart, 'ready', Ready, 'ended', Ended,"
	" 'failed_in', FailedIn, 'failure', Failure, 'verdict',"
	" CASE WHEN Verdict > 0 THEN What END,"
	" 'expires', nullif(json_extract(" PLAN ", '$.expires'), 0),"
	" 'uses', json_extract(" PLAN ", '$.use_job'), 'unsaved', Unsaved,"
	" 'phases', (SELECT json_group_array(json_object('name', Phase,"
	"  'began', Began, 'seconds', Seconds, 'bytes', Bytes, 'files', Files,"
	"  'cache_hits', Hits, 'cache_misses', Misses,"
	"  'cache_bytes', Cached,"
	"  'nodes', N, 'node_seconds', Seconds * Buffer.Nodes))"
	"  FROM (SELECT Phase, MIN(Began) AS Began,"
	"   MAX(Ended) - MIN(Began) AS Seconds,"
	"   SUM(CASE WHEN Step LIKE '%.share' THEN Bytes ELSE 0 END) AS Bytes,"
	"   SUM(CASE WHEN Step LIKE '%.share' THEN Files ELSE 0 END) AS Files,"
	"   SUM(CacheHits) AS Hits, SUM(CacheMisses) AS Misses,"
	"   SUM(CacheBytes) AS Cached,"
	"   COUNT(DISTINCT Node) AS N FROM BufferPhase"
	"   WHERE BufferPhase.BID = Buffer.BID"
	"   AND Phase IN ('setup', 'stage_in', 'stage_out')"
	"   AND Step <> 'ready' GROUP BY Phase" /* it spans both of them */
	"   UNION ALL SELECT 'teardown', MIN(Time), coalesce(MIN(CASE WHEN"
	"   State = 6 THEN Time END), MAX(Time)) - MIN(Time), 0, 0,"
	"   NULL, NULL, NULL, Buffer.Nodes FROM BufferHistory WHERE BufferHistory.BID = Buffer.BID"
	"   AND State >= 5 HAVING COUNT(*) > 0"
	"   UNION ALL SELECT 'run', Buffer.Ready, Buffer.Ended - Buffer.Ready,"
	"   0, 0, NULL, NULL, NULL, Buffer.Nodes WHERE Buffer.Ready > 0 AND Buffer.Ended > 0"
	"   ORDER BY 2)),"
	" 'members', (SELECT json_group_array(json_object('name', Node,"
	"  'state', State, 'position', Position,"
	"  'enforced', Enforced, 'read_bytes', ReadBytes,"
	"  'written_bytes', WrittenBytes, 'used_most', UsedMost))"
	"  FROM (SELECT * FROM BufferNode"
	"  WHERE BufferNode.BID = Buffer.BID ORDER BY Position)),"
	" 'plan_nodes', json_extract(" PLAN ", '$.node'),"
	" 'history', (SELECT json_group_array(json_object('time', Time,"
	"  'state', State, 'text', Text)) FROM (SELECT * FROM BufferHistory"
	"  WHERE BufferHistory.BID = Buffer.BID ORDER BY rowid)))";

_Static_assert(SLU_PERSIST_FIRST == 4244635648, "as in the query");

/* Two queries, so that each is served by an index. */
static const char of_job[] =
	" FROM Buffer WHERE Broken IS NULL AND (JobID = ?1"
	"  OR (JobID >= 4244635648 AND json_extract(" PLAN ", '$.ahead')"
	"      AND json_extract(" PLAN ", '$.creator') = ?1))"
	" AND (?2 < 0 OR Uid = ?2) ORDER BY BID";
static const char of_day[] =
	" FROM Buffer WHERE Broken IS NULL AND (State < 6 OR Since > ?1)"
	" AND (?2 < 0 OR Uid = ?2) ORDER BY BID";

typedef const char *name_f(int state);

static void name_state(struct json_object *obj, const char *key, name_f *name)
{
	struct json_object *state = json_object_object_get(obj, key);
	const char *text = state ? name(json_object_get_int(state)) : NULL;

	if (text)
		slu_json_set_str(obj, key, text);
}

static void name_states(struct json_object *obj, const char *list, name_f *name)
{
	struct json_object *array = json_object_object_get(obj, list);
	size_t i, n = array ? json_object_array_length(array) : 0;

	for (i = 0; i < n; i++)
		name_state(json_object_array_get_idx(array, i), "state", name);
}

static const char *verdict_name(int what)
{
	static const char *const names[] = {[SLU_REQUEUE] = "requeue",
					    [SLU_HOLD] = "hold",
					    [SLU_FAIL] = "fail",
					    [SLU_CANCEL] = "cancel",
					    [SLU_COMPLETE] = "complete"};

	return what >= 0 && (size_t)what < sizeof(names) / sizeof(names[0])
		       ? names[what]
		       : NULL;
}

/* Replaces the plan's option by the coherence that it gives with this driver;
 * also for rows older than coherence=. */
static void name_coherence(struct json_object *obj)
{
	struct json_object *driver = json_object_object_get(obj, "driver");
	struct json_object *said = json_object_object_get(obj, "coherence");
	const enum slu_coherence given =
		slu_coherence_of(json_object_get_string(driver),
				 said ? json_object_get_string(said) : NULL);

	if (given)
		slu_json_set_str(obj, "coherence", slu_coherence_names[given]);
}

/* The further devices that have a part of the node's share. */
static void add_more(struct json_object *member, struct json_object *node)
{
	struct json_object *more = slu_json_list_at(node, "more"), *one;
	struct json_object *parts = json_object_new_array();

	for (size_t i = 0; i < slu_json_length(more); i++) {
		one = json_object_array_get_idx(more, i);
		if (slu_json_u64_at(one, "capacity"))
			json_object_array_add(parts, json_object_get(one));
	}
	if (slu_json_length(parts))
		json_object_object_add(member, "more", parts);
	else
		json_object_put(parts);
}

/* Adds what the plan says of each member. Done here, as SQLite would search the
 * plan once for each of thousands of members. */
static void add_plan_nodes(struct json_object *obj)
{
	static const char *const keys[] = {"part", "capacity", "storage"};
	struct json_object *nodes = json_object_object_get(obj, "plan_nodes"),
			   *members = json_object_object_get(obj, "members");
	struct json_object *member, *node, *value;

	for (size_t i = 0; json_object_is_type(nodes, json_type_array) &&
			   i < json_object_array_length(members);
	     i++) {
		uint64_t at = SIZE_MAX;

		member = json_object_array_get_idx(members, i);
		slu_json_u64_opt(member, "position", &at, NULL);
		node = json_object_array_get_idx(nodes, at);
		for (size_t k = 0;
		     json_object_is_type(node, json_type_object) &&
		     k < sizeof(keys) / sizeof(keys[0]);
		     k++)
			if (json_object_object_get_ex(node, keys[k], &value))
				json_object_object_add(member, keys[k],
						       json_object_get(value));
		add_more(member, node);
		json_object_object_del(member, "position");
	}
	json_object_object_del(obj, "plan_nodes");
}

static int add_row(struct json_object *array, struct slu_rows *rows,
		   struct slu_err *err)
{
	struct json_object *obj = slu_json_parse(slu_db_text(rows, 0),
						 slu_db_bytes(rows, 0), err);

	if (!obj)
		return -1;
	add_plan_nodes(obj);
	name_coherence(obj);
	name_state(obj, "state", slu_bb_name);
	name_state(obj, "failed_in", slu_bb_name);
	name_state(obj, "verdict", verdict_name);
	name_states(obj, "members", slu_node_name);
	name_states(obj, "history", slu_bb_name);
	return json_object_array_add(array, obj);
}

static struct slu_rows *find(struct slu_db *db, uint32_t job_id, int64_t uid,
			     double now, struct slu_err *err)
{
	char *sql = slu_asprintf("%s%s", object, job_id ? of_job : of_day);
	struct slu_rows *rows = NULL;

	if (!sql)
		slu_err(err, SLU_NOMEM, "out of memory");
	else if (job_id)
		rows = slu_db_query(db, err, sql, "II", (int64_t)job_id, uid);
	else
		rows = slu_db_query(db, err, sql, "dI", now - DAY, uid);
	free(sql);
	return rows;
}

struct json_object *slu_buffers_json(struct slu_db *db, uint32_t job_id,
				     uint32_t uid, double now,
				     struct slu_err *err)
{
	struct json_object *array = json_object_new_array();
	struct slu_rows *rows;
	int rc = -1;

	if (!slu_db_has(db, "Buffer"))
		return array;
	rows = find(db, job_id, uid == SLU_NO_ID ? -1 : (int64_t)uid, now, err);
	while (rows && (rc = slu_db_step(rows, err)) > 0)
		if (add_row(array, rows, err))
			break;
	slu_db_done(rows);
	if (rc == 0)
		return array;
	json_object_put(array);
	return NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers `sysquery history`: rows of the history as JSON, filtered by time and
 * state.
 */
#include <math.h>
#include "common/jsonx.h"
#include "job_submit/ended.h"
#include "job_submit/history/job_history.h"
#include "wire/fs_shares.h"

static void set_some(struct json_object *obj, const char *key, uint64_t value)
{
	if (value)
		slu_json_set_u64(obj, key, value);
}

static void set_bytes(struct json_object *obj, const char *key, double bytes)
{
	slu_json_set_u64(obj, key, (uint64_t)fmin(bytes, INT64_MAX));
}

const char *slu_history_source(uint32_t source)
{
	static const char *const name[] = {
		[SLU_IO_BUFFER] = "buffer",
		[SLU_IO_TASKS] = "tasks",
		[SLU_IO_LLITE] = "llite",
		[SLU_IO_JOBSTATS] = "job_stats",
		[SLU_IO_DARSHAN] = "darshan",
		[SLU_IO_ACCOUNTING] = "accounting",
		[SLU_IO_FORWARDERS] = "forwarders",
	};

	return source < sizeof(name) / sizeof(name[0]) ? name[source] : NULL;
}

void slu_history_set_by_fs(struct json_object *obj, const char *by_fs)
{
	struct slu_fs_share share[SLU_FS_SHARES];
	size_t n = slu_fs_share_all(by_fs, share);
	struct json_object *list, *one;

	if (!n)
		return;
	list = json_object_new_array();
	for (size_t i = 0; i < n; i++) {
		one = json_object_new_object();
		slu_json_set_str(one, "name", share[i].fs);
		set_bytes(one, "read_bytes", share[i].read_bytes);
		set_bytes(one, "written_bytes", share[i].written_bytes);
		set_some(one, "metadata_ops", (uint64_t)share[i].metadata_ops);
		json_object_array_add(list, one);
	}
	json_object_object_add(obj, "by_file_system", list);
}

static struct json_object *row_json(const struct slu_history_row *row)
{
	struct json_object *obj = json_object_new_object();
	const struct slu_job *j = &row->job;
	int64_t run = slu_job_ran(j);

	if (!obj)
		return NULL;
	slu_json_set_u64(obj, "job_id", j->job_id);
	if (j->user)
		slu_json_set_str(obj, "user", j->user);
	else
		slu_json_set_u64(obj, "user", j->uid);
	slu_json_set_str(obj, "name", j->name);
	set_some(obj, "nodes", j->node_cnt);
	set_some(obj, "limit", j->limit);
	set_some(obj, "limit_asked", j->limit_asked);
	set_some(obj, "tightened", j->tightened);
	if (j->tightened)
		json_object_object_add(obj, "extended",
				       json_object_new_boolean(j->extended));
	set_some(obj, "late_by", (uint64_t)j->late_by);
	set_some(obj, "predicted", j->predicted);
	slu_json_set_str(obj, "predicted_from", j->predicted_from);
	slu_json_set_i64(obj, "run", run);
	set_some(obj, "prepared", (uint64_t)j->prepared);
	set_some(obj, "suspended", (uint64_t)j->suspended);
	if (j->predicted)
		slu_json_set_i64(obj, "error", (int64_t)j->predicted - run);
	slu_json_set_str(obj, "state", j->state);
	if (j->script)
		slu_json_set_str(obj, "script", j->script);
	if (j->ions != SLU_NO_ID)
		set_some(obj, "ions", j->ions);
	if (j->ion_times)
		slu_json_set_str(obj, "ion_times", j->ion_times);
	if (row->read_bytes + row->written_bytes > 0) {
		set_bytes(obj, "read_bytes", row->read_bytes);
		set_bytes(obj, "written_bytes", row->written_bytes);
		slu_json_set_double(obj, "MB/s", row->io_bandwidth);
		slu_json_set_str(obj, "io_from",
				 slu_history_source(row->io_source));
		set_some(obj, "rpcs", (uint64_t)row->rpcs);
	}
	set_some(obj, "metadata_ops", (uint64_t)row->metadata_ops);
	slu_history_set_by_fs(obj, row->by_fs);
	slu_json_set_str(obj, "partition", j->partition);
	slu_json_set_str(obj, "account", j->account);
	set_some(obj, "start", (uint64_t)j->start);
	set_some(obj, "end", (uint64_t)j->end);
	return obj;
}

struct chosen {
	const struct slu_history_query *query;
	struct json_object *list;
};

static bool is_wanted(const struct slu_history_query *q,
		      const struct slu_job *job)
{
	return job->end >= q->since && (!q->until || job->end <= q->until) &&
	       (!q->states ||
		slu_is_listed(q->states, job->state ? job->state : ""));
}

/* Keeps the last `last` rows; 0: all. */
static void keep_last(struct json_object *list, uint64_t last)
{
	size_t n = json_object_array_length(list);

	if (last && n > last)
		json_object_array_del_idx(list, 0, n - (size_t)last);
}

static int add_row(void *arg, const struct slu_history_row *row,
		   struct slu_err *err)
{
	struct chosen *c = arg;
	struct json_object *obj;

	if (!is_wanted(c->query, &row->job))
		return 0;
	obj = row_json(row);
	if (!obj || json_object_array_add(c->list, obj) < 0) {
		json_object_put(obj);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	if (json_object_array_length(c->list) / 2 > c->query->last)
		keep_last(c->list, c->query->last);
	return 0;
}

int slu_history_jobs(struct slu_db *db, const struct slu_history_query *query,
		     struct json_object **out, struct slu_err *err)
{
	struct slu_history_query all = *query;
	struct chosen c = {query, json_object_new_array()};

	if (!c.list)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (query->since || query->until || query->states)
		all.last = 0; /* `last` is applied after the filter */
	if (slu_history_each(db, &all, add_row, &c, err) < 0) {
		json_object_put(c.list);
		return -1;
	}
	keep_last(c.list, query->last);
	*out = c.list;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "job" of sysquery: everything that sluiced knows of one
 * job, as one JSON document with advice at its end.
 *
 * There are three sources: the history in the database, once the job has ended;
 * `live` (question_job_live.c), what slurmctld and the nodes last reported,
 * while it runs or has just ended; and its buffers, which exist in both cases,
 * and are all there is of a job that is held.
 */
#include "sluiced/questions/answerers.h"

#include <string.h>

#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "common/jsonx.h"
#include "job_submit/ended.h"
#include "job_submit/history/job_history.h"
#include "sluiced/daemon.h"
#include "sluiced/questions/jobs/job_file_system.h"
#include "sluiced/queue/job_waits.h"
#include "sysquery/answers/job_advice.h"

#define SCHEMA	   "sluice.job"
#define VERSION	   1
#define MINUTE	   60
#define ION_EVENTS 50 /* of the last changes of its I/O nodes */

/* Reads the sources (in the process that answers, not in sluiced itself). */

struct report {
	struct slu_db *db;
	const struct slu_asker *who;
	uint32_t uid; /* owner; SLU_NO_ID: any user's job */
	uint32_t job_id;
	double now;
	struct slu_history_row row; /* of its last run; texts are owned */
	char *by_fs;		    /* the row's */
	bool known;		    /* the row is filled in */
	bool running;
	size_t runs; /* number of its runs that have ended */
	struct json_object *buffers;
	struct json_object *out;
	struct slu_advice_facts facts;
};

static struct json_object *of_live(const struct report *r, const char *key)
{
	return slu_json_at(r->who->live, key);
}

/* Called for each ended run of the job, oldest first: keeps the last one. */
static int take_row(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	struct report *r = arg;

	slu_msg_clear(&slu_job_desc, &r->row.job);
	free(r->by_fs);
	r->by_fs = row->by_fs ? strdup(row->by_fs) : NULL;
	r->row = *row;
	r->row.by_fs = r->by_fs;
	memset(&r->row.job, 0, sizeof(r->row.job));
	if (slu_job_copy(&r->row.job, &row->job))
		return slu_err(err, SLU_NOMEM, "out of memory");
	r->known = true;
	r->runs++;
	return 0;
}

/* Takes the live report in place of the history's row, if the job runs, or
 * has just ended and has no row yet. */
static int take_live(struct report *r, struct slu_err *err)
{
	struct json_object *live = of_live(r, "job");
	struct slu_job job;

	if (!live)
		return 0;
	if (slu_decode(&slu_job_desc, live, &job, err))
		return -1;
	slu_json_bool_opt(r->who->live, "running", &r->running, NULL);
	if (r->known && !r->running && r->row.job.start == job.start) {
		slu_msg_clear(&slu_job_desc, &job);
		return 0;
	}
	slu_msg_clear(&slu_job_desc, &r->row.job);
	r->row = (struct slu_history_row){.job = job};
	r->known = true;
	return 0;
}

/* Finds the job id of an array task that has ended. r->job_id stays 0 if there
 * is none. */
static int find_task(struct report *r, uint64_t array, uint64_t task,
		     struct slu_err *err)
{
	int64_t id;

	if (array >= SLU_NO_ID || task >= SLU_NO_ID)
		return 0;
	if (slu_db_value(r->db, &id, 0, err,
			 "SELECT JobID FROM History WHERE ArrayJobID = ? AND"
			 " ArrayTaskID = ? ORDER BY EndTime DESC LIMIT 1",
			 "II", (int64_t)array, (int64_t)task))
		return -1;
	r->job_id = (uint32_t)id;
	return 0;
}

static int find_job(struct report *r, struct json_object *args,
		    struct slu_err *err)
{
	uint64_t id = 0, task = SLU_NO_ID;

	if (slu_json_u64(args, "job_id", &id, err) ||
	    slu_json_u64_opt(args, "task", &task, err))
		return -1;
	if (of_live(r, "job_id"))
		return slu_json_u64(r->who->live, "job_id", &id, err) ||
				       id >= SLU_NO_ID
			       ? -1
			       : (r->job_id = (uint32_t)id, 0);
	if (task != SLU_NO_ID)
		return find_task(r, id, task, err);
	r->job_id = id < SLU_NO_ID ? (uint32_t)id : 0;
	return 0;
}

static int read_all(struct report *r, struct json_object *args,
		    struct slu_err *err)
{
	if (find_job(r, args, err))
		return -1;
	if (!r->job_id)
		return 0;
	if (slu_history_of_job(r->db, r->job_id, r->uid, take_row, r, err) ||
	    take_live(r, err))
		return -1;
	r->buffers = slu_buffers_json(r->db, r->job_id, r->uid, r->now, err);
	return r->buffers ? 0 : -1;
}

/* Identity, time limit, I/O */

static void set_some(struct json_object *obj, const char *key, int64_t value)
{
	if (value > 0)
		slu_json_set_i64(obj, key, value);
}

static void add_identity(struct report *r)
{
	const struct slu_job *j = &r->row.job;
	struct json_object *o = r->out;

	slu_json_set_str(o, "schema", SCHEMA);
	slu_json_set_u64(o, "version", VERSION);
	slu_json_set_i64(o, "now_unix", (int64_t)r->now);
	slu_json_set_u64(o, "job_id", r->job_id);
	if (!r->known)
		return;
	if (j->array_job_id) {
		slu_json_set_u64(o, "array_job_id", j->array_job_id);
		slu_json_set_u64(o, "array_task_id", j->array_task_id);
	}
	slu_json_set_u64(o, "uid", j->uid);
	slu_json_set_str(o, "user", j->user);
	slu_json_set_str(o, "account", j->account);
	slu_json_set_str(o, "partition", j->partition);
	slu_json_set_str(o, "qos", j->qos);
	slu_json_set_str(o, "name", j->name);
	slu_json_set_str(o, "state", r->running ? "RUNNING" : j->state);
	slu_json_set_str(o, "nodes", j->nodes);
	set_some(o, "node_count", j->node_cnt);
	set_some(o, "task_count", j->tasks);
	slu_json_set_u64(o, "restarts", j->restarts);
	set_some(o, "submitted_unix", j->submit);
	set_some(o, "eligible_unix", j->eligible);
	set_some(o, "started_unix", j->start);
	if (!r->running)
		set_some(o, "ended_unix", j->end);
	slu_json_set_str(o, "request", j->request);
}

/* Takes the owner from the last buffer, for a job without a row: it is held,
 * or its row has been deleted by age. */
static void add_owner(struct report *r)
{
	struct json_object *b = json_object_array_get_idx(
		r->buffers, json_object_array_length(r->buffers) - 1);
	const char *name = NULL, *user = NULL;
	uint64_t uid = 0;

	slu_json_u64_opt(b, "uid", &uid, NULL);
	slu_json_str_opt(b, "user", &user, NULL);
	slu_json_str_opt(b, "job_name", &name, NULL);
	slu_json_set_u64(r->out, "uid", uid);
	slu_json_set_str(r->out, "user", user);
	slu_json_set_str(r->out, "name", name);
}

static void add_limit(struct report *r)
{
	const struct slu_job *j = &r->row.job;
	struct json_object *o = json_object_new_object();
	const int64_t used =
		r->running ? slu_job_runs(j, (int64_t)r->now) : slu_job_ran(j);

	json_object_object_add(r->out, "limit", o);
	set_some(o, "asked_seconds", (int64_t)j->limit_asked * MINUTE);
	set_some(o, "granted_seconds", (int64_t)j->limit * MINUTE);
	set_some(o, "predicted_seconds", j->predicted);
	slu_json_set_str(o, "predicted_from", j->predicted_from);
	set_some(o, "tightened_seconds", (int64_t)j->tightened * MINUTE);
	if (j->tightened)
		slu_json_set_bool(o, "extended", j->extended);
	set_some(o, "late_by_seconds", j->late_by);
	slu_json_set_i64(o, "used_seconds", used);
	r->facts.asked = (int64_t)j->limit_asked * MINUTE;
	r->facts.granted = (int64_t)j->limit * MINUTE;
	r->facts.predicted = j->predicted;
	r->facts.used = used;
}

static void add_io(struct report *r)
{
	const struct slu_history_row *row = &r->row;
	struct json_object *o;

	if (r->known) {
		set_some(r->out, "metadata_ops", (int64_t)row->metadata_ops);
		slu_history_set_by_fs(r->out, row->by_fs);
	}
	if (!r->known || row->read_bytes + row->written_bytes <= 0)
		return;
	o = json_object_new_object();
	json_object_object_add(r->out, "io", o);
	slu_json_set_u64(o, "read_bytes", (uint64_t)row->read_bytes);
	slu_json_set_u64(o, "written_bytes", (uint64_t)row->written_bytes);
	slu_json_set_str(o, "source", slu_history_source(row->io_source));
	if (slu_job_ran(&row->job) > 1)
		slu_json_set_double(
			o, "bytes_per_second",
			slu_job_round((row->read_bytes + row->written_bytes) /
				      (double)slu_job_ran(&row->job)));
}

/* I/O nodes */

/* One change of the job's number of I/O nodes, as {time_unix, count}. `event`
 * has only this job. */
static struct json_object *change_json(struct json_object *event)
{
	struct json_object *changed = NULL, *obj = json_object_new_object();
	int64_t time = 0;
	uint64_t ions = 0;

	slu_json_i64_opt(event, "time", &time, NULL);
	json_object_object_get_ex(event, "changed", &changed);
	if (json_object_is_type(changed, json_type_array))
		slu_json_u64_opt(json_object_array_get_idx(changed, 0), "ions",
				 &ions, NULL);
	slu_json_set_i64(obj, "time_unix", time);
	slu_json_set_u64(obj, "count", ions);
	return obj;
}

static int add_io_nodes(struct report *r, struct slu_err *err)
{
	struct json_object *present = of_live(r, "io_nodes"), *list, *o, *out;

	list = slu_epoch_history(r->db, r->job_id, ION_EVENTS, err);
	if (!list)
		return -1;
	if (present || json_object_array_length(list)) {
		o = json_object_new_object();
		out = json_object_new_array();
		json_object_object_add(r->out, "io_nodes", o);
		if (present)
			json_object_object_add(o, "now",
					       json_object_get(present));
		for (size_t i = 0; i < json_object_array_length(list); i++)
			json_object_array_add(
				out, change_json(json_object_array_get_idx(list,
									   i)));
		json_object_object_add(o, "changes", out);
	}
	json_object_put(list);
	return 0;
}

/* The job's file systems */

static struct json_object *member(struct json_object *all, uint64_t id)
{
	struct json_object *value = NULL;
	char key[24];

	snprintf(key, sizeof(key), "%ju", (uintmax_t)id);
	json_object_object_get_ex(all, key, &value);
	return value;
}

static int add_file_systems(struct report *r, struct slu_err *err)
{
	struct json_object *list = json_object_new_array(), *one, *b;
	size_t n = json_object_array_length(r->buffers);
	uint64_t id = 0;

	json_object_object_add(r->out, "file_systems", list);
	for (size_t i = 0; i < n; i++) {
		b = json_object_array_get_idx(r->buffers, i);
		slu_json_u64_opt(b, "buffer", &id, NULL);
		one = slu_job_file_system(r->db, b,
					  member(of_live(r, "fullness"), id),
					  member(of_live(r, "progress"), id),
					  r->now, &r->facts, err);
		if (!one)
			return -1;
		json_object_array_add(list, one);
	}
	r->facts.held = r->facts.held && !r->running;
	return 0;
}

/* Earlier jobs of the same user and name, for comparison */

static int take_run(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	struct report *r = arg;
	struct slu_advice_run *run = &r->facts.run[r->facts.n_run];
	struct json_object *list, *one = json_object_new_object();

	(void)err;
	if (!slu_ended_own_way(&row->job) || !slu_run_time(&row->job)) {
		json_object_put(one);
		return 0;
	}
	*run = (struct slu_advice_run){
		.used = slu_run_time(&row->job),
		.timeout = slu_eq(row->job.state, "TIMEOUT"),
		.completed = slu_eq(row->job.state, "COMPLETED"),
	};
	r->facts.n_run++;
	slu_json_set_u64(one, "job_id", row->job.job_id);
	slu_json_set_str(one, "state", row->job.state);
	slu_json_set_i64(one, "used_seconds", run->used);
	set_some(one, "granted_seconds", (int64_t)row->job.limit * MINUTE);
	json_object_object_get_ex(r->out, "runs_before", &list);
	return json_object_array_add(list, one);
}

static int add_runs(struct report *r, struct slu_err *err)
{
	const struct slu_job *j = &r->row.job;

	json_object_object_add(r->out, "runs_before", json_object_new_array());
	if (!r->known || !j->name)
		return 0;
	return slu_history_alike(r->db, j->uid, j->name,
				 r->running || !j->end ? (int64_t)r->now
						       : j->end,
				 SLU_ADVICE_RUNS, take_run, r, err);
}

static int fill(struct report *r, struct slu_err *err)
{
	add_identity(r);
	if (r->known)
		add_limit(r);
	else
		add_owner(r);
	add_io(r);
	if (add_io_nodes(r, err) || add_file_systems(r, err) ||
	    add_runs(r, err))
		return -1;
	json_object_object_add(
		r->out, "waits",
		slu_job_waits(&r->row.job, r->buffers,
			      slu_json_at(r->out, "file_systems")));
	if (r->facts.held)
		slu_json_set_str(r->out, "state", "HELD");
	if (r->facts.cancelled && !r->running)
		slu_json_set_str(r->out, "state", "CANCELLED");
	r->facts.job_id = r->job_id;
	r->facts.running = r->running;
	r->facts.completed = !r->running && r->known &&
			     slu_eq(r->row.job.state, "COMPLETED");
	r->facts.timeout =
		!r->running && r->known && slu_eq(r->row.job.state, "TIMEOUT");
	json_object_object_add(r->out, "advice", slu_advice(&r->facts));
	return 0;
}

static int write_out(struct report *r, struct slu_buf *out, struct slu_err *err)
{
	slu_buf_puts(out, slu_json_utf8(r->out));
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}

int slu_answer_job(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err)
{
	struct report r = {
		.db = db,
		.who = who,
		.uid = who->admin ? SLU_NO_ID : who->uid,
		.now = slu_now_wall(),
		.out = json_object_new_object(),
	};
	int rc = read_all(&r, args, err);

	if (rc == 0 && !r.known &&
	    (!r.buffers || !json_object_array_length(r.buffers)))
		rc = slu_err(err, SLU_NOTFOUND,
			     "nothing is known here of this job: it has not "
			     "begun (scontrol show bbstat %u says if it waits "
			     "for storage), is not yours, or ended longer ago "
			     "than the history is kept",
			     r.job_id);
	if (rc == 0 && (rc = fill(&r, err)) == 0)
		rc = write_out(&r, out, err);
	json_object_put(r.out);
	json_object_put(r.buffers);
	slu_msg_clear(&slu_job_desc, &r.row.job);
	free(r.by_fs);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each question's answer is. The answers are made in a process of their
 * own, which may take its time; what only the daemon knows is prepared in it.
 *
 * Users see the resources, which are nobody's secret, and of buffers, jobs
 * and assignments what is their own, as with Slurm's PrivateData; root and
 * SlurmUser see everybody's.
 */
#include "burst_buffer/buffers.h"
#include "common/jsonx.h"
#include "job_submit/history.h"
#include "sluiced/daemon.h"

#define EVENTS	    100 /* of the assignment's history, unless asked */
#define JOBS	    100
#define STRIPE_SIZE (UINT64_C(1) << 30)

static int give(struct json_object *obj, struct slu_buf *out,
		struct slu_err *err)
{
	if (!obj)
		return -1;
	slu_buf_puts(out, slu_json_text(obj));
	json_object_put(obj);
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}

/* Whose rows: the argument "uid" for those who may see all, else one's own. */
static int whose(const struct slu_asker *who, struct json_object *args,
		 uint32_t *uid, struct slu_err *err)
{
	uint64_t asked = who->admin ? SLU_NO_ID : who->uid;

	if (slu_json_u64_opt(args, "uid", &asked, err) < 0)
		return -1;
	if (!who->admin && asked != who->uid)
		return slu_err(err, SLU_DENIED, "uid %u may not see this",
			       who->uid);
	*uid = (uint32_t)asked;
	return 0;
}

static int buffers(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err)
{
	uint64_t job_id = 0;
	uint32_t uid;

	if (whose(who, args, &uid, err) < 0 ||
	    slu_json_u64_opt(args, "job_id", &job_id, err) < 0)
		return -1;
	return give(slu_buffers_json(db, (uint32_t)job_id, uid, slu_now_wall(),
				     err),
		    out, err);
}

/* Of all rows that may be seen, unless "last" says how many. */
static int accuracy(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err)
{
	struct slu_history_query query = {0};
	struct json_object *obj;

	if (whose(who, args, &query.uid, err) < 0 ||
	    slu_json_u64_opt(args, "last", &query.last, err) < 0 ||
	    slu_history_accuracy(db, &query, &obj, err) < 0)
		return -1;
	return give(obj, out, err);
}

static int jobs(struct slu_db *db, const struct slu_asker *who,
		struct json_object *args, struct slu_buf *out,
		struct slu_err *err)
{
	struct slu_history_query query = {.last = JOBS};
	struct json_object *obj;

	if (whose(who, args, &query.uid, err) < 0 ||
	    slu_json_u64_opt(args, "last", &query.last, err) < 0 ||
	    slu_history_jobs(db, &query, &obj, err) < 0)
		return -1;
	return give(obj, out, err);
}

/* The hypothetical job; its texts are borrowed from the arguments. */
static int take_job(struct json_object *args, struct slu_job *job,
		    struct slu_err *err)
{
	uint64_t nodes = 1, limit = 0, uid = job->uid;
	const char *name = "", *account = NULL, *partition = NULL;

	if (slu_json_str_opt(args, "name", &name, err) < 0 ||
	    slu_json_str_opt(args, "account", &account, err) < 0 ||
	    slu_json_str_opt(args, "partition", &partition, err) < 0 ||
	    slu_json_u64_opt(args, "nodes", &nodes, err) < 0 ||
	    slu_json_u64_opt(args, "limit", &limit, err) < 0 ||
	    slu_json_u64_opt(args, "uid", &uid, err) < 0)
		return -1;
	job->uid = (uint32_t)uid;
	job->name = (char *)(uintptr_t)name;
	job->account = (char *)(uintptr_t)account;
	job->partition = (char *)(uintptr_t)partition;
	job->node_cnt = (uint32_t)nodes;
	job->limit_asked = (uint32_t)limit;
	return 0;
}

static int predict(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err)
{
	struct slu_history_ask ask = {
		.job = {.uid = who->uid},
		.quantile = who->quantile,
		.floor = (int64_t)who->floor,
		.stripe_size = STRIPE_SIZE,
	};
	struct json_object *obj;

	if (take_job(args, &ask.job, err) < 0 ||
	    slu_json_u64_opt(args, "stripe_size", &ask.stripe_size, err) < 0 ||
	    slu_json_i64_opt(args, "elapsed", &ask.elapsed, err) < 0)
		return -1;
	if (!who->admin && ask.job.uid != who->uid)
		return slu_err(err, SLU_DENIED, "uid %u may not see this",
			       who->uid);
	if (slu_history_predict(db, &ask, &obj, err) < 0)
		return -1;
	return give(obj, out, err);
}

/* May they see this job of the assignment? */
static bool visible(const struct slu_daemon *d, const struct slu_asker *who,
		    uint32_t job_id)
{
	const struct slu_live_job *job = slu_jobs_find(d->jobs, job_id);

	return who->admin || (job && job->uid == who->uid);
}

static struct json_object *share_json(const struct slu_ion_share *share)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_u64(obj, "job_id", share->job_id);
	slu_json_set_str(obj, "name", share->name);
	slu_json_set_str(obj, "nodes", share->nodes);
	slu_json_set_str(obj, "ions", share->ions);
	slu_json_set_u64(obj, "count", slu_share_count(share));
	slu_json_set_u64(obj, "wanted", share->wanted);
	slu_json_set_double(obj, "bandwidth", share->bandwidth);
	slu_json_set_bool(obj, "shared", share->shared);
	slu_json_set_str(obj, "why", share->why);
	return obj;
}

/* The assignment in force, as far as they may see it. */
static struct json_object *prepare_ions(const struct slu_daemon *d,
					const struct slu_asker *who)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *list = json_object_new_array();
	const struct slu_assignment *a = d->epoch ? &d->epoch->a : NULL;

	if (a) {
		slu_json_set_str(obj, "policy", a->policy);
		slu_json_set_str(obj, "ions", a->ions);
		slu_json_set_double(obj, "total", a->total);
		slu_json_set_double(obj, "static_total", a->static_total);
		slu_json_set_double(obj, "bound", a->bound);
		slu_json_set_bool(obj, "proved", a->proved);
	}
	for (size_t i = 0; a && i < a->n_jobs; i++)
		if (visible(d, who, a->jobs[i].job_id))
			json_object_array_add(list, share_json(&a->jobs[i]));
	json_object_object_add(obj, "jobs", list);
	return obj;
}

/* An event names jobs, whoever's; its totals are everybody's to know. */
static void hide_jobs(struct json_object *events)
{
	size_t n = json_object_array_length(events);

	for (size_t i = 0; i < n; i++) {
		struct json_object *event =
			json_object_array_get_idx(events, i);

		json_object_object_del(event, "changed");
		json_object_object_del(event, "event");
	}
}

static int ions(struct slu_db *db, const struct slu_asker *who,
		struct json_object *args, struct slu_buf *out,
		struct slu_err *err)
{
	struct json_object *events;
	int64_t last = EVENTS;

	if (slu_json_i64_opt(args, "last", &last, err) < 0)
		return -1;
	events = slu_epoch_history(db, last, err);
	if (!events)
		return -1;
	if (!who->admin)
		hide_jobs(events);
	json_object_object_add(who->live, "history", events);
	return give(json_object_get(who->live), out, err);
}

const struct slu_answerer slu_answerers[] = {
	{"buffers", NULL, buffers},   {"jobs", NULL, jobs},
	{"accuracy", NULL, accuracy}, {"predict", NULL, predict},
	{"ions", prepare_ions, ions}, {NULL, NULL, NULL},
};

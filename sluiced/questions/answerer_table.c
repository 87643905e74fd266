/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of the questions that sluiced answers in addition to the database's
 * (sysquery/query.h), and the short ones among their answerers. A process of
 * its own makes each answer, which may take long; `live`, what only the daemon
 * knows, is prepared in the daemon.
 *
 * All users see the resources. Of buffers, jobs and assignments they see only
 * their own, as with Slurm's PrivateData; root and SlurmUser see all.
 */
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "job_submit/history/job_history.h"
#include "sluiced/questions/answerer_table.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/doctor/doctor.h"
#include "sluiced/doctor/doctor_live.h"
#include "sluiced/queue/partition_queue.h"
#include "sluiced/daemon.h"

#define JOBS	    100
#define MOST_JOBS   100000 /* in one answer, which takes tens of MB */
#define STRIPE_SIZE (UINT64_C(1) << 30)
#define SINFO	    5.0 /* s that it may take */

static int give(struct json_object *obj, struct slu_buf *out,
		struct slu_err *err)
{
	if (!obj)
		return -1;
	slu_buf_puts(out, slu_json_utf8(obj));
	json_object_put(obj);
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}

static struct json_object *prepare_buffers(const struct slu_daemon *d,
					   const struct slu_asker *who,
					   struct json_object *args)
{
	const uint32_t uid = who->admin ? SLU_NO_ID : who->uid;
	struct json_object *live = json_object_new_object();
	uint64_t job_id = 0;

	slu_json_u64_opt(args, "job_id", &job_id, NULL);
	json_object_object_add(
		live, "progress",
		slu_buffers_progress(d->buffers, (uint32_t)job_id, uid));
	json_object_object_add(
		live, "fullness",
		slu_buffers_fullness(d->buffers, (uint32_t)job_id, uid));
	return live;
}

static void add_live(struct json_object *array, struct json_object *live)
{
	struct json_object *progress = slu_json_at(live, "progress"),
			   *fullness = slu_json_at(live, "fullness");
	struct json_object *buffer, *text, *full;
	const char *id;

	for (size_t i = 0; i < json_object_array_length(array); i++) {
		buffer = json_object_array_get_idx(array, i);
		id = json_object_get_string(
			json_object_object_get(buffer, "buffer"));
		if (json_object_object_get_ex(progress, id, &text))
			json_object_object_add(buffer, "progress",
					       json_object_get(text));
		if (json_object_object_get_ex(fullness, id, &full))
			slu_json_set_u64(buffer, "used",
					 slu_json_u64_at(full, "used_bytes"));
	}
}

static int buffers(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err)
{
	struct json_object *array;
	uint64_t job_id = 0;
	uint32_t uid;

	if (slu_asked_uid(who, args, &uid, err) < 0 ||
	    slu_json_u64_opt(args, "job_id", &job_id, err) < 0)
		return -1;
	array = slu_buffers_json(db, (uint32_t)job_id, uid, slu_now_wall(),
				 err);
	if (array && job_id && !json_object_array_length(array)) {
		json_object_put(array);
		return slu_err(err, SLU_NOTFOUND,
			       "job %llu had no buffer, or is not yours",
			       (unsigned long long)job_id);
	}
	if (array && who->live)
		add_live(array, who->live);
	return give(array, out, err);
}

/* Over all rows that the user may see, unless "last" gives a number. */
static int accuracy(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err)
{
	struct slu_history_query query = {0};
	struct json_object *obj;

	if (slu_asked_uid(who, args, &query.uid, err) < 0 ||
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

	if (json_object_object_get_ex(args, "since", NULL))
		query.last = MOST_JOBS;
	if (slu_asked_uid(who, args, &query.uid, err) < 0 ||
	    slu_json_i64_opt(args, "since", &query.since, err) < 0 ||
	    slu_json_i64_opt(args, "until", &query.until, err) < 0 ||
	    slu_json_str_opt(args, "state", &query.states, err) < 0 ||
	    slu_json_u64_opt(args, "last", &query.last, err) < 0)
		return -1;
	if (!query.last || query.last > MOST_JOBS)
		query.last = MOST_JOBS;
	if (slu_history_jobs(db, &query, &obj, err) < 0)
		return -1;
	return give(obj, out, err);
}

/* The running job in question, if there is one and the user may see it. */
static struct json_object *prepare_predict(const struct slu_daemon *d,
					   const struct slu_asker *who,
					   struct json_object *args)
{
	const struct slu_known_job *live;
	uint64_t job_id = 0;

	slu_json_u64_opt(args, "job_id", &job_id, NULL);
	live = job_id < SLU_NO_ID ? slu_jobs_find(d->jobs, (uint32_t)job_id)
				  : NULL;
	if (!live || live->ended > 0 || (!who->admin && live->uid != who->uid))
		return NULL;
	return slu_encode(&slu_job_desc, live->job);
}

/* Predicts it again from what is known now: how long it has run, and which runs
 * have ended since its submission. */
static int take_running(const struct slu_asker *who, struct json_object *args,
			struct slu_job *job, int64_t *elapsed,
			struct slu_err *err)
{
	uint64_t job_id = 0;

	if (!json_object_object_get_ex(args, "job_id", NULL))
		return 0;
	if (slu_json_u64_opt(args, "job_id", &job_id, err) < 0)
		return -1;
	if (!who->live)
		return slu_err(err, SLU_NOTFOUND,
			       "job %llu is not running, or not yours",
			       (unsigned long long)job_id);
	if (slu_decode(&slu_job_desc, who->live, job, err) < 0)
		return -1;
	job->submit = 0;
	*elapsed = slu_job_runs(job, (int64_t)slu_now_wall());
	return 0;
}

/* An optional key; more than `most` is refused. */
static int take_number(struct json_object *args, const char *key, uint64_t most,
		       uint32_t *out, struct slu_err *err)
{
	uint64_t n = *out;

	if (slu_json_u64_opt(args, key, &n, err) < 0)
		return -1;
	if (n > most)
		return slu_err(err, SLU_INVALID, "%s: %llu: it is at most %llu",
			       key, (unsigned long long)n,
			       (unsigned long long)most);
	*out = (uint32_t)n;
	return 0;
}

/* Reads the job in question, or what to change in it; texts are borrowed from
 * the arguments. */
static int take_job(struct json_object *args, struct slu_job *job,
		    struct slu_err *err)
{
	const char *name = job->name ? job->name : "";
	const char *account = job->account, *partition = job->partition;

	if (slu_json_str_opt(args, "name", &name, err) < 0 ||
	    slu_json_str_opt(args, "account", &account, err) < 0 ||
	    slu_json_str_opt(args, "partition", &partition, err) < 0 ||
	    take_number(args, "nodes", SLU_NO_ID - 1, &job->node_cnt, err) <
		    0 ||
	    take_number(args, "limit", UINT32_MAX / 60, &job->limit_asked,
			err) < 0 ||
	    take_number(args, "uid", SLU_NO_ID - 1, &job->uid, err) < 0)
		return -1;
	if (!job->node_cnt)
		return slu_err(err, SLU_INVALID,
			       "nodes: 0: a job has one at least");
	job->name = (char *)(uintptr_t)name;
	job->account = (char *)(uintptr_t)account;
	job->partition = (char *)(uintptr_t)partition;
	return 0;
}

/* Without Slurm's answer nothing is warned of. */
static uint32_t default_limit(const char *partition)
{
	char *sinfo[] = {"sinfo", "-h", "-a", "-o", SLU_DEFAULTS_FORMAT, NULL};
	struct slu_buf text = {0};
	struct slu_err unknown;
	uint32_t minutes = 0;

	if (slu_run(sinfo, SINFO, &text, &unknown) == 0)
		minutes = slu_default_limit(text.data, partition);
	slu_buf_free(&text);
	return minutes;
}

static int predict(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err)
{
	struct slu_job job = {.uid = who->uid, .node_cnt = 1};
	struct slu_history_forecast_input ask = {
		.quantile = who->quantile,
		.floor = (int64_t)who->floor,
		.mode = who->mode,
		.last = who->replay,
		.stripe_size = STRIPE_SIZE,
	};
	struct json_object *obj;
	int rc = -1;

	if (take_running(who, args, &job, &ask.elapsed, err) < 0)
		return -1;
	ask.job = job;
	if (take_job(args, &ask.job, err) < 0 ||
	    slu_json_u64_opt(args, "stripe_size", &ask.stripe_size, err) < 0 ||
	    slu_json_i64_opt(args, "elapsed", &ask.elapsed, err) < 0)
		goto out;
	ask.unlimited = !ask.job.limit_asked &&
			json_object_object_get_ex(args, "limit", NULL);
	/* in other modes it is given what it needs */
	if (!ask.job.limit_asked && !ask.unlimited && !who->live &&
	    ask.mode == SLU_PREDICT_ADVISE)
		ask.by_default = default_limit(ask.job.partition);
	if (!who->admin && ask.job.uid != who->uid)
		slu_err(err, SLU_DENIED, "uid %u may not see this", who->uid);
	else if (slu_history_forecast(db, &ask, &obj, err) == 0)
		rc = give(obj, out, err);
out:
	slu_msg_clear(&slu_job_desc, &job);
	return rc;
}

/* {"JOBID":nodes}, for servers that divide their work by nodes. */
static struct json_object *prepare_running(const struct slu_daemon *d,
					   const struct slu_asker *who,
					   struct json_object *args)
{
	struct json_object *all = json_object_new_object();
	const struct slu_known_job *job;
	char id[16];

	(void)args;
	for (size_t i = 0; who->admin && (job = slu_jobs_at(d->jobs, i)); i++) {
		if (job->ended > 0)
			continue;
		snprintf(id, sizeof(id), "%u", job->job_id);
		slu_json_set_u64(all, id, job->nodes.n);
	}
	return all;
}

static int running(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err)
{
	(void)db, (void)args;
	if (!who->admin)
		return slu_err(err, SLU_DENIED,
			       "only root and SlurmUser may see all jobs");
	return give(json_object_get(who->live), out, err);
}

struct json_object *slu_prepare_prestage(const struct slu_daemon *d,
					 const struct slu_asker *who,
					 struct json_object *args)
{
	(void)args;
	return slu_buffers_prefetches(d->buffers,
				      who->admin ? SLU_NO_ID : who->uid);
}

int slu_answer_prestage(struct slu_db *db, const struct slu_asker *who,
			struct json_object *args, struct slu_buf *out,
			struct slu_err *err)
{
	(void)db, (void)args;
	return give(json_object_get(who->live), out, err);
}

const struct slu_answerer slu_answerers[] = {
	{"buffers", prepare_buffers, NULL, buffers},
	{"hosts", slu_prepare_hosts, NULL, slu_answer_hosts},
	{"storage", slu_prepare_storage, NULL, slu_answer_storage},
	{"summary", slu_prepare_storage, NULL, slu_answer_summary},
	{"job", slu_prepare_job, NULL, slu_answer_job},
	{"jobs", NULL, NULL, jobs},
	{"accuracy", NULL, NULL, accuracy},
	{"predict", prepare_predict, NULL, predict},
	{"report", NULL, NULL, slu_answer_report},
	{"running", prepare_running, NULL, running},
	{"start", NULL, NULL, slu_start_answer},
	{"predicted", NULL, NULL, slu_predicted_answer},
	{"starts", NULL, NULL, slu_starts_answer},
	{"prestage", slu_prepare_prestage, NULL, slu_answer_prestage},
	{"iostart", slu_prepare_iostart, NULL, slu_answer_iostart},
	{"why", NULL, NULL, slu_why_answer},
	{"ions", slu_prepare_ions, NULL, slu_answer_ions},
	{"page", slu_page_prepare, NULL, slu_page_answer},
	{"osts", slu_osts_prepare, slu_osts_learn, slu_osts_answer},
	{"stripe", slu_osts_prepare, NULL, slu_stripe_answer},
	{"doctor", slu_doctor_prepare, NULL, slu_doctor_answer},
	{NULL, NULL, NULL, NULL},
};

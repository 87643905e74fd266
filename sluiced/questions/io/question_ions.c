/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "ions": which job holds which I/O nodes and why, what
 * changed, what bandwidth was gained, and what the assignment would be with
 * other jobs, nodes or policies.
 */
#include "sluiced/questions/answerers.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "common/jsonx.h"
#include "select_io/division/whatif.h"
#include "sluiced/publication/assignment.h"
#include "sluiced/questions/io/ion_report.h"
#include "sluiced/daemon.h"
#include "sluiced/control/known_jobs.h"

#define EVENTS	     100 /* unless asked */
#define DAY	     (24 * 3600)
#define WHAT_IF_MOST 1000000

/* May the user see this job of the assignment? */
static bool visible(const struct slu_daemon *d, const struct slu_asker *who,
		    uint32_t job_id)
{
	const struct slu_known_job *job = slu_jobs_find(d->jobs, job_id);

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
	slu_json_set_u64(obj, "in_effect", share->in_effect);
	slu_json_set_double(obj, "bandwidth", share->bandwidth);
	slu_json_set_bool(obj, "shared", share->shared);
	slu_json_set_str(obj, "why", share->why);
	return obj;
}

static struct json_object *curve_json(const struct slu_ion_share *share)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < share->n_curve; i++) {
		const struct slu_ion_point *p = &share->curve[i];
		struct json_object *one = json_object_new_object();

		slu_json_set_u64(one, "ions", p->ions);
		slu_json_set_u64(one, "runs", p->runs);
		slu_json_set_double(one, "mean", p->mean);
		slu_json_set_double(one, "spread", p->spread);
		slu_json_set_double(one, "bandwidth", p->bandwidth);
		slu_json_set_double(one, "error", p->error);
		json_object_array_add(list, one);
	}
	return list;
}

/* The assignment in force, as far as the user may see it. */
struct json_object *slu_prepare_ions(const struct slu_daemon *d,
				     const struct slu_asker *who,
				     struct json_object *args)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *list = json_object_new_array();
	const struct slu_assignment *a = d->epoch ? &d->epoch->a : NULL;

	(void)args;
	if (a) {
		slu_json_set_str(obj, "policy", a->policy);
		slu_json_set_str(obj, "ions", a->ions);
		slu_json_set_double(obj, "total", a->total);
		slu_json_set_double(obj, "static_total", a->static_total);
		slu_json_set_double(obj, "table_total", a->table_total);
		slu_json_set_double(obj, "table_static", a->table_static);
		slu_json_set_double(obj, "bound", a->bound);
		slu_json_set_bool(obj, "proved", a->proved);
	}
	for (size_t i = 0; a && i < a->n_jobs; i++)
		if (visible(d, who, a->jobs[i].job_id))
			json_object_array_add(list, share_json(&a->jobs[i]));
	json_object_object_add(obj, "jobs", list);
	if (a)
		json_object_object_add(obj, "assignment",
				       slu_encode(&slu_assignment_desc, a));
	return obj;
}

/* An event names jobs of all users; its totals are public. */
static void hide_jobs(struct json_object *events, bool changed)
{
	size_t n = json_object_array_length(events);

	for (size_t i = 0; i < n; i++) {
		struct json_object *event =
			json_object_array_get_idx(events, i);

		if (changed)
			json_object_object_del(event, "changed");
		json_object_object_del(event, "event");
	}
}

static struct json_object *job_of(struct json_object *list, uint64_t job_id)
{
	size_t n = json_object_array_length(list);

	for (size_t i = 0; i < n; i++) {
		struct json_object *job = json_object_array_get_idx(list, i);
		uint64_t id = 0;

		slu_json_u64_opt(job, "job_id", &id, NULL);
		if (id == job_id)
			return job;
	}
	return NULL;
}

static int not_there(uint64_t job_id, struct slu_err *err)
{
	return slu_err(err, SLU_NOTFOUND,
		       "job %llu is not running, or not yours",
		       (unsigned long long)job_id);
}

/* Keeps only this job, and what is known of it. Returns whether it is there. */
static bool explain(struct json_object *live, const struct slu_assignment *a,
		    uint64_t job_id)
{
	struct json_object *list = json_object_new_array(), *all, *job;

	json_object_object_get_ex(live, "jobs", &all);
	job = job_of(all, job_id);
	for (size_t i = 0; job && i < a->n_jobs; i++) {
		const struct slu_ion_share *share = &a->jobs[i];

		if (share->job_id != job_id)
			continue;
		slu_json_set_u64(job, "node_cnt", share->node_cnt);
		slu_json_set_u64(job, "limit", share->limit);
		json_object_object_add(job, "curve", curve_json(share));
		json_object_array_add(list, json_object_get(job));
	}
	json_object_object_add(live, "jobs", list);
	return job != NULL;
}

static struct json_object *what_json(const struct slu_assignment *a,
				     const struct slu_ion_question *q,
				     const struct slu_ion_grant *grant,
				     double total, double table,
				     struct json_object *visible)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *list = json_object_new_array();

	slu_json_set_str(obj, "policy", slu_ion_policy_names[q->policy]);
	slu_json_set_u64(obj, "pool",
			 q->pool == SLU_ION_AS_IT_IS ? a->pool : q->pool);
	slu_json_set_double(obj, "total", total);
	slu_json_set_double(obj, "table_total", table);
	for (size_t i = 0; i < a->n_jobs; i++) {
		struct json_object *one;

		if (a->jobs[i].job_id == q->without ||
		    !job_of(visible, a->jobs[i].job_id))
			continue;
		one = json_object_new_object();
		slu_json_set_u64(one, "job_id", a->jobs[i].job_id);
		slu_json_set_str(one, "name", a->jobs[i].name);
		slu_json_set_u64(one, "now", a->jobs[i].in_effect);
		slu_json_set_u64(one, "ions", grant[i].ions);
		slu_json_set_bool(one, "shared", grant[i].shared);
		slu_json_set_double(one, "bandwidth", grant[i].bandwidth);
		json_object_array_add(list, one);
	}
	json_object_object_add(obj, "jobs", list);
	return obj;
}

static int policy_of(const char *name, enum slu_ion_policy *policy,
		     struct slu_err *err)
{
	for (int i = 0; slu_ion_policy_names[i]; i++)
		if (strcasecmp(name, slu_ion_policy_names[i]) == 0) {
			*policy = (enum slu_ion_policy)i;
			return 0;
		}
	return slu_err(err, SLU_INVALID, "there is no policy \"%.40s\"", name);
}

/* --policy, --ions, --without: is it a what-if question? */
static int read_question(struct json_object *args, struct json_object *visible,
			 const struct slu_assignment *a,
			 struct slu_ion_question *q, bool *asked,
			 struct slu_err *err)
{
	const char *policy = NULL;
	uint64_t pool = UINT64_MAX, without = UINT64_MAX;

	*q = (struct slu_ion_question){.policy = SLU_ION_MCKP,
				       .pool = SLU_ION_AS_IT_IS,
				       .without = SLU_NO_ID};
	if (a->policy && policy_of(a->policy, &q->policy, err) < 0)
		return -1;
	if (slu_json_str_opt(args, "policy", &policy, err) < 0 ||
	    slu_json_u64_opt(args, "pool", &pool, err) < 0 ||
	    slu_json_u64_opt(args, "without", &without, err) < 0 ||
	    (policy && policy_of(policy, &q->policy, err) < 0))
		return -1;
	if (pool != UINT64_MAX && pool > WHAT_IF_MOST)
		return slu_err(err, SLU_INVALID, "%llu I/O nodes are too many",
			       (unsigned long long)pool);
	if (pool != UINT64_MAX)
		q->pool = (uint32_t)pool;
	if (without != UINT64_MAX && !job_of(visible, without))
		return not_there(without, err);
	if (without < SLU_NO_ID)
		q->without = (uint32_t)without;
	*asked = policy || pool != UINT64_MAX || without != UINT64_MAX;
	return 0;
}

/* Returns whether it was a what-if question. */
static int what_if(struct json_object *args, struct json_object *live,
		   const struct slu_assignment *a, struct slu_err *err)
{
	struct slu_ion_grant *grant = calloc(a->n_jobs + 1, sizeof(*grant));
	struct json_object *visible = NULL;
	struct slu_ion_question q;
	bool asked = false;
	double total, table;
	int rc;

	json_object_object_get_ex(live, "jobs", &visible);
	rc = grant ? read_question(args, visible, a, &q, &asked, err)
		   : slu_err(err, SLU_NOMEM, "out of memory");
	if (rc == 0 && asked)
		rc = slu_ion_what_if(a, &q, grant, &total, &table, err);
	if (rc == 0 && asked)
		json_object_object_add(
			live, "what_if",
			what_json(a, &q, grant, total, table, visible));
	free(grant);
	return rc < 0 ? -1 : asked;
}

/* Adds the events of one job, which the user may see, or of all. `past`: the
 * answer has nothing else. */
static int add_history(struct slu_db *db, const struct slu_asker *who,
		       uint32_t job_id, bool past, struct json_object *args,
		       struct slu_err *err)
{
	int64_t last = EVENTS, now = time(NULL), since = now - DAY;
	struct json_object *events, *gain;

	if (slu_json_i64_opt(args, "last", &last, err) < 0 ||
	    slu_json_i64_opt(args, "since", &since, err) < 0)
		return -1;
	if (last < 0)
		return slu_err(err, SLU_INVALID, "last: it is negative");
	events = slu_epoch_history(db, job_id, last, err);
	if (!events)
		return -1;
	if (!who->admin)
		hide_jobs(events, job_id == 0);
	json_object_object_add(who->live, "history", events);
	if (past && !json_object_array_length(events))
		return not_there(job_id, err);
	if (job_id)
		return 0;
	gain = slu_epoch_gain(db, since, now, err);
	if (!gain)
		return -1;
	json_object_object_add(who->live, "gain", gain);
	return slu_ion_report(db, who, since,
			      json_object_object_get_ex(args, "since", NULL),
			      events, gain, who->live, err);
}

int slu_answer_ions(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err)
{
	struct slu_assignment a = {0};
	struct json_object *whole;
	uint64_t job_id = 0;
	int rc = 0, asked = 0;
	bool past = false;

	if (json_object_object_get_ex(who->live, "assignment", &whole))
		rc = slu_decode(&slu_assignment_desc, whole, &a, err);
	json_object_object_del(who->live, "assignment");
	if (rc == 0)
		rc = slu_json_u64_opt(args, "job_id", &job_id, err);
	if (rc >= 0)
		rc = asked = what_if(args, who->live, &a, err);
	if (rc >= 0 && job_id)
		past = !explain(who->live, &a, job_id);
	if (rc >= 0 && past && (asked || !who->admin || job_id >= SLU_NO_ID))
		rc = not_there(job_id, err);
	if (rc >= 0 && !asked)
		rc = add_history(db, who, (uint32_t)job_id, past, args, err);
	slu_msg_clear(&slu_assignment_desc, &a);
	if (rc < 0)
		return -1;
	slu_buf_puts(out, slu_json_text(who->live));
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}

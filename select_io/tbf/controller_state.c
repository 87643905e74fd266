/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saves and loads the controller's state as JSON, so that what jobs have lent
 * and borrowed is known after a restart. The daemon saves it every few seconds;
 * `sluice-tbfd status` and the metrics read it.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

#include <math.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"

static struct json_object *save_account(const struct slu_tbf *tbf,
					const struct job *job, size_t t)
{
	const struct account *a = &job->account[t];
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "target", tbf->target[t].name);
	slu_json_set_double(obj, "record", a->record);
	slu_json_set_double(obj, "remainder", a->remainder);
	if (a->tokens >= 0)
		slu_json_set_double(obj, "tokens", a->tokens);
	return obj;
}

/* Numbers of tokens are saved as what these stand for; those of accounts, which
 * are for the next start, as tokens. */
static double unit(const struct slu_tbf *tbf)
{
	return tbf->set.bytes ? SLU_TBF_TOKEN : 1;
}

static const char *class_name(const struct slu_tbf *tbf)
{
	return tbf->set.class_key ? tbf->set.class_key : "jobid";
}

static const char *unit_name(const struct slu_tbf *tbf)
{
	return tbf->set.bytes ? "bytes" : "RPCs";
}

static double record(const struct slu_tbf *tbf, const struct job *job)
{
	double all = 0;

	for (size_t t = 0; t < tbf->n_targets; t++)
		all += job->account[t].record;
	return all;
}

/* The job's state in one word. */
static const char *doing(const struct slu_tbf *tbf, const struct job *job)
{
	double r = record(tbf, job);

	if (job->exempt || job->of_user)
		return "exempt";
	if (job->nameless)
		return "crowd";
	if (job->used_up)
		return "throttled";
	if (job->served == 0)
		return "idle";
	return r > 0 ? "lends" : r < 0 ? "borrows" : "even";
}

static struct json_object *save_job(const struct slu_tbf *tbf,
				    const struct job *job, double now)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *accounts = json_object_new_array();

	slu_json_set_str(obj, "job", job->id);
	slu_json_set_str(obj, "state", doing(tbf, job));
	slu_json_set_double(obj, "nodes", job->nodes);
	if (job->listed)
		json_object_object_add(obj, "told", json_object_new_boolean(1));
	slu_json_set_double(
		obj, "served",
		tbf->elapsed > 0 ? job->served * unit(tbf) / tbf->elapsed : 0);
	slu_json_set_double(obj, "limit", job->written * unit(tbf));
	slu_json_set_double(obj, "record", record(tbf, job) * unit(tbf));
	if (tbf->set.bytes)
		slu_json_set_double(obj, "rpc_bytes", job->size * unit(tbf));
	slu_json_set_double(obj, "unseen", now - job->seen);
	for (size_t t = 0; t < tbf->n_targets; t++)
		if (job->account[t].rpcs > 0 || job->account[t].record != 0)
			json_object_array_add(accounts,
					      save_account(tbf, job, t));
	json_object_object_add(obj, "accounts", accounts);
	return obj;
}

/* Whose jobs are, as the table of nodes says. */
static struct json_object *save_members(const struct slu_tbf *tbf)
{
	struct json_object *members = json_object_new_array();

	for (size_t i = 0; i < tbf->n; i++) {
		const struct job *job = &tbf->job[i];
		struct json_object *one;

		if (!job->listed || !*job->of_class)
			continue;
		one = json_object_new_object();
		slu_json_set_str(one, "job", job->id);
		slu_json_set_str(one, "of", job->of_class);
		json_object_array_add(members, one);
	}
	return members;
}

struct json_object *slu_tbf_save(const struct slu_tbf *tbf, double now)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *targets = json_object_new_array();
	struct json_object *jobs = json_object_new_array();

	for (size_t t = 0; t < tbf->n_targets; t++) {
		struct json_object *one;

		if (!tbf->target[t].present)
			continue;
		one = json_object_new_object();
		slu_json_set_str(one, "target", tbf->target[t].name);
		slu_json_set_double(one, "rate",
				    tbf->target[t].rate * unit(tbf));
		json_object_array_add(targets, one);
	}
	for (size_t i = 0; i < tbf->n; i++)
		if (!tbf->set.class_key ||
		    slu_tbf_is_class(tbf, tbf->job[i].id))
			json_object_array_add(jobs,
					      save_job(tbf, &tbf->job[i], now));
	slu_json_set_str(obj, "class", class_name(tbf));
	slu_json_set_u64(obj, "crowd", tbf->crowd);
	slu_json_set_double(obj, "crowd_limit",
			    tbf->others.written * unit(tbf));
	slu_json_set_str(obj, "unit", unit_name(tbf));
	slu_json_set_u64(obj, "cpts", tbf->cpts);
	slu_json_set_double(obj, "period", tbf->elapsed);
	json_object_object_add(obj, "targets", targets);
	json_object_object_add(obj, "jobs", jobs);
	if (tbf->set.class_key)
		json_object_object_add(obj, "members", save_members(tbf));
	if (tbf->nobody > 0)
		slu_json_set_double(obj, "nobody",
				    tbf->nobody * unit(tbf) / tbf->elapsed);
	return obj;
}

static void load_account(struct slu_tbf *tbf, struct job *job,
			 struct json_object *obj)
{
	const char *name = NULL;
	struct target *t;
	struct account *a;
	double v;

	slu_json_str_opt(obj, "target", &name, NULL);
	t = name ? slu_tbf_target(tbf, name, NULL) : NULL;
	if (!t)
		return;
	a = &job->account[t - tbf->target];
	v = 0;
	if (slu_json_double_opt(obj, "record", &v, NULL) == 0 &&
	    fabs(v) < 0x1p53)
		a->record = rint(v);
	v = 0;
	if (slu_json_double_opt(obj, "remainder", &v, NULL) == 0 && fabs(v) < 4)
		a->remainder = v;
}

static void load_listed(struct slu_tbf *tbf, struct job *job)
{
	tbf->n_listed += !job->listed;
	job->listed = true;
}

static void load_member(struct slu_tbf *tbf, struct json_object *obj,
			double now)
{
	const char *id = NULL, *of = "";
	char number[SLU_CLASS_NUMBER];
	struct job *job = NULL;

	slu_json_str_opt(obj, "job", &id, NULL);
	slu_json_str_opt(obj, "of", &of, NULL);
	if (id && strlen(id) < SLU_JOBID_SIZE && !slu_tbf_is_class(tbf, id) &&
	    slu_tbf_number(of, number))
		job = slu_tbf_job(tbf, id, now, NULL);
	if (!job)
		return;
	load_listed(tbf, job);
	slu_copy(job->of_class, sizeof(job->of_class), number);
}

static void load_job(struct slu_tbf *tbf, struct json_object *obj, bool records,
		     double now)
{
	struct json_object *accounts = NULL;
	double nodes = 1, unseen = 0;
	const char *id = NULL;
	bool listed = false;
	struct job *job;

	slu_json_str_opt(obj, "job", &id, NULL);
	slu_json_double_opt(obj, "nodes", &nodes, NULL);
	slu_json_double_opt(obj, "unseen", &unseen, NULL);
	slu_json_bool_opt(obj, "told", &listed, NULL);
	if (!id || strlen(id) >= SLU_JOBID_SIZE ||
	    (!listed && slu_tbf_is_full(tbf)))
		return;
	job = slu_tbf_job(tbf, id, now, NULL);
	if (!job)
		return;
	if (listed)
		load_listed(tbf, job);
	job->nodes = nodes >= 1 && nodes <= 1e9 ? nodes : 1;
	job->seen = unseen > 0 ? now - unseen : now;
	json_object_object_get_ex(obj, "accounts", &accounts);
	for (size_t i = 0;
	     records && json_object_is_type(accounts, json_type_array) &&
	     i < json_object_array_length(accounts);
	     i++)
		load_account(tbf, job, json_object_array_get_idx(accounts, i));
}

void slu_tbf_load(struct slu_tbf *tbf, struct json_object *state, double now)
{
	struct json_object *jobs = NULL, *members = NULL;
	const char *in = "RPCs", *of = "jobid"; /* before there was a choice */
	bool same;

	slu_json_str_opt(state, "class", &of, NULL);
	if (strcmp(of, class_name(tbf)) != 0)
		return;
	slu_json_str_opt(state, "unit", &in, NULL);
	same = strcmp(in, unit_name(tbf)) == 0;
	json_object_object_get_ex(state, "jobs", &jobs);
	for (size_t i = 0; json_object_is_type(jobs, json_type_array) &&
			   i < json_object_array_length(jobs);
	     i++)
		load_job(tbf, json_object_array_get_idx(jobs, i), same, now);
	if (tbf->set.class_key)
		json_object_object_get_ex(state, "members", &members);
	for (size_t i = 0; json_object_is_type(members, json_type_array) &&
			   i < json_object_array_length(members);
	     i++)
		load_member(tbf, json_object_array_get_idx(members, i), now);
}

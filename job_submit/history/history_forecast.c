/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers `sysquery predict`: forecasts run time and I/O of a job that does not
 * exist yet. A new predictor is trained with the history, so that the answer is
 * the one that slurmctld would give after reading it, and no state has to be
 * kept. Run times are learnt from all users, as in slurmctld; I/O from the
 * user's own runs of the same name.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "job_submit/time_limit.h"
#include "job_submit/history/job_history.h"
#include "job_submit/name.h"
#include "job_submit/io/io_profile.h"
#include "job_submit/predictor/too_short.h"

#define REQUESTS 4 /* for which a forecast is made */

struct lessons {
	struct slu_predictor *p;
	struct slu_profile profile;
	uint32_t uid;
	char name[64]; /* without numbers: name.h */
	char partition[256],
		account[256]; /* from the user's last job; or empty */
};

static void note_last(struct lessons *l, const struct slu_job *job)
{
	slu_copy(l->partition, sizeof(l->partition),
		 job->partition ? job->partition : "");
	slu_copy(l->account, sizeof(l->account),
		 job->account ? job->account : "");
}

static int learn_row(void *arg, const struct slu_history_row *row,
		     struct slu_err *err)
{
	struct lessons *l = arg;
	char name[64];

	(void)err;
	slu_learn(l->p, &row->job);
	if (row->job.uid != l->uid)
		return 0;
	note_last(l, &row->job);
	slu_plain_name(row->job.name, name, sizeof(name));
	if (strcmp(name, l->name) == 0)
		slu_profile_learn(&l->profile, row);
	return 0;
}

/* Slurm ends a job at its limit, unless earlier runs went beyond theirs. */
static double quantile(const struct slu_predictor *p,
		       const struct slu_outlook *o, double share,
		       double elapsed)
{
	const struct slu_distribution *s = &o->spread;
	double q = slu_predict_quantile(p, o, share, elapsed), most;

	if (!o->asked)
		return q;
	most = fmax(o->asked, slu_logtime_seconds(s->at[s->n - 1]));
	return fmax(fmin(q, most), elapsed);
}

static struct json_object *quantiles(const struct slu_predictor *p,
				     const struct slu_outlook *o,
				     double elapsed)
{
	static const struct {
		const char *name;
		double share;
	} list[] = {{"10", 0.1}, {"50", 0.5}, {"90", 0.9}, {"99", 0.99}};
	struct json_object *obj = json_object_new_object();

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		slu_json_set_i64(
			obj, list[i].name,
			llround(quantile(p, o, list[i].share, elapsed)));
	return obj;
}

static struct json_object *evidence(const struct slu_outlook *o)
{
	struct json_object *list = json_object_new_array();

	for (int l = 0; l < SLU_EVIDENCE; l++) {
		struct json_object *obj;

		if (!o->class[l].jobs)
			continue;
		obj = json_object_new_object();
		slu_json_set_str(obj, "class", o->class[l].name);
		slu_json_set_u64(obj, "jobs", o->class[l].jobs);
		slu_json_set_double(obj, "weight",
				    round((double)o->class[l].weight * 1000) /
					    1000);
		json_object_array_add(list, obj);
	}
	return list;
}

static void add_bytes(struct json_object *obj, const char *key,
		      const struct slu_markov *m)
{
	struct json_object *list = json_object_new_array();
	double next[REQUESTS];

	slu_markov_predict(m, next, REQUESTS);
	for (int i = 0; i < REQUESTS; i++)
		json_object_array_add(
			list, json_object_new_int64(
				      (int64_t)slu_markov_nearest(m, next[i])));
	json_object_object_add(obj, key, list);
}

static struct json_object *bandwidths(const struct slu_profile *p)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < p->n_with; i++) {
		struct json_object *obj = json_object_new_object();

		slu_json_set_u64(obj, "ions", p->with[i].ions);
		slu_json_set_u64(obj, "runs", p->with[i].runs);
		slu_json_set_double(obj, "MB/s",
				    round(p->with[i].bandwidth * 100) / 100);
		json_object_array_add(list, obj);
	}
	return list;
}

static double thousandths(double share)
{
	return round(share * 1000) / 1000;
}

static void add_manner(struct json_object *obj, const struct slu_profile *p)
{
	double shared =
		p->called_bytes > 0 ? p->shared_bytes / p->called_bytes : 0;
	double contiguous = p->consecutive / p->calls;

	slu_json_set_i64(obj, "calls", llround(p->calls / p->called_runs));
	slu_json_set_i64(obj, "request_size",
			 llround(p->called_bytes / p->calls));
	slu_json_set_str(obj, "layout",
			 shared >= 0.5 ? "shared" : "file-per-process");
	slu_json_set_double(obj, "shared", thousandths(shared));
	slu_json_set_str(obj, "access",
			 contiguous >= 0.5 ? "contiguous" : "strided");
	slu_json_set_double(obj, "contiguous", thousandths(contiguous));
}

static struct json_object *io(const struct slu_profile *p, uint64_t stripe_size)
{
	struct json_object *obj = json_object_new_object();
	double written;

	slu_markov_predict(&p->written, &written, 1);
	written = slu_markov_nearest(&p->written, written);
	slu_json_set_u64(obj, "runs", p->runs);
	add_bytes(obj, "written_bytes", &p->written);
	add_bytes(obj, "read_bytes", &p->read);
	slu_json_set_u64(obj, "stripe_size", stripe_size);
	slu_json_set_u64(obj, "stripes",
			 slu_markov_stripes(written, stripe_size));
	slu_json_set_u64(obj, "training", slu_markov_length(&p->written));
	slu_json_set_double(obj, "MB/s",
			    round(slu_profile_bandwidth(p) * 100) / 100);
	json_object_object_add(obj, "bandwidth", bandwidths(p));
	if (p->called_runs)
		add_manner(obj, p);
	return obj;
}

/* Fills in what the request leaves open with the site's most frequent value. */
static struct slu_job completed(struct lessons *l, const struct slu_job *job)
{
	struct slu_job out = *job;

	if (!out.partition && *l->partition)
		out.partition = l->partition;
	if (!out.account && *l->account)
		out.account = l->account;
	return out;
}

static void add_warning(struct json_object *obj, const struct slu_predictor *p,
			const struct slu_job *job, uint32_t minutes)
{
	int64_t limit = (int64_t)minutes * 60;
	struct slu_too_short is;
	struct slu_buf text = {0};

	if (!slu_predict_too_short(p, job, limit, &is))
		return;
	slu_too_short_say(&text, &is);
	slu_json_set_str(obj, "warning", text.data);
	slu_buf_free(&text);
}

static struct json_object *answer(struct lessons *l,
				  const struct slu_history_forecast_input *ask)
{
	const struct slu_job whole = completed(l, &ask->job), *job = &whole;
	double elapsed = (double)ask->elapsed;
	struct json_object *obj = json_object_new_object();
	struct slu_limit_rules rules = {
		.given = job->limit_asked || ask->unlimited,
		.whole = job->limit_asked ? job->limit_asked : SLU_LIMIT_NONE,
		.most = SLU_LIMIT_NONE};
	struct slu_prediction got;
	struct slu_outlook outlook;
	struct slu_limit_grant granted = {0};
	struct slu_limit_needs needs;

	slu_predict(l->p, job, &got);
	needs = slu_predict_needs(l->p, job, &got);
	if (got.jobs)
		granted = slu_limit_decide(ask->mode, &rules, &needs);
	slu_predict_outlook(l->p, job, &outlook);
	slu_json_set_str(obj, "name", job->name);
	if (job->node_cnt)
		slu_json_set_u64(obj, "nodes", job->node_cnt);
	slu_json_set_str(obj, "partition", job->partition);
	slu_json_set_str(obj, "account", job->account);
	if (job->limit_asked)
		slu_json_set_u64(obj, "limit_asked", job->limit_asked);
	if (got.jobs || job->limit_asked) {
		slu_json_set_i64(obj, "predicted", got.seconds);
		slu_json_set_i64(obj, "careful", got.careful);
	}
	if (granted.minutes)
		slu_json_set_u64(obj, "limit", granted.minutes);
	if (ask->mode != SLU_PREDICT_OFF)
		add_warning(obj, l->p, job,
			    rules.given ? job->limit_asked : ask->by_default);
	slu_json_set_str(obj, "predicted_from", got.from);
	slu_json_set_u64(obj, "jobs", got.jobs);
	if (ask->elapsed > 0)
		slu_json_set_i64(obj, "elapsed", ask->elapsed);
	if (got.jobs && ask->elapsed > 0)
		slu_json_set_i64(
			obj, "remaining",
			llround(quantile(l->p, &outlook, 0.5, elapsed) -
				elapsed));
	if (got.jobs) {
		json_object_object_add(obj, "quantiles",
				       quantiles(l->p, &outlook, elapsed));
		json_object_object_add(obj, "evidence", evidence(&outlook));
	}
	if (l->profile.runs)
		json_object_object_add(obj, "io",
				       io(&l->profile, ask->stripe_size));
	return obj;
}

int slu_history_forecast(struct slu_db *db,
			 const struct slu_history_forecast_input *ask,
			 struct json_object **out, struct slu_err *err)
{
	struct slu_history_query query = {
		.uid = SLU_NO_ID, .last = ask->last, .brief = true};
	struct lessons l = {.uid = ask->job.uid};
	int rc = -1;

	if (!ask->stripe_size)
		return slu_err(err, SLU_INVALID, "stripe_size: 0");
	if (ask->elapsed < 0)
		return slu_err(err, SLU_INVALID, "elapsed: less than 0");
	l.p = slu_predictor_new(SLU_PREDICT_CLASSES, ask->quantile, ask->floor,
				err);
	slu_profile_init(&l.profile);
	slu_plain_name(ask->job.name, l.name, sizeof(l.name));
	if (l.p && slu_history_each(db, &query, learn_row, &l, err) == 0) {
		*out = answer(&l, ask);
		rc = 0;
	}
	slu_predictor_free(l.p);
	return rc;
}

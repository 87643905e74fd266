/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects statistics of ended jobs for the HTML page of `sysquery page`:
 * errors of predictions, use of time limits, and the bandwidths of jobs with
 * I/O nodes. The number of jobs is not bounded, so only sums and a few numbers
 * of each are kept.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "job_submit/ended.h"
#include "job_submit/history/job_history.h"
#include "sysquery/page/collect/collect.h"

#define TENTHS 11 /* of a limit; the last is for more than all */
#define USERS  4096
#define SHOWN  20 /* users at most */
#define FEW    5  /* predictions: not enough for quantiles */

/* Classes of predicted run times, s. */
static const int64_t bound[] = {60,    300,   900,   1800,  3600,   7200,
				14400, 28800, 43200, 86400, 172800, INT64_MAX};
#define CLASSES (sizeof(bound) / sizeof(bound[0]))

struct prediction {
	int64_t said, ran; /* s */
};
struct class
{
	struct prediction *one;
	size_t n, room;
};
struct user {
	uint32_t uid;
	char name[32];
	uint64_t jobs, timeouts;
	double asked, granted, used; /* node-hours */
};
struct sums {
	struct slu_page_jobs *out;
	size_t runs_room;
	struct class class[CLASSES];
	uint64_t predicted, under, limited;
	uint64_t asked[TENTHS], granted[TENTHS];
	struct user *user;
	size_t users;
};

/* Makes space for another element; false: no memory. */
static bool grow(void *array, size_t n, size_t *room, size_t size)
{
	void **p = array, *more;

	if (n < *room)
		return true;
	more = realloc(*p, (*room ? 2 * *room : 64) * size);
	if (!more)
		return false;
	*p = more;
	*room = *room ? 2 * *room : 64;
	return true;
}

static void name_user(const struct slu_job *j, char out[32])
{
	if (j->user)
		snprintf(out, 32, "%s", j->user);
	else
		snprintf(out, 32, "%u", j->uid);
}

static bool note_prediction(struct sums *s, const struct slu_job *j,
			    int64_t ran)
{
	struct class *c = s->class;

	if (!j->predicted || ran <= 0 || !slu_ended_own_way(j))
		return true;
	while (j->predicted >= bound[c - s->class])
		c++;
	if (!grow(&c->one, c->n, &c->room, sizeof(*c->one)))
		return false;
	c->one[c->n++] = (struct prediction){j->predicted, ran};
	s->predicted++;
	s->under += ran > (int64_t)j->predicted;
	return true;
}

/* The entry of this user, a new one, or the one of all other users. */
static struct user *user_of(struct sums *s, const struct slu_job *j)
{
	struct user *u = s->user;

	while (u < s->user + s->users && u->uid != j->uid)
		u++;
	if (u == s->user + USERS)
		return u - 1;
	if (u == s->user + s->users) {
		s->users++;
		u->uid = j->uid;
		name_user(j, u->name);
	}
	return u;
}

static int tenth(int64_t ran, uint32_t minutes)
{
	double share = (double)ran / (60.0 * minutes);

	return share > 1 ? TENTHS - 1 : (int)fmin(share * 10, TENTHS - 2);
}

static void note_limit(struct sums *s, const struct slu_job *j, int64_t ran)
{
	uint32_t asked = j->limit_asked ? j->limit_asked : j->limit;
	double nodes = j->node_cnt ? j->node_cnt : 1;
	struct user *u;

	if (!j->limit || !asked || ran <= 0)
		return;
	s->limited++;
	s->asked[tenth(ran, asked)]++;
	s->granted[tenth(ran, j->limit)]++;
	u = user_of(s, j);
	u->jobs++;
	u->timeouts += slu_eq(j->state, "TIMEOUT");
	u->asked += nodes * asked / 60;
	u->granted += nodes * j->limit / 60;
	u->used += nodes * (double)ran / 3600;
}

static bool note_run(struct sums *s, const struct slu_history_row *row)
{
	const struct slu_job *j = &row->job;
	struct slu_page_run *run;

	if (!grow(&s->out->run, s->out->n_runs, &s->runs_room, sizeof(*run)))
		return false;
	run = &s->out->run[s->out->n_runs++];
	*run = (struct slu_page_run){j->job_id, j->start, j->end,
				     row->io_bandwidth, ""};
	name_user(j, run->user);
	return true;
}

static int note_row(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	int64_t ran = slu_run_time(&row->job);
	struct sums *s = arg;

	note_limit(s, &row->job, ran);
	if (note_prediction(s, &row->job, ran) && note_run(s, row))
		return 0;
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int by_ran(const void *a, const void *b)
{
	const struct prediction *x = a, *y = b;

	return (x->ran > y->ran) - (x->ran < y->ran);
}

static int by_said(const void *a, const void *b)
{
	const struct prediction *x = a, *y = b;

	return (x->said > y->said) - (x->said < y->said);
}

static struct json_object *class_json(struct class *c)
{
	static const struct {
		const char *key;
		double q;
	} quantile[] = {{"q10_seconds", 0.1},
			{"q25_seconds", 0.25},
			{"q50_seconds", 0.5},
			{"q75_seconds", 0.75},
			{"q90_seconds", 0.9}};
	struct json_object *obj = json_object_new_object();

	qsort(c->one, c->n, sizeof(*c->one), by_said);
	slu_json_set_i64(obj, "predicted_seconds", c->one[c->n / 2].said);
	slu_json_set_u64(obj, "jobs", c->n);
	qsort(c->one, c->n, sizeof(*c->one), by_ran);
	for (int i = 0; i < 5; i++)
		slu_json_set_i64(
			obj, quantile[i].key,
			c->one[(size_t)(quantile[i].q * (double)(c->n - 1) +
					0.5)]
				.ran);
	return obj;
}

static struct json_object *calibration(struct sums *s)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < CLASSES; i++)
		if (s->class[i].n >= FEW)
			json_object_array_add(list, class_json(&s->class[i]));
	return list;
}

static struct json_object *numbers(const uint64_t n[TENTHS])
{
	struct json_object *list = json_object_new_array();

	for (int i = 0; i < TENTHS; i++)
		json_object_array_add(list,
				      json_object_new_int64((int64_t)n[i]));
	return list;
}

/* By node hours that were granted and not used, the most first. */
static int by_waste(const void *a, const void *b)
{
	const struct user *x = a, *y = b;
	double p = x->granted - x->used, q = y->granted - y->used;

	return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

static void set_hours(struct json_object *obj, const char *key, double hours)
{
	slu_json_set_i64(obj, key, llround(hours));
}

static struct json_object *users(struct sums *s)
{
	struct json_object *list = json_object_new_array(), *obj;
	size_t n = s->users < SHOWN ? s->users : SHOWN;

	qsort(s->user, s->users, sizeof(*s->user), by_waste);
	for (struct user *u = s->user; u < s->user + n; u++) {
		obj = json_object_new_object();
		slu_json_set_str(obj, "user", u->name);
		slu_json_set_u64(obj, "jobs", u->jobs);
		slu_json_set_u64(obj, "timeouts", u->timeouts);
		set_hours(obj, "asked_node_hours", u->asked);
		set_hours(obj, "granted_node_hours", u->granted);
		set_hours(obj, "used_node_hours", u->used);
		json_object_array_add(list, obj);
	}
	return list;
}

static struct json_object *limits_json(struct sums *s)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_u64(obj, "jobs", s->limited);
	json_object_object_add(obj, "asked", numbers(s->asked));
	json_object_object_add(obj, "granted", numbers(s->granted));
	json_object_object_add(obj, "user", users(s));
	return obj;
}

/* Adds {"user", "partition", "week"} of slu_history_accuracy(). */
static void add_errors(struct sums *s, struct json_object *errors)
{
	json_object_object_del(errors, "partition");
	slu_json_set_u64(errors, "jobs", s->predicted);
	if (s->predicted)
		slu_json_set_double(
			errors, "under",
			round(1000 * (double)s->under / (double)s->predicted) /
				1000);
	json_object_object_add(errors, "calibration", calibration(s));
}

static int by_job(const void *a, const void *b)
{
	const struct slu_page_run *x = a, *y = b;

	if (x->job_id != y->job_id)
		return x->job_id < y->job_id ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int nothing(struct slu_page_jobs *out)
{
	out->errors = json_object_new_object();
	out->limits = json_object_new_object();
	return 0;
}

int slu_page_collect_jobs(struct slu_db *db, const struct slu_page_query *q,
			  struct slu_page_jobs *out, struct slu_err *err)
{
	const struct slu_history_query query = {.uid = q->uid,
						.since = q->since};
	struct sums s = {.out = out, .user = calloc(USERS, sizeof(*s.user))};
	int rc;

	*out = (struct slu_page_jobs){0};
	if (!slu_db_has(db, "History")) {
		free(s.user);
		return nothing(out);
	}
	rc = s.user ? slu_history_accuracy(db, &query, &out->errors, err)
		    : slu_err(err, SLU_NOMEM, "out of memory");
	if (rc == 0)
		rc = slu_history_each(db, &query, note_row, &s, err);
	if (rc == 0) {
		out->limits = limits_json(&s);
		add_errors(&s, out->errors);
		if (out->n_runs)
			qsort(out->run, out->n_runs, sizeof(*out->run), by_job);
	}
	for (size_t i = 0; i < CLASSES; i++)
		free(s.class[i].one);
	free(s.user);
	if (rc < 0)
		slu_page_jobs_free(out);
	return rc;
}

void slu_page_jobs_free(struct slu_page_jobs *jobs)
{
	json_object_put(jobs->errors);
	json_object_put(jobs->limits);
	free(jobs->run);
	*jobs = (struct slu_page_jobs){0};
}

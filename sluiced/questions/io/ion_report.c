/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares what ended runs with I/O nodes reached with what was predicted: by
 * application, by day, and by user and week. The last shows which users had
 * less bandwidth than with the policy STATIC, and which had more in the same
 * week.
 */
#include "sluiced/questions/io/ion_report.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/jsonx.h"
#include "job_submit/history/job_history.h"
#include "select_io/curves/curves.h"
#include "select_io/ion/evaluation/gain.h"

#define DAY  86400
#define WHOM 3 /* users named as the beneficiaries */

struct ran {
	struct slu_ion_run run;
	uint32_t uid, nodes;
	char *user, *name;
};

struct past {
	struct ran *ran;
	size_t n, room;
};

static void past_free(struct past *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->ran[i].user);
		free(p->ran[i].name);
	}
	free(p->ran);
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

static int add(struct past *p, const struct slu_history_row *row)
{
	const struct slu_job *job = &row->job;
	struct ran *r;

	if (p->n == p->room) {
		size_t room = p->room ? 2 * p->room : 256;
		void *more = realloc(p->ran, room * sizeof(*p->ran));

		if (!more)
			return -1;
		p->ran = more;
		p->room = room;
	}
	r = &p->ran[p->n++];
	*r = (struct ran){.run = {.app = slu_curves_class(job),
				  .start = job->start,
				  .end = job->end,
				  .seconds = (double)slu_job_ran(job),
				  .reached = row->io_bandwidth,
				  .f = {job->ion_predicted, job->ion_static,
					job->ion_alone, job->ion_error}},
			  .uid = job->uid,
			  .nodes = job->node_cnt,
			  .user = job->user ? copy(job->user)
					    : slu_asprintf("%u", job->uid),
			  .name = copy(job->name)};
	return r->user && r->name ? 0 : -1;
}

static int take(void *arg, const struct slu_history_row *row,
		struct slu_err *err)
{
	if (!(row->io_bandwidth > 0 && row->job.ion_predicted > 0) ||
	    slu_job_ran(&row->job) <= 0)
		return 0;
	return add(arg, row) < 0 ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

/* Sums over some of the runs. */

struct means {
	double predicted, reached, miss;
};

static struct means means_of(const struct ran *ran, size_t n)
{
	struct means m = {0};
	double seconds = 0;

	for (size_t i = 0; i < n; i++) {
		const struct slu_ion_run *r = &ran[i].run;

		seconds += r->seconds;
		m.predicted += r->f.predicted * r->seconds;
		m.reached += r->reached * r->seconds;
		m.miss += slu_ion_mean_error(r, 1) / (double)n;
	}
	if (seconds > 0) {
		m.predicted /= seconds;
		m.reached /= seconds;
	}
	return m;
}

static void set_means(struct json_object *obj, const struct ran *ran, size_t n)
{
	struct means m = means_of(ran, n);

	slu_json_set_u64(obj, "runs", n);
	slu_json_set_double(obj, "predicted", m.predicted);
	slu_json_set_double(obj, "reached", m.reached);
	slu_json_set_double(obj, "miss", m.miss);
}

static void set_five(struct json_object *obj, const char *key, double *value,
		     size_t n)
{
	static const char *const at[] = {"least", "low", "median", "high",
					 "most"};
	struct slu_ion_five five = slu_ion_five(value, n);
	char name[32];

	for (int k = 0; k < 5; k++) {
		snprintf(name, sizeof(name), "%s_%s", key, at[k]);
		slu_json_set_double(obj, name, five.at[k]);
	}
}

/* Groups of runs, in an order in which each group is contiguous. */

typedef int64_t key_f(const struct ran *r);

static int64_t day_of(const struct ran *r)
{
	return r->run.end / DAY * DAY;
}

static int64_t week_of(const struct ran *r)
{
	return day_of(r) - (r->run.end / DAY + 3) % 7 * DAY; /* a Monday */
}

static int by_app(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;

	if (x->run.app != y->run.app)
		return x->run.app < y->run.app ? -1 : 1;
	return (x->run.end > y->run.end) - (x->run.end < y->run.end);
}

static int by_day(const void *a, const void *b)
{
	int64_t x = day_of(a), y = day_of(b);

	return (x > y) - (x < y);
}

static int by_week(const void *a, const void *b)
{
	const struct ran *x = a, *y = b;
	int64_t p = week_of(x), q = week_of(y);

	if (p != q)
		return p < q ? -1 : 1;
	return (x->uid > y->uid) - (x->uid < y->uid);
}

static void sort(struct past *p, int (*by)(const void *, const void *))
{
	if (p->n)
		qsort(p->ran, p->n, sizeof(*p->ran), by);
}

/* How many runs from the i-th on belong to its group. */
static size_t alike(const struct past *p, size_t i,
		    int (*by)(const void *, const void *))
{
	size_t n = 1;

	while (i + n < p->n && by(&p->ran[i], &p->ran[i + n]) == 0)
		n++;
	return n;
}

static size_t same_app(const struct past *p, size_t i)
{
	size_t n = 1;

	while (i + n < p->n && p->ran[i + n].run.app == p->ran[i].run.app)
		n++;
	return n;
}

static bool may_see(const struct slu_asker *who, const struct ran *r)
{
	return who->admin || who->uid == r->uid;
}

static struct json_object *applications(struct past *p,
					const struct slu_asker *who)
{
	struct json_object *list = json_object_new_array(), *one;
	size_t n;

	for (size_t i = 0; i < p->n; i += n) {
		n = same_app(p, i);
		if (!may_see(who, &p->ran[i]))
			continue;
		one = json_object_new_object();
		slu_json_set_str(one, "user", p->ran[i].user);
		slu_json_set_str(one, "name", p->ran[i].name);
		slu_json_set_u64(one, "nodes", p->ran[i].nodes);
		set_means(one, &p->ran[i], n);
		json_object_array_add(list, one);
	}
	return list;
}

static struct json_object *days(struct past *p)
{
	struct json_object *list = json_object_new_array(), *one;
	size_t n;

	sort(p, by_day);
	for (size_t i = 0; i < p->n; i += n) {
		n = alike(p, i, by_day);
		one = json_object_new_object();
		slu_json_set_i64(one, "day", day_of(&p->ran[i]));
		set_means(one, &p->ran[i], n);
		json_object_array_add(list, one);
	}
	return list;
}

/* By user and week. */

struct share { /* of a user in a week */
	size_t first, n;
	double net; /* MB more than with STATIC */
};

static double net_of(const struct ran *r)
{
	return (r->run.f.predicted - r->run.f.fixed) * r->run.seconds;
}

static int by_net(const void *a, const void *b)
{
	double x = ((const struct share *)a)->net;
	double y = ((const struct share *)b)->net;

	return (x < y) - (x > y);
}

/* The users who gained most against STATIC in that week, largest gain first. */
static char *for_whom(const struct past *p, const struct share *share, size_t n)
{
	struct slu_buf out = {0};

	slu_buf_puts(&out, "");
	for (size_t i = 0; i < n && i < WHOM && share[i].net > 0; i++)
		slu_buf_printf(&out, "%s%s", i ? "," : "",
			       p->ran[share[i].first].user);
	return slu_buf_steal(&out);
}

static void set_figures(struct json_object *one, const struct ran *ran,
			size_t n, double *room)
{
	size_t worse = 0, better = 0;

	for (size_t i = 0; i < n; i++) {
		room[i] = ran[i].run.f.predicted - ran[i].run.f.fixed;
		worse += room[i] < 0;
		better += room[i] > 0;
	}
	slu_json_set_u64(one, "worse", worse);
	slu_json_set_u64(one, "better", better);
	set_five(one, "difference", room, n);
	for (size_t i = 0; i < n; i++)
		room[i] = ran[i].run.f.alone > 0
				  ? ran[i].run.f.predicted / ran[i].run.f.alone
				  : 1;
	set_five(one, "of_best", room, n);
}

static void add_week(struct json_object *list, const struct past *p,
		     const struct slu_asker *who, struct share *share, size_t n,
		     double *room)
{
	char *whom;

	qsort(share, n, sizeof(*share), by_net);
	whom = for_whom(p, share, n);
	for (size_t i = 0; i < n; i++) {
		const struct ran *ran = &p->ran[share[i].first];
		struct json_object *one;

		if (!may_see(who, ran))
			continue;
		one = json_object_new_object();
		slu_json_set_i64(one, "week", week_of(ran));
		slu_json_set_str(one, "user", ran->user);
		slu_json_set_u64(one, "runs", share[i].n);
		slu_json_set_double(one, "net", share[i].net);
		set_figures(one, ran, share[i].n, room);
		if (share[i].net < 0 && who->admin)
			slu_json_set_str(one, "for", whom ? whom : "");
		json_object_array_add(list, one);
	}
	free(whom);
}

static struct json_object *users(struct past *p, const struct slu_asker *who)
{
	struct json_object *list = json_object_new_array();
	struct share *share = calloc(p->n + 1, sizeof(*share));
	double *room = calloc(p->n + 1, sizeof(*room));
	size_t n, shares = 0;

	sort(p, by_week);
	for (size_t i = 0; share && room && i < p->n; i += n) {
		n = alike(p, i, by_week);
		share[shares] = (struct share){.first = i, .n = n};
		for (size_t k = i; k < i + n; k++)
			share[shares].net += net_of(&p->ran[k]);
		shares++;
		if (i + n < p->n &&
		    week_of(&p->ran[i + n]) == week_of(&p->ran[i]))
			continue;
		add_week(list, p, who, share, shares, room);
		shares = 0;
	}
	free(share);
	free(room);
	return list;
}

static void fill_gain(struct past *p, int64_t since, struct json_object *out)
{
	struct slu_ion_run *run = calloc(p->n + 1, sizeof(*run));
	struct slu_ion_gain g;
	size_t n = 0;

	for (size_t i = 0; run && i < p->n; i++)
		if (p->ran[i].run.end >= since)
			run[n++] = p->ran[i].run;
	slu_ion_gain(run, n, &g);
	free(run);
	slu_json_set_u64(out, "runs", g.runs);
	slu_json_set_u64(out, "applications", g.apps);
	slu_json_set_double(out, "reached", g.reached);
	slu_json_set_double(out, "believed_static", g.fixed);
	if (!g.known)
		return;
	slu_json_set_double(out, "estimate", g.ratio);
	slu_json_set_double(out, "low", g.low);
	slu_json_set_double(out, "high", g.high);
}

static void fill_event(const struct past *p, struct json_object *event)
{
	double when = slu_json_number_at(event, "time");
	double predicted = 0, reached = 0;
	size_t jobs = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct slu_ion_run *r = &p->ran[i].run;

		if ((double)r->start > when || (double)r->end <= when)
			continue;
		jobs++;
		predicted += r->f.predicted;
		reached += r->reached;
	}
	slu_json_set_u64(event, "measured_jobs", jobs);
	if (!jobs)
		return;
	slu_json_set_double(event, "predicted", predicted);
	slu_json_set_double(event, "reached", reached);
}

static int64_t earliest(struct json_object *events, int64_t since)
{
	struct json_object *first = json_object_array_get_idx(events, 0);
	int64_t at = first ? (int64_t)slu_json_number_at(first, "time") : since;

	return at < since ? at : since;
}

int slu_ion_report(struct slu_db *db, const struct slu_asker *who,
		   int64_t since, bool lists, struct json_object *events,
		   struct json_object *gain, struct json_object *out,
		   struct slu_err *err)
{
	struct slu_history_query query = {.uid = SLU_NO_ID,
					  .since = earliest(events, since)};
	struct past p = {0};
	int rc = slu_history_each(db, &query, take, &p, err);

	for (size_t i = 0; rc == 0 && i < json_object_array_length(events); i++)
		fill_event(&p, json_object_array_get_idx(events, i));
	sort(&p, by_app);
	if (rc == 0)
		fill_gain(&p, since, gain);
	if (rc == 0 && lists) {
		json_object_object_add(out, "applications",
				       applications(&p, who));
		json_object_object_add(out, "days", days(&p));
		json_object_object_add(out, "users", users(&p, who));
	}
	past_free(&p);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a backtest (policy_backtest.h) and composes its JSON answer:
 * workload_replay.h computes the limit that each job would have had,
 * backtest_mode.h simulates the queue with these limits.
 */
#include "job_submit/simulation/policy_backtest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "job_submit/simulation/accuracy.h"
#include "job_submit/simulation/backtest_mode.h"
#include "job_submit/predictor/too_short.h"

#define WEEK	  604800 /* s */
#define WEEKS	  5200	 /* upper bound; later ones are merged */
#define WEEK_JOBS 100	 /* fewer in a week are not significant */

struct backtest {
	struct slu_workload past;
	struct slu_workload_replayed *said;
	struct slu_backtest_queue queue;
	struct slu_backtest_outcome outcome[SLU_BACKTEST_MODES];
};

static double rounded(double x, double digits)
{
	return round(x * digits) / digits;
}

static double share(uint64_t of, uint64_t all)
{
	return all ? rounded((double)of / (double)all, 1000) : 0;
}

static void put_span(struct json_object *obj, const struct backtest *b)
{
	int64_t first = INT64_MAX, last = 0;
	uint64_t judged = 0;

	for (size_t i = 0; i < b->past.n; i++) {
		int64_t when = b->past.job[i].submit;

		if (!b->said[i].judged)
			continue;
		judged++;
		first = when < first ? when : first;
		last = when > last ? when : last;
	}
	slu_json_set_u64(obj, "jobs", b->past.n);
	slu_json_set_u64(obj, "judged", judged);
	if (judged) {
		slu_json_set_i64(obj, "first", first);
		slu_json_set_i64(obj, "last", last);
	}
	slu_json_set_i64(obj, "machine", b->queue.machine);
	slu_json_set_str(obj, "unit", b->queue.cpus ? "processors" : "nodes");
	if (b->queue.larger)
		slu_json_set_u64(obj, "larger", b->queue.larger);
}

static int note_errors(const struct backtest *b, struct slu_accuracy *a,
		       struct slu_err *err)
{
	for (size_t i = 0; i < b->past.n; i++) {
		struct slu_job job = slu_workload_job(&b->past, i);

		job.predicted = b->said[i].judged ? b->said[i].predicted : 0;
		if (slu_accuracy_note(a, &job, err) < 0)
			return -1;
	}
	return 0;
}

static void add_lists(struct json_object *obj, struct json_object *lists)
{
	json_object_object_foreach(lists, key, list)
	{
		json_object_object_add(obj, key, json_object_get(list));
	}
}

static struct json_object *errors_json(const struct backtest *b,
				       struct slu_err *err)
{
	struct slu_accuracy *a = slu_accuracy_new(err);
	struct json_object *out = NULL, *lists = NULL;

	if (a && note_errors(b, a, err) == 0)
		lists = slu_accuracy_json(a, err);
	if (lists)
		out = slu_accuracy_all(a, err);
	if (out)
		add_lists(out, lists);
	json_object_put(lists);
	slu_accuracy_free(a);
	return out;
}

struct week {
	uint64_t jobs, below[SLU_WORKLOAD_REPLAY_SHARES];
};

static void count_weeks(const struct backtest *b, int64_t first,
			struct week *week)
{
	for (size_t i = 0; i < b->past.n; i++) {
		const struct slu_workload_replayed *said = &b->said[i];
		int64_t w = (b->past.job[i].submit - first) / WEEK;

		if (!said->judged || !said->predicted)
			continue;
		w = w < WEEKS ? w : WEEKS - 1;
		for (int q = 0; q < SLU_WORKLOAD_REPLAY_SHARES; q++) {
			week[w].below[q] += said->below[q];
			week[WEEKS].below[q] += said->below[q];
		}
		week[w].jobs++;
		week[WEEKS].jobs++;
	}
}

static void put_worst(struct json_object *obj, const struct week *week,
		      int64_t first, int q)
{
	double worst = 0, off;
	int of = -1;
	char name[16];

	for (int w = 0; w < WEEKS; w++) {
		if (week[w].jobs < WEEK_JOBS)
			continue;
		off = (double)week[w].below[q] / (double)week[w].jobs -
		      slu_workload_replay_share[q];
		if (of < 0 || fabs(off) > fabs(worst)) {
			worst = off;
			of = w;
		}
	}
	if (of < 0)
		return;
	slu_accuracy_week(first + of * (int64_t)WEEK, name);
	slu_json_set_double(obj, "worst", rounded(worst, 1000));
	slu_json_set_str(obj, "week", name);
}

/* Weeks begin on Mondays, as in accuracy.c. */
static int64_t first_monday(const struct backtest *b)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < b->past.n; i++)
		if (b->said[i].judged && b->past.job[i].submit < first)
			first = b->past.job[i].submit;
	return first == INT64_MAX ? 0 : first - (first + 3 * 86400) % WEEK;
}

static struct json_object *calibration_json(const struct backtest *b,
					    struct slu_err *err)
{
	struct week *week = calloc(WEEKS + 1, sizeof(*week));
	struct json_object *out = json_object_new_array(), *obj;
	int64_t first = first_monday(b);

	if (!week) {
		json_object_put(out);
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	count_weeks(b, first, week);
	for (int q = 0; week[WEEKS].jobs && q < SLU_WORKLOAD_REPLAY_SHARES;
	     q++) {
		obj = json_object_new_object();
		slu_json_set_double(obj, "share", slu_workload_replay_share[q]);
		slu_json_set_double(
			obj, "below",
			share(week[WEEKS].below[q], week[WEEKS].jobs));
		put_worst(obj, week, first, q);
		json_object_array_add(out, obj);
	}
	free(week);
	return out;
}

static struct json_object *warnings_json(const struct backtest *b)
{
	struct json_object *obj = json_object_new_object();
	uint64_t warned = 0, right = 0, all = 0;

	for (size_t i = 0; i < b->past.n; i++) {
		uint32_t whole = slu_workload_replay_whole(&b->past.job[i]);
		struct slu_job job = slu_workload_job(&b->past, i);
		bool was;

		if (!b->said[i].judged || whole == SLU_LIMIT_NONE)
			continue;
		was = slu_was_too_short(&job, (int64_t)whole * 60);
		warned += b->said[i].warned;
		right += was && b->said[i].warned;
		all += was;
	}
	slu_json_set_u64(obj, "jobs", warned);
	slu_json_set_u64(obj, "came_true", right);
	slu_json_set_u64(obj, "ended_at_limit", all);
	slu_json_set_double(obj, "of_these", share(right, all));
	return obj;
}

static void put_counts(struct json_object *obj,
		       const struct slu_backtest_counts *c)
{
	slu_json_set_u64(obj, "jobs", c->jobs);
	slu_json_set_u64(obj, "lowered", c->lowered);
	slu_json_set_u64(obj, "raised", c->raised);
	slu_json_set_u64(obj, "extended", c->extended);
	slu_json_set_u64(obj, "late", c->late);
	slu_json_set_u64(obj, "cut", c->cut);
	slu_json_set_double(obj, "freed", rounded(c->freed / 3600, 10));
	if (c->jobs)
		slu_json_set_i64(obj, "wait",
				 llround(c->wait / (double)c->jobs));
}

static bool is_tried(const struct slu_backtest_options *ask, int mode)
{
	return mode == SLU_BACKTEST_ADVISE || !ask->mode ||
	       strcmp(ask->mode, slu_backtest_name[mode]) == 0;
}

static struct json_object *modes_json(const struct backtest *b,
				      const struct slu_backtest_options *ask)
{
	struct json_object *out = json_object_new_array(), *obj;

	for (int m = 0; m < SLU_BACKTEST_MODES; m++) {
		const struct slu_easy_result *easy = &b->outcome[m].easy;

		if (!is_tried(ask, m))
			continue;
		obj = json_object_new_object();
		slu_json_set_str(obj, "mode", slu_backtest_name[m]);
		put_counts(obj, &b->outcome[m].all);
		slu_json_set_i64(obj, "longest_wait",
				 llround(easy->longest_wait));
		slu_json_set_double(obj, "slowdown",
				    rounded(easy->slowdown, 100));
		slu_json_set_u64(obj, "delayed", easy->moved);
		slu_json_set_i64(obj, "delay", llround(easy->delay));
		json_object_array_add(out, obj);
	}
	return out;
}

/* Groups sorted by their number of jobs, which is the same in each mode. */
struct group {
	uint32_t name;
	uint64_t jobs;
};

static int most_first(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->jobs != y->jobs)
		return x->jobs > y->jobs ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

/* `second` is 1 for partitions; returns the number of groups with jobs. */
static size_t list_groups(const struct backtest *b, uint32_t second,
			  struct group *out)
{
	const struct slu_backtest_outcome *any =
		&b->outcome[SLU_BACKTEST_ADVISE];
	size_t n = 0;

	for (uint32_t i = 0; i < slu_intern_count(b->past.names); i++)
		if (any->of[2 * i + second].jobs)
			out[n++] =
				(struct group){i, any->of[2 * i + second].jobs};
	if (n)
		qsort(out, n, sizeof(*out), most_first);
	return n;
}

static struct json_object *group_json(const struct backtest *b, int mode,
				      const char *key, uint32_t second,
				      uint32_t number)
{
	struct json_object *obj = json_object_new_object();
	const char *name = slu_intern_text(b->past.names, number);

	slu_json_set_str(obj, key, name ? name : "");
	slu_json_set_str(obj, "mode", slu_backtest_name[mode]);
	put_counts(obj, &b->outcome[mode].of[2 * number + second]);
	return obj;
}

/* Rows by group and mode. NULL without memory. */
static struct json_object *groups_json(const struct backtest *b,
				       const struct slu_backtest_options *ask,
				       const char *key, uint32_t second)
{
	struct group *group =
		calloc(slu_intern_count(b->past.names), sizeof(*group));
	struct json_object *out = group ? json_object_new_array() : NULL;
	size_t n = group ? list_groups(b, second, group) : 0;

	for (size_t i = 0; i < n; i++)
		for (int m = 0; m < SLU_BACKTEST_MODES; m++)
			if (is_tried(ask, m))
				json_object_array_add(
					out, group_json(b, m, key, second,
							group[i].name));
	free(group);
	return out;
}

static int add_groups(struct json_object *obj, const struct backtest *b,
		      const struct slu_backtest_options *ask, const char *key,
		      uint32_t second, struct slu_err *err)
{
	struct json_object *rows = groups_json(b, ask, key, second);

	if (!rows)
		return slu_err(err, SLU_NOMEM, "out of memory");
	json_object_object_add(obj, key, rows);
	return 0;
}

static struct json_object *recorded_json(const struct slu_backtest_queue *q)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_i64(obj, "wait", llround(q->wait));
	slu_json_set_double(obj, "slowdown", rounded(q->slowdown, 100));
	return obj;
}

static struct json_object *answer(const struct backtest *b,
				  const struct slu_backtest_options *ask,
				  struct slu_err *err)
{
	struct json_object *obj, *errors = errors_json(b, err);
	struct json_object *calibration = NULL;

	if (errors)
		calibration = calibration_json(b, err);
	if (!calibration) {
		json_object_put(errors);
		return NULL;
	}
	obj = json_object_new_object();
	put_span(obj, b);
	json_object_object_add(obj, "errors", errors);
	json_object_object_add(obj, "calibration", calibration);
	json_object_object_add(obj, "warnings", warnings_json(b));
	json_object_object_add(obj, "recorded", recorded_json(&b->queue));
	json_object_object_add(obj, "modes", modes_json(b, ask));
	if (add_groups(obj, b, ask, "user", 0, err) == 0 &&
	    add_groups(obj, b, ask, "partition", 1, err) == 0)
		return obj;
	json_object_put(obj);
	return NULL;
}

static int check(const struct slu_backtest_options *ask, struct slu_err *err)
{
	for (int m = 0; m < SLU_BACKTEST_MODES; m++)
		if (!ask->mode || !strcmp(ask->mode, slu_backtest_name[m]))
			return 0;
	return slu_err(err, SLU_INVALID,
		       "mode: \"%.20s\": want advise, fill, tighten or early",
		       ask->mode);
}

/* A mistyped date is no history without results. */
static int check_since(const struct slu_workload *past, int64_t since,
		       struct slu_err *err)
{
	int64_t last = past->n ? past->job[past->n - 1].submit : since;
	char since_text[16], last_text[16];

	if (last >= since)
		return 0;
	slu_accuracy_day(since, since_text);
	slu_accuracy_day(last, last_text);
	return slu_err(err, SLU_NOTFOUND,
		       "no job of the history was submitted since %s: the last "
		       "one was on %s (UTC)",
		       since_text, last_text);
}

static int run(struct slu_db *db, const struct slu_backtest_options *ask,
	       struct backtest *b, struct slu_err *err)
{
	if (check(ask, err) < 0 ||
	    slu_workload_read(db, ask->progress, &b->past, err) < 0 ||
	    check_since(&b->past, ask->since, err) < 0)
		return -1;
	b->said = calloc(b->past.n + 1, sizeof(*b->said));
	if (!b->said)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_workload_replay(&b->past, ask, b->said, err) < 0 ||
	    slu_backtest_queue(&b->past, ask, &b->queue, err) < 0)
		return -1;
	for (int m = 0; m < SLU_BACKTEST_MODES; m++)
		if (is_tried(ask, m) &&
		    slu_backtest_outcome(&b->past, b->said, &b->queue, ask,
					 (enum slu_backtest_mode)m,
					 &b->outcome[m], err) < 0)
			return -1;
	return 0;
}

int slu_backtest(struct slu_db *db, const struct slu_backtest_options *ask,
		 struct json_object **out, struct slu_err *err)
{
	struct backtest b = {0};

	*out = NULL;
	if (run(db, ask, &b, err) == 0)
		*out = answer(&b, ask, err);
	for (int m = 0; m < SLU_BACKTEST_MODES; m++)
		free(b.outcome[m].of);
	slu_backtest_queue_free(&b.queue);
	slu_workload_free(&b.past);
	free(b.said);
	return *out ? 0 : -1;
}

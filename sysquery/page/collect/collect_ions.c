/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects, for the HTML page of `sysquery page`, the I/O nodes of each job
 * over time, from the changes at each event, with the predicted bandwidth. If a
 * job's end was not reported to sluiced, that of the history is used.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysquery/page/collect/collect.h"
#include "wire/job.h"

#define LANES 40  /* jobs that are shown at most */
#define RUNS  800 /* points in measured against predicted */

struct holder {
	uint32_t job_id;
	int64_t ions, since; /* current; 0: none */
	double predicted;    /* MB/s; 0: unknown */
	struct json_object *lane;
};
struct ions {
	const struct slu_page_query *q;
	const struct slu_page_jobs *jobs;
	struct holder *holder; /* jobs with I/O nodes */
	size_t n, room;
	double held[SLU_BINS], predicted[SLU_BINS], fixed[SLU_BINS];
	double reached[SLU_BINS];
	struct json_object *lanes, *runs; /* sorted by start */
	uint64_t dropped;		  /* lanes, the oldest ones */
	int64_t events, since;		  /* of the totals */
	double total, static_total;
};

/* The last ended run of the job that began before `when`; NULL: unknown. */
static const struct slu_page_run *run_of(const struct slu_page_jobs *jobs,
					 uint32_t job_id, int64_t when)
{
	const struct slu_page_run *found = NULL;
	size_t a = 0, b = jobs->n_runs, m;

	while (a < b) {
		m = (a + b) / 2;
		if (jobs->run[m].job_id < job_id)
			a = m + 1;
		else
			b = m;
	}
	for (; a < jobs->n_runs && jobs->run[a].job_id == job_id; a++)
		if (jobs->run[a].end >= when && !found)
			found = &jobs->run[a];
	return found;
}

static void add_span(struct holder *h, int64_t to)
{
	struct json_object *spans = json_object_object_get(h->lane, "spans");
	struct json_object *span = json_object_new_object();

	slu_json_set_i64(span, "ions", h->ions);
	slu_json_set_i64(span, "from", h->since);
	slu_json_set_i64(span, "to", to);
	json_object_array_add(spans, span);
}

/* Ends the present span. */
static void end_span(struct ions *s, struct holder *h, int64_t when)
{
	const struct slu_page_run *run = run_of(s->jobs, h->job_id, h->since);

	if (run && run->end < when)
		when = run->end;
	if (when <= h->since)
		return;
	slu_bins_add(s->held, s->q, (double)h->since, (double)when,
		     (double)h->ions);
	if (run && run->mbps > 0)
		slu_bins_add(s->reached, s->q, (double)h->since, (double)when,
			     run->mbps);
	add_span(h, when);
}

static void end_holder(struct ions *s, size_t i, int64_t when)
{
	end_span(s, &s->holder[i], when);
	json_object_put(s->holder[i].lane);
	s->holder[i] = s->holder[--s->n];
}

/* Without root's rights only lanes of the user's own jobs are shown. */
static struct json_object *new_lane(struct ions *s, uint32_t job_id,
				    const char *name, int64_t when)
{
	const struct slu_page_run *run = run_of(s->jobs, job_id, when);
	struct json_object *lane = json_object_new_object();

	slu_json_set_u64(lane, "job", job_id);
	slu_json_set_str(lane, "name", name);
	slu_json_set_str(lane, "user", run ? run->user : NULL);
	if (run && run->mbps > 0)
		slu_json_set_double(lane, "reached_mbps", run->mbps);
	json_object_object_add(lane, "spans", json_object_new_array());
	if (run || s->q->uid == SLU_NO_ID)
		json_object_array_add(s->lanes, json_object_get(lane));
	return lane;
}

/* A new list with the last `most` elements. */
static struct json_object *last(struct json_object *list, size_t most)
{
	struct json_object *out = json_object_new_array();
	size_t n = json_object_array_length(list);

	for (size_t i = n > most ? n - most : 0; i < n; i++)
		json_object_array_add(
			out,
			json_object_get(json_object_array_get_idx(list, i)));
	return out;
}

/* Limits memory: only the last lanes are shown. */
static void drop_lanes(struct ions *s)
{
	size_t n = json_object_array_length(s->lanes);
	struct json_object *rest;

	if (n < 4 * RUNS)
		return;
	rest = last(s->lanes, RUNS);
	json_object_put(s->lanes);
	s->lanes = rest;
	s->dropped += n - RUNS;
}

static struct holder *new_holder(struct ions *s, uint32_t job_id,
				 const char *name, int64_t when)
{
	size_t room = s->room ? 2 * s->room : 64;
	struct holder *more;

	if (s->n == s->room) {
		more = realloc(s->holder, room * sizeof(*more));
		if (!more)
			return NULL;
		s->holder = more;
		s->room = room;
	}
	drop_lanes(s);
	s->holder[s->n] = (struct holder){
		.job_id = job_id, .lane = new_lane(s, job_id, name, when)};
	return &s->holder[s->n++];
}

static size_t find(const struct ions *s, uint32_t job_id)
{
	size_t i = 0;

	while (i < s->n && s->holder[i].job_id != job_id)
		i++;
	return i;
}

/* One element of an event's changes; 0 I/O nodes: the job has none any more. */
static int take_change(struct ions *s, struct json_object *change, int64_t when,
		       struct slu_err *err)
{
	uint64_t job_id = 0, ions = 0;
	const char *name = NULL;
	struct holder *h;
	size_t i;

	slu_json_u64_opt(change, "job_id", &job_id, NULL);
	slu_json_u64_opt(change, "ions", &ions, NULL);
	slu_json_str_opt(change, "name", &name, NULL);
	i = find(s, (uint32_t)job_id);
	if (!ions) {
		if (i < s->n)
			end_holder(s, i, when);
		return 0;
	}
	if (i < s->n)
		end_span(s, &s->holder[i], when);
	h = i < s->n ? &s->holder[i]
		     : new_holder(s, (uint32_t)job_id, name, when);
	if (!h)
		return slu_err(err, SLU_NOMEM, "out of memory");
	h->ions = (int64_t)(ions > UINT32_MAX ? UINT32_MAX : ions);
	h->since = when;
	h->predicted = 0;
	slu_json_double_opt(change, "bandwidth", &h->predicted, NULL);
	if (h->predicted > 0)
		slu_json_set_double(h->lane, "predicted_mbps", h->predicted);
	return 0;
}

static void end_totals(struct ions *s, int64_t when)
{
	if (!s->events)
		return;
	slu_bins_add(s->predicted, s->q, (double)s->since, (double)when,
		     s->total);
	slu_bins_add(s->fixed, s->q, (double)s->since, (double)when,
		     s->static_total);
}

/* Columns: Time, Total, StaticTotal, Json. */
static int take_event(struct ions *s, struct slu_rows *row, struct slu_err *err)
{
	int64_t when = slu_db_int(row, 0);
	const char *text = slu_db_text(row, 3);
	struct json_object *list =
		text ? slu_json_parse(text, slu_db_bytes(row, 3), NULL) : NULL;
	size_t n = json_object_is_type(list, json_type_array)
			   ? json_object_array_length(list)
			   : 0;
	int rc = 0;

	end_totals(s, when);
	s->events++;
	s->since = when;
	s->total = slu_db_double(row, 1);
	s->static_total = slu_db_double(row, 2);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = take_change(s, json_object_array_get_idx(list, i), when,
				 err);
	json_object_put(list);
	return rc;
}

/* Reads events from a day before the interval, for the state at its beginning;
 * jobs without a change since then appear at their next one. */
static int walk(struct ions *s, struct slu_db *db, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT Time, Total, StaticTotal, Json FROM Assignment"
		" WHERE Time >= ? AND Time <= ? ORDER BY AID",
		"II", s->q->since - 86400, s->q->now);
	int rc = -1;

	while (rows && (rc = slu_db_step(rows, err)) > 0)
		if (take_event(s, rows, err) < 0) {
			rc = -1;
			break;
		}
	slu_db_done(rows);
	end_totals(s, s->q->now);
	while (s->n)
		end_holder(s, s->n - 1, s->q->now);
	return rc;
}

static bool has(struct json_object *obj, const char *key)
{
	return json_object_object_get_ex(obj, key, NULL);
}

/* Adds the lanes with both bandwidths, without their spans. */
static void add_runs(struct ions *s)
{
	static const char *const keys[] = {"job", "name", "user",
					   "predicted_mbps", "reached_mbps"};
	size_t n = json_object_array_length(s->lanes);
	struct json_object *lane, *run;

	for (size_t i = 0; i < n; i++) {
		lane = json_object_array_get_idx(s->lanes, i);
		if (!has(lane, "predicted_mbps") || !has(lane, "reached_mbps"))
			continue;
		run = json_object_new_object();
		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			json_object_object_add(
				run, keys[k],
				json_object_get(
					json_object_object_get(lane, keys[k])));
		json_object_array_add(s->runs, run);
	}
}

static struct json_object *ions_json(struct ions *s)
{
	struct json_object *out = json_object_new_object();
	struct json_object *bins = json_object_new_object();

	add_runs(s);
	slu_json_set_i64(out, "events", s->events);
	slu_json_set_u64(out, "jobs",
			 s->dropped + json_object_array_length(s->lanes));
	json_object_object_add(bins, "held", slu_bins_json(s->held));
	json_object_object_add(bins, "predicted_mbps",
			       slu_bins_json(s->predicted));
	json_object_object_add(bins, "static_mbps", slu_bins_json(s->fixed));
	json_object_object_add(bins, "reached_mbps", slu_bins_json(s->reached));
	json_object_object_add(out, "bins", bins);
	json_object_object_add(out, "lanes", last(s->lanes, LANES));
	json_object_object_add(out, "runs", last(s->runs, RUNS));
	return out;
}

struct json_object *slu_page_collect_ions(struct slu_db *db,
					  const struct slu_page_query *q,
					  const struct slu_page_jobs *jobs,
					  struct slu_err *err)
{
	struct ions s = {.q = q,
			 .jobs = jobs,
			 .lanes = json_object_new_array(),
			 .runs = json_object_new_array()};
	struct json_object *out = NULL;

	if (!slu_db_has(db, "Assignment") || walk(&s, db, err) == 0)
		out = ions_json(&s);
	while (s.n)
		json_object_put(s.holder[--s.n].lane);
	free(s.holder);
	json_object_put(s.lanes);
	json_object_put(s.runs);
	return out;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Describes one file system of a job: its phases, how full it was, and what the
 * storage and the network of its nodes can do.
 */
#include "sluiced/questions/jobs/job_file_system.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "burst_buffer/lifecycle/transitions.h"
#include "common/jsonx.h"
#include "sysquery/map/device_speeds.h"

double slu_job_round(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3g", value);
	return strtod(text, NULL);
}

/* Rounds to milliseconds: the clocks of two hosts do not agree better. */
static double milliseconds(double value)
{
	return round(value * 1000) / 1000;
}

static void set_double(struct json_object *obj, const char *key, double value)
{
	slu_json_set_double(obj, key, slu_job_round(value));
}

static void set_some(struct json_object *obj, const char *key, uint64_t value)
{
	if (value)
		slu_json_set_u64(obj, key, value);
}

static void set_time(struct json_object *obj, const char *key, double value)
{
	if (value > 0)
		slu_json_set_double(obj, key, milliseconds(value));
}

/* Phases */

static struct json_object *phase_of(struct json_object *phases,
				    const char *name)
{
	for (size_t i = 0; i < slu_json_length(phases); i++) {
		struct json_object *one = json_object_array_get_idx(phases, i);

		if (slu_eq(slu_json_str_at(one, "name"), name))
			return one;
	}
	return NULL;
}

static void add_last(struct json_object *to, struct json_object *last)
{
	struct json_object *obj;

	if (!last)
		return;
	obj = json_object_new_object();
	slu_json_set_str(obj, "node", slu_json_str_at(last, "node"));
	slu_json_set_double(obj, "behind_seconds",
			    milliseconds(slu_json_number_at(last, "behind")));
	json_object_object_add(to, "last_node", obj);
}

static struct json_object *make_phase(const char *name, double began,
				      double seconds, bool goes_on)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "name", name);
	set_time(obj, "began_unix", began);
	slu_json_set_double(obj, "seconds",
			    seconds > 0 ? milliseconds(seconds) : 0);
	slu_json_set_bool(obj, "goes_on", goes_on);
	return obj;
}

/* How much of it came from the nodes' stage caches, where these were used. */
static void add_cache(struct json_object *obj, struct json_object *from)
{
	static const char *const keys[] = {"cache_hits", "cache_misses",
					   "cache_bytes"};

	if (slu_json_u64_at(from, keys[0]) + slu_json_u64_at(from, keys[1]))
		for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
			slu_json_set_u64(obj, keys[i],
					 slu_json_u64_at(from, keys[i]));
}

static struct json_object *reported_phase(struct json_object *from,
					  struct json_object *last,
					  bool goes_on, double now)
{
	const char *name = slu_json_str_at(from, "name");
	const double began = slu_json_number_at(from, "began"),
		     seconds = goes_on ? now - began
				       : slu_json_number_at(from, "seconds");
	const uint64_t bytes = slu_json_u64_at(from, "bytes");
	struct json_object *obj = make_phase(name, began, seconds, goes_on);
	struct json_object *one = NULL;

	if (strncmp(name, "stage_", 6) == 0) {
		slu_json_set_u64(obj, "bytes", bytes);
		slu_json_set_u64(obj, "files", slu_json_u64_at(from, "files"));
		add_cache(obj, from);
		if (seconds > 0 && bytes)
			set_double(obj, "bytes_per_second",
				   (double)bytes / seconds);
	}
	json_object_object_get_ex(last, name, &one);
	if (!goes_on)
		add_last(obj, one);
	return obj;
}

/* The phase to which a state belongs; NULL: none. */
static const char *phase_name(const char *state)
{
	static const char *const names[][2] = {{"SETUP", "setup"},
					       {"STAGE_IN", "stage_in"},
					       {"RUNNING", "run"},
					       {"STAGE_OUT", "stage_out"},
					       {"TEARDOWN", "teardown"}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slu_eq(state, names[i][0]))
			return names[i][1];
	return NULL;
}

/* Phases that no node has reported, for example as they failed: from one state
 * to the next. */
static void add_unreported(struct json_object *buffer, struct json_object *out,
			   double now)
{
	struct json_object *lines = slu_json_list_at(buffer, "history"), *one,
			   *next;
	const char *name,
		*present = phase_name(slu_json_str_at(buffer, "state"));
	double began = 0;

	for (size_t i = 0; i < slu_json_length(lines); i++) {
		one = json_object_array_get_idx(lines, i);
		next = i + 1 < slu_json_length(lines)
			       ? json_object_array_get_idx(lines, i + 1)
			       : NULL;
		if (!i || !slu_eq(slu_json_str_at(one, "state"),
				  slu_json_str_at(json_object_array_get_idx(
							  lines, i - 1),
						  "state")))
			began = slu_json_number_at(one, "time");
		name = phase_name(slu_json_str_at(one, "state"));
		if (!name || phase_of(out, name) ||
		    (next && slu_eq(slu_json_str_at(next, "state"),
				    slu_json_str_at(one, "state"))))
			continue;
		if (next)
			json_object_array_add(
				out,
				make_phase(name, began,
					   slu_json_number_at(next, "time") -
						   began,
					   false));
		else if (slu_eq(name, present))
			json_object_array_add(
				out,
				make_phase(name, began, now - began, true));
	}
}

static int by_begin(const void *a, const void *b)
{
	const double x = slu_json_number_at(*(struct json_object *const *)a,
					    "began_unix"),
		     y = slu_json_number_at(*(struct json_object *const *)b,
					    "began_unix");

	return (x > y) - (x < y);
}

/* The phases of a buffer, in the order in which they began. */
static struct json_object *make_phases(struct json_object *buffer,
				       struct json_object *last, double now)
{
	struct json_object *phases = slu_json_list_at(buffer, "phases");
	struct json_object *out = json_object_new_array();
	const char *present = phase_name(slu_json_str_at(buffer, "state"));

	for (size_t i = 0; i < slu_json_length(phases); i++) {
		struct json_object *one = json_object_array_get_idx(phases, i);

		json_object_array_add(
			out, reported_phase(one, last,
					    slu_eq(slu_json_str_at(one, "name"),
						   present),
					    now));
	}
	add_unreported(buffer, out, now);
	json_object_array_sort(out, by_begin);
	return out;
}

/* Fullness */

struct most {
	uint64_t used, capacity; /* of its nodes that have reported */
	double share;		 /* of the fullest node */
	struct json_object *fullest;
	bool all; /* all nodes that give storage have reported */
};

/* A small file system has space for more than was asked for. */
static uint64_t room_of(struct json_object *member, uint64_t used)
{
	const uint64_t capacity = slu_json_u64_at(member, "capacity");

	return capacity > used ? capacity : used;
}

static struct most find_most(struct json_object *buffer)
{
	struct json_object *members = slu_json_list_at(buffer, "members"), *one,
			   *value;
	struct most m = {.all = slu_json_length(members) > 0};
	uint64_t used, capacity;

	for (size_t i = 0; i < slu_json_length(members); i++) {
		one = json_object_array_get_idx(members, i);
		capacity = slu_json_u64_at(one, "capacity");
		if (!capacity)
			continue;
		if (!json_object_object_get_ex(one, "used_most", &value) ||
		    !value) {
			m.all = false;
			continue;
		}
		used = slu_json_u64_at(one, "used_most");
		capacity = room_of(one, used);
		m.used += used;
		m.capacity += capacity;
		if (!m.fullest || (double)used / (double)capacity > m.share) {
			m.share = (double)used / (double)capacity;
			m.fullest = one;
		}
	}
	m.all = m.all && m.fullest;
	return m;
}

static void add_fullness(struct json_object *out, struct json_object *live,
			 const struct most *m)
{
	struct json_object *obj;

	if (live) {
		slu_json_set_u64(out, "used_bytes",
				 slu_json_u64_at(live, "used_bytes"));
		slu_json_set_u64(out, "used_told_by_nodes",
				 slu_json_u64_at(live, "told"));
	}
	if (!m->fullest)
		return;
	obj = json_object_new_object();
	slu_json_set_u64(out, "used_most_bytes", m->used);
	slu_json_set_u64(out, "of_bytes", m->capacity);
	slu_json_set_str(obj, "node", slu_json_str_at(m->fullest, "name"));
	slu_json_set_u64(obj, "used_most_bytes",
			 slu_json_u64_at(m->fullest, "used_most"));
	slu_json_set_u64(
		obj, "of_bytes",
		room_of(m->fullest, slu_json_u64_at(m->fullest, "used_most")));
	json_object_object_add(out, "fullest_node", obj);
}

/* Devices */

static int sum_devices(struct slu_db *db, struct json_object *buffer,
		       struct slu_devices *sum, struct slu_err *err)
{
	struct json_object *members = slu_json_list_at(buffer, "members"), *one;

	for (size_t i = 0; i < slu_json_length(members); i++) {
		one = json_object_array_get_idx(members, i);
		if (slu_json_str_at(one, "name") &&
		    slu_devices_add(db, slu_json_str_at(one, "name"),
				    slu_json_str_at(one, "storage"), sum, err))
			return -1;
	}
	return 0;
}

static int add_devices(struct slu_db *db, struct json_object *buffer,
		       struct json_object *out, struct slu_err *err)
{
	struct json_object *obj = json_object_new_object();
	struct slu_devices sum = {0};

	json_object_object_add(out, "devices", obj);
	if (sum_devices(db, buffer, &sum, err))
		return -1;
	slu_json_set_u64(obj, "storage_measured_nodes", sum.measured);
	if (sum.measured) {
		set_double(obj, "storage_write_bytes_per_second",
			   sum.storage_write);
		set_double(obj, "storage_read_bytes_per_second",
			   sum.storage_read);
	}
	slu_json_set_u64(obj, "network_known_nodes", sum.linked);
	if (sum.linked)
		set_double(obj, "network_bytes_per_second", sum.network);
	return 0;
}

/* Facts for advice */

static struct slu_advice_stage stage_of(struct json_object *phases,
					const char *name)
{
	struct json_object *one = phase_of(phases, name);
	struct slu_advice_stage stage = {0};

	if (!one)
		return stage;
	stage.seconds = slu_json_number_at(one, "seconds");
	stage.bytes = slu_json_u64_at(one, "bytes");
	stage.files = slu_json_u64_at(one, "files");
	return stage;
}

/* The node that delayed a phase most by being the last, and that phase. */
static struct slu_advice_last last_of(struct json_object *buffer,
				      struct json_object *last)
{
	struct slu_advice_last found = {NULL, NULL, 0, 0};

	json_object_object_foreach(last, phase, one)
	{
		if (slu_json_number_at(one, "behind") <= found.behind)
			continue;
		found.phase = phase;
		found.node = slu_json_str_at(one, "node");
		found.behind = slu_json_number_at(one, "behind");
		found.seconds = slu_json_number_at(
			phase_of(slu_json_list_at(buffer, "phases"), phase),
			"seconds");
	}
	return found;
}

static bool lacks_space(const char *failure)
{
	return failure && (strstr(failure, strerror(ENOSPC)) ||
			   strstr(failure, strerror(EDQUOT)));
}

/* The history says that the job which it held was cancelled. */
static bool is_over(struct json_object *buffer)
{
	struct json_object *lines = slu_json_list_at(buffer, "history");

	for (size_t i = 0; i < slu_json_length(lines); i++)
		if (slu_eq(slu_json_str_at(json_object_array_get_idx(lines, i),
					   "text"),
			   SLU_BB_HOLD_OVER))
			return true;
	return false;
}

/* The last line of the history on kept data: where it is and how to fetch it,
 * or that it was removed. */
static const char *last_of_kept(struct json_object *buffer)
{
	struct json_object *lines = slu_json_list_at(buffer, "history");
	const char *kept = NULL, *text;

	for (size_t i = 0; i < slu_json_length(lines); i++) {
		text = slu_json_str_at(json_object_array_get_idx(lines, i),
				       "text");
		if (text && (strncmp(text, "the data ", 9) == 0 ||
			     strncmp(text, "what is kept ", 13) == 0))
			kept = text;
	}
	return kept;
}

static void take_facts(struct json_object *buffer, const struct most *m,
		       struct slu_advice_facts *f)
{
	struct json_object *phases = slu_json_list_at(buffer, "phases");

	f->own = !slu_json_u64_at(buffer, "uses") &&
		 !slu_json_u64_at(buffer, "expires");
	f->capacity = slu_json_u64_at(buffer, "capacity");
	f->used_known = m->all;
	f->used_most = m->used;
	f->fullest = m->share;
	f->ran = slu_json_number_at(buffer, "ready") > 0;
	f->failure = slu_json_str_at(buffer, "failure");
	f->failed_in = slu_json_str_at(buffer, "failed_in");
	f->cancelled = is_over(buffer);
	f->kept = last_of_kept(buffer);
	f->held = slu_eq(slu_json_str_at(buffer, "verdict"), "hold") &&
		  !f->cancelled;
	f->no_space = lacks_space(f->failure);
	f->run_seconds = slu_json_number_at(phase_of(phases, "run"), "seconds");
	f->in = stage_of(phases, "stage_in");
	f->out = stage_of(phases, "stage_out");
}

static struct json_object *describe(struct json_object *b)
{
	struct json_object *out = json_object_new_object();

	slu_json_set_u64(out, "buffer", slu_json_u64_at(b, "buffer"));
	slu_json_set_u64(out, "restarts", slu_json_u64_at(b, "restarts"));
	slu_json_set_str(out, "name", slu_json_str_at(b, "name"));
	slu_json_set_str(out, "filesystem", slu_json_str_at(b, "filesystem"));
	slu_json_set_str(out, "driver", slu_json_str_at(b, "driver"));
	slu_json_set_str(out, "coherence", slu_json_str_at(b, "coherence"));
	slu_json_set_u64(out, "capacity_bytes", slu_json_u64_at(b, "capacity"));
	slu_json_set_u64(out, "node_count", slu_json_u64_at(b, "nodes"));
	slu_json_set_str(out, "state", slu_json_str_at(b, "state"));
	set_time(out, "created_unix", slu_json_number_at(b, "created"));
	set_time(out, "ready_unix", slu_json_number_at(b, "ready"));
	slu_json_set_str(out, "failed_in", slu_json_str_at(b, "failed_in"));
	slu_json_set_str(out, "failure", slu_json_str_at(b, "failure"));
	slu_json_set_str(out, "verdict", slu_json_str_at(b, "verdict"));
	set_time(out, "expires_unix", slu_json_number_at(b, "expires"));
	set_some(out, "uses_buffer_of", slu_json_u64_at(b, "uses"));
	slu_json_set_str(out, "unsaved", slu_json_str_at(b, "unsaved"));
	return out;
}

struct json_object *
slu_job_file_system(struct slu_db *db, struct json_object *buffer,
		    struct json_object *fullness, struct json_object *progress,
		    double now, struct slu_advice_facts *facts,
		    struct slu_err *err)
{
	struct json_object *last = slu_buffers_last_nodes(
		db, slu_json_u64_at(buffer, "buffer"), err);
	const struct most m = find_most(buffer);
	struct json_object *out;

	if (!last)
		return NULL;
	/* the rest borrows from it */
	json_object_object_add(buffer, "last_nodes", last);
	out = describe(buffer);
	slu_json_set_str(out, "progress", json_object_get_string(progress));
	add_fullness(out, fullness, &m);
	json_object_object_add(out, "phases", make_phases(buffer, last, now));
	if (add_devices(db, buffer, out, err)) {
		json_object_put(out);
		return NULL;
	}
	take_facts(buffer, &m, facts);
	facts->last = last_of(buffer, last);
	return out;
}

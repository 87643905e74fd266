/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists what a job has waited for, and for how long: before it was eligible, in
 * the queue, for nodes to boot, for its file system, while suspended. The job's
 * record has the times that slurmctld knows; the rows of its buffers have those
 * of setup and stage-in.
 */
#include "sluiced/queue/job_waits.h"

#include <string.h>
#include "burst_buffer/lifecycle/reconcile/deadlines.h"
#include "common/jsonx.h"
#include "wire/waits.h"

static void add_wait(struct json_object *list, const char *what, double s)
{
	struct json_object *one;

	if (s <= 0)
		return;
	one = json_object_new_object();
	slu_json_set_str(one, "what", what);
	slu_json_set_double(one, "seconds", s);
	json_object_array_add(list, one);
}

/* Whole seconds: a single one may be a rounding error and is left out. */
static void add_whole(struct json_object *list, const char *what, int64_t s)
{
	if (s > 1)
		add_wait(list, what, (double)s);
}

static struct json_object *last_of(struct json_object *list)
{
	size_t n = list ? json_object_array_length(list) : 0;

	return n ? json_object_array_get_idx(list, n - 1) : NULL;
}

/* Between two runs of the job: the file system of one has ended, and that of
 * the next does not exist yet. */
static void add_between(struct json_object *buffers, struct json_object *list)
{
	const size_t n = json_object_array_length(buffers);
	struct json_object *one, *next;
	double ended, seconds;

	for (size_t i = 0; i + 1 < n; i++) {
		one = json_object_array_get_idx(buffers, i);
		next = json_object_array_get_idx(buffers, i + 1);
		ended = slu_json_number_at(one, "ended");
		seconds = slu_json_number_at(next, "created") - ended;
		if (ended > 0 &&
		    slu_eq(slu_json_str_at(one, "verdict"), "hold"))
			add_whole(list, "held", (int64_t)seconds);
		if (ended > 0 &&
		    slu_eq(slu_json_str_at(one, "verdict"), "requeue"))
			add_whole(list, "put-back", (int64_t)seconds);
	}
}

/* The parts of the queue time that Sluice caused. */
static void add_waited(const char *text, struct json_object *list)
{
	struct slu_waited waited;

	slu_waited_parse(text, &waited);
	for (int i = SLU_WAIT_NOTHING + 1; i < SLU_N_WAIT; i++)
		add_whole(list, slu_wait_name((enum slu_wait)i),
			  waited.seconds[i]);
}

/* From the allocation until the first node was up. */
static void add_boot(struct json_object *buffers, struct json_object *list)
{
	struct json_object *lines =
		slu_json_list_at(last_of(buffers), "history");
	struct json_object *one;
	const char *text;

	for (size_t i = 1; lines && i < json_object_array_length(lines); i++) {
		one = json_object_array_get_idx(lines, i);
		text = slu_json_str_at(one, "text");
		if (text && strstr(text, SLU_BB_BOOTED))
			add_wait(list, "boot",
				 slu_json_number_at(one, "time") -
					 slu_json_number_at(
						 json_object_array_get_idx(
							 lines, 0),
						 "time"));
	}
}

/* Setup and stage-in one by one where the phases are known, else their sum. */
static void add_prepared(const struct slu_job *j, struct json_object *fs,
			 struct json_object *list)
{
	struct json_object *phases = slu_json_at(fs, "phases"), *one;
	bool told = false;

	for (size_t i = 0; phases && i < json_object_array_length(phases);
	     i++) {
		one = json_object_array_get_idx(phases, i);
		if (!slu_eq(slu_json_str_at(one, "name"), "setup") &&
		    !slu_eq(slu_json_str_at(one, "name"), "stage_in"))
			continue;
		add_wait(list,
			 slu_eq(slu_json_str_at(one, "name"), "setup")
				 ? "setup"
				 : "stage-in",
			 slu_json_number_at(one, "seconds"));
		told = true;
	}
	if (!told)
		add_whole(list, "file-system", j->prepared);
}

struct json_object *slu_job_waits(const struct slu_job *j,
				  struct json_object *buffers,
				  struct json_object *file_systems)
{
	struct json_object *list = json_object_new_array();

	add_between(buffers, list);
	if (j->submit > 0 && j->eligible > j->submit)
		add_whole(list, "not-eligible", j->eligible - j->submit);
	if (j->eligible > 0 || j->submit > 0)
		add_whole(list, "queue",
			  j->start - (j->eligible > j->submit ? j->eligible
							      : j->submit));
	add_waited(j->waited, list);
	add_boot(buffers, list);
	add_prepared(j, last_of(file_systems), list);
	add_whole(list, "suspended", j->suspended);
	return list;
}

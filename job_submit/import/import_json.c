/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imports jobs from JSON (sacct --json, slurmrestd). Releases differ: a number
 * may be a number or {"set": true, "number": 5}, a state a word or a list of
 * words, and a submission "submission". The I/O of a job's steps, by
 * JobAcctGather, is in their "requested" and "consumed" disk TRES.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/rest.h"
#include "job_submit/ended.h"
#include "job_submit/import/import_formats.h"

#define LINE  (1u << 20) /* bytes of a job that is a line */
#define LINES 4		 /* in which one is looked for */

static struct json_object *member(struct json_object *obj, const char *key)
{
	struct json_object *out = NULL;

	if (json_object_is_type(obj, json_type_object))
		json_object_object_get_ex(obj, key, &out);
	return out;
}

static int64_t whole_number(double d)
{
	return d > -9e18 && d < 9e18 ? (int64_t)d : 0;
}

/* Scripts that filter JSON may turn 7 into 7.0 or "7". 0: not a number. */
static int64_t plain_number(struct json_object *n)
{
	const char *text;
	char *end;
	double d;

	switch (json_object_get_type(n)) {
	case json_type_int:
		return json_object_get_int64(n);
	case json_type_double:
		return whole_number(json_object_get_double(n));
	case json_type_string:
		text = json_object_get_string(n);
		d = strtod(text, &end);
		return end != text && !*end ? whole_number(d) : 0;
	default:
		return 0;
	}
}

/* The value of {"set": true, "number": 5}, or of 5; NULL: missing, or infinite.
 */
static struct json_object *value_of(struct json_object *obj, const char *key)
{
	struct json_object *n = member(obj, key), *set;

	if (!json_object_is_type(n, json_type_object))
		return n;
	set = member(n, "set");
	if ((set && !json_object_get_boolean(set)) ||
	    json_object_get_boolean(member(n, "infinite")))
		return NULL;
	return member(n, "number");
}

/* 0: missing, or infinite. */
static int64_t number(struct json_object *obj, const char *key)
{
	return plain_number(value_of(obj, key));
}

/* Borrowed; NULL: missing or empty. */
static char *word(struct json_object *obj, const char *key)
{
	struct json_object *s = member(obj, key);
	const char *text = json_object_is_type(s, json_type_string)
				   ? json_object_get_string(s)
				   : NULL;

	return text && *text ? (char *)(uintptr_t)text : NULL;
}

static char *state_of(struct json_object *obj)
{
	struct json_object *state = member(obj, "state"), *now;

	now = member(state, "current");
	if (json_object_is_type(now, json_type_array))
		now = json_object_array_get_idx(now, 0);
	if (!json_object_is_type(now, json_type_string))
		return NULL;
	return (char *)(uintptr_t)json_object_get_string(now);
}

/* 0 for Slurm's NO_VAL and INFINITE (the two largest), and for negative
 * numbers.
 */
static uint32_t at_most(int64_t n)
{
	return n > 0 && n < UINT32_MAX - 1 ? (uint32_t)n : 0;
}

/* Is it 0? Text that is not a number counts as 0. */
static bool is_zero(struct json_object *n)
{
	const char *text = json_object_is_type(n, json_type_string)
				   ? json_object_get_string(n)
				   : NULL;

	if (text)
		return *text && !text[strspn(text, "0")];
	return json_object_is_type(n, json_type_int) ||
	       json_object_is_type(n, json_type_double);
}

/* Task 0 is a task; an array that was never split into tasks has none. */
static void take_array(struct json_object *array, struct slu_job *job)
{
	struct json_object *task = value_of(array, "task_id");
	int64_t id = plain_number(task);
	bool is_task =
		task && (id || is_zero(task)) && id >= 0 && id < UINT32_MAX - 1;

	job->array_task_id = SLU_NO_ID;
	if (!is_task || !at_most(number(array, "job_id")))
		return;
	job->array_job_id = at_most(number(array, "job_id"));
	job->array_task_id = (uint32_t)id;
}

static int take_user(struct json_object *obj, const struct slu_import *import,
		     struct slu_job *job, struct slu_err *err)
{
	job->user = word(obj, "user");
	if (!job->user)
		job->user = word(member(obj, "association"), "user");
	if (job->user && import->to_uid(job->user, &job->uid) == 0)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "job %u: user \"%.32s\" is not known here", job->job_id,
		       job->user ? job->user : "");
}

/* As a wait status. */
static uint32_t exit_code(struct json_object *obj)
{
	struct json_object *signal = member(obj, "signal");
	int64_t by = number(signal, "signal_id"); /* later: "id" */

	by = by ? by : number(signal, "id");
	return (at_most(number(obj, "return_code")) & 0xff) << 8 |
	       (at_most(by) & 0x7f);
}

/* The sum of the counts of this type in a list of {type, name, count}. */
static uint64_t count_of(struct json_object *tres, const char *type)
{
	struct json_object *one;
	uint64_t sum = 0;
	const char *its;

	if (!json_object_is_type(tres, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(tres); i++) {
		one = json_object_array_get_idx(tres, i);
		its = word(one, "type");
		if (its && !strcmp(its, type) && number(one, "count") > 0)
			sum += (uint64_t)number(one, "count");
	}
	return sum;
}

/* The largest number of tasks of a step. */
static uint32_t tasks_of(struct json_object *obj)
{
	struct json_object *steps = member(obj, "steps"), *tasks;
	uint32_t most = 0, n;

	if (!json_object_is_type(steps, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		tasks = member(json_object_array_get_idx(steps, i), "tasks");
		n = at_most(number(tasks, "count"));
		most = n > most ? n : most;
	}
	return most;
}

/* The job's own value, else the allocated TRES. */
static uint32_t allocated(struct json_object *obj, int64_t said,
			  const char *type)
{
	struct json_object *tres = member(obj, "tres");

	return at_most(said) ? at_most(said)
			     : at_most((int64_t)count_of(
				       member(tres, "allocated"), type));
}

static void take_counts(struct json_object *obj, struct slu_job *job)
{
	struct json_object *time = member(obj, "time");
	struct json_object *required = member(obj, "required");

	job->submit = number(time, "submission");
	job->eligible = number(time, "eligible");
	job->start = number(time, "start");
	job->end = number(time, "end");
	slu_import_elapsed(job, number(time, "elapsed"));
	job->limit = job->limit_asked = at_most(number(time, "limit"));
	take_array(member(obj, "array"), job);
	job->node_cnt = allocated(obj, number(obj, "allocation_nodes"), "node");
	job->cpus = allocated(obj, number(required, "CPUs"), "cpu");
	job->exit_code = exit_code(member(obj, "exit_code"));
	job->tasks = tasks_of(obj);
	job->mem_mb = count_of(member(member(obj, "tres"), "requested"), "mem");
	if (job->node_cnt)
		job->mem_mb /= job->node_cnt;
}

static double disk_of(struct json_object *tres)
{
	return (double)count_of(member(tres, "total"), "fs");
}

static int take_steps(struct json_object *obj, const struct slu_import *import,
		      const struct slu_job *job, struct slu_err *err)
{
	struct slu_import_io io = {.job_id = job->job_id,
				   .start = job->start,
				   .source = SLU_IO_ACCOUNTING};
	struct json_object *steps = member(obj, "steps"), *tres;

	if (!import->take_io || !json_object_is_type(steps, json_type_array))
		return 0;
	for (size_t i = 0; i < json_object_array_length(steps); i++) {
		tres = member(json_object_array_get_idx(steps, i), "tres");
		io.read_bytes += disk_of(member(tres, "requested"));
		io.written_bytes += disk_of(member(tres, "consumed"));
	}
	if (io.read_bytes + io.written_bytes <= 0)
		return 0;
	return import->take_io(import->arg, &io, err);
}

static int check_times(const struct slu_import *import,
		       const struct slu_job *job, struct slu_err *err)
{
	if (slu_import_time("submission", job->submit, err) < 0 ||
	    slu_import_time("eligible", job->eligible, err) < 0 ||
	    slu_import_time("start", job->start, err) < 0 ||
	    slu_import_end(import, job->end, err) < 0 ||
	    slu_import_limit(job->limit, err) < 0)
		return slu_err_prefix(err, "job %u", job->job_id);
	return 0;
}

static int check_state(const struct slu_job *job, struct slu_err *err)
{
	const char *state = job->state;

	if (!state || !*state || slu_state_name(state, strlen(state)))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "job %u: state \"%.30s\" is none of Slurm's",
		       job->job_id, state);
}

static int take_job(struct json_object *obj, const struct slu_import *import,
		    bool *sized, struct slu_err *err)
{
	struct slu_job job = {
		.job_id = at_most(number(obj, "job_id")),
		.account = word(obj, "account"),
		.partition = word(obj, "partition"),
		.qos = word(obj, "qos"),
		.name = word(obj, "name"),
		.nodes = word(obj, "nodes"),
		.work_dir = word(obj, "working_directory"),
		.state = state_of(obj),
		.ion_max = SLU_NO_ID,
		.ions = SLU_NO_ID,
	};

	if (!job.job_id && number(obj, "job_id") > 0)
		return slu_err(err, SLU_INVALID, "job_id %lld",
			       (long long)number(obj, "job_id"));
	if (!job.job_id)
		return slu_err(err, SLU_INVALID, "a job without job_id");
	if (!json_object_is_type(member(obj, "time"), json_type_object))
		return slu_err(err, SLU_INVALID,
			       "job %u has no \"time\": is it what squeue or "
			       "scontrol print? It should be of sacct",
			       job.job_id);
	take_counts(obj, &job);
	*sized |= job.node_cnt > 0;
	if (check_times(import, &job, err) < 0)
		return -1;
	if (job.start <= 0 || job.end <= job.start)
		return 0;
	if (check_state(&job, err) < 0 ||
	    take_user(obj, import, &job, err) < 0 ||
	    slu_import_check_text(&job, err) < 0)
		return -1;
	if (slu_import_take(import, &job,
			    word(member(obj, "comment"), "administrator"),
			    err) < 0 ||
	    take_steps(obj, import, &job, err) < 0)
		return -2;
	return 1;
}

/* An answer of slurmrestd with errors and without jobs. */
static int refused(struct json_object *all, struct slu_err *err)
{
	const char *why = slu_rest_error(all);

	return why ? slu_err(err, SLU_IO, "it says: %.200s", why) : 0;
}

/* "meta": {"plugin": {"type": "openapi/dbv0.0.37", ... */
static int check_version(const char *text, struct slu_err *err)
{
	static const char api[] = "dbv0.0.";
	const char *jobs = strstr(text, "\"jobs\"");
	const char *version = strstr(text, api);

	if (!version || (jobs && version > jobs) ||
	    atoi(version + strlen(api)) >= SLU_IMPORT_REST)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "before v0.0.%d it gives wrong start times of jobs",
		       SLU_IMPORT_REST);
}

struct reader {
	const struct slu_import *import;
	struct slu_import_report *report;
	uint64_t n;   /* jobs seen */
	bool sized;   /* some job had its number of nodes */
	bool refused; /* by the callback */
};

static int take_element(void *arg, struct json_object *job, struct slu_err *err)
{
	struct reader *r = arg;

	r->refused = slu_import_count(r->report, ++r->n,
				      take_job(job, r->import, &r->sized, err),
				      err) < 0;
	return r->refused ? -1 : 0;
}

static void count_broken(void *arg, const struct slu_err *why)
{
	struct reader *r = arg;

	slu_import_broken(r->report, ++r->n, why);
}

static void note_lacks(const struct reader *r)
{
	if (r->report->jobs && !r->sized)
		snprintf(r->report->lacks, sizeof(r->report->lacks),
			 "no job has its number of nodes");
}

static int no_jobs(struct slu_err *err)
{
	return slu_err(err, SLU_INVALID,
		       "no \"jobs\" in it: want what sacct --json prints, or a "
		       "job a line (jq -c '.jobs[]')");
}

/* The line at *at, which moves behind it; false: there is none. */
static bool next_line(const char **at, const char *end, const char **line,
		      size_t *len)
{
	*line = *at;
	*len = (size_t)(end - *at);
	if (!*len)
		return false;
	if (memchr(*line, '\n', *len))
		*len = (size_t)((const char *)memchr(*line, '\n', *len) -
				*line);
	*at += *len + (*line + *len < end);
	return true;
}

static bool is_job(const char *line, size_t len)
{
	struct json_object *obj =
		len < LINE ? slu_json_parse(line, len, NULL) : NULL;
	bool is = member(obj, "job_id") && !member(obj, "jobs");

	json_object_put(obj);
	return is;
}

/* Is there a job on a line of its own, in the first ones? */
static bool is_by_line(const char *text, size_t size)
{
	const char *line, *end = text + size;
	size_t len;

	for (int i = 0; i < LINES && next_line(&text, end, &line, &len); i++)
		if (is_job(line, len))
			return true;
	return false;
}

static int take_lines(struct reader *r, const char *text, size_t size,
		      struct slu_err *err)
{
	const char *line, *end = text + size;
	struct json_object *job;
	size_t len;

	while (!r->refused && next_line(&text, end, &line, &len)) {
		if (strspn(line, " \t\r\n") >= len) {
			r->n++; /* it counts lines */
			continue;
		}
		job = slu_json_parse(line, len, err);
		if (job)
			take_element(r, job, err);
		else
			count_broken(r, err);
		json_object_put(job);
	}
	return r->refused ? -1 : 0;
}

static int take_document(struct reader *r, const char *text, size_t len,
			 struct slu_err *err)
{
	struct slu_import_report *report = r->report;
	uint64_t before = r->n;
	struct json_object *rest;
	int rc;

	if (check_version(text, err) < 0)
		return -1;
	rc = slu_json_elements(text, len, "jobs", take_element, count_broken, r,
			       &rest, err);
	/* jobs before the syntax error have been imported */
	if (rc < 0 && r->n && !r->refused && err->kind == SLU_INVALID) {
		slu_import_broken(report, r->n + 1, err);
		report->torn = r->n + 1;
		return 0;
	}
	if (rc < 0)
		return -1;
	if (r->n == before)
		rc = refused(rest, err);
	if (rc == 0 &&
	    !json_object_is_type(member(rest, "jobs"), json_type_array))
		rc = no_jobs(err);
	json_object_put(rest);
	return rc;
}

/* Where the next of several documents begins that stand one behind the other:
 * nowhere else does a brace that begins a line follow one that closes. */
static size_t document_size(const char *text, size_t len)
{
	const char *at = text, *before, *end = text + len;

	while ((at = memmem(at, (size_t)(end - at), "\n{", 2))) {
		for (before = at; before > text && strchr(" \t\r\n", *before);)
			before--;
		at++;
		if (*before == '}')
			return (size_t)(at - text);
	}
	return len;
}

static bool is_yaml(const char *text)
{
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz_");

	return strncmp(text, "---", 3) == 0 || strncmp(text, "%YAML", 5) == 0 ||
	       (word && text[word] == ':');
}

int slu_import_json(const char *text, size_t len,
		    const struct slu_import *import,
		    struct slu_import_report *report, struct slu_err *err)
{
	struct reader r = {.import = import, .report = report};
	size_t size;
	int rc;

	if (is_yaml(text))
		return slu_err(err, SLU_INVALID,
			       "it is YAML: print it by sacct --json");
	if (is_by_line(text, len)) {
		rc = take_lines(&r, text, len, err);
	} else {
		do {
			size = document_size(text, len);
			rc = take_document(&r, text, size, err);
			text += size;
			len -= size;
		} while (rc == 0 && len && !report->torn);
	}
	note_lacks(&r);
	return rc;
}

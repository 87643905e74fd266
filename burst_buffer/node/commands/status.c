/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node status`: lists what Sluice has on this node, a row for each
 * thing: "buffer", a job's file system with a directory in RunDir; "kept", data
 * of a failed stage-out; "held", wiped storage that a process still uses;
 * "leftover", storage or a mount without a job. It reads only notes, the mount
 * table and /proc, so that it answers even when a file system hangs.
 */
#include "config.h"
#include "burst_buffer/node/verbs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/storage/held_storage.h"
#include "burst_buffer/host/mtab.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "common/str.h"
#include "burst_buffer/node/instance_name.h"
#include "burst_buffer/node/commands/commands.h"

struct status {
	const struct slu_node *n;
	struct json_object *rows;
	struct slu_mtab mounts;
	bool leftovers;
};

static const struct slu_column columns[] = {
	{"what", NULL, .type = SLU_COL_PLAIN},
	{"job", NULL, .type = SLU_COL_PLAIN},
	{"buffer", NULL, .type = SLU_COL_PLAIN, .drop = 6},
	{"name", NULL, .type = SLU_COL_PLAIN, .drop = 3},
	{"fs", NULL, .type = SLU_COL_PLAIN, .drop = 2},
	{"uid", NULL, .type = SLU_COL_PLAIN, .drop = 4},
	{"capacity", NULL, .type = SLU_COL_BYTES, .drop = 1},
	{"state", NULL, .type = SLU_COL_PLAIN},
	{"mounts", NULL, .type = SLU_COL_PLAIN, .drop = 5},
	{"processes", NULL, .type = SLU_COL_PLAIN, .drop = 7},
	{"until", NULL, .type = SLU_COL_TIME},
	{"path", NULL, .type = SLU_COL_PLAIN},
	{"text", NULL, .type = SLU_COL_TEXT},
	{NULL, NULL, .type = SLU_COL_PLAIN},
};

static struct json_object *add_row(struct status *s, const char *what,
				   uint32_t job_id)
{
	struct json_object *row = json_object_new_object();

	slu_json_set_str(row, "what", what);
	if (job_id)
		slu_json_set_u64(row, "job", job_id);
	json_object_array_add(s->rows, row);
	return row;
}

static size_t count_mounts(const struct status *s, const char *dir)
{
	size_t n = 0;

	for (size_t i = 0; i < s->mounts.n; i++)
		n += slu_is_below(s->mounts.line[i].point, dir);
	return n;
}

/* Buffers */

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

/* "brick 123" or "brick gone" for NAME.pid (ours also note when it started). up
 * and down end by themselves, and the row's state says what that means. */
static void add_process(const struct slu_node *job, const char *name,
			struct slu_buf *out)
{
	char *text = slu_note_get(job, name);
	const char *slash = strrchr(name, '/');
	unsigned long long start;
	struct slu_pid pid;
	int given, fields;
	bool gone;

	fields = text ? sscanf(text, "%d %llu", &given, &start) : 0;
	free(text);
	name = slash ? slash + 1 : name;
	gone = fields < 1 || slu_pid_get((pid_t)given, &pid, NULL) ||
	       (fields == 2 && pid.start != start);
	if (gone && (slu_eq(name, "up.pid") || slu_eq(name, "down.pid")))
		return;
	slu_buf_printf(out, "%s%.*s ", out->len ? ", " : "",
		       (int)strlen(name) - 4, name);
	if (gone)
		slu_buf_puts(out, "gone");
	else
		slu_buf_printf(out, "%d", given);
}

/* Adds the processes of all pid files in RunDir/JOB, or in its wd/. */
static void add_processes(const struct slu_node *job, const char *below,
			  struct slu_buf *out)
{
	char dir[PATH_MAX], name[300];
	struct dirent *e;
	DIR *d;

	slu_note_path(job, below, dir);
	d = opendir(dir);
	while (d && (e = readdir(d))) {
		snprintf(name, sizeof(name), "%s%s%s", below, *below ? "/" : "",
			 e->d_name);
		if (ends_in(name, ".pid"))
			add_process(job, name, out);
	}
	if (d)
		closedir(d);
}

static bool runs(const struct slu_node *job, const char *pid_file)
{
	return slu_note_lives(job, pid_file, &(struct slu_pid){0});
}

static const char *state_of(const struct slu_node *job)
{
	if (runs(job, "down.pid"))
		return "going down";
	if (slu_note_has(job, "result"))
		return "not cleaned";
	if (slu_note_has(job, "refused"))
		return "refused";
	if (slu_note_has(job, "env"))
		return "ready";
	return runs(job, "up.pid") ? "coming up" : "unfinished";
}

static void add_sentence(struct json_object *row, const struct slu_node *job,
			 const char *note)
{
	char *text = slu_note_get(job, note);

	if (text)
		slu_json_set_str(row, "text", slu_trim(text));
	free(text);
}

static void add_plan(struct json_object *row, const struct slu_node *job)
{
	struct slu_plan plan;

	if (slu_noted_plan(job, &plan, NULL))
		return;
	slu_json_set_u64(row, "buffer", plan.buffer);
	slu_json_set_str(row, "name", plan.name);
	slu_json_set_str(row, "fs", plan.fs);
	slu_json_set_u64(row, "uid", plan.uid);
	for (size_t i = 0; i < plan.n_node; i++)
		if (slu_eq(plan.node[i].name, job->name))
			slu_json_set_u64(row, "capacity",
					 plan.node[i].capacity);
	slu_msg_clear(&slu_plan_desc, &plan);
}

static void add_buffer(struct status *s, uint32_t job_id)
{
	struct slu_node job = {.job_id = job_id};
	struct slu_buf processes = {0};
	struct json_object *row = add_row(s, "buffer", job_id);

	memcpy(job.name, s->n->name, sizeof(job.name));
	snprintf(job.dir, sizeof(job.dir), "%s/%u", s->n->conf->run_dir,
		 (unsigned)job_id);
	add_plan(row, &job);
	slu_json_set_str(row, "state", state_of(&job));
	slu_json_set_u64(row, "mounts", count_mounts(s, job.dir));
	add_processes(&job, "", &processes);
	add_processes(&job, "wd", &processes);
	slu_json_set_str(row, "processes", processes.data);
	slu_json_set_str(row, "path", job.dir);
	add_sentence(row, &job, "result");
	add_sentence(row, &job, "refused");
	slu_buf_free(&processes);
}

static int add_buffers(struct status *s, struct slu_err *err)
{
	DIR *d = opendir(s->n->conf->run_dir);
	struct dirent *e;

	if (!d && errno != ENOENT)
		return slu_errno(err, SLU_IO, "%s", s->n->conf->run_dir);
	while (d && (e = readdir(d)))
		if (e->d_name[strspn(e->d_name, "0123456789")] == '\0')
			add_buffer(s, (uint32_t)strtoul(e->d_name, NULL, 10));
	if (d)
		closedir(d);
	return 0;
}

/* Kept data, and data without a note */

static int add_kept(struct status *s, struct slu_err *err)
{
	struct slu_kept *list;
	char fs[4200];
	size_t n;

	if (slu_kept_list(s->n->conf, 0, &list, &n, err))
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct json_object *row = add_row(s, "kept", list[i].job_id);

		snprintf(fs, sizeof(fs), "%s/fs", list[i].dir);
		slu_json_set_u64(row, "buffer", list[i].buffer);
		slu_json_set_u64(row, "mounts", count_mounts(s, fs));
		slu_json_set_i64(row, "until", list[i].until);
		slu_json_set_str(row, "path", list[i].dir);
	}
	free(list);
	return 0;
}

static void add_held_one(void *arg, const struct slu_held_storage *held)
{
	uint32_t job_id = 0;
	uint64_t buffer = 0;
	struct json_object *row;

	slu_instance_parse(held->name, &job_id, &buffer);
	row = add_row(arg, "held", job_id);
	slu_json_set_u64(row, "buffer", buffer);
	slu_json_set_u64(row, "capacity", held->bytes);
	slu_json_set_str(row, "path", held->dir);
	slu_json_set_str(row, "text", held->who);
}

static int add_held(struct status *s, struct slu_err *err)
{
	char **storage = slu_storages(s->n->conf, err);

	for (size_t i = 0; storage && storage[i]; i++)
		slu_held_storage_each(storage[i], NULL, add_held_one, s);
	slu_strv_free(storage);
	return storage ? 0 : -1;
}

static bool is_noted(const struct status *s, uint32_t job_id, uint64_t buffer)
{
	struct slu_node job = {.job_id = job_id};

	snprintf(job.dir, sizeof(job.dir), "%s/%u", s->n->conf->run_dir,
		 (unsigned)job_id);
	return slu_noted_is(&job, buffer);
}

static void add_leftover(struct status *s, const char *storage,
			 const char *name)
{
	struct json_object *row;
	struct slu_storage place;
	uint32_t job_id;
	uint64_t buffer;

	if (slu_instance_parse(name, &job_id, &buffer) ||
	    is_noted(s, job_id, buffer) ||
	    slu_storage_locate(storage, job_id, buffer, &place, NULL))
		return;
	row = add_row(s, "leftover", job_id);
	slu_json_set_u64(row, "buffer", buffer);
	slu_json_set_u64(row, "mounts", count_mounts(s, place.dir));
	slu_json_set_str(row, "path", place.dir);
	slu_json_set_str(row, "text",
			 job_id < SLU_PERSIST_FIRST
				 ? "`sluice-node recover` or the next buffer "
				   "here takes it down"
				 : "`sluice-node serve` brings the persistent "
				   "buffer back, unless sluiced has forgotten "
				   "it: then recover keeps it for a while");
	s->leftovers = true;
}

static int add_leftovers(struct status *s, struct slu_err *err)
{
	char **storage = slu_storages(s->n->conf, err);
	struct dirent *e;
	DIR *d;

	if (!storage)
		return -1;
	for (size_t i = 0; storage[i]; i++) {
		d = opendir(storage[i]);
		while (d && (e = readdir(d)))
			add_leftover(s, storage[i], e->d_name);
		if (d)
			closedir(d);
	}
	slu_strv_free(storage);
	return 0;
}

static int print(const struct status *s, struct slu_err *err)
{
	if (s->n->opt->json || json_object_array_length(s->rows))
		return slu_print_rows(s->n, s->rows, columns, err);
	puts("nothing of ours is on this node");
	return 0;
}

int slu_cmd_status(struct slu_node *n)
{
	struct status s = {.n = n, .rows = json_object_new_array()};
	struct slu_err err;
	int rc = -1;

	if (geteuid() != 0)
		fprintf(stderr, "sluice-node status: only root sees all\n");
	if (!slu_mtab_read(&s.mounts, &err) && !add_buffers(&s, &err) &&
	    !add_kept(&s, &err) && !add_held(&s, &err) &&
	    !add_leftovers(&s, &err))
		rc = print(&s, &err);
	slu_mtab_free(&s.mounts);
	json_object_put(s.rows);
	if (rc)
		return slu_verb_failed("status", &err);
	return s.leftovers ? EXIT_FAILURE : EXIT_SUCCESS;
}

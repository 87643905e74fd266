/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery buffers: a line per job file system; of one job also its phases and
 * what happened when. */
#include "config.h"
#include "sysquery/ask.h"

#include <pwd.h>
#include <stdlib.h>
#include "common/jsonx.h"
#include "wire/node.h"

static const struct slu_column lines[] = {
	{"job", "JOB", .type = SLU_COL_PLAIN},
	{"job_name", "NAME", .type = SLU_COL_PLAIN, .drop = 2},
	{"user", "USER", .type = SLU_COL_PLAIN},
	{"filesystem", "FILESYSTEM", .type = SLU_COL_PLAIN, .drop = 4},
	{"coherence", "COHERENCE", .type = SLU_COL_PLAIN, .drop = 6},
	{"capacity", "CAPACITY", .type = SLU_COL_BYTES},
	{"nodes", "NODES", .type = SLU_COL_PLAIN},
	{"state", "STATE", .type = SLU_COL_PLAIN, .color = slu_color_state},
	{"created", "CREATED", .type = SLU_COL_TIME, .drop = 5},
	{"failed_in", "FAILED_IN", .type = SLU_COL_PLAIN, .drop = 3,
	 .color = slu_color_bad},
	{"failure", "FAILURE", .type = SLU_COL_TEXT, .color = slu_color_bad},
	{"progress", "PROGRESS", .type = SLU_COL_TEXT, .drop = 1},
	{.key = NULL},
};
static const struct slu_column phases[] = {
	{"name", "PHASE", .type = SLU_COL_PLAIN},
	{"began", "BEGAN", .type = SLU_COL_TIME},
	{"seconds", "TOOK", .type = SLU_COL_SECONDS},
	{"bytes", "BYTES", .type = SLU_COL_BYTES},
	{"files", "FILES", .type = SLU_COL_PLAIN},
	{"nodes", "NODES", .type = SLU_COL_PLAIN},
	{.key = NULL},
};
static const struct slu_column history[] = {
	{"time", "TIME", .type = SLU_COL_TIME},
	{"state", "STATE", .type = SLU_COL_PLAIN, .color = slu_color_state},
	{"text", "WHAT", .type = SLU_COL_TEXT},
	{.key = NULL},
};

/* Slurm does not always tell the name of a job's owner. */
static void add_user(struct json_object *buffer)
{
	const char *user = NULL;
	uint64_t uid = UINT64_MAX;
	struct passwd *pw;

	slu_json_str_opt(buffer, "user", &user, NULL);
	slu_json_u64_opt(buffer, "uid", &uid, NULL);
	if (user || uid > UINT32_MAX)
		return;
	pw = getpwuid((uid_t)uid);
	if (pw)
		slu_json_set_str(buffer, "user", pw->pw_name);
	else
		slu_json_set_u64(buffer, "user", uid);
}

/* A persistent one is known by its own name, not by that of the job that had
 * it made, nor by the number that stands for a job's. */
static void name_persistent(struct json_object *buffer)
{
	const char *name = NULL;
	uint64_t expires = 0, job = 0;

	slu_json_str_opt(buffer, "name", &name, NULL);
	slu_json_u64_opt(buffer, "expires", &expires, NULL);
	slu_json_u64_opt(buffer, "job", &job, NULL);
	if (name && expires)
		slu_json_set_str(buffer, "job_name", name);
	if (job >= SLU_PERSIST_FIRST)
		slu_json_set_str(buffer, "job", "-");
}

static int part(const struct slu_ask *ask, struct json_object *buffer,
		const char *key, const struct slu_column *columns,
		struct slu_buf *out, struct slu_err *err)
{
	struct json_object *rows;

	if (!json_object_object_get_ex(buffer, key, &rows))
		return 0;
	return slu_ask_section(ask, NULL, rows, columns, out, err);
}

static int show(const struct slu_ask *ask, struct slu_err *err)
{
	struct json_object *rows = slu_ask_object(ask, "buffers", err), *one;
	size_t n = json_object_is_type(rows, json_type_array)
			   ? json_object_array_length(rows)
			   : 0;
	struct slu_buf out = {0};
	int ret;

	for (size_t i = 0; i < n; i++) {
		one = json_object_array_get_idx(rows, i);
		add_user(one);
		name_persistent(one);
	}
	ret = rows ? slu_ask_tabulate(ask, rows, lines, &out, err) : -1;
	for (size_t i = 0; ret == 0 && ask->n_operands && i < n; i++) {
		one = json_object_array_get_idx(rows, i);
		ret = part(ask, one, "phases", phases, &out, err);
		if (ret == 0)
			ret = part(ask, one, "history", history, &out, err);
	}
	if (ret == 0)
		ret = slu_ask_write(ask, &out, err);
	slu_buf_free(&out);
	json_object_put(rows);
	return ret;
}

int slu_cmd_buffers(struct slu_ask *ask, struct slu_err *err)
{
	char *end;
	unsigned long job;

	if (ask->n_operands) {
		job = strtoul(ask->operand[0], &end, 10);
		if (*end || job == 0 || job > UINT32_MAX)
			return slu_err(err, SLU_INVALID, "\"%s\" is no job",
				       ask->operand[0]);
		slu_json_set_u64(ask->args, "job_id", job);
	}
	return slu_ask_table(ask) ? show(ask, err)
				  : slu_ask_show(ask, "buffers", NULL, err);
}

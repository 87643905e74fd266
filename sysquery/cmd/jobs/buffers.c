/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysquery buffers: lists the file systems of jobs, one a line; for a single
 * job also its phases and events. */
#include "config.h"
#include "sysquery/cli/ask.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "wire/node.h"

/* Slurm does not always send the user name. */
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

/* A persistent buffer is shown by its own name rather than by the name and id
 * of the job that created it. */
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

static int show(const struct slu_ask *ask, struct json_object *rows,
		struct slu_buf *out, struct slu_err *err)
{
	const struct slu_answer_key *keys = slu_form_buffers.keys;
	size_t n = json_object_is_type(rows, json_type_array)
			   ? json_object_array_length(rows)
			   : 0;
	struct json_object *one;

	for (size_t i = 0; i < n; i++) {
		one = json_object_array_get_idx(rows, i);
		add_user(one);
		name_persistent(one);
	}
	if (slu_ask_list(ask, &slu_form_buffers, rows, out, err))
		return -1;
	for (size_t i = 0; ask->n_operands && i < n; i++) {
		one = json_object_array_get_idx(rows, i);
		if (slu_ask_part(ask, NULL, one, keys, "phases", out, err) ||
		    slu_ask_part(ask, NULL, one, keys, "history", out, err))
			return -1;
	}
	return 0;
}

int slu_cmd_buffers(struct slu_ask *ask, struct slu_err *err)
{
	if (ask->n_operands && slu_ask_job(ask, ask->operand[0], err) < 0)
		return -1;
	ask->whole |= ask->n_operands > 0;
	return slu_ask_render(ask, "buffers", show, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads mapping.json again when it has changed: I/O nodes of the pool less
 * those of jobs other than the benchmark's own. Also lists the nodes that are
 * down.
 */
#include "select_io/ionbench/idle_ions.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "common/file.h"
#include "common/jsonx.h"
#include "common/str.h"

#define MAX_MAPPING (256 << 20)

int slu_idle_ions_open(struct slu_idle_ions *idle, const char *dir,
		       uint32_t job_id, struct slu_err *err)
{
	*idle = (struct slu_idle_ions){.job_id = job_id};
	idle->path = slu_asprintf("%s/mapping.json", dir);
	if (!idle->path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_idle_ions_look(idle, err) == 0)
		return 0;
	slu_idle_ions_close(idle);
	return slu_err_prefix(err, "which jobs have which I/O nodes is not "
				   "known");
}

void slu_idle_ions_close(struct slu_idle_ions *idle)
{
	free(idle->path);
	slu_hosts_free(&idle->all);
	slu_hosts_free(&idle->taken);
	slu_hosts_free(&idle->recruits);
	*idle = (struct slu_idle_ions){0};
}

static int add_names(struct json_object *list, struct slu_hosts *out,
		     struct slu_err *err)
{
	size_t n = list ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		const char *name = json_object_get_string(
			json_object_array_get_idx(list, i));

		if (name && slu_hosts_add(out, name) < 0)
			return slu_err(err, SLU_NOMEM, "out of memory");
	}
	return 0;
}

static int take_mapping(struct slu_idle_ions *idle, struct json_object *o,
			struct slu_err *err)
{
	struct json_object *jobs = slu_json_list_at(o, "jobs");
	struct slu_hosts all = {0}, taken = {0};
	size_t n = jobs ? json_object_array_length(jobs) : 0;
	int rc = add_names(slu_json_list_at(o, "ions"), &all, err);

	idle->ours_has_some = false;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);
		struct json_object *ions = slu_json_list_at(job, "ions");

		if (slu_json_u64_at(job, "job_id") == idle->job_id)
			idle->ours_has_some =
				ions && json_object_array_length(ions);
		else
			rc = add_names(ions, &taken, err);
	}
	if (rc < 0) {
		slu_hosts_free(&all);
		slu_hosts_free(&taken);
		return -1;
	}
	slu_hosts_free(&idle->all);
	slu_hosts_free(&idle->taken);
	idle->all = all;
	idle->taken = taken;
	return 0;
}

int slu_idle_ions_look(struct slu_idle_ions *idle, struct slu_err *err)
{
	struct slu_buf text = {0};
	struct json_object *o;
	struct stat st;
	int rc;

	if (stat(idle->path, &st) < 0)
		return slu_errno(err, SLU_IO, "%s", idle->path);
	if (st.st_ino == idle->inode &&
	    st.st_mtim.tv_sec == idle->changed.tv_sec &&
	    st.st_mtim.tv_nsec == idle->changed.tv_nsec)
		return 0;
	if (slu_file_read(AT_FDCWD, idle->path, MAX_MAPPING, &text, err) < 0)
		return -1;
	o = slu_json_parse(text.data ? text.data : "", text.len, err);
	rc = o ? take_mapping(idle, o, err)
	       : slu_err_prefix(err, "%s", idle->path);
	json_object_put(o);
	slu_buf_free(&text);
	if (rc < 0)
		return -1;
	idle->inode = st.st_ino;
	idle->changed = st.st_mtim;
	return 0;
}

bool slu_idle_ions_needed(struct slu_idle_ions *idle,
			  const struct slu_hosts *ions)
{
	if (slu_idle_ions_look(idle, NULL) < 0)
		return true;
	for (size_t i = 0; i < ions->n; i++)
		if (slu_hosts_find(&idle->taken, ions->name[i]) >= 0)
			return true;
	return false;
}

bool slu_idle_ions_take(const struct slu_idle_ions *idle,
			const struct slu_hosts *down, uint32_t n,
			struct slu_hosts *out)
{
	*out = (struct slu_hosts){0};
	for (size_t i = 0; i < idle->all.n && out->n < n; i++) {
		const char *name = idle->all.name[i];

		if (slu_hosts_find(&idle->taken, name) < 0 &&
		    slu_hosts_find(down, name) < 0 &&
		    slu_hosts_add(out, name) < 0)
			break;
	}
	if (out->n == n)
		return true;
	slu_hosts_free(out);
	return false;
}

static bool is_down(const char *state)
{
	static const char *const words[] = {"DOWN",  "DRAIN",	       "FAIL",
					    "*",     "NOT_RESPONDING", "POWER",
					    "REBOOT"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(state, words[i]))
			return true;
	return false;
}

/* The value of a key in a line "KEY=VALUE KEY=VALUE ..."; false: no such key.
 */
static bool value_of(const char *line, const char *key, char *out, size_t size)
{
	const char *at = strstr(line, key);
	size_t n;

	if (!at)
		return false;
	at += strlen(key);
	n = strcspn(at, " \n");
	if (n >= size)
		return false;
	memcpy(out, at, n);
	out[n] = '\0';
	return true;
}

static bool is_recruited(const char *line)
{
	char features[4096];

	return value_of(line, " ActiveFeatures=", features, sizeof(features)) &&
	       slu_is_listed(features, "ion_free");
}

int slu_down_nodes(const char *text, const struct slu_hosts *recruits,
		   struct slu_hosts *down, struct slu_err *err)
{
	char *copy = strdup(text), *rest = copy, *line;
	char name[256], state[256];
	int rc = copy ? 0 : -1;

	*down = (struct slu_hosts){0};
	while (rc == 0 && (line = strsep(&rest, "\n")))
		if (value_of(line, "NodeName=", name, sizeof(name)) &&
		    value_of(line, " State=", state, sizeof(state)) &&
		    (is_down(state) || (slu_hosts_sorted_has(recruits, name) &&
					!is_recruited(line))))
			rc = slu_hosts_add(down, name);
	free(copy);
	return rc < 0 ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

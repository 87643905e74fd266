/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The jobs that use a forwarding daemon, by MappingDir/mapping.json, and what
 * is done about them when it has died: their clients wait for it for ever.
 */
#include "config.h"
#include "burst_buffer/node/forwarder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "common/jsonx.h"
#include "common/str.h"

#define MAPPING	    "mapping.json" /* sluiced/publication/mapfiles.h */
#define MAPPING_MAX ((size_t)64 << 20)

static bool lists(struct json_object *ions, const char *host)
{
	size_t n = json_object_is_type(ions, json_type_array)
			   ? json_object_array_length(ions)
			   : 0;

	for (size_t i = 0; i < n; i++)
		if (slu_eq(json_object_get_string(
				   json_object_array_get_idx(ions, i)),
			   host))
			return true;
	return false;
}

/* Data go through the I/O nodes of a job; the names of its files are spread
 * over all of them, so a job that has any hangs when one is gone. */
static int take(struct json_object *job, const char *host,
		struct slu_fwd_jobs *out, struct slu_err *err)
{
	struct json_object *ions = NULL;
	uint64_t id;

	if (slu_json_u64(job, "job_id", &id, err))
		return -1;
	json_object_object_get_ex(job, "ions", &ions);
	if (json_object_is_type(ions, json_type_array) &&
	    json_object_array_length(ions) == 0)
		return 0; /* direct access */
	slu_buf_printf(lists(ions, host) ? &out->data : &out->names, "%s%u",
		       (lists(ions, host) ? out->data : out->names).len ? ","
									: "",
		       (unsigned)id);
	return 0;
}

int slu_fwd_jobs(const char *dir, const char *host, struct slu_fwd_jobs *out,
		 struct slu_err *err)
{
	char *path = slu_asprintf("%s/" MAPPING, dir);
	struct json_object *whole = NULL, *jobs = NULL;
	struct slu_buf text = {0};
	int rc = path ? slu_file_read(AT_FDCWD, path, MAPPING_MAX, &text, err)
		      : slu_err(err, SLU_NOMEM, "out of memory");

	*out = (struct slu_fwd_jobs){0};
	if (rc == 0) {
		whole = slu_json_parse(text.data ? text.data : "", text.len,
				       err);
		rc = whole ? 0 : slu_err_prefix(err, "%s", path);
	}
	if (rc == 0 && json_object_object_get_ex(whole, "jobs", &jobs) &&
	    json_object_is_type(jobs, json_type_array))
		for (size_t i = 0;
		     rc == 0 && i < json_object_array_length(jobs); i++)
			rc = take(json_object_array_get_idx(jobs, i), host, out,
				  err);
	json_object_put(whole);
	slu_buf_free(&text);
	free(path);
	if (rc)
		slu_fwd_jobs_free(out);
	return rc;
}

void slu_fwd_jobs_free(struct slu_fwd_jobs *jobs)
{
	slu_buf_free(&jobs->data);
	slu_buf_free(&jobs->names);
}

/* In a child of its own, which nobody waits for: slurmctld may be slow. */
static void tell(const char *host, const char *action, char *list)
{
	char *job, *text;

	text = slu_asprintf("the forwarding daemon of I/O node %s has died: "
			    "programs that use it wait for ever",
			    host);
	while ((job = strsep(&list, ","))) {
		char *argv[2][5] = {
			{"scontrol", "notify", job, text, NULL},
			{"scontrol", "requeue", job, NULL},
		};
		bool end = slu_eq(action, "end");

		if (end)
			argv[1][0] = "scancel", argv[1][1] = job,
			argv[1][2] = NULL;
		for (int i = 0; i < (slu_eq(action, "tell") ? 1 : 2); i++) {
			pid_t pid = fork();

			if (pid == 0) {
				execvp(argv[i][0], argv[i]);
				_exit(127);
			}
			if (pid > 0)
				waitpid(pid, NULL, 0);
		}
	}
	free(text);
}

void slu_fwd_tell(const char *host, const char *action,
		  const struct slu_fwd_jobs *jobs)
{
	if (!jobs->data.len || fork() != 0)
		return;
	tell(host, action, jobs->data.data);
	_exit(0);
}

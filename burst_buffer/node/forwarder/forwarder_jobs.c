/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the jobs that use a forwarding daemon in MappingDir/mapping.json, and
 * notifies, requeues or cancels them when it has died, as their clients would
 * wait for it for ever.
 */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "burst_buffer/node/forwarder/forwarder_mapping.h"
#include "common/jsonx.h"
#include "common/proc.h"
#include "common/str.h"

#define PATIENCE 60.0 /* s, for slurmctld's answer */

struct looking {
	const char *host;
	struct slu_fwd_jobs *out;
};

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

/* The data of a job go through its I/O nodes; the names of its files are spread
 * over all I/O nodes, so any job that has some hangs when one is gone. */
static int take(void *arg, struct json_object *job, uint32_t job_id,
		struct slu_err *err)
{
	const struct looking *l = arg;
	struct json_object *ions = NULL;
	struct slu_buf *list;

	(void)err;
	json_object_object_get_ex(job, "ions", &ions);
	if (json_object_is_type(ions, json_type_array) &&
	    json_object_array_length(ions) == 0)
		return 0; /* direct access */
	list = lists(ions, l->host) ? &l->out->data : &l->out->names;
	slu_buf_printf(list, "%s%u", list->len ? "," : "", (unsigned)job_id);
	return 0;
}

int slu_fwd_jobs(const char *dir, const char *host, struct slu_fwd_jobs *out,
		 struct slu_err *err)
{
	char *path = slu_asprintf("%s/" SLU_FWD_MAPPING, dir);
	int rc;

	*out = (struct slu_fwd_jobs){0};
	rc = path ? slu_fwd_mapping_each(path, take,
					 &(struct looking){host, out}, err)
		  : slu_err(err, SLU_NOMEM, "out of memory");
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

static void run(char *const argv[])
{
	struct slu_err err;

	if (slu_run(argv, PATIENCE, NULL, &err))
		fprintf(stderr, "sluice-node forwarder: %s\n", err.text);
}

static void tell_one(char *job, char *text, const char *action)
{
	char *notify[] = {"scontrol", "notify", job, text, NULL};
	char *requeue[] = {"scontrol", "requeue", job, NULL};
	char *end[] = {"scancel", job, NULL};

	run(notify);
	if (slu_eq(action, "requeue"))
		run(requeue);
	else if (slu_eq(action, "end"))
		run(end);
}

/* Notifies and ends jobs by scontrol; a child does it, as slurmctld may be
 * slow. */
static void tell(const char *host, const char *action, char *list)
{
	char *job, *text;

	text = slu_asprintf("the forwarding daemon of I/O node %s has died: "
			    "programs that use it hang",
			    host);
	while (text && (job = strsep(&list, ",")))
		tell_one(job, text, action);
	free(text);
}

void slu_fwd_notify(const char *host, const char *action,
		    const struct slu_fwd_jobs *jobs)
{
	if (!jobs->data.len || fork() != 0)
		return;
	tell(host, action, jobs->data.data);
	_exit(0);
}

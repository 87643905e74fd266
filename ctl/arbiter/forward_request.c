/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets a job's ion_max and ion_pattern from its request. ion_max becomes 0 (no
 * I/O nodes) for jobs that recruit I/O nodes, that run on nodes with other host
 * names (hostnames.h), or that have a GekkoFS of their own.
 */
#include "config.h"
#include "ctl/arbiter/forward_request.h"
#include "ctl/arbiter/hostnames.h"

#include <stdlib.h>
#include <string.h>

#include "burst_buffer/request/request.h"
#include "ctl/arbiter/recruits.h"

/* Does the job have a GekkoFS of its own? A forwarding client would look for
 * that file system's data on the I/O nodes. */
static bool has_own_gekkofs(const struct slu_ctl *ctl,
			    const struct slu_request *req)
{
	const struct slu_fs_conf *fs =
		req->has_fs && !req->persistent && ctl->site->conf
			? slu_conf_fs(ctl->site->conf, req->fs)
			: NULL;

	return fs && slu_eq(fs->driver, "gekkofs");
}

static void take_pattern(struct slu_job *job, const struct slu_request *req)
{
	free(job->ion_pattern);
	job->ion_pattern =
		req->forward_pattern ? strdup(req->forward_pattern) : NULL;
}

void slu_forward_request(struct slu_ctl *ctl, struct slu_job *job)
{
	const struct slu_request *req;

	job->ion_max = slu_recruits(job) || slu_hostnames_any(ctl, job->nodes)
			       ? 0
			       : SLU_NO_ID;
	req = job->request ? slu_parsed_get(&ctl->parsed, job->request) : NULL;
	if (!req)
		return;
	if (has_own_gekkofs(ctl, req))
		job->ion_max = 0;
	if (req->has_forward && req->forward_max < job->ion_max)
		job->ion_max = req->forward_max;
	if (req->has_forward)
		take_pattern(job, req);
	slu_parsed_put(&ctl->parsed, req);
}

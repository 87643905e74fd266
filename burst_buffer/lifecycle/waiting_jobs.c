/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a job that pends wants before it can start: persistent buffers made or
 * destroyed, one that it uses, its data staged in ahead. It asks again and
 * again; each time all of it is checked, since the configuration may have
 * changed, and what is there already is left as it is.
 */
#include "config.h"
#include "burst_buffer/lifecycle/persistent.h"
#include "burst_buffer/lifecycle/persistent_use.h"
#include "burst_buffer/lifecycle/prestage.h"
#include "burst_buffer/lifecycle/refusal.h"
#include "burst_buffer/request/fstype.h"
#include "burst_buffer/request/request.h"

/* The buffer that it uses may be there by now, and be too little. */
static int check_used(struct slu_buffers *b, const struct slu_request *req,
		      struct slu_err *why)
{
	const struct slu_bb *bb =
		req->persistent ? slu_persistent_find(b, req->name) : NULL;

	return bb ? slu_check_persist_gives(req, slu_plan_coherence(&bb->plan),
					    why)
		  : 0;
}

int slu_buffers_waits(struct slu_buffers *b, const struct slu_job *job,
		      double now, struct slu_err *err)
{
	struct slu_request req;
	struct slu_err why;
	int rc;

	if (slu_request_parse(job->request, NULL, &req, err))
		return -1;
	if (slu_request_resolve(&req, b->conf, &why) ||
	    slu_request_check(&req, b->conf, job->user, &why) ||
	    check_used(b, &req, &why)) {
		slu_bb_refuse(b, job, &why);
		slu_request_free(&req);
		return 0;
	}
	rc = slu_persistent_request(b, job, &req, now, err);
	if (rc == 0)
		rc = slu_prestage_want(b, job, &req, now, err);
	slu_request_free(&req);
	return rc;
}

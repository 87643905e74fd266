/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles what a pending job needs before it can start: persistent buffers to
 * be created or destroyed, and stage-in ahead of the allocation. slurmctld
 * repeats the request while the job waits, so this is idempotent; it rechecks
 * everything each time because sluice.conf may have changed. A request that
 * cannot be met holds the job, or is retried if the cause is temporary.
 */
#include "config.h"
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/pending/persistent.h"
#include "burst_buffer/lifecycle/persistent_use.h"
#include "burst_buffer/lifecycle/pending/predicted_nodes.h"
#include "burst_buffer/lifecycle/pending/early_stage_in.h"
#include "burst_buffer/lifecycle/pending/refusal.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/request.h"

/* If the persistent buffer that the job will use exists already: does it have
 * the coherence that the job asks for? */
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
	if (slu_request_predicted(&req, b->conf)) {
		slu_predicted_wait(b, job);
		slu_request_free(&req);
		return 0;
	}
	if (slu_request_resolve(&req, b->conf, &why) ||
	    slu_request_check(&req, b->conf, job->user, &why) ||
	    check_used(b, &req, &why)) {
		slu_bb_refuse(b, job, &why);
		slu_request_free(&req);
		return 0;
	}
	rc = slu_persistent_request(b, job, &req, now, err);
	if (rc == 0)
		rc = slu_early_stage_in_want(b, job, &req, now, err);
	slu_bb_carry_out(b, now);
	slu_request_free(&req);
	return rc;
}

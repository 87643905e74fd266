/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages a job's data in while the job still waits for nodes, if the data does
 * not lie on the job's nodes: but in a directory of the parallel file system or
 * in a persistent buffer. A buffer of its own is made for it on one of
 * StagingNodes, with a pseudo job id; `sluice-node serve` sets it up there and
 * copies, as the job's user. The job's run then has nothing to stage in; a
 * lustre run renames the directory to its own. The buffer ends when the job is
 * gone, or as expiry.h decides.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/reconcile/expiry.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/pending/persistent.h"
#include "burst_buffer/lifecycle/reconcile/room_shares.h"
#include "burst_buffer/lifecycle/pending/early_stage_in.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/pending/refusal.h"
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/request.h"
#include "common/hostlist.h"
#include "common/str.h"

#define FAILED_LOAD 1000 /* a failure counts as so many stage-ins */

static bool is_of(const struct slu_bb *bb, uint32_t job_id)
{
	return bb->plan.early && bb->plan.creator == job_id &&
	       bb->end.at <= 0 && bb->state < SLU_BB_STAGE_OUT;
}

static struct slu_bb *find(const struct slu_buffers *b, uint32_t job_id)
{
	struct slu_bb *bb = b->first;

	while (bb && !is_of(bb, job_id))
		bb = bb->next;
	return bb;
}

/* Creation */

/* The load of a node: how many stage-ins it has. A node where one failed
 * recently is chosen last. */
static size_t load_of(const struct slu_buffers *b, const char *node)
{
	size_t n = 0;

	for (const struct slu_bb *bb = b->first; bb; bb = bb->next)
		if (bb->plan.early && slu_bb_index(bb, node) >= 0)
			n += bb->failure.text
				     ? FAILED_LOAD
				     : bb->end.at <= 0 &&
					       bb->state <= SLU_BB_STAGE_IN;
	return n;
}

/* The node with the smallest load; the first of equals. */
static const char *choose(const struct slu_buffers *b)
{
	const struct slu_hosts *hosts = &b->conf->staging_nodes;
	size_t best = 0, least = SIZE_MAX;

	for (size_t i = 0; i < hosts->n; i++) {
		size_t load = load_of(b, hosts->name[i]);

		if (load < least) {
			least = load;
			best = i;
		}
	}
	return hosts->name[best];
}

/* Keeps only the stage-ins, or only the stage-outs, of the plan. */
static void keep_stages(struct slu_plan *plan, bool out)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->n_stage; i++) {
		struct slu_stage one = plan->stage[i];

		if (one.out != out) {
			free(one.source);
			free(one.destination);
			free(one.type);
			free(one.on);
			continue;
		}
		plan->stage[kept++] = one;
	}
	plan->n_stage = kept;
}

static int make_plan(struct slu_buffers *b, const struct slu_job *job,
		     const struct slu_request *req, uint32_t number,
		     struct slu_plan *plan, struct slu_err *err)
{
	struct slu_plan_site site = slu_bb_waiting_site(b);
	struct slu_request only = *req;
	struct slu_job as = *job;
	int rc;

	site.number = number;
	only.n_stripe = 0;
	as.nodes = (char *)choose(b);
	as.request = slu_request_text(&only);
	if (!as.request)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = slu_plan_make(&as, &site, plan, err);
	free(as.request);
	if (rc)
		return -1;
	keep_stages(plan, false);
	plan->persistent = plan->early = true;
	plan->creator = job->job_id;
	return 0;
}

static struct slu_bb *new_one(struct slu_buffers *b, const struct slu_job *job,
			      const struct slu_request *req, double now,
			      struct slu_err *err)
{
	int64_t number = slu_persistent_number(b, now, err);
	struct slu_plan plan = {0};

	if (number < 0)
		return NULL;
	if (make_plan(b, job, req, (uint32_t)number, &plan, err)) {
		slu_msg_clear(&slu_plan_desc, &plan);
		return NULL;
	}
	return slu_persistent_store(b, job, &plan, now, err);
}

int slu_early_stage_in_want(struct slu_buffers *b, const struct slu_job *job,
			    const struct slu_request *req, double now,
			    struct slu_err *err)
{
	struct slu_err why = {0};
	struct slu_bb *bb;

	/* A task of an array has a number of its own only when Slurm has split
	 * it from the pending array. */
	if ((job->array_job_id && job->array_task_id == SLU_NO_ID) ||
	    !slu_request_early_stage_in(req, b->conf))
		return 0;
	bb = find(b, job->job_id);
	if (bb) { /* slurmctld may not know of this buffer yet */
		bb->persistent.asked = now;
		slu_bb_resend_all(b, bb);
		return 0;
	}
	bb = new_one(b, job, req, now, &why);
	if (!bb)
		slu_bb_refuse(b, job, &why);
	if (!bb)
		return 0;
	slu_bb_log(b, bb, SLU_INFO, "stage-in for job %u of %s, on %s",
		   (unsigned)job->job_id, bb->user ? bb->user : "somebody",
		   bb->plan.node[0].name);
	return slu_bb_reconcile(b, bb, now, err);
}

/* Use by the job's run */

static bool fits(const struct slu_bb *bb, const struct slu_plan *plan)
{
	return bb->state == SLU_BB_RUNNING && bb->plan.use == plan->use &&
	       slu_eq(bb->plan.fs, plan->fs);
}

void slu_plan_keep_stage_ins(struct slu_plan *plan)
{
	keep_stages(plan, false);
}

void slu_plan_keep_stage_outs(struct slu_plan *plan)
{
	keep_stages(plan, true);
}

void slu_early_stage_in_hand_over(const struct slu_buffers *b, uint32_t job_id,
				  struct slu_plan *plan,
				  const struct slu_bb **by)
{
	const struct slu_bb *bb = find(b, job_id);

	*by = NULL;
	if (!bb || !fits(bb, plan))
		return; /* the run does it itself */
	keep_stages(plan, true);
	plan->staged = bb->id;
	plan->staged_job = bb->plan.job_id;
	*by = bb;
}

/* End */

int slu_early_stage_in_end(struct slu_buffers *b, uint32_t job_id, double now,
			   struct slu_err *err)
{
	struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next)
		if (is_of(bb, job_id) && !bb->persistent.destroy &&
		    (slu_bb_set_destroy(b->db, bb, SLU_DESTROY_SAFE,
					"its job is gone", now, err) ||
		     slu_bb_reconcile(b, bb, now, err)))
			return -1;
	return 0;
}

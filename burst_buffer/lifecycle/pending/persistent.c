/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates and destroys persistent buffers (they outlive jobs) as the request of
 * a waiting job says. Such a buffer has a pseudo job id; `sluice-node serve` on
 * PersistentNodes sets it up and takes it down, as the prolog and the epilog do
 * for a job. One with data that could not be staged out is destroyed only by
 * force. The buffers of jobs that use it name it in their plans, and it is kept
 * as long as these live (persistent_use.h); expiry.h ends it when it expires.
 */
#include "config.h"
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/pending/persistent.h"
#include "burst_buffer/lifecycle/pending/refusal.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/persistent_use.h"
#include "burst_buffer/lifecycle/reconcile/expiry.h"
#include "burst_buffer/lifecycle/reconcile/node_usage.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/request.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/hostlist.h"
#include "common/str.h"

/* Creation */

static int set_group(struct slu_job *as, const char *group, struct slu_err *err)
{
	const struct group *g = group ? getgrnam(group) : NULL;

	if (!group)
		return 0;
	if (!g)
		return slu_err(err, SLU_INVALID, "there is no group %.64s",
			       group);
	if (!slu_persistent_is_member(as, g->gr_gid))
		return slu_err(err, SLU_DENIED, "you are not of group %.64s",
			       group);
	as->gid = g->gr_gid;
	return 0;
}

/* Makes its plan, as for a job on these nodes. */
static int make_plan(struct slu_buffers *b, const struct slu_job *job,
		     const struct slu_request_persist *one, uint32_t number,
		     double now, struct slu_plan *plan, struct slu_err *err)
{
	struct slu_request req = slu_persist_as_fs(one);
	const struct slu_plan_site site = {
		.conf = b->conf,
		.map = b->db,
		.addr = b->ops->addr,
		.promised = slu_bb_node_usage,
		.arg = b->arg,
		.promised_arg = b,
	};
	struct slu_job as = {
		.job_id = number,
		.uid = job->uid,
		.gid = job->gid,
		.user = job->user,
		.account = job->account,
		.nodes = slu_hosts_text(&b->conf->persistent_nodes),
		.request = slu_request_text(&req),
	};
	int64_t life =
		one->lifetime ? one->lifetime : b->conf->persistent_lifetime;
	int rc = -1;

	if (!as.nodes || !as.request)
		slu_err(err, SLU_NOMEM, "out of memory");
	else if (set_group(&as, one->group, err) == 0)
		rc = slu_plan_make(&as, &site, plan, err);
	free(as.nodes);
	free(as.request);
	if (rc)
		return -1;
	plan->persistent = true;
	plan->group = one->group != NULL;
	plan->creator = job->job_id;
	plan->expires = (int64_t)now + life;
	return 0;
}

struct slu_bb *slu_persistent_store(struct slu_buffers *b,
				    const struct slu_job *job,
				    struct slu_plan *plan, double now,
				    struct slu_err *err)
{
	struct slu_bb *bb = calloc(1, sizeof(*bb));

	if (!bb) {
		slu_msg_clear(&slu_plan_desc, plan);
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	bb->plan = *plan;
	bb->state = SLU_BB_SETUP;
	bb->created = bb->since = bb->persistent.asked = now;
	bb->user = job->user ? strdup(job->user) : NULL;
	if (slu_bb_alloc_members(bb) ||
	    slu_bb_insert(b->db, bb, job->name, err)) {
		if (err)
			/* also when the disk is full */
			err->kind = SLU_IO;
		slu_bb_free(bb);
		return NULL;
	}
	slu_bb_join(b, bb);
	return bb;
}

static struct slu_bb *new_one(struct slu_buffers *b, const struct slu_job *job,
			      const struct slu_request_persist *one, double now,
			      struct slu_err *err)
{
	int64_t number = slu_persistent_number(b, now, err);
	struct slu_plan plan = {0};

	if (number < 0)
		return NULL;
	if (make_plan(b, job, one, (uint32_t)number, now, &plan, err)) {
		slu_msg_clear(&slu_plan_desc, &plan);
		return NULL;
	}
	return slu_persistent_store(b, job, &plan, now, err);
}

static int create(struct slu_buffers *b, const struct slu_job *job,
		  const struct slu_request_persist *one, double now,
		  struct slu_err *err)
{
	struct slu_bb *bb = slu_persistent_find(b, one->name);
	struct slu_err why = {0};

	if (bb) { /* the job may not know of it yet, or waits for its end */
		slu_bb_resend_all(b, bb);
		return 0;
	}
	bb = new_one(b, job, one, now, &why);
	if (!bb) {
		slu_err_prefix(&why, "%s", one->name);
		slu_bb_refuse(b, job, &why);
		return 0;
	}
	slu_bb_log(b, bb, SLU_INFO,
		   "persistent %s for %s on %zu nodes, by job %u",
		   bb->plan.name, bb->user ? bb->user : "somebody",
		   bb->plan.n_node, (unsigned)job->job_id);
	return slu_bb_reconcile(b, bb, now, err);
}

/* Destruction */

static int may_destroy(const struct slu_bb *bb, const struct slu_job *job,
		       bool force, struct slu_err *err)
{
	if (job->uid != bb->plan.uid && job->uid != 0)
		return slu_err(err, SLU_DENIED,
			       "the persistent buffer %s belongs to %s",
			       bb->plan.name,
			       bb->user ? bb->user : "another user");
	if (bb->persistent.unsaved && !force)
		return slu_err(err, SLU_DENIED,
			       "%s has data that was not staged out (%.200s); "
			       "force=yes destroys it all the same",
			       bb->plan.name, bb->persistent.unsaved);
	return 0;
}

/* A buffer that was made after the job could have started is not the one that
 * its request means. */
static struct slu_bb *find_old(struct slu_buffers *b, const struct slu_job *job,
			       const struct slu_request_persist *one)
{
	struct slu_bb *bb = slu_persistent_find(b, one->name);

	return bb && job->eligible && (int64_t)bb->created > job->eligible
		       ? NULL
		       : bb;
}

static int destroy(struct slu_buffers *b, const struct slu_job *job,
		   const struct slu_request_persist *one, double now,
		   struct slu_err *err)
{
	struct slu_bb *bb = find_old(b, job, one);
	struct slu_err why;
	const enum slu_bb_destroy how =
		one->force ? SLU_DESTROY_FORCE : SLU_DESTROY_SAFE;
	char text[80];

	if (!bb)
		return 0;
	if (may_destroy(bb, job, one->force, &why)) {
		slu_bb_refuse(b, job, &why);
		return 0;
	}
	snprintf(text, sizeof(text), "to be destroyed%s, by job %u",
		 one->force ? " by force" : "", (unsigned)job->job_id);
	if (bb->persistent.destroy < how) {
		if (slu_bb_set_destroy(b->db, bb, how, text, now, err))
			return -1;
		slu_bb_log(b, bb, SLU_INFO, "%s: %s", bb->plan.name, text);
	}
	return slu_bb_reconcile(b, bb, now, err);
}

/* In order: a buffer that follows one which is still being destroyed waits for
 * its space. */
int slu_persistent_request(struct slu_buffers *b, const struct slu_job *job,
			   const struct slu_request *req, double now,
			   struct slu_err *err)
{
	for (size_t i = 0; i < req->n_persist; i++) {
		const struct slu_request_persist *one = &req->persist[i];

		if ((one->destroy ? destroy : create)(b, job, one, now, err))
			return -1;
		if (one->destroy && find_old(b, job, one))
			return 0;
	}
	return 0;
}

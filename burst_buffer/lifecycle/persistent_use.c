/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lets jobs use a persistent buffer: finds it by its name, checks the
 * permission, and adds what clients need to know to the job's plan. Also writes
 * its sentence for users.
 */
#include "config.h"
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/persistent_use.h"
#include "common/str.h"

#define GROUPS_MAX 1024

struct slu_bb *slu_persistent_find(const struct slu_buffers *b,
				   const char *name)
{
	struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next)
		if (bb->plan.persistent && !bb->plan.early &&
		    bb->state != SLU_BB_DONE && slu_eq(bb->plan.name, name))
			break;
	return bb;
}

bool slu_persistent_is_member(const struct slu_job *job, gid_t gid)
{
	gid_t groups[GROUPS_MAX];
	int n = GROUPS_MAX;

	if (job->gid == gid)
		return true;
	if (!job->user ||
	    getgrouplist(job->user, (gid_t)job->gid, groups, &n) < 0)
		return false;
	while (n-- > 0)
		if (groups[n] == gid)
			return true;
	return false;
}

static int may_use(const struct slu_bb *bb, const struct slu_job *job,
		   struct slu_err *err)
{
	if (job->uid == bb->plan.uid ||
	    (bb->plan.group &&
	     slu_persistent_is_member(job, (gid_t)bb->plan.gid)))
		return 0;
	return slu_err(err, SLU_DENIED,
		       "the persistent buffer %s belongs to %s, who does not "
		       "share it with you",
		       bb->plan.name, bb->user ? bb->user : "another user");
}

/* Copies what clients need to know. */
static void take(struct slu_plan *to, struct slu_plan *from)
{
	to->fs = from->fs;
	to->driver = from->driver;
	to->option = from->option;
	to->n_option = from->n_option;
	to->server = from->node;
	to->n_server = from->n_node;
	to->use = from->buffer;
	to->use_job = from->job_id;
	from->fs = from->driver = NULL;
	from->option = NULL;
	from->node = NULL;
	from->n_option = from->n_node = 0;
}

static int copy_attrs(const struct slu_bb *bb, struct slu_plan *plan,
		      struct slu_err *err)
{
	const struct slu_bb_barrier *barrier =
		slu_bb_find_barrier(bb, "servers");

	plan->attr = calloc(bb->plan.n_node + 1, sizeof(*plan->attr));
	if (!plan->attr)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; barrier && i < bb->plan.n_node; i++) {
		struct slu_pair *pair = &plan->attr[plan->n_attr++];

		pair->key = strdup(bb->plan.node[i].name);
		pair->value = strdup(barrier->attr[i] ? barrier->attr[i] : "");
		if (!pair->key || !pair->value)
			return slu_err(err, SLU_NOMEM, "out of memory");
	}
	return 0;
}

int slu_persistent_use(void *arg, const struct slu_job *job, const char *name,
		       struct slu_plan *plan, struct slu_err *err)
{
	struct slu_bb *bb = slu_persistent_find(arg, name);
	struct slu_plan copy;

	if (!bb)
		return slu_err(err, SLU_BUSY,
			       "there is no persistent buffer %s", name);
	if (may_use(bb, job, err))
		return -1;
	if (bb->state != SLU_BB_RUNNING || slu_persistent_goes(bb) ||
	    bb->end.at)
		return slu_err(err, SLU_BUSY, "the persistent buffer %s is %s",
			       name,
			       bb->state < SLU_BB_RUNNING ? "not yet made"
							  : "being destroyed");
	if (slu_bb_copy_plan(&bb->plan, &copy, err))
		return -1;
	take(plan, &copy);
	slu_msg_clear(&slu_plan_desc, &copy);
	return copy_attrs(bb, plan, err);
}

bool slu_persistent_goes(const struct slu_bb *bb)
{
	return bb->persistent.destroy == SLU_DESTROY_FORCE ||
	       (bb->persistent.destroy && !bb->persistent.unsaved);
}

char *slu_persistent_sentence(const struct slu_bb *bb)
{
	struct slu_buf text = {0};
	time_t expires = (time_t)bb->plan.expires;
	struct tm tm;
	char when[32] = "";

	if (localtime_r(&expires, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	slu_buf_printf(&text, "expires %s", when);
	if (bb->persistent.users)
		slu_buf_printf(&text, ", %zu job%s it", bb->persistent.users,
			       bb->persistent.users == 1 ? " uses" : "s use");
	if (bb->persistent.destroy)
		slu_buf_puts(&text, ", is to be destroyed");
	if (bb->persistent.unsaved)
		slu_buf_printf(&text, ", has data that was not staged out (%s)",
			       bb->persistent.unsaved);
	return slu_buf_steal(&text);
}

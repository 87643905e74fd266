/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Buffers that outlive jobs. One is a buffer like any other, on PersistentNodes
 * and with a number that no job has: `sluice-node serve` makes and ends it
 * there as the prolog and the epilog do for a job. It ends when its owner wants
 * it destroyed or its time is over, and nobody uses it; with data in it that
 * could not be staged out only by force. Jobs that use it have buffers of
 * their own, whose plans name it; as long as these live they are its users.
 */
#include "config.h"
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "burst_buffer/lifecycle/record.h"
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/fstype.h"
#include "burst_buffer/request/request.h"
#include "common/hostlist.h"
#include "common/str.h"

#define GROUPS_MAX 1024

static struct slu_bb *find_name(const struct slu_buffers *b, const char *name)
{
	struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next)
		if (bb->plan.persistent && !bb->plan.ahead &&
		    bb->state != SLU_BB_DONE && slu_eq(bb->plan.name, name))
			break;
	return bb;
}

/* What only the site can mend: the job asks again. */
static bool is_passing(const struct slu_buffers *b, const struct slu_err *why)
{
	if (slu_db_unusable(b->db))
		return true;
	return why->kind != SLU_INVALID && why->kind != SLU_DENIED &&
	       why->kind != SLU_NOTFOUND;
}

static void log_of_job(struct slu_buffers *b, enum slu_level level,
		       const struct slu_job *job, const char *text)
{
	char line[SLU_ERR_TEXT + 64];

	snprintf(line, sizeof(line), "job %u: %s", (unsigned)job->job_id, text);
	b->ops->log(b->arg, level, line);
}

static void say_not_yet(struct slu_buffers *b, const struct slu_job *job,
			const struct slu_err *why)
{
	const size_t at =
		job->job_id % (sizeof(b->not_yet) / sizeof(*b->not_yet));
	const struct slu_annotate note = {job->job_id, (char *)why->text, true};

	if (b->not_yet[at].job_id != job->job_id ||
	    strcmp(b->not_yet[at].text, why->text) != 0)
		log_of_job(b, why->kind == SLU_BUSY ? SLU_INFO : SLU_WARN, job,
			   why->text);
	b->not_yet[at].job_id = job->job_id;
	slu_copy(b->not_yet[at].text, sizeof(b->not_yet[at].text), why->text);
	b->ops->annotate(b->arg, &note);
}

void slu_persist_refuse(struct slu_buffers *b, const struct slu_job *job,
			const struct slu_err *why)
{
	struct slu_verdict verdict = {.job_id = job->job_id, .pending = true};

	if (is_passing(b, why)) {
		say_not_yet(b, job, why);
		return;
	}
	log_of_job(b, SLU_WARN, job, why->text);
	verdict.reason = slu_asprintf("sluice: %s", why->text);
	if (verdict.reason)
		b->ops->verdict(b->arg, SLU_HOLD, &verdict);
	free(verdict.reason);
}

/* Who may use it */

static bool is_member(const struct slu_job *job, gid_t gid)
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
	    (bb->plan.group && is_member(job, (gid_t)bb->plan.gid)))
		return 0;
	return slu_err(err, SLU_DENIED,
		       "the persistent buffer %s belongs to %s, who does not "
		       "share it with you",
		       bb->plan.name, bb->user ? bb->user : "another user");
}

/* Made */

static int set_group(struct slu_job *as, const char *group, struct slu_err *err)
{
	const struct group *g = group ? getgrnam(group) : NULL;

	if (!group)
		return 0;
	if (!g)
		return slu_err(err, SLU_INVALID, "there is no group %.64s",
			       group);
	if (!is_member(as, g->gr_gid))
		return slu_err(err, SLU_DENIED, "you are not of group %.64s",
			       group);
	as->gid = g->gr_gid;
	return 0;
}

/* Its plan is that of a job on these nodes. */
static int make_plan(struct slu_buffers *b, const struct slu_job *job,
		     const struct slu_request_persist *one, uint32_t number,
		     double now, struct slu_plan *plan, struct slu_err *err)
{
	struct slu_request req = slu_persist_as_fs(one);
	const struct slu_plan_site site = {
		.conf = b->conf,
		.map = b->db,
		.addr = b->ops->addr,
		.promised = slu_bb_promised,
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

struct slu_bb *slu_persist_begin(struct slu_buffers *b,
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
	bb->created = bb->since = bb->asked = now;
	bb->user = job->user ? strdup(job->user) : NULL;
	if (slu_bb_room(bb) || slu_bb_insert(b->db, bb, job->name, err)) {
		if (err)
			err->kind = SLU_IO; /* also what a full disk denies */
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
	int64_t number = slu_persist_number(b, now, err);
	struct slu_plan plan = {0};

	if (number < 0)
		return NULL;
	if (make_plan(b, job, one, (uint32_t)number, now, &plan, err)) {
		slu_msg_clear(&slu_plan_desc, &plan);
		return NULL;
	}
	return slu_persist_begin(b, job, &plan, now, err);
}

static int create(struct slu_buffers *b, const struct slu_job *job,
		  const struct slu_request_persist *one, double now,
		  struct slu_err *err)
{
	struct slu_bb *bb = find_name(b, one->name);
	struct slu_err why = {0};

	if (bb) { /* the job may not know it yet, or waits for its end */
		slu_bb_tell_all(b, bb, now);
		return 0;
	}
	bb = new_one(b, job, one, now, &why);
	if (!bb) {
		slu_err_prefix(&why, "%s", one->name);
		slu_persist_refuse(b, job, &why);
		return 0;
	}
	slu_bb_log(b, bb, SLU_INFO,
		   "persistent %s for %s on %zu nodes, by job %u",
		   bb->plan.name, bb->user ? bb->user : "somebody",
		   bb->plan.n_node, (unsigned)job->job_id);
	return slu_bb_settle(b, bb, now, err);
}

/* Destroyed */

static int may_destroy(const struct slu_bb *bb, const struct slu_job *job,
		       bool force, struct slu_err *err)
{
	if (job->uid != bb->plan.uid && job->uid != 0)
		return slu_err(err, SLU_DENIED,
			       "the persistent buffer %s belongs to %s",
			       bb->plan.name,
			       bb->user ? bb->user : "another user");
	if (bb->unsaved && !force)
		return slu_err(err, SLU_DENIED,
			       "%s has data that was not staged out (%.200s); "
			       "force=yes destroys it all the same",
			       bb->plan.name, bb->unsaved);
	return 0;
}

/* One made since the job could have started is not what it means. */
static struct slu_bb *find_old(struct slu_buffers *b, const struct slu_job *job,
			       const struct slu_request_persist *one)
{
	struct slu_bb *bb = find_name(b, one->name);

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
	const int how = one->force ? 2 : 1;
	char text[80];

	if (!bb)
		return 0;
	if (may_destroy(bb, job, one->force, &why)) {
		slu_persist_refuse(b, job, &why);
		return 0;
	}
	snprintf(text, sizeof(text), "to be destroyed%s, by job %u",
		 one->force ? " by force" : "", (unsigned)job->job_id);
	if (bb->destroy < how) {
		if (slu_bb_set_destroy(b->db, bb, how, text, now, err))
			return -1;
		slu_bb_log(b, bb, SLU_INFO, "%s: %s", bb->plan.name, text);
	}
	return slu_bb_settle(b, bb, now, err);
}

/* In turn: what comes after one that is still there waits for its room. */
static int make_and_destroy(struct slu_buffers *b, const struct slu_job *job,
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

/* The buffer that it uses may be there by now, and be too little. */
static int check_used(struct slu_buffers *b, const struct slu_request *req,
		      struct slu_err *why)
{
	const struct slu_bb *bb =
		req->persistent ? find_name(b, req->name) : NULL;

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
		slu_persist_refuse(b, job, &why);
		slu_request_free(&req);
		return 0;
	}
	rc = make_and_destroy(b, job, &req, now, err);
	if (rc == 0)
		rc = slu_ahead_want(b, job, &req, now, err);
	slu_request_free(&req);
	return rc;
}

/* Used */

/* Take over what clients need to know. */
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
	const struct slu_bb_gate *gate = slu_bb_find_gate(bb, "servers");

	plan->attr = calloc(bb->plan.n_node + 1, sizeof(*plan->attr));
	if (!plan->attr)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; gate && i < bb->plan.n_node; i++) {
		struct slu_pair *pair = &plan->attr[plan->n_attr++];

		pair->key = strdup(bb->plan.node[i].name);
		pair->value = strdup(gate->attr[i] ? gate->attr[i] : "");
		if (!pair->key || !pair->value)
			return slu_err(err, SLU_NOMEM, "out of memory");
	}
	return 0;
}

int slu_persist_use(void *arg, const struct slu_job *job, const char *name,
		    struct slu_plan *plan, struct slu_err *err)
{
	struct slu_bb *bb = find_name(arg, name);
	struct slu_plan copy;

	if (!bb)
		return slu_err(err, SLU_BUSY,
			       "there is no persistent buffer %s", name);
	if (may_use(bb, job, err))
		return -1;
	if (bb->state != SLU_BB_RUNNING || slu_persist_goes(bb) || bb->ended)
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

int slu_persist_staged_out(struct slu_buffers *b, const struct slu_bb *user,
			   const char *text, double now, struct slu_err *err)
{
	struct slu_bb *bb;
	char line[400];

	for (bb = b->first; bb; bb = bb->next)
		if (user->plan.use && bb->id == user->plan.use)
			break;
	if (!bb || bb->unsaved)
		return 0;
	snprintf(line, sizeof(line), "stage-out of job %u: %.300s",
		 (unsigned)user->plan.job_id, text);
	return slu_bb_set_unsaved(b->db, bb, line, now, err);
}

/* The end */

bool slu_persist_goes(const struct slu_bb *bb)
{
	return bb->destroy == 2 || (bb->destroy && !bb->unsaved);
}

/* Why it is to end now; NULL: it is not. */
static const char *why_end(const struct slu_buffers *b, const struct slu_bb *bb,
			   double now)
{
	if (bb->failure && bb->state == SLU_BB_SETUP &&
	    slu_bb_released(bb, now))
		return "it could not be made";
	if (bb->users)
		return NULL;
	if (slu_persist_goes(bb))
		return "destroyed";
	if (slu_persist_left(b, bb, now) <= 0 && !bb->unsaved)
		return "its time is over";
	return NULL;
}

int slu_persist_review(struct slu_buffers *b, struct slu_bb *bb, double now,
		       struct slu_err *err)
{
	const struct slu_bb how = {.success = true};
	const char *why;

	if (!bb->plan.persistent || bb->ended > 0)
		return 0;
	bb->users = 0;
	for (const struct slu_bb *user = b->first; user; user = user->next)
		bb->users +=
			user->plan.use == bb->id && user->state != SLU_BB_DONE;
	why = bb->plan.ahead ? slu_ahead_why_end(b, bb, now)
			     : why_end(b, bb, now);
	if (!why)
		return 0;
	if (slu_bb_set_ended(b->db, bb, &how, why, now, err))
		return -1;
	slu_bb_log(b, bb, SLU_INFO, "%s: %s", bb->plan.name, why);
	slu_bb_wake(b, bb);
	return 0;
}

int slu_persist_review_used(struct slu_buffers *b, const struct slu_bb *user,
			    double now, struct slu_err *err)
{
	struct slu_bb *bb;

	for (bb = b->first; bb; bb = bb->next)
		if ((bb->id == user->plan.use || bb->id == user->plan.staged) &&
		    slu_bb_settle(b, bb, now, err))
			return -1;
	return 0;
}

char *slu_persist_sentence(const struct slu_bb *bb)
{
	struct slu_buf text = {0};
	time_t expires = (time_t)bb->plan.expires;
	struct tm tm;
	char when[32] = "";

	if (localtime_r(&expires, &tm))
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &tm);
	slu_buf_printf(&text, "expires %s", when);
	if (bb->users)
		slu_buf_printf(&text, ", %zu job%s it", bb->users,
			       bb->users == 1 ? " uses" : "s use");
	if (bb->destroy)
		slu_buf_puts(&text, ", is to be destroyed");
	if (bb->unsaved)
		slu_buf_printf(&text, ", has data that was not staged out (%s)",
			       bb->unsaved);
	return slu_buf_steal(&text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one act of staging in a child as the job's user. The manifest and the
 * claims are root's, in .sluice/ of the file system: they are opened, or given
 * a proxy process, before the user is changed.
 */
#include "config.h"
#include "burst_buffer/node/stage/staging_child.h"
#include "burst_buffer/node/stage/interpose.h"
#include "burst_buffer/node/stage/mover.h"
#include "burst_buffer/node/stage/drain.h"
#include "burst_buffer/node/stage/early.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/file_users.h"
#include "burst_buffer/node/cache/input_cache.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/staging/claims.h"
#include "burst_buffer/staging/share.h"
#include "common/file.h"

#define TRIES 64 /* nodes at most: users fill them evenly */

struct act_call { /* arguments for the child */
	const struct slu_staging *q;
	struct slu_aside *aside;
	uint64_t bytes, files; /* reported so far */
	struct slu_claims_proxy proxy;
	struct slu_claims claims;
	struct slu_cache_proxy cache;
};

static int add_progress(void *arg, uint64_t bytes, uint64_t files)
{
	struct act_call *c = arg;

	c->bytes += bytes;
	c->files += files;
	slu_aside_progress(c->aside, c->bytes, c->files);
	return 0;
}

void slu_staging_id(const struct slu_staging *q, unsigned attempt,
		    char id[SLU_STAGING_ID])
{
	int n = snprintf(id, SLU_STAGING_ID, "%s.%zu", q->way, q->r);

	if (attempt)
		snprintf(id + n, SLU_STAGING_ID - (size_t)n, ".again%u",
			 attempt);
}

static void manifest_path(const struct slu_staging *q, char path[PATH_MAX])
{
	char id[SLU_STAGING_ID];

	slu_staging_id(q, q->attempt, id);
	snprintf(path, PATH_MAX, "%s/.sluice/%s", q->n->root, id);
}

/* Data that was copied by a node which is lost now may never have reached the
 * disk, even if size and time are right. */
static void describe(struct act_call *c, struct slu_stage_part *part)
{
	const struct slu_staging *q = c->q;
	bool moved = slu_mover_has_been(q->n, q->r);
	/* a plan of an older release may lack `content` */
	bool own_times = slu_fstype_striped(&q->n->plan) &&
			 (q->stage->content || !q->stage->out);

	*part = (struct slu_stage_part){
		.source = q->stage->source,
		.destination = q->stage->destination,
		.what = slu_stage_what(q->stage->type),
		.plain_source = q->n->driver->interposed && q->stage->out,
		.plain_destination = q->n->driver->interposed && !q->stage->out,
		.below = q->stage->out ? slu_node_below(q->n) : NULL,
		.beside = q->stage->out ? q->n->beside : NULL,
		.fs_root = q->n->data,
		.self = q->self,
		.n = q->members,
		.durable = q->stage->out,
		.ended = q->stage->out,
		.mapped = q->stage->out && q->n->mapped,
		.own_times_source = own_times && q->stage->out,
		.own_times_destination = own_times && !q->stage->out,
		.content = q->stage->content,
		.quick = !q->n->away.n &&
			 (moved ||
			  (q->stage->out && slu_early_has_been(q->n, q->r))),
		.moved = moved,
		.progress = add_progress,
		.arg = c,
		.who = q->stage->out ? slu_users_of : NULL,
	};
}

/* A directory; its name ends in "unclaimed" where there can be no claims, as in
 * a full file system: then each node does its own share. */
static void claims_path(const struct slu_staging *q, unsigned attempt,
			const char *called, char path[PATH_MAX])
{
	char id[SLU_STAGING_ID];

	slu_staging_id(q, attempt, id);
	snprintf(path, PATH_MAX, "%s/.sluice/%s.%s", q->n->root, id, called);
}

static bool is_full(int error)
{
	return error == ENOSPC || error == EDQUOT;
}

/* Have the nodes that give storage any inodes left? */
static bool can_claim(const char *dir, unsigned members)
{
	unsigned n = members < TRIES ? members : TRIES, i;
	char path[PATH_MAX + 32];
	bool can = true;

	for (i = 0; can && i < n; i++) {
		snprintf(path, sizeof(path), "%s/try.%u", dir, i);
		can = !symlink("try", path) || !is_full(errno);
	}
	while (i-- > 0) {
		snprintf(path, sizeof(path), "%s/try.%u", dir, i);
		unlink(path);
	}
	return can;
}

/* Removes the claims of earlier attempts: a node that was given up and still
 * works finds no more work. */
static int remove_claims(const struct slu_staging *q, unsigned attempt,
			 struct slu_err *err)
{
	char claims[PATH_MAX], unclaimed[PATH_MAX];

	claims_path(q, attempt, "claims", claims);
	claims_path(q, attempt, "unclaimed", unclaimed);
	return slu_rmtree(AT_FDCWD, claims, err) ||
			       slu_rmtree(AT_FDCWD, unclaimed, err)
		       ? -1
		       : 0;
}

static int make_claims(const struct slu_staging *q, struct slu_err *err)
{
	char claims[PATH_MAX], unclaimed[PATH_MAX];

	for (unsigned i = 0; i < q->attempt; i++)
		if (remove_claims(q, i, err))
			return -1;
	claims_path(q, q->attempt, "claims", claims);
	claims_path(q, q->attempt, "unclaimed", unclaimed);
	if (q->members < 2 || !access(unclaimed, F_OK))
		return 0;
	if ((mkdir(claims, 0700) && errno != EEXIST) ||
	    (!can_claim(claims, q->members) && rename(claims, unclaimed)))
		return slu_errno(err, SLU_IO,
				 "cannot share the work in the job's file "
				 "system");
	return 0;
}

/* Starts the proxy for claims of chunks (claims.h), as root: before this
 * process changes its user. */
static int start_claims(struct act_call *c, struct slu_stage_part *part,
			struct slu_err *err)
{
	char path[PATH_MAX];

	if (c->q->members < 2 || c->q->n->driver->interposed)
		return 0;
	claims_path(c->q, c->q->attempt, "unclaimed", path);
	if (!access(path, F_OK))
		return 0;
	claims_path(c->q, c->q->attempt, "claims", path);
	c->claims = (struct slu_claims){slu_claims_proxy_take,
					slu_claims_proxy_look,
					slu_claims_proxy_whose, &c->proxy};
	part->claims = &c->claims;
	return slu_claims_proxy_start(&c->proxy, path, c->q->self,
				      c->q->members * SLU_STAGE_CHUNKS, err);
}

/* Starts the proxy of the stage cache (cache_proxy.h), also as root. If it
 * fails the cache is not used. */
static void start_cache(struct act_call *c, struct slu_stage_part *part)
{
	const struct slu_staging *q = c->q;
	struct slu_err err;

	if (!q->n->cache || q->act != SLU_COPY || q->stage->out)
		return;
	if (slu_cache_proxy_start(&c->cache, &q->n->cache->of, &err))
		slu_node_log(q->n, SLU_WARN, "stage cache: %s", err.text);
	else
		part->cache = &c->cache.use;
	slu_stage_cache_close(&q->n->cache->cache); /* the user's no more */
}

/* Without a journal a copy is repeated after a crash. */
static int open_journal(const struct act_call *c)
{
	char id[SLU_STAGING_ID], name[64], path[PATH_MAX];
	int fd;

	if (c->q->act != SLU_COPY)
		return 0;
	slu_staging_id(c->q, c->q->attempt, id);
	snprintf(name, sizeof(name), "done.%s.journal", id);
	slu_note_path(c->q->n, name, path);
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? 0 : fd;
}

/* Can each node read what it holds of the job's file system without its client,
 * from one device, and do all nodes that hold data take part? Others cannot see
 * that data. */
static bool all_hold(const struct slu_staging *q)
{
	const struct slu_plan *plan = &q->n->plan;
	bool all = q->n->driver->holds && !plan->use &&
		   !slu_fstype_in_pieces(plan) && !slu_plan_is_spread(plan);

	for (size_t i = 0; all && i < plan->n_node; i++)
		all = plan->node[i].client || plan->node[i].staging;
	return all;
}

/* Opens the directory with the files that this node holds
 * (staging/acts/held_source.h), as root: users cannot reach it. */
static int open_held(const struct slu_staging *q, struct slu_stage_part *part,
		     struct slu_err *err)
{
	char held[PATH_MAX], path[PATH_MAX + 8];

	if (!part->content || q->act < SLU_VERIFY || q->act > SLU_FINISH ||
	    !all_hold(q))
		return 0;
	part->held_source = q->stage->out;
	part->held = -1;
	if (q->n->plan.node[q->n->self].client)
		return 0;
	q->n->driver->holds(&q->n->in, held);
	snprintf(path, sizeof(path), "%s/data", held);
	part->held = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return part->held < 0 ? slu_errno(err, SLU_IO, "cannot open %s", path)
			      : 0;
}

static int walk(struct act_call *c, struct slu_stage_part *part,
		struct slu_stage_result *result, struct slu_err *err)
{
	const struct slu_plan *plan = &c->q->n->plan;
	char path[PATH_MAX];
	pid_t pid = -1;
	int rc;

	manifest_path(c->q, path);
	part->manifest = slu_drain_start(path, &pid, err);
	if (part->manifest < 0 || make_claims(c->q, err))
		return -1;
	rc = slu_aside_become(c->aside, plan->uid, plan->gid, err) ||
	     slu_stage(SLU_PREPARE, part, result, err);
	/* the pipe's error is the cause */
	if (slu_drain_end(part->manifest, pid, err))
		rc = -1;
	return rc ? -1 : 0;
}

int slu_staging_act(struct slu_aside *aside, void *arg, void *out,
		    struct slu_err *err)
{
	struct act_call c = {.q = arg, .aside = aside};
	const struct slu_plan *plan = &c.q->n->plan;
	struct slu_stage_result result;
	struct slu_stage_part part;
	char path[PATH_MAX];

	describe(&c, &part);
	part.journal = open_journal(&c);
	part.known = part.quick && c.q->stage->out
			     ? slu_early_notes(c.q->n, c.q->r, O_RDONLY)
			     : 0;
	manifest_path(c.q, path);
	if (c.q->n->driver->interposed) {
		if (slu_interposed_act(c.q->n, aside, (int)c.q->act, &part,
				       path, &result, err))
			return -1;
	} else if (c.q->act == SLU_PREPARE) {
		if (walk(&c, &part, &result, err))
			return -1;
	} else {
		part.manifest = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (part.manifest < 0)
			return slu_errno(err, SLU_IO, "no manifest");
		start_cache(&c, &part);
		if (open_held(c.q, &part, err) ||
		    start_claims(&c, &part, err) ||
		    slu_aside_become(aside, plan->uid, plan->gid, err) ||
		    slu_stage(c.q->act, &part, &result, err))
			return -1;
	}
	memcpy(out, &result, sizeof(result));
	return 0;
}
_Static_assert(sizeof(struct slu_stage_result) <= SLU_ASIDE_OUT, "fits");

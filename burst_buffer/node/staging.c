/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One request of the plan, from the walk to the last check, as this node's
 * part of it. With a shared file system the nodes meet between the acts, and
 * the manifest lies in .sluice/ where all read it; else each node does a whole
 * of its own and meets nobody.
 *
 * An act that is done is noted, and never done again: others may already be
 * working with what it made. Of a copy that was cut short the journal tells
 * what was done. Who copies what of a shared file system is settled beside the
 * manifest (claims.h). Everything that touches the file systems is done
 * in children, which are the user for all but the manifest.
 */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/staging/claims.h"
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/stage.h"
#include "common/file.h"
#include "common/size.h"

struct request {
	struct slu_node *n;
	size_t r;
	const struct slu_stage *stage;
	const char *way;	/* "in", "out" */
	unsigned self, members; /* among those that copy; self is UINT_MAX
				 * for one that does not */
	struct slu_stage_result total; /* of this node, over all acts */
	enum slu_act_name act;	       /* the one that is being played */
	uint64_t since;		       /* of driver->whole, before the check */
	double asked; /* when sluiced was last asked for abort */
};

static const char *const act_names[] = {
	[SLU_PREPARE] = "manifest",
	[SLU_COPY] = "copied",
	[SLU_VERIFY] = "verified",
	[SLU_FINISH] = "finished",
};

/* Acts in a child */

struct act_call {
	struct request *q;
	enum slu_act_name act;
	struct slu_aside *aside;
	/* In the child: */
	uint64_t bytes, files; /* told so far */
	struct slu_claims_proxy proxy;
	struct slu_claims claims;
};

static int told(void *arg, uint64_t bytes, uint64_t files)
{
	struct act_call *c = arg;

	c->bytes += bytes;
	c->files += files;
	slu_aside_tell(c->aside, c->bytes, c->files);
	return 0;
}

static void manifest_path(const struct request *q, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/.sluice/%s.%zu", q->n->root, q->way, q->r);
}

enum slu_stage_what slu_stage_what(const char *type)
{
	static const char *const words[] = {
		[SLU_WHAT_FILE] = "file",
		[SLU_WHAT_LIST] = "list",
		[SLU_WHAT_ANY] = "auto",
	};

	for (int i = SLU_WHAT_FILE; i <= SLU_WHAT_ANY; i++)
		if (slu_eq(type, words[i]))
			return (enum slu_stage_what)i;
	return SLU_WHAT_DIRECTORY;
}

static void describe(struct act_call *c, struct slu_stage_part *part)
{
	const struct request *q = c->q;
	*part = (struct slu_stage_part){
		.source = q->stage->source,
		.destination = q->stage->destination,
		.what = slu_stage_what(q->stage->type),
		.plain_source = q->n->driver->interposed && q->stage->out,
		.plain_destination = q->n->driver->interposed && !q->stage->out,
		.below = q->stage->out ? slu_node_below(q->n) : NULL,
		.fs_root = q->n->data,
		.self = q->self,
		.n = q->members,
		.durable = q->stage->out,
		.content = q->stage->content,
		.quick = slu_mover_has_been(q->n, q->r) ||
			 (q->stage->out && slu_early_has_been(q->n, q->r)),
		.progress = told,
		.arg = c,
	};
}

static void claims_path(const struct request *q, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/.sluice/%s.%zu.claims", q->n->root, q->way,
		 q->r);
}

static int make_claims(const struct request *q, struct slu_err *err)
{
	char path[PATH_MAX];

	claims_path(q, path);
	if (q->members > 1 && mkdir(path, 0700) && errno != EEXIST)
		return slu_errno(err, SLU_IO,
				 "cannot share the work in the job's file "
				 "system");
	return 0;
}

/* By root, as long as this process is it. */
static int start_claims(struct act_call *c, struct slu_stage_part *part,
			struct slu_err *err)
{
	char path[PATH_MAX];

	if (c->q->members < 2 || c->q->n->driver->interposed)
		return 0;
	claims_path(c->q, path);
	c->claims = (struct slu_claims){slu_claims_proxy_take,
					slu_claims_proxy_look,
					slu_claims_proxy_whose, &c->proxy};
	part->claims = &c->claims;
	return slu_claims_proxy_start(&c->proxy, path, c->q->self,
				      c->q->members * SLU_STAGE_CHUNKS, err);
}

/* What cannot be kept is done again after a crash. */
static int open_journal(const struct act_call *c)
{
	char name[64], path[PATH_MAX];
	int fd;

	if (c->act != SLU_COPY)
		return 0;
	snprintf(name, sizeof(name), "done.%s.%zu.journal", c->q->way, c->q->r);
	slu_note_path(c->q->n, name, path);
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? 0 : fd;
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
	if (slu_drain_end(part->manifest, pid, err)) /* it is the cause */
		rc = -1;
	return rc ? -1 : 0;
}

static int play(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	struct act_call *c = arg;
	const struct slu_plan *plan = &c->q->n->plan;
	struct slu_stage_result result;
	struct slu_stage_part part;
	char path[PATH_MAX];

	c->aside = aside;
	describe(c, &part);
	part.journal = open_journal(c);
	if (c->q->n->driver->interposed) {
		manifest_path(c->q, path);
		if (slu_interposed_act(c->q->n, aside, (int)c->act, &part, path,
				       &result, err))
			return -1;
	} else if (c->act == SLU_PREPARE) {
		if (walk(c, &part, &result, err))
			return -1;
	} else {
		manifest_path(c->q, path);
		part.manifest = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (part.manifest < 0)
			return slu_errno(err, SLU_IO, "no manifest");
		if (start_claims(c, &part, err) ||
		    slu_aside_become(aside, plan->uid, plan->gid, err) ||
		    slu_stage(c->act, &part, &result, err))
			return -1;
	}
	memcpy(out, &result, sizeof(result));
	return 0;
}
_Static_assert(sizeof(struct slu_stage_result) <= SLU_ASIDE_OUT, "fits");

/* Has the job been cancelled? Asked the more rarely the more nodes ask. */
static int tick(void *arg, uint64_t bytes, uint64_t files)
{
	struct request *q = arg;
	struct slu_answer answer;
	bool stop;

	(void)files;
	if (q->act == SLU_COPY)
		q->n->copied = q->total.bytes + bytes;
	if (slu_now_mono() < q->asked + 2 + (double)q->n->plan.n_node / 100)
		return 0;
	q->asked = slu_now_mono();
	if (slu_talk_poll(q->n, 5, &answer, NULL))
		return 0;
	stop = slu_eq(answer.word, "abort") || slu_eq(answer.word, "left");
	slu_msg_clear(&slu_answer_desc, &answer);
	return stop;
}

/* What is noted of an act: what it did, for the report after a restart. */

static void note_name(const struct request *q, enum slu_act_name act,
		      char name[64])
{
	snprintf(name, 64, "done.%s.%zu.%s", q->way, q->r, act_names[act]);
}

static bool was_done(struct request *q, enum slu_act_name act)
{
	struct slu_stage_result *t = &q->total;
	uint64_t bytes, files;
	char name[64], *text;
	bool done;

	note_name(q, act, name);
	text = slu_note_get(q->n, name);
	done = text &&
	       sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		      &bytes, &files, &t->total_bytes, &t->total_files) == 4;
	free(text);
	if (done && act <= SLU_COPY) {
		t->bytes += bytes;
		t->files += files;
	}
	return done;
}

static int note_done(struct request *q, enum slu_act_name act,
		     const struct slu_stage_result *r, struct slu_err *err)
{
	struct slu_stage_result *t = &q->total;
	char name[64], text[100];

	if (act <= SLU_COPY) {
		t->bytes += r->bytes;
		t->files += r->files;
	}
	t->total_bytes = r->total_bytes;
	t->total_files = r->total_files;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", r->bytes,
		 r->files, r->total_bytes, r->total_files);
	note_name(q, act, name);
	return slu_note_put(q->n, name, 0600, text, err);
}

static void log_act(struct request *q, enum slu_act_name act, double seconds,
		    const struct slu_stage_result *r)
{
	char size[SLU_SIZE_TEXT], time[SLU_TIME_TEXT], what[128] = "";

	switch (act) {
	case SLU_PREPARE:
		snprintf(what, sizeof(what), ": %" PRIu64 " files, %s",
			 r->total_files, slu_size_text(r->total_bytes, size));
		break;
	case SLU_COPY: /* with the links that the manifest's walk has made */
		snprintf(what, sizeof(what),
			 ": %" PRIu64 " of %" PRIu64 " files, %s",
			 q->total.files, r->total_files,
			 slu_size_text(r->bytes, size));
		break;
	case SLU_VERIFY:
		snprintf(what, sizeof(what),
			 ": %" PRIu64 " of %" PRIu64 " files", r->files,
			 r->total_files);
		break;
	case SLU_FINISH:
		break;
	}
	slu_node_log(q->n, SLU_INFO, "stage_%s %zu %s%s in %s", q->way, q->r,
		     act_names[act], what, slu_seconds_text(seconds, time));
	if (r->skipped)
		slu_node_log(q->n, SLU_WARN,
			     "stage_%s %zu: %" PRIu64
			     " sockets, pipes or devices were left out, one is "
			     "%s",
			     q->way, q->r, r->skipped, r->first_skipped);
}

/* The user's cancelling, and sluiced's own words, are known by their kind. */
static int aside_failed(struct slu_err *err)
{
	if (err->kind == SLU_BUSY)
		return slu_err(err, SLU_DENIED, "stopped");
	if (err->kind == SLU_DENIED)
		err->kind = SLU_IO; /* that is sluiced's word */
	return -1;
}

/* A manifest that was made while a part was away lacks its files, and nothing
 * that is done by it later tells. */
static int whole_since(const struct request *q, struct slu_err *err)
{
	const struct slu_driver *driver = q->n->driver;
	uint64_t now = q->since;

	if (!q->stage->out || !driver->whole)
		return 0;
	if (driver->whole(&q->n->in, &now, err))
		return -1;
	return now == q->since
		       ? 0
		       : slu_err(err, SLU_IO,
				 "a part of the job's file system was away "
				 "while its files were listed");
}

static int check_whole(struct request *q, struct slu_err *err)
{
	const struct slu_driver *driver = q->n->driver;

	if (q->stage->out && driver->whole &&
	    driver->whole(&q->n->in, &q->since, err))
		return -1;
	return driver->check(&q->n->in, err);
}

static int too_long(const struct request *q, struct slu_err *err)
{
	return slu_err(err, SLU_TIMEOUT, "it took longer than %s",
		       q->stage->out ? "StageOutTimeout" : "StageInTimeout");
}

static int do_act(struct request *q, enum slu_act_name act, struct slu_err *err)
{
	struct act_call call = {.q = q, .act = act};
	struct slu_aside aside = {
		.fn = play,
		.arg = &call,
		.seconds = q->n->deadline - slu_now_mono(),
		.tick = tick,
		.tick_arg = q,
	};
	struct slu_stage_result result;
	char out[SLU_ASIDE_OUT];
	double start = slu_now_mono();

	if (was_done(q, act))
		return 0;
	q->act = act;
	q->n->to_copy = q->total.total_bytes;
	if (aside.seconds <= 0)
		return too_long(q, err);
	if (slu_aside(&aside, "staging", out, err))
		return err->kind == SLU_TIMEOUT ? too_long(q, err)
						: aside_failed(err);
	memcpy(&result, out, sizeof(result));
	if (act == SLU_PREPARE && whole_since(q, err))
		return -1;
	if (note_done(q, act, &result, err))
		return -1;
	log_act(q, act, slu_now_mono() - start, &result);
	if (act == SLU_COPY)
		slu_mover_log(q->n, q->r, &result);
	return 0;
}

static int meet(struct request *q, enum slu_act_name act, struct slu_err *err)
{
	char name[64];

	snprintf(name, sizeof(name), "%s.%zu.%s", q->way, q->r, act_names[act]);
	return slu_talk_meet(q->n, name, err);
}

static int report_share(struct request *q, double start, struct slu_err *err)
{
	char step[64];
	struct slu_report r = {
		.step = step,
		.ok = true,
		.phase = q->stage->out ? "stage_out" : "stage_in",
		.seconds = slu_now_mono() - start,
		.bytes = q->total.bytes,
		.files = q->total.files,
		.total_bytes = q->total.total_bytes,
		.total_files = q->total.total_files,
	};

	snprintf(step, sizeof(step), "%s.%zu.share", q->way, q->r);
	return slu_talk_step(q->n, &r, err);
}

/* Which of the nodes that copy are we? */
static void find_place(struct request *q)
{
	const struct slu_plan *plan = &q->n->plan;

	if (!q->n->driver->shared) {
		q->self = 0;
		q->members = 1;
		return;
	}
	q->self = UINT_MAX;
	for (size_t i = 0; i < plan->n_node; i++) {
		if (!plan->node[i].staging)
			continue;
		if (i == q->n->self)
			q->self = q->members;
		q->members++;
	}
}

/* The manifest; and what the site's own program may do by it. */
static int prepare(struct request *q, struct slu_err *err)
{
	if (do_act(q, SLU_PREPARE, err))
		return -1;
	if (!slu_mover_moves(q->n, q->r, q->total.total_bytes) ||
	    !slu_mover_run(q->n, q->r, tick, q, err))
		return 0;
	return aside_failed(err);
}

static int stage_alone(struct request *q, double start, struct slu_err *err)
{
	if (prepare(q, err))
		return -1;
	for (int act = SLU_COPY; act <= SLU_FINISH; act++)
		if (do_act(q, (enum slu_act_name)act, err))
			return -1;
	if (q->n->driver->check(&q->n->in, err))
		return -1;
	return report_share(q, start, err);
}

static int stage_together(struct request *q, double start, struct slu_err *err)
{
	bool member = q->self != UINT_MAX, leader = q->self == 0;

	if ((leader && prepare(q, err)) || meet(q, SLU_PREPARE, err) ||
	    (member && do_act(q, SLU_COPY, err)) || meet(q, SLU_COPY, err) ||
	    (member && do_act(q, SLU_VERIFY, err)))
		return -1;
	/* With a part of the file system missing, all of this means nothing. */
	if (q->n->driver->check(&q->n->in, err) ||
	    report_share(q, start, err) || meet(q, SLU_VERIFY, err))
		return -1;
	return leader ? do_act(q, SLU_FINISH, err) : 0;
}

int slu_node_stage(struct slu_node *n, size_t r, struct slu_err *err)
{
	struct request q = {
		.n = n,
		.r = r,
		.stage = &n->plan.stage[r],
		.way = n->plan.stage[r].out ? "out" : "in",
		.asked = slu_now_mono(),
	};
	double start = slu_now_mono();

	find_place(&q);
	if (check_whole(&q, err))
		return -1;
	return n->driver->shared ? stage_together(&q, start, err)
				 : stage_alone(&q, start, err);
}

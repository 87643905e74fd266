/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stages one request of the plan on this node: runs the acts of staging/stage.h
 * one after the other, each in a child (staging_child.c), and meets the other
 * nodes between them. On a shared file system all nodes use one manifest, in
 * .sluice/; otherwise each node has its own data and manifest and meets no
 * other.
 *
 * A finished act is noted and not repeated after an interruption, as other
 * nodes may already use its result; COPY continues by its journal. If a node
 * with a share is lost, the others begin the request again without it: the
 * barrier's answer names the same missing nodes to all (wire/node.h).
 */
#include "config.h"
#include "burst_buffer/node/stage/staging.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/cache/input_cache.h"
#include "burst_buffer/node/stage/job_output.h"
#include "burst_buffer/node/stage/mover.h"
#include "burst_buffer/node/stage/staging_child.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/node/talk.h"
#include "common/size.h"

#define DISCARD 20.0	   /* seconds, at most */
#define HELD	" held"	   /* in the note of VERIFY */
#define CACHED	" cached " /* in that of COPY, with its three numbers */

static const char *const act_names[] = {
	[SLU_PREPARE] = "manifest",  [SLU_COPY] = "copied",
	[SLU_VERIFY] = "verified",   [SLU_FINISH] = "finished",
	[SLU_DISCARD] = "discarded",
};

/* Was the job cancelled? The more nodes there are, the less often each asks. */
static int tick(void *arg, uint64_t bytes, uint64_t files)
{
	struct slu_staging *q = arg;
	struct slu_answer answer;
	bool stop;

	if (q->act == SLU_COPY) {
		q->n->copied = q->total.bytes + bytes;
		q->n->copied_files = q->total.files + files;
	}
	if (slu_now_mono() < q->asked + 2 + (double)q->n->plan.n_node / 100)
		return 0;
	q->asked = slu_now_mono();
	if (slu_talk_poll(q->n, 5, &answer, NULL))
		return 0;
	stop = slu_eq(answer.word, "abort") || slu_eq(answer.word, "left");
	slu_msg_clear(&slu_answer_desc, &answer);
	return stop;
}

/* The note of an act has its result, for the report after a restart. */

static void note_name(const struct slu_staging *q, enum slu_act_name act,
		      char name[64])
{
	char id[SLU_STAGING_ID];

	slu_staging_id(q, q->attempt, id);
	snprintf(name, 64, "done.%s.%s", id, act_names[act]);
}

static bool was_done(struct slu_staging *q, enum slu_act_name act)
{
	struct slu_stage_result *t = &q->total;
	uint64_t bytes, files;
	const char *cached;
	char name[64], *text;
	bool done;

	note_name(q, act, name);
	text = slu_note_get(q->n, name);
	done = text &&
	       sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
		      &bytes, &files, &t->total_bytes, &t->total_files) == 4;
	if (done && act <= SLU_COPY) {
		t->bytes += bytes;
		t->files += files;
	}
	if (done && act == SLU_VERIFY) {
		q->verified = files;
		q->held = strstr(text, HELD);
	}
	cached = done && act == SLU_COPY ? strstr(text, CACHED) : NULL;
	if (cached)
		sscanf(cached, CACHED "%" SCNu64 " %" SCNu64 " %" SCNu64,
		       &t->cached.hits, &t->cached.misses, &t->cached.bytes);
	free(text);
	return done;
}

/* If it cannot be noted, it is done again after an interruption. */
static void note_done(struct slu_staging *q, enum slu_act_name act,
		      const struct slu_stage_result *r)
{
	struct slu_err err;
	struct slu_stage_result *t = &q->total;
	char name[64], text[200], cached[80] = "";

	if (act <= SLU_COPY) {
		t->bytes += r->bytes;
		t->files += r->files;
	}
	t->total_bytes = r->total_bytes;
	t->total_files = r->total_files;
	if (act == SLU_COPY && r->cached.hits + r->cached.misses) {
		t->cached = r->cached;
		snprintf(cached, sizeof(cached),
			 CACHED "%" PRIu64 " %" PRIu64 " %" PRIu64,
			 r->cached.hits, r->cached.misses, r->cached.bytes);
	}
	if (act == SLU_VERIFY) {
		q->verified = r->files;
		q->held = r->held;
	}
	snprintf(text, sizeof(text),
		 "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "%s%s\n",
		 r->bytes, r->files, r->total_bytes, r->total_files,
		 r->held ? HELD : "", cached);
	note_name(q, act, name);
	if (slu_note_put(q->n, name, 0600, text, &err))
		slu_node_log(q->n, SLU_WARN, "%s", err.text);
}

static void log_act(struct slu_staging *q, enum slu_act_name act,
		    double seconds, const struct slu_stage_result *r)
{
	char size[SLU_SIZE_TEXT], time[SLU_TIME_TEXT], what[200] = "";

	switch (act) {
	case SLU_PREPARE:
		snprintf(what, sizeof(what), ": %" PRIu64 " files, %s",
			 r->total_files, slu_size_text(r->total_bytes, size));
		break;
	case SLU_COPY: /* with the links that the walk has made */
		snprintf(what, sizeof(what),
			 ": %" PRIu64 " of %" PRIu64 " files, %s",
			 q->total.files, r->total_files,
			 slu_size_text(r->bytes, size));
		if (r->cached.hits)
			snprintf(what + strlen(what),
				 sizeof(what) - strlen(what),
				 ", %s of it from the stage cache",
				 slu_size_text(r->cached.bytes, size));
		break;
	case SLU_VERIFY:
		snprintf(what, sizeof(what),
			 " %s%s: %" PRIu64 " of %" PRIu64 " files",
			 r->held	     ? SLU_BY_HOLDERS
			 : q->stage->content ? "by content"
					     : "by size and time",
			 q->members > 1 && !r->held
				 ? " of what other nodes copied"
				 : "",
			 r->files, r->total_files);
		break;
	case SLU_FINISH:
	case SLU_DISCARD:
		break;
	}
	slu_node_log(q->n, SLU_INFO, "stage_%s %zu %s%s in %s", q->way, q->r,
		     act_names[act], what, slu_seconds_text(seconds, time));
	if (r->skipped)
		slu_node_log(q->n, SLU_WARN,
			     "stage_%s %zu: %" PRIu64
			     " sockets, pipes, devices or remains of an "
			     "earlier staging were left out, one is %s",
			     q->way, q->r, r->skipped, r->first_skipped);
	if (r->gone)
		slu_node_log(q->n, SLU_WARN,
			     "stage_%s %zu: %" PRIu64
			     " files that were declared by sluice-stage-out "
			     "have been removed or renamed since; what had "
			     "arrived of them by then stays",
			     q->way, q->r, r->gone);
	if (r->in_place)
		slu_node_log(q->n, SLU_WARN,
			     "stage_%s %zu: %" PRIu64
			     " files were written in place, as no file may be "
			     "made or renamed beside them, one is %s",
			     q->way, q->r, r->in_place, r->first_in_place);
}

/* Sets the kind of a failed act's error: SLU_DENIED if the job was cancelled,
 * as for sluiced's "abort"; another SLU_DENIED becomes SLU_IO. */
static int aside_failed(struct slu_err *err)
{
	if (err->kind == SLU_BUSY)
		return slu_err(err, SLU_DENIED, "stopped");
	if (err->kind == SLU_DENIED)
		/* SLU_DENIED is reserved for sluiced's "abort" */
		err->kind = SLU_IO;
	return -1;
}

/* A manifest that was made while a part of the file system was missing lacks
 * its files, and no later check notices. */
static int whole_since(const struct slu_staging *q, struct slu_err *err)
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
				 "a part of the job's file system was "
				 "unreachable while its files were listed");
}

static int check_whole(struct slu_staging *q, struct slu_err *err)
{
	const struct slu_driver *driver = q->n->driver;

	if (q->stage->out && driver->whole &&
	    driver->whole(&q->n->in, &q->since, err))
		return -1;
	return driver->check(&q->n->in, err);
}

static int too_long(const struct slu_staging *q, const char *what,
		    struct slu_err *err)
{
	return slu_err(err, SLU_TIMEOUT, "%s took longer than %s", what,
		       q->stage->out ? "StageOutTimeout" : "StageInTimeout");
}

static int do_act(struct slu_staging *q, enum slu_act_name act,
		  struct slu_err *err)
{
	struct slu_aside aside = {
		.fn = slu_staging_act,
		.arg = q,
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
	q->begun |= act >= SLU_COPY;
	q->n->to_copy = q->total.total_bytes;
	q->n->files_to_copy = q->total.total_files;
	if (aside.seconds <= 0)
		return too_long(q, "it", err);
	if (slu_aside(&aside, "staging", out, err))
		return err->kind == SLU_TIMEOUT ? too_long(q, "it", err)
						: aside_failed(err);
	memcpy(&result, out, sizeof(result));
	if (act == SLU_PREPARE && whole_since(q, err))
		return -1;
	if (q->n->cache && act == SLU_COPY)
		q->n->cache->added |= result.cached.misses > 0;
	note_done(q, act, &result);
	log_act(q, act, slu_now_mono() - start, &result);
	if (act == SLU_COPY)
		slu_mover_log(q->n, q->r, &result);
	return 0;
}

/* Does node i copy? The plan names the nodes that do; if all of those were
 * lost, all others copy. */
static bool copies(const struct slu_staging *q, size_t i)
{
	const struct slu_plan_node *node = &q->n->plan.node[i];

	return (q->all || node->staging) &&
	       !slu_hosts_sorted_has(&q->n->away, node->name);
}

static void find_place(struct slu_staging *q)
{
	q->self = UINT_MAX;
	q->members = 0;
	for (size_t i = 0; i < q->n->plan.n_node; i++) {
		if (!copies(q, i))
			continue;
		if (i == q->n->self)
			q->self = q->members;
		q->members++;
	}
}

static bool one_is_missing(const struct slu_staging *q)
{
	struct slu_staging now = *q;

	find_place(&now);
	return now.members < q->members;
}

/* Meets the other nodes at a barrier after an act. 1: start again, as a node
 * with a share was lost. */
static int meet(struct slu_staging *q, enum slu_act_name act,
		struct slu_err *err)
{
	char id[SLU_STAGING_ID], name[64];

	slu_staging_id(q, q->attempt, id);
	snprintf(name, sizeof(name), "%s.%s", id, act_names[act]);
	return slu_talk_arrive(q->n, name, err) ? -1 : one_is_missing(q);
}

/* Files that were not verified are not reported, so that the sum shows them
 * missing. */
static int report_share(struct slu_staging *q, double start,
			struct slu_err *err)
{
	char step[64];
	struct slu_report r = {
		.step = step,
		.ok = true,
		.phase = q->stage->out ? "stage_out" : "stage_in",
		.seconds = slu_now_mono() - start,
		.text = q->held ? (char *)SLU_BY_HOLDERS : NULL,
		.bytes = q->total.bytes,
		.files = q->held ? q->verified : q->total.files,
		.total_bytes = q->total.total_bytes,
		.total_files = q->total.total_files,
		.cache_hits = q->total.cached.hits,
		.cache_misses = q->total.cached.misses,
		.cache_bytes = q->total.cached.bytes,
	};

	snprintf(step, sizeof(step), "%s.%zu.share", q->way, q->r);
	return slu_talk_step(q->n, &r, err);
}

/* Makes the manifest, and runs the site's own program if it copies this
 * request. */
static int prepare(struct slu_staging *q, struct slu_err *err)
{
	if (do_act(q, SLU_PREPARE, err))
		return -1;
	if (!slu_stage_uses_mover(q->n, q->r, q->total.total_bytes) ||
	    !slu_mover_run(q->n, q->r, tick, q, err))
		return 0;
	return err->kind == SLU_TIMEOUT ? too_long(q, q->n->conf->mover[0], err)
					: aside_failed(err);
}

static int look_whether_stored(struct slu_aside *aside, void *arg, void *out,
			       struct slu_err *err)
{
	const struct slu_node *n = arg;

	(void)aside, (void)out;
	return slu_devices_stored(n, err);
}

/* The kernel reports a write error once, and there may be more to stage out. */
#define UNSTORED "unstored"

/* Reads may have come from the page cache while this node's disk has refused
 * the data. */
static int check_stored(struct slu_staging *q, struct slu_err *err)
{
	struct slu_aside aside = {.fn = look_whether_stored,
				  .arg = q->n,
				  .seconds = q->n->deadline - slu_now_mono()};
	char *was = q->stage->out ? slu_note_get(q->n, UNSTORED) : NULL;
	int rc = 0;

	if (was)
		rc = slu_err(err, SLU_IO, "%s", slu_trim(was));
	else if (q->stage->out &&
		 slu_aside(&aside, "the node's disk", NULL, err)) {
		rc = err->kind == SLU_TIMEOUT ? too_long(q, "it", err) : -1;
		if (err->kind == SLU_IO)
			slu_note_put(q->n, UNSTORED, 0600, err->text, NULL);
	}
	free(was);
	return rc;
}

static int stage_alone(struct slu_staging *q, struct slu_err *err)
{
	q->self = 0;
	q->members = 1;
	if (prepare(q, err))
		return -1;
	for (int act = SLU_COPY; act <= SLU_FINISH; act++)
		if ((act == SLU_FINISH && check_stored(q, err)) ||
		    do_act(q, (enum slu_act_name)act, err))
			return -1;
	return q->n->driver->check(&q->n->in, err);
}

static int play(struct slu_staging *q, enum slu_act_name act,
		struct slu_err *err)
{
	const bool member = q->self != UINT_MAX, leader = q->self == 0;

	switch (act) {
	case SLU_PREPARE:
		return leader ? prepare(q, err) : 0;
	case SLU_COPY:
		return member ? do_act(q, act, err) : 0;
	case SLU_VERIFY:
		if ((member && do_act(q, act, err)) || check_stored(q, err))
			return -1;
		/* If a part of the file system is missing, nothing of this
		 * counts. */
		return q->n->driver->check(&q->n->in, err);
	case SLU_FINISH:
		return leader ? do_act(q, act, err) : 0;
	case SLU_DISCARD:
		break;
	}
	return 0;
}

/* Runs all acts together with the other nodes. Returns as meet(). */
static int stage_together(struct slu_staging *q, struct slu_err *err)
{
	int rc = 0;

	q->all = false;
	find_place(q);
	if (!q->members) {
		q->all = true;
		find_place(q);
	}
	for (int act = SLU_PREPARE; !rc && act <= SLU_FINISH; act++)
		rc = play(q, (enum slu_act_name)act, err)
			     ? -1
			     : meet(q, (enum slu_act_name)act, err);
	return rc;
}

/* Unverified files must not stay at the destination. A later staging of this
 * job removes what stays all the same. */
static void discard(struct slu_staging *q)
{
	struct slu_aside aside = {
		.fn = slu_staging_act, .arg = q, .seconds = DISCARD};
	char out[SLU_ASIDE_OUT];
	struct slu_err err;

	q->act = SLU_DISCARD;
	if (q->stage->out && q->self != UINT_MAX && q->begun &&
	    slu_aside(&aside, "staging", out, &err))
		slu_node_log(q->n, SLU_WARN,
			     "stage_%s %zu: files *.%s may be left at %s: %s",
			     q->way, q->r, q->n->beside, q->stage->destination,
			     err.text);
}

/* Once all nodes have reported their shares the request is complete: a node
 * that is lost before it has reported fails it. */
int slu_node_stage(struct slu_node *n, size_t r, struct slu_err *err)
{
	struct slu_staging q = {
		.n = n,
		.r = r,
		.stage = &n->plan.stage[r],
		.way = n->plan.stage[r].out ? "out" : "in",
		.asked = slu_now_mono(),
	};
	double start = slu_now_mono();
	int rc;

	while (!(rc = check_whole(&q, err)) &&
	       (rc = n->driver->shared ? stage_together(&q, err)
				       : stage_alone(&q, err)) > 0) {
		slu_node_log(n, SLU_WARN,
			     "stage_%s %zu begins anew: a node was lost", q.way,
			     r);
		q.total = (struct slu_stage_result){0};
		q.held = false;
		q.attempt++;
	}
	if (!rc)
		return report_share(&q, start, err);
	discard(&q);
	slu_job_output_failure(n, q.stage->out, err);
	return -1;
}

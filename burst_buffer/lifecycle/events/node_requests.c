/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles what nodes ask and report: the plan, the steps that they have done,
 * polls, and arrivals at barriers. Each call notes a fact, calls reconcile.c,
 * and then answers from the buffer's record.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/events/barrier_answer.h"
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/reconcile/deadlines.h"
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/fullness.h"
#include "burst_buffer/lifecycle/reconcile/hetjob.h"
#include "burst_buffer/lifecycle/events/node_answers.h"
#include "burst_buffer/lifecycle/events/node_inventory.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/node_rows.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/lifecycle/recovery/recovery_ended.h"
#include "burst_buffer/lifecycle/recovery/recovery_running.h"
#include "burst_buffer/plan/plan.h"

#define NO_PART "%s has no part in the file system of job %u"

/* The buffer and the node in it that a request is about. */
struct place {
	struct slu_bb *bb;
	struct slu_bb_member *m;
	size_t i;
};

static struct slu_bb *find(const struct slu_buffers *b, uint32_t job_id,
			   uint64_t buffer)
{
	struct slu_bb *bb = slu_bb_of(b, job_id);

	while (bb && buffer && bb->plan.buffer != buffer)
		bb = slu_bb_older(bb);
	return bb;
}

static int locate(struct slu_buffers *b, uint32_t job_id, uint64_t buffer,
		  const char *node, struct place *at, struct slu_err *err)
{
	struct slu_bb *bb = find(b, job_id, buffer);
	long i;

	if (!bb)
		return slu_err(err, SLU_NOTFOUND,
			       "job %u has no file system (any more)",
			       (unsigned)job_id);
	i = slu_bb_index(bb, node);
	if (i < 0)
		return slu_err(err, SLU_NOTFOUND, NO_PART, node,
			       (unsigned)job_id);
	*at = (struct place){bb, &bb->member[i], (size_t)i};
	return 0;
}

/* The buffer that a report means. A node without notes does not know the number
 * of an instance: it may report that it is clean, for the newest run that has
 * ended; or why it cannot set up the run that has not. */
static int locate_report(struct slu_buffers *b, const struct slu_report *r,
			 struct place *at, struct slu_err *err)
{
	const bool clean = strcmp(r->step, "clean") == 0;
	const bool begins = strcmp(r->step, "failed") == 0 ||
			    strcmp(r->step, "missed") == 0;
	struct slu_bb *bb = slu_bb_of(b, r->job_id);

	if (r->buffer)
		return locate(b, r->job_id, r->buffer, r->node, at, err);
	while (clean && bb && !bb->end.at)
		bb = slu_bb_older(bb);
	if (!bb || (!clean && (bb->end.at || !begins)))
		return slu_err(err, SLU_NOTFOUND,
			       "job %u: no run with a file system has %s",
			       (unsigned)r->job_id, clean ? "ended" : "begun");
	return locate(b, r->job_id, bb->plan.buffer, r->node, at, err);
}

static int busy(struct slu_err *err, const char *what)
{
	return slu_err(err, SLU_BUSY, "%s", what);
}

static int set_string(char **out, const char *text, struct slu_err *err)
{
	*out = strdup(text);
	return *out ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

/* Plan */

/* May this node get the plan now? After a requeue the node may belong to the
 * next run, which slurmctld has not reported yet. The number of restarts shows
 * that, except for a heterogeneous job that could not start, whose restarts
 * Slurm does not count; its next run comes 20 minutes later. */
static int plan_allowed(const struct slu_bb *bb, const struct slu_node_ask *ask,
			double now, struct slu_err *err)
{
	if (bb->end.at && bb->end.requeued && ask->restarts > bb->restarts)
		return busy(err, "the job's next run is not yet known");
	if (bb->end.at)
		return slu_err(err, SLU_NOTFOUND, "the job has ended");
	if (bb->failure.text && !slu_bb_released(bb, now))
		return busy(err, "a failure waits until slurmctld has "
				 "carried out its verdict");
	if (bb->failure.text)
		return slu_err(err, SLU_DENIED, "%s", bb->failure.text);
	return 0;
}

/* The answer to a node that is in no plan of the run it means. That run may be
 * over, or not known yet; if neither, this node's part of the job goes on
 * without the buffer. */
static int no_part(const struct slu_bb *bb, const struct slu_node_ask *ask,
		   struct slu_err *err)
{
	if (!bb || bb->end.at || ask->restarts > bb->restarts)
		return busy(err, "slurmctld has not reported this job yet");
	if (ask->restarts < bb->restarts)
		return slu_err(err, SLU_NOTFOUND, "the job has ended");
	return slu_err(err, SLU_DENIED, NO_PART, ask->node,
		       (unsigned)ask->job_id);
}

int slu_buffers_plan(struct slu_buffers *b, const struct slu_node_ask *ask,
		     double now, struct slu_text **out, char **secret,
		     struct slu_err *err)
{
	struct slu_bb *bb = find(b, ask->job_id, ask->buffer);
	long i = bb ? slu_bb_index(bb, ask->node) : -1;
	const bool boots = bb && slu_bb_boots(bb);
	struct slu_plan used = {0};
	struct slu_text *text;
	char *key;

	if (i < 0)
		return no_part(bb, ask, err);
	if (plan_allowed(bb, ask, now, err) ||
	    slu_bb_booted(b, bb, (size_t)i, now, err) ||
	    slu_bb_set_node(b->db, bb, (size_t)i, SLU_NODE_FETCH, err))
		return -1;
	if (boots) { /* no more */
		slu_bb_request_effects(b, bb, SLU_EFFECT_STATE);
		slu_bb_carry_out(b, now);
	}
	text = slu_bb_plan_text(bb, false);
	/* the answers for a persistent buffer's servers are the buffer's own */
	used.job_id = bb->plan.use_job;
	used.buffer = bb->plan.use;
	key = slu_plan_secret(b->key, bb->plan.use ? &used : &bb->plan);
	if (!text || !key) {
		free(key);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	*out = slu_text_ref(text);
	*secret = key;
	return 0;
}

/* Report */

enum kind { UP, DOWN, OUT, DOUBT, CLEAN };

static const struct step {
	const char *name;
	bool prefix; /* every step that begins with "out." */
	enum kind kind;
	enum slu_node_event event; /* on success; 0: none */
	bool bad;		   /* applies even with ok */
	bool setup;		   /* valid only until the job runs */
	bool server;		   /* valid only while the job runs */
	const char *history_line;  /* the beginning of the history line of a
			      step that has succeeded; NULL: none */
} steps[] = {
	{"storage", .kind = UP},
	{"server", .kind = UP},
	{"attach", .kind = UP},
	{"in.", true, .kind = UP},
	{"ready", .kind = UP, .event = SLU_NODE_SET_UP},
	{"failed", .kind = UP, .bad = true},
	{"restarted", .kind = UP, .bad = true, .setup = true},
	{"missed", .kind = UP, .bad = true, .setup = true},
	{SLU_BB_BROKEN, .kind = UP, .bad = true, .server = true},
	{"down", .kind = DOWN, .event = SLU_NODE_BEGIN},
	{"outlived", .kind = OUT, .history_line = ""},
	{"out.", true, .kind = OUT},
	{"lost_data", .kind = OUT, .bad = true},
	{"aborted", .kind = OUT, .bad = true},
	{"doubted", .kind = DOUBT, .bad = true},
	{"stopped", .kind = CLEAN},
	{"held", .kind = CLEAN,
	 .history_line = "some of the storage is held: "},
	{"clean", .kind = CLEAN, .event = SLU_NODE_WIPED},
};

static const struct step *find_step(const char *name)
{
	size_t i, n = sizeof(steps) / sizeof(steps[0]);

	for (i = 0; i < n; i++)
		if (steps[i].prefix ? strncmp(name, steps[i].name,
					      strlen(steps[i].name)) == 0
				    : strcmp(name, steps[i].name) == 0)
			return &steps[i];
	return NULL;
}

static int fail_by(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		   const char *text, const struct slu_report *r, double now,
		   struct slu_err *err)
{
	char said[400];

	if (r->mistake)
		return slu_bb_mistaken(b, bb, node, text, now, err);
	if (!r->no_room)
		return slu_bb_fail(b, bb, now, err, "%s: %s", node, text);
	snprintf(said, sizeof(said), "%s: %s", node, text);
	return slu_bb_no_room(b, bb, node, said, now, err);
}

/* A step failed. During teardown that only concerns the node, which is drained
 * until it is clean. Earlier the buffer fails. */
static int went_wrong(struct slu_buffers *b, const struct place *at,
		      const struct slu_report *r, const struct step *step,
		      bool news, double now, struct slu_err *err)
{
	const enum kind kind = step->kind;
	const char *name = at->bb->plan.node[at->i].name;
	const char *text = r->text && *r->text ? r->text : r->step;

	if (step->server && at->bb->state == SLU_BB_RUNNING) {
		at->m->broken = true;
		/* a persistent one may have users that do not know */
		return news || at->bb->plan.persistent
			       ? slu_bb_lose_server(b, at->bb, name, text, now,
						    err)
			       : 0;
	}
	if (step->server)
		return 0;
	/* once the job runs, only an `up` that has not ended yet can have
	 * failed */
	if ((at->bb->state == SLU_BB_RUNNING && (kind != UP || step->setup)) ||
	    (kind == OUT && (at->m->state == SLU_NODE_LOST || /* it is known */
			     (at->m->broken && slu_bb_tolerates(at->bb)))))
		return news ? slu_bb_note(b->db, at->bb, text, now, err) : 0;
	if (news && kind == DOUBT)
		slu_bb_log(b, at->bb, SLU_WARN, "%s: %s", name, text);
	if ((news || !at->bb->failure.text) &&
	    fail_by(b, at->bb, name, text, r, now, err))
		return -1;
	if (kind != CLEAN || at->bb->plan.persistent ||
	    at->m->order == SLU_ORDER_DRAIN || at->m->state == SLU_NODE_CLEAN)
		return 0;
	return slu_bb_order(b, at->bb, at->i, SLU_ORDER_DRAIN, NULL, now, err);
}

/* A drained node is clean. */
static int went_clean(struct slu_buffers *b, const struct place *at, double now,
		      struct slu_err *err)
{
	if (at->m->state != SLU_NODE_CLEAN || at->m->order != SLU_ORDER_DRAIN)
		return 0;
	return slu_bb_order(b, at->bb, at->i, SLU_ORDER_RESUME, NULL, now, err);
}

static int note_step(struct slu_buffers *b, const struct place *at,
		     const struct slu_report *r, const struct step *step,
		     double now, struct slu_err *err)
{
	bool ok = r->ok && !step->bad;
	int news = slu_bb_step(b->db, at->bb, at->i, r, ok ? step->event : 0,
			       now, err);

	if (news < 0)
		return -1;
	if (!ok && went_wrong(b, at, r, step, news, now, err))
		return -1;
	if (ok && step->history_line && news &&
	    slu_bb_note_of_node(b, at->bb, r, step->history_line, now, err))
		return -1;
	if (went_clean(b, at, now, err))
		return -1;
	return slu_bb_reconcile(b, at->bb, now, err);
}

/* A node that stages out has begun `down`. The record may not have that, if an
 * older database was restored since. */
static int is_taken_down(struct slu_buffers *b, const struct place *at,
			 struct slu_err *err)
{
	return at->bb->end.at && at->m->state == SLU_NODE_READY
		       ? slu_bb_set_node(b->db, at->bb, at->i, SLU_NODE_BEGIN,
					 err)
		       : 0;
}

int slu_buffers_report(struct slu_buffers *b, const struct slu_report *report,
		       double now, struct slu_answer *out, struct slu_err *err)
{
	const struct step *step = find_step(report->step);
	const char *word = "go";
	struct place at;

	if (!step)
		return slu_err(err, SLU_INVALID, "unknown step %.40s",
			       report->step);
	if (locate_report(b, report, &at, err))
		return step->kind == DOUBT
			       ? slu_recover_doubted(b, report, out, err)
			       : -1;
	/* a node that cleans up has staged out */
	if (report->ran && step->kind != CLEAN &&
	    slu_recover_ran(b, at.bb, report->node, now, err))
		return -1;
	if (step->kind == OUT && is_taken_down(b, &at, err))
		return -1;
	if (step->kind == DOWN && !at.bb->end.at)
		return busy(err, "the job is not known to have ended");
	if (step->kind == DOWN && slu_hetjob_outlasts(b, at.bb) &&
	    at.bb->state == SLU_BB_RUNNING)
		return busy(err, "other components stage out");
	if (step->kind == UP && at.bb->end.at)
		return slu_bb_answer(at.bb, "abort", out, err);
	if (note_step(b, &at, report, step, now, err))
		return -1;
	if (step->kind == UP && slu_bb_up_word(at.bb, now, &word, err))
		return -1;
	if (step->kind == DOWN)
		word = slu_bb_down_word(at.bb);
	if (step->kind == OUT && slu_bb_failed_with_data(at.bb))
		word = "abort";
	return slu_bb_answer(at.bb, word, out, err);
}

/* Poll */

int slu_buffers_poll(struct slu_buffers *b, const struct slu_node_ask *ask,
		     double now, struct slu_answer *out, struct slu_err *err)
{
	const char *word = "plan";
	struct place at;
	int lost = slu_recover_running(b, ask, now, err);

	if (lost < 0)
		return -1;
	if (lost) {
		*out = (struct slu_answer){0};
		return set_string(&out->word, word, err);
	}
	if (locate(b, ask->job_id, ask->buffer, ask->node, &at, err) ||
	    (ask->ready && slu_recover_ran(b, at.bb, ask->node, now, err)) ||
	    slu_bb_poll_word(at.bb, at.i, now, &word, err))
		return -1;
	if (strcmp(word, "left") != 0)
		word = slu_bb_returned_word(b, at.bb, at.i, now, word);
	slu_bb_note_used(at.bb, at.i, ask->used_known, ask->used);
	slu_bb_notify_progress(b, at.bb, at.i, ask, now);
	if (ask->seen && strcmp(ask->seen, word) == 0)
		return busy(err, "nothing has changed");
	return slu_bb_answer(at.bb, word, out, err);
}

/* Barrier */

static int check_barrier(const struct slu_barrier *come, struct slu_err *err)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t n = strlen(come->name);

	if (n == 0 || n > 64 || strspn(come->name, allowed) != n)
		return slu_err(err, SLU_INVALID, "no name for a barrier");
	if (come->attr && strlen(come->attr) > SLU_BB_ATTR)
		return slu_err(err, SLU_INVALID, "the attribute is too long");
	return 0;
}

/* The node arrives at a barrier; its last attribute counts until the barrier
 * opens. */
static int come_to(struct slu_buffers *b, const struct place *at,
		   struct slu_bb_barrier *barrier, const char *attr, double now,
		   struct slu_err *err)
{
	char *copy;

	/* a server that was restarted listens at another address */
	if (at->bb->plan.persistent && barrier->open && attr && *attr &&
	    !slu_eq(barrier->attr[at->i], attr))
		return slu_bb_set_attr(b->db, at->bb, barrier, at->i, attr,
				       err);
	if (barrier->open)
		return 0;
	if (barrier->attr[at->i] &&
	    strcmp(barrier->attr[at->i], attr ? attr : "") == 0)
		/* perhaps storing that it is open failed */
		return slu_bb_all_came(at->bb, barrier)
			       ? slu_bb_reconcile(b, at->bb, now, err)
			       : 0;
	if (set_string(&copy, attr ? attr : "", err))
		return -1;
	slu_bb_barrier_attr(barrier, at->i, copy);
	return slu_bb_reconcile(b, at->bb, now, err);
}

/* The answer at a barrier of `up`: "go" once it is open, "abort" for nodes that
 * are too late. */
static int up_barrier_word(const struct slu_bb *bb,
			   const struct slu_bb_barrier *barrier, double now,
			   const char **word, struct slu_err *err)
{
	if (slu_bb_up_word(bb, now, word, err))
		return -1;
	/* a node that has passed it does not arrive again */
	if (bb->ready > 0 && strcmp(barrier->name, "ready") == 0)
		return 0;
	if (strcmp(*word, "go") == 0 && !barrier->open)
		return busy(err, "not all nodes have arrived");
	if (strcmp(*word, "go") == 0 && !bb->plan.givers &&
	    strcmp(barrier->name, SLU_BB_ROOM) == 0)
		*word = "plan"; /* the plan has changed: fetch it again */
	return 0;
}

static int down_barrier_word(const struct place *at,
			     const struct slu_bb_barrier *barrier,
			     const char **word, struct slu_err *err)
{
	return slu_bb_barrier_down(at->bb, barrier, at->i, word)
		       ? 0
		       : busy(err, "not all nodes have arrived");
}

int slu_buffers_barrier(struct slu_buffers *b, const struct slu_barrier *come,
			double now, struct slu_text **reply,
			struct slu_err *err)
{
	struct slu_bb_barrier *barrier;
	const char *word;
	struct place at;
	bool out, down;

	if (check_barrier(come, err) ||
	    locate(b, come->job_id, come->buffer, come->node, &at, err))
		return -1;
	out = strncmp(come->name, "out.", 4) == 0;
	if (out &&
	    ((come->ran && slu_recover_ran(b, at.bb, come->node, now, err)) ||
	     is_taken_down(b, &at, err)))
		return -1;
	if (at.m->state == SLU_NODE_PLANNED)
		return slu_err(err, SLU_INVALID, "%s has not asked for a plan",
			       come->node);
	barrier = slu_bb_barrier(at.bb, come->name);
	if (!barrier)
		return slu_err(err, SLU_NOMEM, "too many barriers");
	if (!slu_bb_barrier_shut(at.bb, barrier, at.i) &&
	    come_to(b, &at, barrier, come->attr, now, err))
		return -1;
	down = out || strcmp(come->name, "detached") == 0;
	if (down ? down_barrier_word(&at, barrier, &word, err)
		 : up_barrier_word(at.bb, barrier, now, &word, err))
		return -1;
	return slu_bb_barrier_answer(at.bb, barrier, word, reply, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that a buffer has failed, or was cancelled, and chooses the verdict:
 * what slurmctld is to do with the job, by the site's rules for the state
 * (OnSetupFailure and others). A job that was requeued several times is held
 * instead.
 */
#include "config.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/effects/phase_metrics.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "common/str.h"

#define REQUEUES 2
/* Each requeue without a node leaves one node less to try. */
#define REQUEUES_WITHOUT 8
/* after these an id may belong to another job */
#define SAME_JOB (30 * 86400.0)

static bool is_noted(const struct slu_buffers *b, const struct slu_bb *bb,
		     const char *text)
{
	int64_t n;

	return slu_db_value(b->db, &n, 0, NULL,
			    "SELECT COUNT(*) FROM BufferHistory"
			    " WHERE BID = ? AND State = ? AND Text = ?",
			    "Iis", (int64_t)bb->id, (int)bb->state,
			    text) == 0 &&
	       n > 0;
}

/* How many earlier runs of this job we have requeued, with some nodes excluded
 * or not. */
static int count_requeues(const struct slu_buffers *b, const struct slu_bb *bb,
			  bool without, int64_t *n, struct slu_err *err)
{
	static const char of_job[] =
		"SELECT COUNT(*) FROM Buffer WHERE JobID = ?"
		" AND Verdict <> ? AND What = ? AND Created > ?"
		" AND (Without IS NOT NULL) = ?";
	static const char of_creator[] =
		"SELECT COUNT(*) FROM Buffer WHERE JobID >= 4244635648"
		" AND CASE WHEN json_valid(Plan)"
		" THEN json_extract(Plan, '$.creator') END = ?"
		" AND Verdict <> ? AND What = ? AND Created > ?"
		" AND (Without IS NOT NULL) = ?";

	_Static_assert(SLU_PERSIST_FIRST == 4244635648, "as in the query");
	return slu_db_value(
		b->db, n, 0, err, bb->plan.early ? of_creator : of_job, "Iiidi",
		(int64_t)(bb->plan.early ? bb->plan.creator : bb->plan.job_id),
		(int)SLU_VERDICT_NONE, (int)SLU_REQUEUE, bb->created - SAME_JOB,
		(int)without);
}

enum cause {
	OWN,	   /* something in the buffer failed */
	MISTAKE,   /* something failed, as the request can never work */
	ROOM,	   /* something failed, as some nodes lack space */
	SERVER,	   /* a server of the buffer failed under a running job */
	CANCELLED, /* a person cancelled it */
	CUT_SHORT, /* Slurm ended the run because of a node */
};

/* Failures of RUNNING are those of a run that had a whole file system, whose
 * data is kept. Other failures in that state are of an `up` that had not ended
 * yet. */
static enum slu_bb_state phase_of(const struct slu_bb *bb, enum cause cause)
{
	if (cause == SERVER)
		return SLU_BB_RUNNING;
	return bb->state == SLU_BB_RUNNING ? SLU_BB_SETUP : bb->state;
}

/* The run began before this database knew it, and only its request is known. It
 * is not requeued just because the resource map was lost, too. */
static bool began_before(const struct slu_buffers *b, const struct slu_bb *bb)
{
	return !slu_bb_has_plan(bb) && !bb->plan.persistent && !bb->full &&
	       (double)bb->job_start < floor(b->loaded);
}

/* Is the space that it lacks on its nodes held by buffers that end by
 * themselves? Then the job waits and is not held. */
static bool others_end(const struct slu_buffers *b, const struct slu_bb *bb)
{
	long n;

	for (const struct slu_bb *o = b->first; o && bb->full; o = o->next) {
		if (o == bb || o->plan.persistent || o->state == SLU_BB_DONE)
			continue;
		for (size_t i = 0; i < bb->plan.n_node; i++) {
			n = slu_bb_index(o, bb->plan.node[i].name);
			if (n >= 0 && slu_bb_takes(o, (size_t)n))
				return true;
		}
	}
	return false;
}

/* The verdict for this failure; VERDICT_NONE when the failure does not decide
 * about the job, which has ended otherwise or runs again anyway. */
static int choose_verdict(struct slu_buffers *b, const struct slu_bb *bb,
			  enum cause cause, enum slu_bb_verdict *verdict,
			  enum slu_on_failure *what, struct slu_err *err)
{
	int64_t requeues;

	*verdict = SLU_VERDICT_SENT;
	*what = cause == CUT_SHORT ? SLU_COMPLETE : SLU_FAIL;
	if (cause == CUT_SHORT)
		return 0;
	if (bb->plan.persistent && !bb->plan.early) {
		*what = SLU_HOLD;
		if (bb->state != SLU_BB_SETUP)
			*verdict = SLU_VERDICT_NONE;
		return 0;
	}
	if (bb->plan.early && bb->state >= SLU_BB_RUNNING)
		*verdict = SLU_VERDICT_NONE; /* the run stages in itself */
	else if (cause == SERVER)
		*what = b->conf->on_server_loss;
	else if (began_before(b, bb))
		*verdict = SLU_VERDICT_NONE;
	else if (bb->state == SLU_BB_SETUP || bb->state == SLU_BB_RUNNING)
		*what = b->conf->on_setup;
	else if (bb->state == SLU_BB_STAGE_IN)
		*what = b->conf->on_stage_in;
	else if (bb->state == SLU_BB_STAGE_OUT && !bb->end.requeued &&
		 bb->end.outcome != SLU_OUTCOME_UNSURE)
		*what = b->conf->on_stage_out;
	else
		*verdict = SLU_VERDICT_NONE;
	if (*verdict == SLU_VERDICT_NONE || *what != SLU_REQUEUE)
		return 0;
	if (count_requeues(b, bb, cause == ROOM, &requeues, err))
		return -1;
	if ((!slu_bb_has_plan(bb) && !bb->full) || cause == MISTAKE ||
	    (requeues >= (cause == ROOM ? REQUEUES_WITHOUT : REQUEUES) &&
	     !others_end(b, bb)))
		*what = SLU_HOLD;
	return 0;
}

/* nodes: for cause ROOM. */
static int fail(struct slu_buffers *b, struct slu_bb *bb, enum cause cause,
		const char *nodes, char *text, double now, struct slu_err *err)
{
	const enum slu_bb_state in = phase_of(bb, cause);
	enum slu_bb_verdict verdict;
	enum slu_on_failure what;

	slu_printable(text); /* the text is from users and nodes */
	if (bb->plan.persistent && bb->state == SLU_BB_RUNNING &&
	    is_noted(b, bb, text))
		return 0; /* its nodes retry without end */
	if (bb->failure.text ||
	    (bb->plan.persistent && bb->state == SLU_BB_RUNNING))
		return slu_bb_note(b->db, bb, text, now, err);
	if (choose_verdict(b, bb, cause, &verdict, &what, err))
		return -1;
	if (cause == CANCELLED && (what == SLU_REQUEUE || what == SLU_HOLD))
		what = SLU_FAIL;
	if (slu_bb_set_failure(b->db, bb, in, text, verdict, what,
			       what == SLU_REQUEUE ? nodes : NULL, now, err))
		return -1;
	slu_bb_log(b, bb, SLU_WARN, "%s failed: %s", slu_bb_phase(in), text);
	bb->failure.bound_seen = false;
	slu_bb_phase_failed(b, in);
	if (verdict == SLU_VERDICT_SENT)
		slu_bb_phase_verdict(b, in, what);
	slu_bb_request_effects(b, bb, SLU_EFFECT_VERDICT | SLU_EFFECT_WAKE);
	return 0;
}

int slu_bb_fail(struct slu_buffers *b, struct slu_bb *bb, double now,
		struct slu_err *err, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return fail(b, bb, OWN, NULL, text, now, err);
}

int slu_bb_mistaken(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		    const char *why, double now, struct slu_err *err)
{
	char text[400];

	snprintf(text, sizeof(text), "%s: %s", node, why);
	return fail(b, bb, MISTAKE, NULL, text, now, err);
}

/* Space that other buffers hold will be free again, so the job waits for it. */
int slu_bb_no_room(struct slu_buffers *b, struct slu_bb *bb, const char *nodes,
		   const char *text, double now, struct slu_err *err)
{
	char copy[400];

	slu_copy(copy, sizeof(copy), text);
	return others_end(b, bb) ? fail(b, bb, OWN, NULL, copy, now, err)
				 : fail(b, bb, ROOM, nodes, copy, now, err);
}

/* The runs that use a persistent buffer of which a part is lost: their programs
 * need not get an error, as a listing leaves out what lay there. */
static int lose_for_users(struct slu_buffers *b, const struct slu_bb *bb,
			  const char *text, double now, struct slu_err *err)
{
	char copy[400];

	for (struct slu_bb *user = b->first; user; user = user->next) {
		if (user->plan.use != bb->id || user->failure.text ||
		    user->state != SLU_BB_RUNNING)
			continue;
		slu_copy(copy, sizeof(copy), text);
		if (fail(b, user, SERVER, NULL, copy, now, err))
			return -1;
	}
	return 0;
}

int slu_bb_lose_server(struct slu_buffers *b, struct slu_bb *bb,
		       const char *node, const char *why, double now,
		       struct slu_err *err)
{
	char text[400];

	snprintf(text, sizeof(text), "%s: %s", node, why);
	if (b->conf->on_server_loss != SLU_COMPLETE && !slu_bb_tolerates(bb)) {
		if (lose_for_users(b, bb, text, now, err))
			return -1;
		return fail(b, bb, SERVER, NULL, text, now, err);
	}
	slu_printable(text);
	if (bb->plan.persistent && is_noted(b, bb, text))
		return 0;
	slu_bb_log(b, bb, SLU_ERROR, "%s; the job goes on", text);
	return slu_bb_note(b->db, bb, text, now, err);
}

int slu_bb_cut_short(struct slu_buffers *b, struct slu_bb *bb,
		     const char *state, double now, struct slu_err *err)
{
	char *late = slu_bb_hosts(bb, slu_bb_is_waited_for);
	char text[400];
	int rc = 0;

	if (!late)
		return slu_err(err, SLU_NOMEM, "out of memory");
	snprintf(text, sizeof(text),
		 "Slurm ended the run (%.20s) while %.200s had not %s", state,
		 *late ? late : "a node",
		 bb->state == SLU_BB_SETUP ? "come" : "staged in");
	if (!bb->failure.text)
		rc = fail(b, bb, CUT_SHORT, NULL, text, now, err);
	free(late);
	return rc;
}

int slu_bb_cancel(struct slu_buffers *b, struct slu_bb *bb, const char *who,
		  double now, struct slu_err *err)
{
	char text[80];

	snprintf(text, sizeof(text), "cancelled by %s", who);
	return bb->failure.text ? 0
				: fail(b, bb, CANCELLED, NULL, text, now, err);
}

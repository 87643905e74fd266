/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Begins and ends a run of a job: makes the plan and the buffer, and records
 * how the job ended. job_events.c decides which run a message of slurmctld
 * means.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/effects/fate.h"
#include "burst_buffer/lifecycle/events/job_runs.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/pending/early_stage_in.h"
#include "burst_buffer/lifecycle/reconcile/reconcile.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/lifecycle/reconcile/room_shares.h"
#include "burst_buffer/plan/plan.h"
#include "common/size.h"
#include "common/str.h"

/* Start of a run */

/* Makes the buffer. If no plan can be carried out, *why is the reason, and
 * *too_small names the nodes that lack space. */
static struct slu_bb *new_buffer(struct slu_buffers *b,
				 const struct slu_job *job, double now,
				 const struct slu_bb **by,
				 struct slu_buf *too_small, struct slu_err *why,
				 struct slu_err *err)
{
	struct slu_plan_site site = slu_bb_run_site(b);
	struct slu_bb *bb = calloc(1, sizeof(*bb));
	int rc = 0;

	site.too_small = too_small;

	*by = NULL;
	if (!bb) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	bb->state = SLU_BB_SETUP;
	bb->created = bb->since = now;
	bb->restarts = job->restarts;
	bb->job_start = job->start;
	bb->user = job->user ? strdup(job->user) : NULL;
	if (slu_plan_make(job, &site, &bb->plan, why))
		rc = slu_plan_bare(job, &bb->plan, err);
	else
		slu_early_stage_in_hand_over(b, job->job_id, &bb->plan, by);
	bb->plan.het_job = job->het_job;
	bb->plan.het_buffers = job->het_buffers;
	bb->full = why->kind == SLU_BUSY;
	if (rc == 0 && slu_bb_alloc_members(bb))
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	if (rc == 0)
		rc = slu_bb_insert(b->db, bb, job->name, err);
	if (rc == 0)
		return bb;
	slu_bb_free(bb);
	return NULL;
}

static int note_staged(struct slu_buffers *b, const struct slu_bb *bb,
		       const struct slu_bb *by, double now, struct slu_err *err)
{
	char took[SLU_TIME_TEXT], text[200];

	snprintf(text, sizeof(text),
		 "its data was staged in before, on %.80s, in %s",
		 by->plan.node[0].name,
		 slu_seconds_text(by->ready - by->created, took));
	return slu_bb_note(b->db, bb, text, now, err);
}

/* The buffer is stored, so it is alive whatever happens next. */
static int begin_stored(struct slu_buffers *b, struct slu_bb *bb,
			const struct slu_bb *by, const char *too_small,
			const char *why, double now, struct slu_err *err)
{
	slu_bb_join(b, bb);
	slu_bb_log(b, bb, SLU_INFO, "%s for %s on %zu nodes",
		   bb->plan.fs ? bb->plan.fs : "nothing",
		   bb->user ? bb->user : "somebody", bb->plan.n_node);
	slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE | SLU_EFFECT_EXTEND);
	if ((by && note_staged(b, bb, by, now, err)) ||
	    (!slu_bb_has_plan(bb) &&
	     slu_bb_too_small(b, bb, too_small, why, now, err)))
		return -1;
	return slu_bb_reconcile(b, bb, now, err);
}

int slu_run_begin(struct slu_buffers *b, const struct slu_job *job, double now,
		  struct slu_err *err)
{
	struct slu_buf too_small = {0};
	struct slu_err why = {0};
	const struct slu_bb *by;
	struct slu_bb *bb = new_buffer(b, job, now, &by, &too_small, &why, err);
	int rc =
		bb ? begin_stored(b, bb, by, too_small.data, why.text, now, err)
		   : -1;

	slu_buf_free(&too_small);
	return rc;
}

/* A run ends */

/* Has the job run although no node asked for the plan? Not known of a run that
 * started before this sluiced did. */
static bool ran_without(const struct slu_buffers *b, const struct slu_bb *bb,
			const struct slu_bb_end *how, const char *state)
{
	return bb->state == SLU_BB_SETUP && !bb->failure.text && !bb->loaded &&
	       (double)bb->job_start >= floor(b->loaded) && !how->unlaunched &&
	       (how->outcome == SLU_OUTCOME_SUCCESS ||
		slu_eq(state, "FAILED") || slu_eq(state, "TIMEOUT")) &&
	       slu_bb_count(bb, SLU_IN(SLU_NODE_PLANNED)) == bb->plan.n_node;
}

/* The run was requeued before it was ready, and not by us: by a user, or by
 * Slurm, for example when a site's own Prolog fails. Returns the nodes that had
 * not arrived; caller frees. NULL: that is not what happened. */
static char *missing(const struct slu_bb *bb, const struct slu_bb_end *how)
{
	return how->requeued && bb->ready <= 0 && !bb->failure.text &&
			       bb->state <= SLU_BB_STAGE_IN &&
			       slu_bb_has_plan(bb)
		       ? slu_bb_hosts(bb, slu_bb_is_waited_for)
		       : NULL;
}

/* How the run ends, in words for its history and the log. Caller frees; NULL:
 * no memory. */
static char *ending(const struct slu_buffers *b, const struct slu_bb *bb,
		    const struct slu_bb_end *how)
{
	struct slu_bb ended = *bb; /* a copy that already has this end */
	bool without = ran_without(b, bb, how, how->state);
	char *late = missing(bb, how), *out, *text;

	ended.end = *how;
	out = slu_bb_not_staged(&ended);
	text = slu_asprintf("job ended: %s%s%s%.200s%s%s%s%s", how->state,
			    how->requeued ? ", it runs again" : "",
			    late && *late ? "; put back while " : "",
			    late ? late : "",
			    late && *late ? " had not come (see sinfo -R)" : "",
			    out && *out ? "; " : "", out ? out : "",
			    without ? SLU_RAN_WITHOUT SLU_RAN_WITHOUT_WHY : "");
	free(late);
	free(out);
	return text;
}

/* A running job with this number that is not the next run of this one: the
 * number was reused. */
static bool is_ours(const struct slu_bb *bb, const struct slu_job *job)
{
	return job && job->state &&
	       (job->restarts > bb->restarts ||
		!(slu_eq(job->state, "RUNNING") ||
		  slu_eq(job->state, "SUSPENDED")));
}

/* Has Slurm ended the run because of a node? Slurm sends no message about
 * that. */
static bool is_cut_short(const struct slu_bb *bb, const char *state)
{
	return bb->ready <= 0 && bb->state <= SLU_BB_STAGE_IN &&
	       !bb->failure.text && slu_bb_has_plan(bb) &&
	       (slu_eq(state, "NODE_FAIL") || slu_eq(state, "BOOT_FAIL"));
}

int slu_run_end(struct slu_buffers *b, struct slu_bb *bb,
		const struct slu_job *job, double now, struct slu_err *err)
{
	const bool ours = is_ours(bb, job);
	const char *state = ours ? job->state : "UNKNOWN";
	struct slu_bb_end how = {
		.outcome = !ours			? SLU_OUTCOME_UNSURE
			   : slu_eq(state, "COMPLETED") ? SLU_OUTCOME_SUCCESS
							: SLU_OUTCOME_FAILED,
		.requeued = ours && (strcmp(state, "PENDING") == 0 ||
				     strncmp(state, "REQUEUE", 7) == 0 ||
				     job->restarts > bb->restarts),
		.unlaunched = ours && (job->unlaunched || job->hurry),
		.hurry = ours && job->hurry,
	};
	char *text;

	if (bb->end.at > 0)
		return 0;
	if (is_cut_short(bb, state) && slu_bb_cut_short(b, bb, state, now, err))
		return -1;
	/* sends the verdict on the run before the run's end is stored */
	slu_bb_carry_out(b, now);
	slu_copy(how.state, sizeof(how.state), state);
	text = ending(b, bb, &how);
	if (!text)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (slu_bb_set_ended(b->db, bb, &how, text, now, err)) {
		free(text);
		return -1;
	}
	slu_bb_log(b, bb, SLU_INFO, "%s", text);
	free(text);
	slu_bb_request_effects(b, bb, SLU_EFFECT_WAKE);
	return slu_bb_reconcile(b, bb, now, err);
}

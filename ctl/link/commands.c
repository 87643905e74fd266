/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles messages from sluiced. A command is answered with `done` whatever the
 * result: repeating it would not bring back a job that no longer exists.
 * Exception: when slurmctld is ending and refuses a command, there is no
 * answer, and the next slurmctld gets the command again.
 */
#include "config.h"
#include "ctl/pools/pools.h"
#include "ctl/link/commands.h"

#include "ctl/link/session.h"
#include "ctl/iostart/hooks.h"
#include "ctl/jobs/pending/persistent_state.h"
#include "ctl/jobs/running/followed.h"
#include "ctl/predictor/training.h"
#include "ctl/arbiter/ions.h"
#include "ctl/private.h"
#include "wire/rows.h"
#include "ctl/mail.h"

#include <stdlib.h>
#include <string.h>

static int do_extend(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_extend *x = msg;
	struct slu_followed *live = slu_followed_get(ctl, x->job_id);

	if (!live || live->ended || live->restarts != x->restarts)
		return slu_err(err, SLU_NOTFOUND, "the run is over");
	live->setting_up = !x->final;
	if (x->final)
		live->gave_back = x->give_back;
	ctl->next_keep = 0;
	return slu_followed_keep(ctl, live, x->give_back, err);
}

/* A verdict may have turned a run that has ended, and was recorded as
 * COMPLETED, into FAILED: correct the record. */
static void record_failed(struct slu_ctl *ctl, uint32_t job_id)
{
	const struct slu_followed *live = slu_followed_get(ctl, job_id);
	struct slu_job job = {0};

	if (!live || !live->ended)
		return;
	ctl->ops.jobs(ctl->ops.arg, &job_id, 1, &job);
	job.ions = SLU_NO_ID;
	if (job.start == live->start && slu_eq(job.state, "FAILED"))
		slu_history_queue_add(&ctl->history, &job);
	if (job.het_job && job.het_job != job_id)
		record_failed(ctl, job.het_job);
	slu_msg_clear(&slu_job_desc, &job);
}

static int do_hold(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_verdict *v = msg;
	int rc = ctl->ops.hold(ctl->ops.arg, v, err);

	/* The job does not start for now. What a later run has claimed stays.
	 */
	if (rc == 0 || (rc < 0 && err->kind == SLU_NOTFOUND))
		slu_ctl_unclaim(ctl, v->job_id);
	if (rc == 0)
		record_failed(ctl, v->job_id);
	return rc;
}

static int do_requeue(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_verdict *v = msg;
	int rc = ctl->ops.requeue(ctl->ops.arg, v, err);

	if (rc == 0)
		record_failed(ctl, v->job_id);
	return rc;
}

static int do_fail(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_verdict *v = msg;
	int rc = ctl->ops.fail(ctl->ops.arg, v, err);

	if (rc == 0)
		record_failed(ctl, v->job_id);
	return rc;
}

static int do_cancel(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_verdict *v = msg;

	return ctl->ops.cancel(ctl->ops.arg, v, err);
}

static int do_complete(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_verdict *v = msg;

	return ctl->ops.complete(ctl->ops.arg, v, err);
}

/* Notes in the job's comment that its stage-out is over, in addition to the
 * mail. */
static int do_staged(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	return ctl->ops.complete(ctl->ops.arg, msg, err);
}

static int do_drain(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_node_order *o = msg;

	return ctl->ops.drain(ctl->ops.arg, o->node, o->reason, err);
}

static int do_resume(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_node_order *o = msg;

	ctl->wants_pass = true;
	return ctl->ops.resume(ctl->ops.arg, o->node, err);
}

static int do_annotate(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_annotate *a = msg;

	if (a->waits) {
		ctl->wants_pass |= !a->text || !*a->text;
		slu_persistent_wait_answer(&ctl->mirror, a->job_id, a->text);
		return 0;
	}
	return ctl->ops.annotate(ctl->ops.arg, a->job_id, a->text, err);
}

/* Buffers that have ended while there was no link are done; sluiced will say
 * more about the latest ones. Showing that takes Slurm's locks. */
static void replace_buffers(struct slu_ctl *ctl, struct slu_hello_daemon *hello)
{
	struct slu_buf gone = {0};
	uint32_t id;

	slu_mirror_replace(&ctl->mirror, hello->buffers, hello->n_buffers,
			   &gone);
	for (size_t at = 0; at < gone.len; at += sizeof(id)) {
		memcpy(&id, gone.data + at, sizeof(id));
		ctl->ops.show(ctl->ops.arg, id, "DONE");
	}
	slu_buf_free(&gone);
}

static int hear_hello(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	struct slu_hello_daemon *hello = msg;

	if (hello->version != SLU_WIRE_VERSION)
		return slu_err(err, SLU_INVALID,
			       "sluiced speaks version %u, libsluice %u: "
			       "upgrade both to the same release",
			       hello->version, SLU_WIRE_VERSION);
	replace_buffers(ctl, hello);
	slu_link_good(&ctl->link);
	ctl->linked = ctl->heard = true;
	slu_every_io(s, ctl) slu_iostart_link(s, true, time(NULL));
	ctl->away_since = 0;
	ctl->next_poll = ctl->next_keep = 0;
	ctl->link_why[0] = '\0';
	ctl_log(ctl, SLU_INFO, "linked to sluiced, %zu buffers alive",
		hello->n_buffers);
	if (ctl->history.lost)
		ctl_log(ctl, SLU_WARN,
			"%llu ended jobs could not be reported to sluiced: "
			"predictions do not learn from them",
			(unsigned long long)ctl->history.lost);
	ctl->history.lost = 0;
	ctl->wants_pass = true;
	return 0;
}

/* "STAGE_IN: 3 of 5 nodes done", without the prefix for squeue. */
static char *shown_state(const struct slu_buffer_state *state)
{
	const char *text = state->text ? state->text : "";

	if (!strncmp(text, "sluice: ", 8))
		text += 8;
	return slu_asprintf("%s%s%s", state->state ? state->state : "",
			    *text ? ": " : "", text);
}

/* Sentences about what a job waits for begin otherwise. */
bool slu_ctl_shows_buffer(const char *text)
{
	size_t n = text ? strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") : 0;

	return n && (!text[n] || text[n] == ':');
}

/* Does it leave room to others, or have jobs waited for it? */
static bool lets_start(const struct slu_buffer_state *state)
{
	return slu_eq(state->state, "DONE") ||
	       ((state->early || state->persistent) &&
		slu_eq(state->state, "RUNNING"));
}

static int hear_buffer(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	struct slu_buffer_state *state = msg;
	char *shown = shown_state(state);

	ctl->ops.show(ctl->ops.arg, state->job_id, shown);
	free(shown);
	ctl->wants_pass |= lets_start(state);
	if (slu_eq(state->state, "DONE"))
		slu_mirror_over(&ctl->mirror, state, time(NULL));
	if (slu_mirror_set(&ctl->mirror, state) < 0)
		return slu_err(err, SLU_NOMEM, "out of memory");
	return 0;
}

static int hear_published(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_published *p = msg;

	(void)err;
	if (!p->ok)
		ctl_log(ctl, SLU_WARN, "mapping not published: %s",
			p->text ? p->text : "");
	slu_followed_published(ctl, p->epoch, p->ok);
	return 0;
}

/* History is replayed from the beginning, also what was known; until then the
 * old values are used. */
static void learn_volumes(struct slu_ctl *ctl,
			  const struct slu_history_row *row)
{
	if (slu_history_position_none(&ctl->volumes_heard))
		slu_volumes_forget(ctl->volumes);
	if (slu_history_position_is_new(&ctl->volumes_heard, &row->job))
		slu_volumes_learn(ctl->volumes, row);
}

/* Passes a row of the history to all that learn from it. */
static void learn_row(struct slu_ctl *ctl, const struct slu_history_row *row)
{
	bool old = !slu_seen_runs_has(&ctl->seen_runs, &row->job);

	ctl->rows++;
	if (old &&
	    slu_history_position_is_new(&ctl->predictor_heard, &row->job))
		slu_training_add(ctl, &row->job);
	if (old && slu_history_position_is_new(&ctl->ready_heard, &row->job))
		slu_setup_times_learn(&ctl->ready, &row->job);
	if (ctl->arbiter &&
	    slu_history_position_is_new(&ctl->arbiter_heard, &row->job))
		slu_arbiter_learn(ctl->arbiter, row);
	if (ctl->volumes)
		learn_volumes(ctl, row);
	slu_io_start_history(ctl, row);
}

/* The I/O of a job has become known. The predictor has learned from its end,
 * and a replay in progress may still bring the row. */
static int hear_row(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_history_row *row = msg;
	const struct slu_job *job = &row->job;

	(void)err;
	if (ctl->arbiter &&
	    (ctl->replayed ||
	     !slu_history_position_expects(&ctl->arbiter_heard, job)))
		slu_arbiter_learn(ctl->arbiter, row);
	if (ctl->volumes &&
	    (ctl->replayed ||
	     !slu_history_position_expects(&ctl->volumes_heard, job)))
		slu_volumes_learn(ctl->volumes, row);
	slu_io_start_row(ctl, row);
	return 0;
}

static int hear_rows(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_history_rows *rows = msg;
	struct slu_history_row row;
	char *at = rows->packed;
	int rc;

	while ((rc = slu_row_unpack(&at, &row, err)))
		if (rc > 0)
			learn_row(ctl, &row);
		else if (!ctl->bad_rows++)
			ctl_log(ctl, SLU_WARN, "history: %s", err->text);
	return 0;
}

static int hear_history_end(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	(void)msg;
	(void)err;
	slu_training_add_waiting(ctl);
	slu_seen_runs_clear(&ctl->seen_runs);
	if (!ctl->predictor_heard.all && (ctl->rows || !ctl->in_training))
		ctl_log(ctl, SLU_INFO, "learned from %llu ended jobs",
			(unsigned long long)ctl->rows);
	if (ctl->bad_rows)
		ctl_log(ctl, SLU_WARN,
			"history: %llu rows could not be "
			"decoded",
			(unsigned long long)ctl->bad_rows);
	slu_training_complete(ctl);
	if (ctl->arbiter)
		slu_arbiter_retrained(ctl->arbiter, ctl->rows > 0);
	if (!ctl->arbiter_heard.all)
		slu_ions_changed(ctl, "history read", 0);
	ctl->replayed = ctl->predictor_heard.all = ctl->ready_heard.all = true;
	ctl->arbiter_heard.all = ctl->arbiter != NULL;
	ctl->volumes_heard.all = ctl->volumes != NULL;
	for (unsigned i = 0; i < ctl->n_io; i++) {
		ctl->rates_heard[i].all = true;
		slu_iostart_taught(&ctl->iostart[i]);
	}
	slu_ions_predict(ctl);
	return 0;
}

static int hear_supply(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	(void)err;
	slu_pools_set(&ctl->mirror, msg);
	ctl->wants_pass = true;
	return 0;
}

static int hear_moved(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_jobs_moved *moved = msg;

	(void)err;
	slu_each_io(s, ctl)
		slu_iostart_measured(s, moved->jobs, moved->n_jobs, time(NULL));
	return 0;
}

static int hear_starts(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_starts *starts = msg;

	(void)err;
	ctl->ops.tell_starts(ctl->ops.arg, starts->jobs, starts->n_jobs);
	return 0;
}

static int hear_metadata(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	(void)err;
	slu_io_start_metadata(ctl, msg);
	return 0;
}

static int hear_fs_row(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	(void)err;
	slu_io_start_fs_row(ctl, msg);
	return 0;
}

static int hear_io_capacity(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	(void)err;
	slu_each_io(s, ctl) slu_iostart_reached(s, msg, time(NULL));
	return 0;
}

/* Kept for an arbiter that is made later. */
static int hear_distances(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	struct slu_distances *distances = msg;

	slu_msg_clear(&slu_distances_desc, &ctl->distances);
	ctl->distances = *distances;
	*distances = (struct slu_distances){0};
	return ctl->arbiter ? slu_arbiter_distances(ctl->arbiter,
						    &ctl->distances, err)
			    : 0;
}

static int hear_stored(struct slu_ctl *ctl, void *msg, struct slu_err *err)
{
	const struct slu_stored *s = msg;

	(void)err;
	slu_history_queue_stored(&ctl->history, s->job_id, s->start);
	return 0;
}

/* Answers "where": nodes that register by themselves, or boot elsewhere, were
 * not in the last snapshot, or had another address. */
static void tell_where(struct slu_ctl *ctl, const struct slu_where *where,
		       double now)
{
	struct slu_node_addr is = {.name = where->node};

	is.addr = ctl->ops.node_addr(ctl->ops.arg, where->node);
	slu_ctl_send(ctl, &slu_node_is_desc, &is, now);
	free(is.addr);
}

static const struct {
	const struct slu_desc *desc;
	int (*fn)(struct slu_ctl *ctl, void *msg, struct slu_err *err);
	bool answer, mail;
} known[] = {
	{&slu_hello_daemon_desc, hear_hello, false, false},
	{&slu_buffer_desc, hear_buffer, false, false},
	{&slu_published_desc, hear_published, false, false},
	{&slu_jobs_moved_desc, hear_moved, false, false},
	{&slu_io_capacity_desc, hear_io_capacity, false, false},
	{&slu_starts_desc, hear_starts, false, false},
	{&slu_metadata_row_desc, hear_metadata, false, false},
	{&slu_fs_row_desc, hear_fs_row, false, false},
	{&slu_history_row_desc, hear_row, false, false},
	{&slu_history_rows_desc, hear_rows, false, false},
	{&slu_history_end_desc, hear_history_end, false, false},
	{&slu_capacity_desc, hear_supply, false, false},
	{&slu_stored_desc, hear_stored, false, false},
	{&slu_distances_desc, hear_distances, false, false},
	{&slu_extend_desc, do_extend, true, false},
	{&slu_hold_desc, do_hold, true, true},
	{&slu_requeue_desc, do_requeue, true, true},
	{&slu_fail_desc, do_fail, true, true},
	{&slu_cancel_job_desc, do_cancel, true, true},
	{&slu_complete_desc, do_complete, true, true},
	{&slu_staged_desc, do_staged, false, true},
	{&slu_drain_desc, do_drain, true, false},
	{&slu_resume_desc, do_resume, true, false},
	{&slu_annotate_desc, do_annotate, true, false},
};

static void answer(struct slu_ctl *ctl, uint64_t id, int rc,
		   struct slu_err *err, double now)
{
	struct slu_done done = {
		.id = id, .ok = rc >= 0, .text = rc < 0 ? err->text : NULL};

	slu_ctl_send(ctl, &slu_done_desc, &done, now);
}

static void dispatch(struct slu_ctl *ctl, const struct slu_desc *desc,
		     uint64_t id, void *msg, double now)
{
	size_t n = sizeof(known) / sizeof(known[0]), i = 0;
	struct slu_err err;
	int rc;

	if (ctl->linked && desc == &slu_where_desc)
		tell_where(ctl, msg, now);
	while (i < n && known[i].desc != desc)
		i++;
	/* before sluiced's hello only the hello is accepted */
	if (i == n || (!ctl->linked && desc != &slu_hello_daemon_desc))
		return;
	rc = known[i].fn(ctl, msg, &err);
	if (rc < 0)
		ctl_log(ctl, SLU_WARN, "%s: %s", desc->name, err.text);
	if (known[i].mail && rc == 0)
		slu_mail_send(ctl, msg, desc == &slu_staged_desc, now);
	if (known[i].answer && (rc >= 0 || err.kind != SLU_BUSY))
		answer(ctl, id, rc, &err, now);
	else if (rc < 0 && desc == &slu_hello_daemon_desc)
		slu_ctl_link_down(ctl, &err, now);
}

void slu_ctl_handle_line(struct slu_ctl *ctl, const char *line, size_t len,
			 double now)
{
	const struct slu_desc *desc;
	struct slu_err err;
	uint64_t id;
	void *msg;

	if (slu_envelope_parse(line, len, slu_to_ctl, &desc, &id, &msg, &err) <
	    0) {
		if (err.kind == SLU_NOTFOUND && ctl->unknown_said)
			return; /* from another release: logged once */
		ctl->unknown_said |= err.kind == SLU_NOTFOUND;
		ctl_log(ctl, SLU_WARN, "sluiced said: %s", err.text);
		return;
	}
	dispatch(ctl, desc, id, msg, now);
	slu_msg_free(desc, msg);
}

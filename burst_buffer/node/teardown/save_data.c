/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks sluiced whether the job has ended and whether to stage out; stages out;
 * meets the other nodes at the barrier "out.done". In doubt data is kept: if
 * sluiced does not answer, has lost its record of this instance, or answers
 * that there is nothing to save although the job has run here.
 */
#include "config.h"
#include "burst_buffer/node/teardown/save_data.h"

#include <inttypes.h>
#include <string.h>
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/teardown/outlived.h"
#include "burst_buffer/node/receipts.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/teardown/teardown.h"
#include "burst_buffer/node/stage/job_output.h"
#include "burst_buffer/node/stage/staging.h"

/* sluiced's answer to the report "down"; NONE: no answer, or none that
 * counts. */
enum word { NONE, GO, SKIP, ABORT };

static bool wanted(const struct slu_saving *save, const struct slu_stage *s)
{
	if (!s->out)
		return false;
	return slu_eq(s->on, "always") ||
	       slu_eq(s->on, save->success ? "success" : "failure");
}

static bool has_stage_out(const struct slu_node *n)
{
	for (size_t i = 0; i < n->plan.n_stage; i++)
		if (n->plan.stage[i].out)
			return true;
	return false;
}

/* May there be something to stage out? Yes if the job has run here, of which
 * "env" is the note; after a restart of the node that note is gone. */
static bool has_data(const struct slu_node *n)
{
	return has_stage_out(n) &&
	       (slu_note_has(n, "env") || slu_note_has(n, "restarted"));
}

/* Has the buffer data that exists nowhere else? In a persistent buffer all
 * data, unless it was staged in before its job began, which makes it a copy. */
static bool has_trust(const struct slu_node *n)
{
	return n->plan.persistent ? !n->plan.early : has_data(n);
}

static const char *const words[] = {
	[NONE] = "none", [GO] = "go", [SKIP] = "skip", [ABORT] = "abort"};

static enum word parse(const char *text)
{
	for (int i = GO; i <= ABORT; i++)
		if (slu_eq(text, words[i]))
			return (enum word)i;
	return NONE;
}

/* Reports "down" and returns sluiced's answer. NONE, with *err, also where
 * sluiced has lost its record of this instance and data may be here. */
static enum word begin(struct slu_saving *save, struct slu_err *err)
{
	struct slu_report r = {.step = "down", .ok = true, .phase = "teardown"};
	struct slu_answer answer;
	enum word word;

	if (slu_talk_report(save->n, &r, &answer, err))
		return err->kind == SLU_NOTFOUND && !has_data(save->n) &&
				       !slu_in_common(save->n)
			       ? SKIP
			       : NONE;
	save->success = answer.success;
	slu_copy(save->why, sizeof(save->why), answer.text ? answer.text : "");
	word = parse(answer.word);
	if (word == NONE)
		slu_err(err, SLU_INVALID, "sluiced said %.40s", answer.word);
	save->doubted = word == SKIP && !answer.ran && save->n->is_ready &&
			has_trust(save->n);
	slu_msg_clear(&slu_answer_desc, &answer);
	return word;
}

static void tell_failed(struct slu_saving *save, size_t r, struct slu_err *err)
{
	char step[64];
	struct slu_report report = {
		.step = step, .text = err->text, .phase = "stage_out"};

	snprintf(step, sizeof(step), "out.%zu.share", r);
	slu_node_log(save->n, SLU_ERROR, "stage_out %zu: %s", r, err->text);
	slu_talk_step(save->n, &report, &(struct slu_err){0});
}

/* Is the data unreachable? Then sluiced gets the reason. */
static bool data_gone(struct slu_saving *save)
{
	struct slu_report r = {
		.step = "lost_data",
		.text = "the job's file system is not mounted any more",
		.phase = "stage_out",
	};
	struct slu_err why;

	if (slu_note_has(save->n, "restarted") && save->n->driver->attach)
		r.text = "the node was restarted before its data was staged "
			 "out";
	else if (save->late)
		r.text = "the node could not ask sluiced in time what to stage "
			 "out";
	else if (slu_note_has(save->n, "env") && !save->n->plan.use &&
		 slu_devices_there(save->n, &why))
		r.text = why.text;
	else if (!slu_note_has(save->n, "env") || save->n->driver->interposed ||
		 !save->n->driver->attach || slu_mounted(save->n->data))
		return false;
	else if (save->n->driver->check(&save->n->in, &why))
		r.text = why.text; /* which node's server is lost */
	slu_talk_step(save->n, &r, &(struct slu_err){0});
	return true;
}

static void stage_out(struct slu_saving *save)
{
	struct slu_node *n = save->n;
	struct slu_err err = {0};

	/* on every node, before the first one copies */
	slu_outlived_end(n);
	slu_outlived_look(n);
	/* the copying of early stage-out has ended: the worker ended it first
	 */
	if (n->driver->shared && slu_talk_arrive(n, "out.begin", &err))
		return;
	for (size_t i = 0; i < n->plan.n_stage; i++) {
		if (!wanted(save, &n->plan.stage[i]))
			continue;
		if (!slu_node_stage(n, i, &err))
			continue;
		if (err.kind != SLU_DENIED)
			tell_failed(save, i, &err);
		return;
	}
}

static void allow(struct slu_node *n)
{
	n->deadline = slu_now_mono() + SLU_NODE_GRACE +
		      (double)(has_stage_out(n) ? n->plan.stage_out_timeout
						: n->plan.teardown_timeout);
}

#define OLDER "sluiced does not know %s (an older database?): its data is "
#define FETCH "srun -w %.100s sluice-node fetch %u DIR"

/* sluiced's record of this instance is missing or older than the data: logs it,
 * and reports it so that the job's owner is notified. */
static void tell_doubt(struct slu_saving *save, const char *what)
{
	struct slu_node *n = save->n;
	const bool kept = n->plan.keep_failed > 0;
	char text[300];
	struct slu_report r = {
		.step = "doubted", .text = text, .phase = "stage_out"};

	if (kept)
		snprintf(text, sizeof(text), OLDER "kept: " FETCH, what,
			 n->name, (unsigned)n->job_id);
	else
		snprintf(text, sizeof(text), OLDER "not kept (KeepFailed=0)",
			 what);
	slu_node_log(n, SLU_ERROR, "%s", text);
	n->deadline = slu_now_mono() + SLU_NODE_REPORTS;
	slu_talk_step(n, &r, &(struct slu_err){0});
	allow(n);
}

bool slu_saving_keeps(const struct slu_saving *save)
{
	return save->keep && save->n->plan.keep_failed > 0 &&
	       !save->n->plan.use;
}

/* Writes into the job's output that nothing was staged out, and why. */
static void tell_nothing(struct slu_saving *save, const char *why)
{
	struct slu_node *n = save->n;
	char more[200] = "", text[SLU_ERR_TEXT + 240];

	if (!*why || !has_stage_out(n) || save->late)
		return;
	if (slu_saving_keeps(save))
		snprintf(more, sizeof(more), "; what is here is kept: " FETCH,
			 n->name, (unsigned)n->job_id);
	else if (save->keep)
		slu_copy(more, sizeof(more),
			 "; and nothing is kept (KeepFailed=0)");
	snprintf(text, sizeof(text), "nothing was staged out: %s%s", why, more);
	slu_job_output_end(n, text);
}

/* A receipt for the abort: sluiced knows of it now, but a sluiced with an older
 * database would not (receipts.h). */
static void note_aborted(struct slu_node *n)
{
	const struct slu_report r = {
		.job_id = n->job_id,
		.buffer = n->plan.buffer,
		.node = n->name,
		.step = "aborted",
		.text = "sluiced had answered that its stage-out failed",
		.phase = "stage_out",
		.ran = n->is_ready,
	};

	slu_receipt_add(n, &r);
}

static void meet_done(struct slu_saving *save)
{
	struct slu_node *n = save->n;
	struct slu_err err;

	if (slu_talk_arrive(n, "out.done", &err)) {
		slu_node_log(n, SLU_ERROR, "data is kept: %s", err.text);
		save->keep = true;
		if (err.kind == SLU_NOTFOUND)
			tell_doubt(save, "of this run");
		if (err.kind == SLU_DENIED)
			note_aborted(n);
		if (!n->user_text)
			tell_nothing(save, err.text);
	}
	if (n->user_text)
		slu_job_output_end(n, n->user_text);
}

void slu_save_data(struct slu_saving *save)
{
	struct slu_node *n = save->n;
	struct slu_err err = {0};
	enum word word;

	allow(n);
	word = begin(save, &err);
	allow(n); /* time without sluiced does not count */
	save->ended = word != NONE;
	save->keep = !save->ended && has_data(n);
	if (!save->ended) {
		if (!save->late)
			slu_node_log(n, SLU_ERROR, "%s", err.text);
		if (!save->late && save->keep && err.kind == SLU_NOTFOUND)
			tell_doubt(save, "of this run");
		tell_nothing(save, err.text);
		return;
	}
	slu_node_log(n, SLU_INFO, "down: %s", words[word]);
	if (save->late) {
		slu_note_drop(n, "result"); /* `down` waits for us again */
		save->keep = word == SKIP && has_data(n); /* to be safe */
	}
	if (save->doubted) {
		tell_doubt(save, n->plan.persistent
					 ? "that this buffer was made here"
					 : "that the job has run here");
		save->keep = true;
	}
	if (word == GO && !data_gone(save))
		stage_out(save);
	if (word == SKIP)
		tell_nothing(save, save->doubted ? "sluiced does not know of it"
						 : save->why);
	else
		meet_done(save);
}

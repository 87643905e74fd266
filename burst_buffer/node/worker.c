/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The worker of `down`. In order: make sure that no `up` works any more; tell
 * sluiced, which answers when the job is known to have ended; stage out; meet
 * ("out.done": now all data is safe, or is to be kept); detach; meet
 * ("detached": nobody uses another's server any more); stop; wipe or keep;
 * prove that nothing is left; report clean. Its result is noted for who waits.
 *
 * Without sluiced nothing can be staged out together: data that was to be is
 * kept. What all nodes have in common, and does not lie on this one, is not
 * touched until sluiced has said that the job has ended: others may be at work
 * there. What cannot be cleaned is tried again, for a day, after the failure
 * has been told.
 */
#include "config.h"
#include "burst_buffer/node/leftovers.h"
#include "burst_buffer/node/receipts.h"
#include "burst_buffer/node/teardown.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burst_buffer/host/mtab.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"

#define SHORTLY	  5	  /* and for what need not be heard */
#define TRY_FOR	  86400.0 /* seconds to go on trying */
#define PAUSE_MAX 600.0
#define PAUSE_SAY 5.0 /* between two words that come back at once */
#define ASK_RATE  500 /* of them a second, of all nodes of a job */

/* What sluiced says; NONE: it cannot be heard, or has nothing to say. */
enum word { NONE, GO, SKIP, ABORT };

struct worker {
	struct slu_node n;
	bool told;    /* by sluiced, that the job has ended */
	bool late;    /* it was not in time: what there was is detached */
	bool success; /* of the job */
	char why[SLU_ERR_TEXT]; /* nothing is to be staged out; "": as it was */
	bool doubted; /* it says that there is nothing to be saved, and does
		       * not know that all was ready here once */
	bool keep;
};

static bool wanted(const struct worker *w, const struct slu_stage *s)
{
	if (!s->out)
		return false;
	return slu_eq(s->on, "always") ||
	       slu_eq(s->on, w->success ? "success" : "failure");
}

static bool has_stage_out(const struct slu_node *n)
{
	for (size_t i = 0; i < n->plan.n_stage; i++)
		if (n->plan.stage[i].out)
			return true;
	return false;
}

/* Did the job run, so that there may be something to stage out? A restart of
 * the node takes away the note that it did. */
static bool has_data(const struct slu_node *n)
{
	return has_stage_out(n) &&
	       (slu_note_has(n, "env") || slu_note_has(n, "restarted"));
}

/* Is there what somebody relies on? In a persistent buffer that is all, but for
 * one that was filled ahead of a job, which is a copy. */
static bool has_trust(const struct slu_node *n)
{
	return n->plan.persistent ? !n->plan.ahead : has_data(n);
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

/* The word that teardown goes by. NONE, from a sluiced that has lost what it
 * knew of us, too: err. */
static enum word begin(struct worker *w, struct slu_err *err)
{
	struct slu_report r = {.step = "down", .ok = true, .phase = "teardown"};
	struct slu_answer answer;
	enum word word;

	if (slu_talk_report(&w->n, &r, &answer, err))
		return err->kind == SLU_NOTFOUND && !has_data(&w->n) &&
				       !slu_in_common(&w->n)
			       ? SKIP
			       : NONE;
	w->success = answer.success;
	slu_copy(w->why, sizeof(w->why), answer.text ? answer.text : "");
	word = parse(answer.word);
	if (word == NONE)
		slu_err(err, SLU_INVALID, "sluiced said %.40s", answer.word);
	w->doubted = word == SKIP && !answer.ran && w->n.is_ready &&
		     has_trust(&w->n);
	slu_msg_clear(&slu_answer_desc, &answer);
	return word;
}

static void tell_failed(struct worker *w, size_t r, struct slu_err *err)
{
	char step[64];
	struct slu_report report = {
		.step = step, .text = err->text, .phase = "stage_out"};

	snprintf(step, sizeof(step), "out.%zu.share", r);
	slu_node_log(&w->n, SLU_ERROR, "stage_out %zu: %s", r, err->text);
	slu_talk_step(&w->n, &report, &(struct slu_err){0});
}

/* Is what the user has put there still to be had? */
static bool data_gone(struct worker *w)
{
	struct slu_report r = {
		.step = "lost_data",
		.text = "the job's file system is not mounted any more",
		.phase = "stage_out",
	};

	if (slu_note_has(&w->n, "restarted") && w->n.driver->attach)
		r.text = "the node was restarted before its data was staged "
			 "out";
	else if (w->late)
		r.text = "the node could not ask sluiced in time what to stage "
			 "out";
	else if (!slu_note_has(&w->n, "env") || w->n.driver->interposed ||
		 !w->n.driver->attach || slu_mounted(w->n.data))
		return false;
	slu_talk_step(&w->n, &r, &(struct slu_err){0});
	return true;
}

static void stage_out(struct worker *w)
{
	struct slu_node *n = &w->n;
	struct slu_err err = {0};

	/* On every node, before the first one copies. */
	slu_outlived_end(n);
	slu_outlived_look(n);
	/* Nobody copies early any more: that ended before the first word. */
	if (n->driver->shared && slu_talk_meet(n, "out.begin", &err))
		return;
	for (size_t i = 0; i < n->plan.n_stage; i++) {
		if (!wanted(w, &n->plan.stage[i]))
			continue;
		if (!slu_node_stage(n, i, &err))
			continue;
		if (err.kind != SLU_DENIED)
			tell_failed(w, i, &err);
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

/* Whose job it is shall hear of it, too. */
static void tell_doubt(struct worker *w, const char *what)
{
	struct slu_node *n = &w->n;
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

static bool keeps(const struct worker *w)
{
	return w->keep && w->n.plan.keep_failed > 0 && !w->n.plan.use;
}

/* In the job's output: no word has come, or there was nothing to do. */
static void tell_nothing(struct worker *w, const char *why)
{
	struct slu_node *n = &w->n;
	char more[200] = "", text[SLU_ERR_TEXT + 240];

	if (!*why || !has_stage_out(n) || w->late)
		return;
	if (keeps(w))
		snprintf(more, sizeof(more), "; what is here is kept: " FETCH,
			 n->name, (unsigned)n->job_id);
	else if (w->keep)
		slu_copy(more, sizeof(more),
			 "; and nothing is kept (KeepFailed=0)");
	snprintf(text, sizeof(text), "nothing was staged out: %s%s", why, more);
	slu_job_output_end(n, text);
}

/* Not told now: sluiced has said it. */
static void note_aborted(struct slu_node *n)
{
	const struct slu_report r = {
		.job_id = n->job_id,
		.buffer = n->plan.buffer,
		.node = n->name,
		.step = "aborted",
		.text = "its stage-out had failed, as sluiced said then",
		.phase = "stage_out",
		.ran = n->is_ready,
	};

	slu_receipt_add(n, &r);
}

static void meet_done(struct worker *w)
{
	struct slu_node *n = &w->n;
	struct slu_err err;

	if (slu_talk_meet(n, "out.done", &err)) {
		slu_node_log(n, SLU_ERROR, "data is kept: %s", err.text);
		w->keep = true;
		if (err.kind == SLU_NOTFOUND)
			tell_doubt(w, "of this run");
		if (err.kind == SLU_DENIED)
			note_aborted(n);
		if (!n->told)
			tell_nothing(w, err.text);
	}
	if (n->told)
		slu_job_output_end(n, n->told);
}

/* From the first word to the certainty that all data is safe, or is to be
 * kept. */
static void first_half(struct worker *w)
{
	struct slu_node *n = &w->n;
	struct slu_err err = {0};
	enum word word;

	allow(n);
	word = begin(w, &err);
	allow(n); /* how long sluiced was away is not the job's */
	w->told = word != NONE;
	w->keep = !w->told && has_data(n);
	if (!w->told) {
		if (!w->late)
			slu_node_log(n, SLU_ERROR, "%s", err.text);
		if (!w->late && w->keep && err.kind == SLU_NOTFOUND)
			tell_doubt(w, "of this run");
		tell_nothing(w, err.text);
		return;
	}
	slu_node_log(n, SLU_INFO, "down: %s", words[word]);
	if (w->late) {
		slu_note_drop(n, "result");	       /* wait for us again */
		w->keep = word == SKIP && has_data(n); /* who knows of what */
	}
	if (w->doubted) {
		tell_doubt(w, n->plan.persistent
				      ? "that this buffer was made here"
				      : "that the job has run here");
		w->keep = true;
	}
	if (word == GO && !data_gone(w))
		stage_out(w);
	if (word == SKIP)
		tell_nothing(w, w->doubted ? "sluiced does not know of it"
					   : w->why);
	else
		meet_done(w);
}

static int end_in_common(struct worker *w, struct slu_err *err)
{
	return slu_teardown_common(&w->n, keeps(w), err);
}

static int second_half(struct worker *w, struct slu_err *err)
{
	return slu_teardown(&w->n, w->told, keeps(w), err);
}

/* The worker's end */

static int report_clean(struct slu_node *n, const struct slu_err *why,
			double seconds)
{
	struct slu_report r = {
		.step = "clean",
		.ok = !why,
		.text = why ? (char *)why->text : NULL,
		.phase = "teardown",
		.bytes = why ? 0 : slu_storage_kept_takes(&n->storage),
	};
	struct slu_err err;

	n->deadline = slu_now_mono() + seconds;
	if (!slu_talk_step(n, &r, &err) || err.kind == SLU_NOTFOUND)
		return 0;
	slu_node_log(n, SLU_WARN, "sluiced does not know yet that it is %s: %s",
		     why ? "dirty" : "clean", err.text);
	return -1;
}

static void tell_result(struct slu_node *n, const char *text)
{
	char line[SLU_ERR_TEXT + 1];

	snprintf(line, sizeof(line), "%s\n", text);
	slu_note_put(n, "result", 0644, line, NULL);
}

/* Try until it works, or a day is over; the first failure is told at once. */
static int try_on(struct worker *w,
		  int (*half)(struct worker *w, struct slu_err *err))
{
	double end = slu_now_mono() + TRY_FOR, pause = 15;
	struct slu_err err = {0};
	bool told = false;

	while (half(w, &err)) {
		if (!told) {
			slu_node_log(&w->n, SLU_ERROR, "cannot be cleaned: %s",
				     err.text);
			report_clean(&w->n, &err, SLU_NODE_REPORTS);
			tell_result(&w->n, err.text);
			told = true;
		}
		if (slu_now_mono() > end)
			return -1;
		usleep((useconds_t)(pause * 1e6));
		pause = pause < PAUSE_MAX ? pause * 2 : PAUSE_MAX;
	}
	return 0;
}

static double longest_pause(const struct slu_node *n)
{
	return PAUSE_SAY + (double)n->plan.n_node / ASK_RATE;
}

/* This node is clean, and who waits for that is let go; what all have in common
 * is not: sluiced is asked on whether the job has ended. */
static int ask_on(struct worker *w)
{
	double end = slu_now_mono() + TRY_FOR, pause = 1;
	struct slu_node *n = &w->n;
	double most = longest_pause(n);

	if (w->told || !slu_in_common(n))
		return 0;
	w->late = true;
	tell_result(n, "clean");
	slu_node_log(n, SLU_WARN,
		     "what all nodes of the job have in common stays until it "
		     "is known that the job has ended");
	while (!w->told && slu_now_mono() < end) {
		usleep((useconds_t)(pause * 1e6));
		pause = pause * 2 < most ? pause * 2 : most;
		first_half(w);
	}
	if (!w->told) {
		slu_node_log(n, SLU_ERROR, "and that was not heard in a day");
		return 0;
	}
	slu_meet_detached(n);
	return try_on(w, end_in_common);
}

/* Who waits is let go as soon as the node is clean, even while sluiced is away;
 * it is told of it when it is back. */
static int say_goodbye(struct slu_node *n)
{
	double asked = slu_now_mono(), end = asked + TRY_FOR, pause = 1;
	double most = longest_pause(n);
	int rc = report_clean(n, NULL, SLU_NODE_REPORTS);

	slu_node_log(n, SLU_INFO, "clean");
	if (rc)
		tell_result(n, "clean");
	while (rc && slu_now_mono() < end) {
		if (slu_now_mono() - asked < 1) { /* "no" comes at once */
			usleep((useconds_t)(pause * 1e6));
			pause = pause * 2 < most ? pause * 2 : most;
		}
		asked = slu_now_mono();
		rc = report_clean(n, NULL, PAUSE_MAX);
	}
	if (!rc)
		slu_receipts_keep(n);
	return slu_notes_forget(n, NULL);
}

/* Were all ready once, so that tasks may have run? A restart takes the notes
 * away, and not what was put beside the data. */
static bool has_run(const struct slu_node *n)
{
	struct slu_err err;
	int rc;

	if (slu_note_has(n, "env") ||
	    (*n->storage.dir &&
	     slu_storage_has_mark(n->storage.dir, SLU_RAN_MARK)))
		return true;
	if (!n->driver->ran || n->plan.use)
		return false;
	rc = n->driver->ran(&n->in, false, &err);
	if (rc < 0)
		slu_node_log((struct slu_node *)n, SLU_WARN, "%s", err.text);
	return rc == 1;
}

/* Of a job that is being set up nobody else tells. */
static void tell_restarted(struct slu_node *n)
{
	struct slu_report r = {
		.step = "restarted",
		.text = "the node was restarted",
		.phase = "setup",
	};

	n->deadline = slu_now_mono() + SHORTLY;
	slu_talk_step(n, &r, &(struct slu_err){0});
}

static int work(void *arg)
{
	const struct slu_node_options *opt = arg;
	struct worker w = {0};
	struct slu_plan plan;
	struct slu_err err = {0};
	char time[SLU_TIME_TEXT];
	double start = slu_now_mono();
	bool opened = !slu_node_open(&w.n, opt, &err);

	if (opened && !slu_note_lock(&w.n, "down"))
		return 0;
	if (!opened || slu_noted_plan(&w.n, &plan, &err) ||
	    slu_node_take_plan(&w.n, &plan, &err) ||
	    slu_note_end(&w.n, "up.pid", &err) ||
	    slu_note_end(&w.n, "early.pid", &err)) {
		if (opened) /* else it is not known where */
			tell_result(&w.n, err.text);
		return 1;
	}
	w.n.is_ready = has_run(&w.n);
	w.n.has_receipts = true;
	if (slu_note_has(&w.n, "restarted"))
		tell_restarted(&w.n);
	first_half(&w);
	if (try_on(&w, second_half) || ask_on(&w))
		return 1;
	slu_note_end(&w.n, "watch.pid", &err);
	slu_node_log(&w.n, SLU_INFO, "down after %s",
		     slu_seconds_text(slu_now_mono() - start, time));
	return say_goodbye(&w.n) ? 1 : 0;
}

int slu_worker_start(struct slu_node *n, struct slu_err *err)
{
	char path[PATH_MAX];

	slu_note_release(n);
	slu_note_path(n, "down.pid", path);
	return slu_detach(work, (void *)n->opt, path, NULL, err);
}

void slu_worker_run(struct slu_node *n)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		_exit(work((void *)n->opt));
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends an instance on this node: the detached process that `down` starts and
 * waits for. In order: ends a running `up`; saves the data (save_data.c); takes
 * the file system down (teardown.c); reports "clean". Its result is noted in a
 * file.
 *
 * What all nodes have in common and does not lie on this one (a directory of
 * the parallel file system) is not touched until sluiced has answered that the
 * job has ended: other nodes may still use it. A removal that fails is
 * reported, and repeated for a day.
 */
#include "config.h"
#include "burst_buffer/node/teardown/worker.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/receipts.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/teardown/save_data.h"
#include "burst_buffer/node/teardown/teardown.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"

#define SHORTLY	  5	  /* seconds for a report that may be lost */
#define TRY_FOR	  86400.0 /* seconds to try again */
#define PAUSE_MAX 600.0
#define PAUSE_SAY 5.0 /* between two reports that are refused at once */
#define ASK_RATE  500 /* reports a second, from all nodes of a job */

static int end_in_common(struct slu_saving *save, struct slu_err *err)
{
	return slu_teardown_common(save->n, slu_saving_keeps(save), err);
}

static int second_half(struct slu_saving *save, struct slu_err *err)
{
	return slu_teardown(save->n, save->ended, slu_saving_keeps(save), err);
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
		.bytes = why ? 0 : slu_devices_kept_takes(n),
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

/* Repeats the teardown until it works, for a day at most; the first failure is
 * reported at once. */
static int try_on(struct slu_saving *save,
		  int (*half)(struct slu_saving *save, struct slu_err *err))
{
	double end = slu_now_mono() + TRY_FOR, pause = 15;
	struct slu_err err = {0};
	bool told = false;

	while (half(save, &err)) {
		if (!told) {
			slu_node_log(save->n, SLU_ERROR,
				     "cannot be cleaned: %s", err.text);
			report_clean(save->n, &err, SLU_NODE_REPORTS);
			tell_result(save->n, err.text);
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

/* This node is clean, so `down` may return; what all nodes have in common is
 * not, so the worker goes on asking sluiced whether the job has ended. */
static int ask_on(struct slu_saving *save)
{
	double end = slu_now_mono() + TRY_FOR, pause = 1;
	struct slu_node *n = save->n;
	double most = longest_pause(n);

	if (save->ended || !slu_in_common(n))
		return 0;
	save->late = true;
	tell_result(n, "clean");
	slu_node_log(n, SLU_WARN,
		     "storage that the job's nodes share stays until sluiced "
		     "reports that the job has ended");
	while (!save->ended && slu_now_mono() < end) {
		usleep((useconds_t)(pause * 1e6));
		pause = pause * 2 < most ? pause * 2 : most;
		slu_save_data(save);
	}
	if (!save->ended) {
		slu_node_log(n, SLU_ERROR,
			     "sluiced has not reported the end "
			     "of the job within a day: the "
			     "shared storage is left");
		return 0;
	}
	slu_arrive_detached(n);
	return try_on(save, end_in_common);
}

/* `down` may return as soon as the node is clean, even while sluiced is away,
 * which gets the report when it is back. */
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
	return slu_notes_remove(n, NULL);
}

/* Was the file system ready once, so that tasks may have run? A restart of the
 * node removes the notes but not the mark beside the data. */
static bool has_run(const struct slu_node *n)
{
	struct slu_err err;
	int rc;

	if (slu_note_has(n, "env") || slu_devices_have_mark(n, SLU_RAN_MARK))
		return true;
	if (!n->driver->ran || n->plan.use)
		return false;
	rc = n->driver->ran(&n->in, false, &err);
	if (rc < 0)
		slu_node_log((struct slu_node *)n, SLU_WARN, "%s", err.text);
	return rc == 1;
}

/* While a job is being set up only this worker can report a restart of the
 * node. */
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
	struct slu_node n = {0};
	struct slu_saving save = {.n = &n};
	struct slu_plan plan;
	struct slu_err err = {0};
	char time[SLU_TIME_TEXT];
	double start = slu_now_mono();
	bool opened = !slu_node_open(&n, opt, &err);

	if (opened && !slu_note_lock(&n, "down"))
		return 0;
	if (!opened || slu_noted_plan(&n, &plan, &err) ||
	    slu_node_take_plan(&n, &plan, &err) ||
	    slu_note_end(&n, "up.pid", &err) ||
	    slu_note_end(&n, "early.pid", &err)) {
		if (opened) /* else the place of the result is unknown */
			tell_result(&n, err.text);
		return 1;
	}
	n.is_ready = has_run(&n);
	n.has_receipts = true;
	if (slu_note_has(&n, "restarted"))
		tell_restarted(&n);
	slu_save_data(&save);
	if (try_on(&save, second_half) || ask_on(&save))
		return 1;
	slu_note_end(&n, "watch.pid", &err);
	slu_node_log(&n, SLU_INFO, "down after %s",
		     slu_seconds_text(slu_now_mono() - start, time));
	return say_goodbye(&n) ? 1 : 0;
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

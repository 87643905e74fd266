/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node serve`: a service that keeps persistent buffers running on their
 * nodes, and prefetches. It asks sluiced which buffers have a part here, and
 * does for each what the prolog and the epilog do for a job: `up` when it is
 * missing, as after a restart of the node, or when sluiced does not know that
 * it exists, as with an older database; and `down` when it has ended. Both run
 * in processes of their own, as they wait for other nodes. It reports a device
 * with a part of a buffer that was unmounted or is read-only. A buffer that was
 * made does not need this service any more, so it can be restarted at any time.
 */
#include "config.h"
#include "burst_buffer/node/cache/prefetch.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/node/setup/user_directories.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/commands/commands.h"
#include "burst_buffer/node/teardown/down.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "burst_buffer/host/logs.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/str.h"

#define PERIOD 2.0 /* seconds between two requests */
/* the same on nodes that are neither PersistentNodes nor StagingNodes */
#define PERIOD_PREFETCH 20.0
#define ASK_TIME	10.0 /* seconds for sluiced's answer */
#define AGAIN		15   /* seconds before a failed start is repeated, */
#define AT_MOST		600  /* doubled each time, up to this */
#define LOOK		60   /* seconds between two checks of what is there */

static volatile sig_atomic_t stopping;

static void on_signal(int sig)
{
	stopping = sig;
}

static int run_up(void *arg)
{
	struct slu_node n;
	struct slu_err err;
	int rc = slu_node_open(&n, arg, &err) ? 1 : slu_cmd_up(&n);

	slu_node_close(&n);
	return rc;
}

static int run_down(void *arg)
{
	struct slu_node n;
	struct slu_err err;
	int rc = slu_node_open(&n, arg, &err) || slu_down(&n, &err);

	slu_node_close(&n);
	return rc;
}

/* Seconds to wait after the last start; the next pause is twice as long. */
static long pause_of(const struct slu_node *n, const char *note)
{
	char *text = slu_note_get(n, note);
	long pause = text ? strtol(text, NULL, 10) : 0;

	free(text);
	return pause < AGAIN ? AGAIN : pause > AT_MOST ? AT_MOST : pause;
}

static void note_pause(struct slu_node *n, const char *note, long pause)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", pause);
	slu_note_put(n, note, 0644, text, NULL);
}

/* Starts it unless it runs, or was started too recently. */
static void start(struct slu_node *n, int (*fn)(void *), const char *note)
{
	char path[PATH_MAX], waits[32];
	struct slu_err err;
	long age = slu_note_age(n, note), pause;

	snprintf(waits, sizeof(waits), "%s.pause", note);
	pause = pause_of(n, waits);
	if (slu_note_lives(n, note, &(struct slu_pid){0}) ||
	    (age >= 0 && age < pause))
		return;
	note_pause(n, waits, age < 0 ? AGAIN : 2 * pause);
	slu_note_path(n, note, path);
	if (slu_detach(fn, (void *)n->opt, path, NULL, &err))
		slu_node_log(n, SLU_ERROR, "%s", err.text);
}

/* Is the file system there, as far as this node can see? */
static bool is_there(struct slu_node *n)
{
	struct slu_err err;
	long age = slu_note_age(n, "looked");

	if (!slu_note_has(n, "env"))
		return false;
	if (age >= 0 && age < LOOK)
		return true;
	if (n->driver->check(&n->in, &err)) {
		slu_node_log(n, SLU_WARN, "%s", err.text);
		return false;
	}
	n->used = slu_peak_used_sample(n);
	if (n->self == 0)
		slu_user_directories_sweep(n, n->plan.users);
	return !slu_note_put(n, "looked", 0644, "", NULL);
}

/* Reported as long as it is so, as runs that use the buffer may begin. */
static void look_at_devices(struct slu_node *n)
{
	struct slu_report r = {.step = "server_lost", .phase = "running"};
	struct slu_answer answer;
	struct slu_err err, why;

	if (!slu_devices_there(n, &why))
		return;
	r.text = why.text;
	n->deadline = slu_now_mono() + ASK_TIME;
	if (!slu_talk_report(n, &r, &answer, &err))
		slu_msg_clear(&slu_answer_desc, &answer);
}

static int tend(struct slu_node *n, struct slu_plan *plan, struct slu_err *err)
{
	if (slu_mkdirs(n->conf->run_dir, 0755, err) ||
	    slu_mkdirs(n->dir, 0711, err) || slu_node_take_plan(n, plan, err))
		return -1;
	slu_logs_trim(n->log_dir);
	if (!n->plan.over) {
		if (slu_note_has(n, "env") && !n->plan.unready)
			look_at_devices(n);
		if (is_there(n) && !n->plan.unready)
			slu_note_drop(n, "serve.up.pause");
		else
			start(n, run_up, "serve.up");
		return 0;
	}
	/* a restart of the node may have removed the notes */
	if (!slu_note_has(n, "plan.json") && slu_note_plan(n, err))
		return -1;
	start(n, run_down, "serve.down");
	return 0;
}

/* Reported with the next request; without memory, a minute later. */
static void add_fill(struct slu_node *n, const struct slu_node *of)
{
	struct slu_fill *grown =
		realloc(n->fill, (n->n_fill + 1) * sizeof(*grown));

	if (!grown)
		return;
	n->fill = grown;
	n->fill[n->n_fill++] = (struct slu_fill){of->job_id, of->plan.buffer,
						 of->used.now, of->used.most};
}

/* Handles one of them, with the service's configuration and log. */
static void tend_one(struct slu_node *n, struct slu_plan *plan)
{
	struct slu_node_options opt;
	struct slu_node as;
	struct slu_err err;

	if (slu_node_open_job(n, plan->job_id, &opt, &as, &err) ||
	    tend(&as, plan, &err))
		slu_node_log(n, SLU_ERROR, "%s", err.text);
	else if (as.used.known)
		add_fill(n, &as);
	as.conf = NULL;
	slu_node_close(&as);
}

static void serve(struct slu_node *n, double period)
{
	struct slu_prefetch prefetch = {0};
	struct slu_node_inventory owed;
	struct slu_err err;
	bool told = false;

	while (!stopping) {
		n->deadline = slu_now_mono() + ASK_TIME;
		if (!slu_talk_inventory(n, &owed, &err)) {
			for (size_t i = 0; i < owed.n_plan; i++)
				if (owed.plan[i].persistent)
					tend_one(n, &owed.plan[i]);
			slu_prefetch_tend(&prefetch, n, &owed);
			slu_msg_clear(&slu_node_inventory_desc, &owed);
			told = false;
		} else if (!told) {
			slu_node_log(n, SLU_WARN, "%s", err.text);
			told = true;
		}
		if (!stopping)
			usleep((useconds_t)(period * 1e6));
	}
	slu_prefetch_stop(&prefetch);
}

/* Seconds between two requests to sluiced. Most nodes are compute nodes,
 * thousands of them, which only ask for inputs to prefetch: they ask less
 * often. */
static double period_of(const struct slu_node *n)
{
	const struct slu_conf *conf = n->conf;

	if (n->opt->period > 0)
		return n->opt->period;
	return slu_hosts_find(&conf->persistent_nodes, n->name) >= 0 ||
			       slu_hosts_find(&conf->staging_nodes, n->name) >=
				       0
		       ? PERIOD
		       : PERIOD_PREFETCH;
}

int slu_cmd_serve(struct slu_node *n)
{
	const struct sigaction act = {.sa_handler = on_signal};

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	slu_node_log(n, SLU_INFO, "persistent buffers are served");
	serve(n, period_of(n));
	free(n->fill);
	free(n->prefetch);
	return EXIT_SUCCESS;
}

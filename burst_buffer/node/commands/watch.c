/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node watch`: watches over a job's file system while the job runs.
 * `up` leaves this process behind on each node. It never touches a process or
 * file of a job that runs.
 *
 * It checks whether the node's servers live and the devices of its share work,
 * and reports one that does not (OnServerLoss); it keeps their logs short,
 * notes how full the storage is, and serves the socket for early stage-out
 * (early.c).
 */

/*
 * It also handles three cases in which Slurm runs no prolog or epilog:
 *
 * - A process that waits in the kernel for the client of a file system cannot
 * be killed; slurmd then waits for it and never runs the epilog. So when
 * sluiced answers that the job has ended, no `down` has begun, and one and the
 * same process of the user has been killed but does not die, the client is
 * ended.
 *
 * - A slurmctld that was killed before it had saved the job's start does not
 * know of this run and sends no epilog. So when sluiced answers that there will
 * be none, and no `down` has begun, the watcher begins it.
 *
 * - A node that was cut off for long was given up, and Slurm has requeued the
 * job without a message to slurmd. When the job's next run comes to this node,
 * slurmd takes it for the same run and runs no prolog: so the watcher begins
 * `up`.
 */
#include "config.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/node/stage/early.h"

#include <stdlib.h>
#include <unistd.h>
#include "burst_buffer/host/logs.h"
#include "burst_buffer/host/kill_users.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/storage/storage_health.h"
#include "common/proc.h"
#include "burst_buffer/node/commands/watch.h"
#include "burst_buffer/node/teardown/worker.h"

#define UNKNOWN_MAX 10	 /* how often sluiced may not know the job */
#define LOOK	    3.0	 /* seconds between two checks of the server */
#define PERIOD	    30.0 /* seconds between requests, for few nodes */
/* as many times more often where the node was given up */
#define RETURNED 10

static bool over(struct slu_node *n)
{
	return slu_note_has(n, "down.pid") || !slu_noted_is(n, n->plan.buffer);
}

enum verdict { GOES_ON, ENDED, LEFT, UNKNOWN, LOST, AGAIN };

/* Offers sluiced the noted plan, as its database was restored. */
static void offer(struct slu_node *n)
{
	char *plan = slu_note_get(n, "plan.json");
	struct slu_answer answer;
	struct slu_err err;

	n->offer = plan;
	if (plan && !slu_talk_poll(n, 10, &answer, &err)) {
		slu_node_log(n, SLU_WARN,
			     "sluiced did not know this job any more; this "
			     "node's plan was sent to it");
		slu_msg_clear(&slu_answer_desc, &answer);
	} else if (plan) {
		slu_node_log(n, SLU_WARN,
			     "sluiced does not know this job any more: %s",
			     err.text);
	}
	n->offer = NULL;
	free(plan);
}

/* Asks sluiced about the job. */
static enum verdict ask(struct slu_node *n)
{
	struct slu_answer answer;
	enum verdict is = GOES_ON;
	struct slu_err err;

	if (slu_talk_poll(n, 10, &answer, &err))
		return err.kind == SLU_NOTFOUND ? UNKNOWN : GOES_ON;
	if (slu_eq(answer.word, "ended"))
		is = ENDED;
	else if (slu_eq(answer.word, "lost"))
		is = LOST;
	else if (slu_eq(answer.word, "again"))
		is = AGAIN;
	else if (slu_eq(answer.word, "left"))
		is = LEFT;
	else if (slu_eq(answer.word, "plan"))
		offer(n);
	slu_msg_clear(&slu_answer_desc, &answer);
	return is;
}

static void begin_down(struct slu_node *n)
{
	struct slu_err err;

	slu_node_log(n, SLU_WARN,
		     "Slurm has released this node without an epilog: `down` "
		     "begins");
	if (slu_worker_start(n, &err)) {
		slu_node_log(n, SLU_WARN, "%s", err.text);
		slu_worker_run(n);
	}
}

/* What the watching process needs. */
struct watcher {
	const struct slu_node_options *opt;
	slu_node_begin_f *begin; /* a run, as `up` does */
	bool alone;		 /* no other of this job */
};

static int begin_run(void *arg)
{
	const struct watcher *w = arg;
	struct slu_node n;
	struct slu_err err;
	int rc = slu_node_open(&n, w->opt, &err) ? 1 : w->begin(&n);

	slu_node_close(&n);
	return rc;
}

/* The new `up` ends what is here of this run, and this watcher. */
static void begin_again(struct slu_node *n, struct watcher *w)
{
	struct slu_err err;

	slu_node_log(n, SLU_WARN,
		     "this node was given up, and the job's next run is here "
		     "without a prolog: `up` begins");
	if (slu_detach(begin_run, w, NULL, NULL, &err))
		slu_node_log(n, SLU_WARN, "%s", err.text);
}

static void pass(double seconds)
{
	usleep((useconds_t)(seconds * 1e6));
}

/* Has one and the same process been hanging for half a period? */
static bool hangs(struct slu_node *n, double period)
{
	struct slu_pid first, again;

	if (slu_users_stuck(n->plan.uid, n->job_id, &first, NULL))
		return false;
	pass(period / 2);
	return !slu_users_stuck(n->plan.uid, n->job_id, &again, NULL) &&
	       again.pid == first.pid && again.start == first.start;
}

/* What this node gives to the file system. */
struct share {
	struct slu_storage_health *devices; /* NULL: none to look at */
	bool told; /* its loss is reported, and sluiced has acknowledged it */
};

static void share_begin(struct share *share, const struct slu_node *n)
{
	const struct slu_storage **all = calloc(1 + n->n_more, sizeof(*all));

	*share = (struct share){0};
	for (size_t k = 0; all && k <= n->n_more; k++)
		all[k] = slu_devices_storage(n, k);
	if (all && n->is_ready)
		share->devices = slu_storage_health_new(all, 1 + n->n_more);
	free(all);
}

/* A server that ends for its device is not the reason. */
static bool is_lost(struct slu_node *n, const struct share *share,
		    struct slu_err *why)
{
	if (share->devices && slu_storage_health_look(share->devices, why))
		return true;
	return n->driver->lives && n->driver->lives(&n->in, why);
}

/* A server of this node has died under the job, or a device with a part of its
 * share has failed: sluiced decides what follows. Reported until it is
 * acknowledged. */
static void look_at_share(struct slu_node *n, struct share *share)
{
	struct slu_report r = {.step = "server_lost", .phase = "running"};
	struct slu_answer answer;
	struct slu_err err, why;

	if (share->told || !n->is_ready || n->plan.use ||
	    n->plan.node[n->self].client || !is_lost(n, share, &why) || over(n))
		return;
	slu_node_log(n, SLU_ERROR, "%s", why.text);
	r.text = why.text;
	n->deadline = slu_now_mono() + LOOK;
	share->told = !slu_talk_report(n, &r, &answer, &err);
	if (share->told)
		slu_msg_clear(&slu_answer_desc, &answer);
}

/* Waits until the next request is due. */
static void serve(struct slu_node *n, int early, double period,
		  struct share *share)
{
	double end = slu_now_mono() + period, left;

	if (share->devices && !share->told)
		slu_storage_health_probe(share->devices);
	while ((left = end - slu_now_mono()) > 0 && !over(n)) {
		double step = left < LOOK ? left : LOOK;

		if (early < 0)
			pass(step);
		else
			slu_early_serve(n, early, step);
		slu_peak_used_sample(n);
		look_at_share(n, share);
		slu_logs_trim(n->log_dir);
	}
}

static void keep_watch(struct slu_node *n, struct watcher *w)
{
	double period = n->opt->period;
	int early = slu_early_listen(n);
	struct slu_err err;
	struct share share;
	enum verdict is = GOES_ON;
	int unknown = 0;

	if (period <= 0) /* the more nodes, the less often each asks */
		period = PERIOD + (double)n->plan.n_node / 50;
	n->is_ready = slu_note_has(n, "env");
	share_begin(&share, n);
	for (;;) {
		serve(n, early, is == LOST ? period / RETURNED : period,
		      &share);
		if (over(n))
			break;
		is = ask(n);
		unknown = is == UNKNOWN ? unknown + 1 : 0;
		if (unknown == UNKNOWN_MAX)
			break;
		if (is == LEFT) {
			begin_down(n);
			break;
		}
		if (is == AGAIN)
			begin_again(n, w);
		if (is != ENDED || !n->driver->abort || !hangs(n, period) ||
		    over(n))
			continue;
		slu_node_log(n, SLU_WARN,
			     "the job has ended, but its processes hang: the "
			     "client of its file system is ended");
		if (!n->driver->abort(&n->in, &err))
			break;
		slu_node_log(n, SLU_ERROR, "%s", err.text);
	}
	slu_storage_health_free(share.devices);
}

static int watch(void *arg)
{
	struct watcher *w = arg;
	struct slu_node n;
	struct slu_plan plan;
	struct slu_err err;
	int rc = 1;

	if (!slu_node_open(&n, w->opt, &err) &&
	    (!w->alone || slu_note_lock(&n, "watch")) &&
	    !slu_noted_plan(&n, &plan, &err) &&
	    !slu_node_take_plan(&n, &plan, &err)) {
		keep_watch(&n, w);
		rc = 0;
	}
	slu_node_close(&n);
	return rc;
}

int slu_watcher_start(struct slu_node *n, slu_node_begin_f *begin,
		      struct slu_err *err)
{
	struct watcher w = {.opt = n->opt, .begin = begin, .alone = true};
	char path[PATH_MAX];
	struct slu_pid pid;

	slu_note_path(n, "watch.pid", path);
	if (slu_note_lives(n, "watch.pid", &pid))
		return 0;
	return slu_detach(watch, &w, path, NULL, err);
}

int slu_watch(struct slu_node *n, slu_node_begin_f *begin)
{
	return watch(&(struct watcher){.opt = n->opt, .begin = begin});
}

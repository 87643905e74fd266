/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node up`: makes a job's file system on this node. The prolog runs it;
 * if it was killed at any place it is run again and continues.
 *
 * If there is a fault in a request, a user, a file system or sluiced, the exit
 * code is still 0, as another would drain the node: the job's tasks are refused
 * with one sentence, sluiced gets a report, and the return waits (bounded)
 * until the job is held, requeued or failed. Only an older instance that cannot
 * be removed is the node's fault, and gives 1.
 */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/bind.h"
#include "burst_buffer/host/logs.h"
#include "burst_buffer/node/cache/input_cache.h"
#include "burst_buffer/node/commands/commands.h"
#include "burst_buffer/node/commands/device_storage.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/teardown/kept_expiry.h"
#include "burst_buffer/node/teardown/leftovers.h"
#include "burst_buffer/node/setup/room.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/setup/user_directories.h"
#include "burst_buffer/node/stage/job_output.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"
#include "burst_buffer/node/commands/watch.h"
#include "burst_buffer/node/setup/job_env.h"
#include "burst_buffer/node/setup/stripe_directories.h"
#include "burst_buffer/node/stage/staging.h"
#include "burst_buffer/node/teardown/down.h"

#define GRACE	     30 /* seconds, so that sluiced's deadlines come first */
#define VERDICT_TIME 90 /* seconds to wait for a failed job's verdict */
#define ASK_TIME     5	/* seconds for the inventory */

static void allow(struct slu_node *n, int64_t seconds)
{
	n->deadline = slu_now_mono() + (double)seconds + GRACE;
}

/* Reports that a step is done; -1 when sluiced answers "abort". */
static int done(struct slu_node *n, struct slu_report *r, double start,
		struct slu_err *err)
{
	char time[SLU_TIME_TEXT];

	r->ok = true;
	r->phase = "setup";
	r->seconds = slu_now_mono() - start;
	slu_node_log(n, SLU_INFO, "%s: %s%s%s", r->step,
		     slu_seconds_text(r->seconds, time),
		     r->enforced ? ", limited by " : "",
		     r->enforced ? r->enforced : "");
	return slu_talk_step(n, r, err);
}

/* SLU_DENIED is reserved for sluiced's "abort": a permission error of ours is a
 * failure like any other, and is reported. */
static int our_own(int rc, struct slu_err *err)
{
	if (rc && err->kind == SLU_DENIED)
		err->kind = SLU_IO;
	return rc;
}

static uint32_t restarts(void)
{
	const char *text = getenv("SLURM_JOB_RESTART_COUNT");

	return text ? (uint32_t)strtoul(text, NULL, 10) : 0;
}

static int make_storage(struct slu_node *n, struct slu_err *err)
{
	const struct slu_plan_node *me = &n->plan.node[n->self];
	struct slu_report r = {.step = "storage", .bytes = me->capacity};
	double start = slu_now_mono();

	if (me->client)
		return 0;
	if (our_own(slu_devices_make(n, err), err))
		return -1;
	r.enforced = n->storage.enforced;
	return done(n, &r, start, err);
}

/* Agrees with the other nodes on the shares, by the free space on each. */
static int settle_room(struct slu_node *n, struct slu_err *err)
{
	const struct slu_plan_node *me = &n->plan.node[n->self];
	struct slu_plan plan;
	bool again;

	for (size_t k = 0; *me->storage && k <= me->n_more; k++)
		if (slu_leftovers_remove(n, slu_plan_device(me, k).storage,
					 err) < 0)
			slu_node_log(n, SLU_ERROR, "leftovers: %s", err->text);
	if (slu_room_report(n, &again, err))
		return -1;
	if (!again)
		return 0;
	return slu_talk_plan(n, restarts(), &plan, err) ||
			       slu_node_take_plan(n, &plan, err) ||
			       slu_note_plan(n, err)
		       ? -1
		       : 0;
}

/* Servers know each other by the attributes at the barrier. */
static int start_server(struct slu_node *n, struct slu_barrier_answer *others,
			struct slu_err *err)
{
	struct slu_report r = {.step = "server"};
	char attr[SLU_ATTR_MAX] = "";
	double start = slu_now_mono();

	if (!n->driver->start || n->plan.use)
		return 0;
	if (!n->plan.node[n->self].client &&
	    (our_own(n->driver->start(&n->in, attr, err), err) ||
	     done(n, &r, start, err)))
		return -1;
	return slu_talk_barrier(n, "servers", attr, others, err);
}

/* Lets one node assemble the file system from what all have started. */
static int assemble(struct slu_node *n, struct slu_err *err)
{
	if (!n->driver->assemble)
		return 0;
	if (n->self == 0 && our_own(n->driver->assemble(&n->in, err), err))
		return -1;
	return slu_talk_arrive(n, "assembled", err);
}

static int attach(struct slu_node *n, const struct slu_barrier_answer *others,
		  struct slu_err *err)
{
	struct slu_report r = {.step = "attach"};
	const bool use = n->plan.use != 0;
	double start = slu_now_mono();
	const char *root;

	if ((!use && assemble(n, err)) ||
	    our_own(n->driver->attach(&n->in, use ? n->plan.attr : others->attr,
				      use ? n->plan.n_attr : others->n_attr,
				      use ? &root : &n->root, err) ||
			    n->driver->check(&n->in, err),
		    err))
		return -1;
	if ((n->self == 0 || !n->driver->shared) &&
	    our_own(slu_user_directories_make(n, err), err))
		return -1;
	if (done(n, &r, start, err) || slu_talk_arrive(n, "mounted", err))
		return -1;
	return slu_user_directories_show(n, err);
}

/* Binds servers and client to the processors that the plan names; a failure
 * does not matter. */
static int start_and_attach(struct slu_node *n, struct slu_err *err)
{
	const struct slu_plan_node *me = &n->plan.node[n->self];
	struct slu_barrier_answer others = {0};
	struct slu_bound bound = {NULL};
	struct slu_err why;
	int rc;

	if (me->cpus && slu_bind(me->cpus, &bound, &why))
		slu_node_log(n, SLU_WARN, "servers are not bound: %s",
			     why.text);
	else if (me->cpus)
		slu_node_log(n, SLU_INFO, "servers run on CPUs %s: %s",
			     me->cpus, me->cpus_why ? me->cpus_why : "");
	rc = start_server(n, &others, err) ||
	     (n->driver->attach && attach(n, &others, err));
	slu_unbind(&bound);
	slu_msg_clear(&slu_barrier_answer_desc, &others);
	return rc ? -1 : 0;
}

static int set_up(struct slu_node *n, struct slu_err *err)
{
	allow(n, n->plan.setup_timeout);
	if ((mkdir(n->work, 0700) && errno != EEXIST) || chmod(n->work, 0700))
		return slu_errno(err, SLU_IO, "cannot make %s", n->work);
	if (n->driver->logs && slu_logs_make(n->log_dir, err))
		return -1;
	slu_kept_expire(n, n->first);
	if (settle_room(n, err) || make_storage(n, err) ||
	    start_and_attach(n, err) || slu_node_stripe(n, err))
		return -1;
	slu_peak_used_begin(n);
	return 0;
}

static int stage_in(struct slu_node *n, struct slu_err *err)
{
	int rc = 0;

	allow(n, n->plan.stage_in_timeout);
	slu_input_cache_begin(n);
	for (size_t i = 0; !rc && i < n->plan.n_stage; i++)
		if (!n->plan.stage[i].out)
			rc = slu_node_stage(n, i, err);
	if (rc)
		slu_input_cache_discard_used(n);
	else
		slu_input_cache_keep(n);
	return rc;
}

/* A mark beside the data, which survives a restart of the node, unlike the
 * notes. */
static int note_ran(struct slu_node *n, struct slu_err *err)
{
	if (n->plan.use)
		return 0;
	if (n->driver->ran && n->self == 0)
		return our_own(n->driver->ran(&n->in, true, err), err);
	return *n->storage.dir ? slu_devices_mark(n, SLU_RAN_MARK, err) : 0;
}

/* Reports "ready" and lets tasks start: they wait for the note "env". */
static int be_ready(struct slu_node *n, double start, struct slu_err *err)
{
	struct slu_report r = {.step = "ready"};

	if (done(n, &r, start, err) || slu_talk_arrive(n, "ready", err) ||
	    note_ran(n, err))
		return -1;
	slu_job_output_begin(n);
	return slu_note_env(n, err);
}

static int make_it(struct slu_node *n, double start, struct slu_err *err)
{
	if (set_up(n, err) || stage_in(n, err) || be_ready(n, start, err))
		return -1;
	return n->plan.persistent ? 0 : slu_watcher_start(n, slu_cmd_up, err);
}

/* Ends an earlier `up` of this job on this node: its run must be over. */
static int end_other_up(struct slu_node *n, struct slu_err *err)
{
	struct slu_pid other;

	if (slu_note_lives(n, "up.pid", &other) && other.pid != getpid())
		slu_node_log(n, SLU_WARN, "ending an earlier `up`, pid %d",
			     (int)other.pid);
	return slu_note_end(n, "up.pid", err);
}

static int claim(struct slu_node *n, struct slu_err *err)
{
	char path[PATH_MAX];
	struct slu_pid self;

	slu_note_path(n, "up.pid", path);
	return slu_pid_get(getpid(), &self, err) ||
			       slu_pid_write(path, &self, err) ||
			       slu_note_reserve(n, err)
		       ? -1
		       : 0;
}

/* Makes the job's directory and notes this `up` there. A worker of an older
 * instance would end the process noted there, so nothing is noted while there
 * is one. */
static int try_open_dir(struct slu_node *n, bool older, struct slu_err *err)
{
	if (slu_mkdirs(n->conf->run_dir, 0755, err) ||
	    slu_mkdirs(n->dir, 0711, err))
		return -1;
	if (chmod(n->dir, 0711))
		return slu_errno(err, SLU_IO, "%s", n->dir);
	if (end_other_up(n, err))
		return -1;
	return older && slu_note_has(n, "plan.json") ? 0 : claim(n, err);
}

/* Repeats try_open_dir(), as a worker that ends may remove the directory just
 * now. */
static int open_dir(struct slu_node *n, bool older, struct slu_err *err)
{
	int rc = -1;

	for (int i = 0; rc && i < 3; i++)
		rc = try_open_dir(n, older, err);
	return rc;
}

/* Takes an older instance of this job down first; -2: that is not possible. */
static int end_older(struct slu_node *n, uint64_t buffer, struct slu_err *err)
{
	struct slu_node older;
	struct slu_plan plan;
	uint64_t noted;
	int rc;

	if (slu_noted_plan(n, &plan, err))
		return err->kind == SLU_NOTFOUND ? 0 : -2;
	noted = plan.buffer;
	slu_msg_clear(&slu_plan_desc, &plan);
	if (noted == buffer)
		return 0;
	slu_node_log(n, SLU_WARN, "an earlier instance is still here");
	if (slu_node_open(&older, n->opt, err))
		return -1;
	rc = slu_down_older(&older, noted, err) ? -2 : 0;
	slu_node_close(&older);
	return rc;
}

/* Fetches the plan and notes it before anything is made. */
static int fetch(struct slu_node *n, struct slu_err *err)
{
	struct slu_plan plan;
	uint64_t buffer;
	int rc;

	if (slu_talk_plan(n, restarts(), &plan, err))
		return -1;
	slu_node_renew_conf(n);
	buffer = plan.buffer;
	rc = end_older(n, buffer, err);
	rc = rc ? rc : open_dir(n, false, err);
	if (rc) {
		slu_msg_clear(&slu_plan_desc, &plan);
		return rc;
	}
	if (slu_node_take_plan(n, &plan, err))
		return -1;
	slu_note_drop(n, "refused");
	return slu_note_plan(n, err);
}

/* No other process may take over an older instance that we have just ended. An
 * earlier `up` that has only begun is ended first, as it would be waited
 * for. */
static int begin(struct slu_node *n, struct slu_err *err)
{
	double seconds = (double)n->conf->setup_timeout;
	int begun, rc;

	allow(n, n->conf->setup_timeout);
	if (our_own(open_dir(n, true, err), err))
		return -1;
	begun = slu_note_begin(n, seconds, err);
	if (begun < 0)
		return -1;
	rc = fetch(n, err);
	slu_note_begun(begun);
	return rc;
}

/* A job that slurmctld has forgotten gets no epilog. If sluiced answers that it
 * has ended, before there is a plan, everything is removed as if `up` had never
 * begun; sluiced may have sent a plan that never arrived. */
static void leave_behind(struct slu_node *n, const struct slu_err *why)
{
	struct slu_err err;
	int rc = 0;

	if (n->job_id >= SLU_PERSIST_FIRST) /* `serve` looks after it */
		return;
	if (slu_note_has(n, "plan.json"))
		rc = slu_watcher_start(n, slu_cmd_up, &err);
	else if (why->kind == SLU_NOTFOUND)
		rc = slu_notes_remove_begun(n, &err) ||
		     slu_leftovers_reconcile(n, ASK_TIME, &err) < 0;
	if (rc)
		slu_node_log(n, SLU_ERROR, "%s", err.text);
}

/* sluiced knows what it has answered itself, and which requests it has not
 * answered. Without a plan the job's present run is meant. */
static bool is_news(const struct slu_node *n, const struct slu_err *err)
{
	return err->kind != SLU_DENIED &&
	       (n->plan.buffer ||
		(err->kind != SLU_NOTFOUND && err->kind != SLU_TIMEOUT));
}

/* No task may start without the file system, nor before the verdict. */
static void give_up(struct slu_node *n, struct slu_err *err)
{
	struct slu_report r = {
		.step = "failed",
		.text = err->text,
		.phase = "setup",
		.mistake = n->mistake,
		.no_room = n->no_room,
	};
	char line[SLU_ERR_TEXT + 1];

	slu_node_log(n, SLU_ERROR, "refused: %s", err->text);
	slu_note_drop(n, "env");
	slu_note_release(n);
	snprintf(line, sizeof(line), "%s\n", err->text);
	if (slu_note_put_for_user(n, "refused", line, NULL))
		slu_node_log(n, SLU_ERROR, "cannot write %s/refused", n->dir);
	leave_behind(n, err);
	if (!is_news(n, err))
		return;
	n->deadline = slu_now_mono() + VERDICT_TIME;
	slu_talk_step(n, &r, &(struct slu_err){0});
}

static int dry_run(const struct slu_node *n)
{
	printf("would ask %s for the plan of job %u and note it in %s\n",
	       n->conf->daemon_addr && n->conf->daemon_addr[0]
		       ? n->conf->daemon_addr[0]
		       : "nobody",
	       (unsigned)n->job_id, n->dir);
	if (slu_note_has(n, "plan.json"))
		printf("would clean away the instance that is noted there, if "
		       "the plan names another\n");
	printf("would make storage of the planned size in the planned "
	       "directory (NodeStorage=%s)\n",
	       n->conf->node_storage);
	printf("would start the file system's server, if it has one, and meet "
	       "the job's other nodes\n"
	       "would mount it and show its data in %s/mnt/data\n"
	       "would do this node's part of each stage_in\n"
	       "would report ready and write %s/env\n",
	       n->dir, n->dir);
	return 0;
}

int slu_cmd_up(struct slu_node *n)
{
	double start = slu_now_mono();
	struct slu_err err = {0};
	char time[SLU_TIME_TEXT];
	int rc;

	if (n->opt->dry_run)
		return dry_run(n);
	rc = begin(n, &err);
	if (rc == -2) {
		slu_node_log(n, SLU_ERROR, "cannot be cleaned: %s", err.text);
		fprintf(stderr, "sluice-node: %s\n", err.text);
		return 1;
	}
	rc = rc || make_it(n, start, &err);
	slu_input_cache_end(n);
	if (rc)
		give_up(n, &err);
	else
		slu_node_log(n, SLU_INFO, "up after %s",
			     slu_seconds_text(slu_now_mono() - start, time));
	return 0;
}

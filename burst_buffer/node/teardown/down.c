/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node down`: removes a job's file system from this node. The epilog
 * runs it, which Slurm may kill, and which must not return before all is
 * removed; so a detached worker (worker.c) does the work, and this waits for
 * its result. A worker that died is started again; every step can be repeated.
 */
#include "config.h"
#include "burst_buffer/node/teardown/down.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/teardown/leftovers.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/teardown/worker.h"
#include "common/proc.h"

#define WORKERS	   5
#define GOODBYE	   3.0	/* seconds for one request to sluiced */
#define LAST_WORDS 60.0 /* seconds for a worker's last report */

/* A worker that has reported a failure retries at long intervals; a new call of
 * `down` needs a result at once. */
static int drop_failure(struct slu_node *n, struct slu_err *err)
{
	char *result = slu_note_get(n, "result");
	bool failed = result && !slu_eq(slu_trim(result), "clean");

	free(result);
	if (!failed)
		return 0;
	if (slu_note_end(n, "down.pid", err))
		return -1;
	slu_note_drop(n, "result");
	return 0;
}

/* Has the worker a result? 1: yes, in *rc; 0: not yet. */
static int over(struct slu_node *n, uint64_t buffer, int *rc,
		struct slu_err *err)
{
	char *result;

	if (!slu_noted_is(n, buffer)) {
		*rc = 0;
		return 1;
	}
	result = slu_note_get(n, "result");
	if (!result)
		return 0;
	*rc = slu_eq(slu_trim(result), "clean")
		      ? 0
		      : slu_err(err, SLU_IO, "%s", slu_trim(result));
	free(result);
	return 1;
}

static int wait_for_worker(struct slu_node *n, uint64_t buffer,
			   struct slu_err *err)
{
	struct slu_pid pid;
	int rc = 0;

	for (int started = 0;;) {
		if (over(n, buffer, &rc, err))
			return rc;
		if (slu_note_lives(n, "down.pid", &pid)) {
			slu_pid_wait(&pid, 0.05, NULL);
			continue;
		}
		if (over(n, buffer, &rc, err)) /* it ended just now */
			return rc;
		if (started++ == WORKERS)
			return slu_err(err, SLU_INTERNAL,
				       "cleaning %s was tried %d times and "
				       "died each time",
				       n->dir, WORKERS);
		if (slu_worker_start(n, err)) {
			slu_node_log(n, SLU_WARN, "%s", err->text);
			slu_worker_run(n);
		}
	}
}

/* The job has no notes here: sluiced may have sent a plan that never arrived,
 * or a reboot has removed them; nothing was made, or nothing runs any more.
 * Reports that once, so that the node is not drained. Only after the inventory,
 * as storage of the job may be here without a note. */
static void say_nothing_is_here(struct slu_node *n)
{
	struct slu_report r = {.job_id = n->job_id,
			       .node = n->name,
			       .step = "clean",
			       .ok = true,
			       .phase = "teardown"};
	char *body = slu_encode_text(&slu_report_desc, &r);
	struct slu_buf reply = {0};

	if (body)
		slu_talk_once(n, "/v1/report", body, GOODBYE, &reply,
			      &(struct slu_err){0});
	slu_buf_free(&reply);
	free(body);
}

static int down(struct slu_node *n, uint64_t buffer, struct slu_err *err)
{
	return drop_failure(n, err) || wait_for_worker(n, buffer, err) ? -1 : 0;
}

/* A worker with the result "clean" may still be reporting it to sluiced, or
 * withdraw it while it removes what all nodes have in common. It has ended when
 * the directory is gone, which it removes last. */
int slu_down_older(struct slu_node *n, uint64_t buffer, struct slu_err *err)
{
	struct slu_pid pid;

	do {
		if (down(n, buffer, err))
			return -1;
		if (!slu_note_lives(n, "down.pid", &pid) ||
		    !slu_pid_wait(&pid, LAST_WORDS, NULL))
			break;
	} while (!slu_note_has(n, "result") && slu_noted_is(n, buffer));
	if (slu_note_end(n, "down.pid", err))
		return -1;
	return slu_noted_is(n, buffer) ? slu_notes_remove(n, err) : 0;
}

int slu_down(struct slu_node *n, struct slu_err *err)
{
	struct slu_plan plan;
	bool known = true;
	struct slu_err why;
	uint64_t buffer;
	int rc = slu_noted_plan(n, &plan, err);

	if (rc && err->kind == SLU_NOTFOUND) {
		known = slu_leftovers_reconcile(n, GOODBYE, &why) == 0;
		rc = slu_noted_plan(n, &plan, err);
	}
	if (rc && err->kind != SLU_NOTFOUND)
		return -1;
	if (rc && known)
		say_nothing_is_here(n);
	else if (rc)
		slu_node_log(n, SLU_WARN,
			     "this node has no notes of it, and sluiced "
			     "could not be asked: %s",
			     why.text);
	if (rc)
		return slu_notes_remove(n, err);
	buffer = plan.buffer;
	slu_msg_clear(&slu_plan_desc, &plan);
	return down(n, buffer, err);
}

static int dry_run(struct slu_node *n)
{
	struct slu_plan plan;
	struct slu_err err;

	if (slu_noted_plan(n, &plan, &err)) {
		printf("%s: nothing to do\n", err.text);
		return 0;
	}
	if (slu_node_take_plan(n, &plan, &err)) {
		fprintf(stderr, "sluice-node: %s\n", err.text);
		return 1;
	}
	printf("would wait until the job is known to have ended\n");
	for (size_t i = 0; i < n->plan.n_stage; i++)
		if (n->plan.stage[i].out)
			printf("would stage out %s to %s (on=%s)\n",
			       n->plan.stage[i].source,
			       n->plan.stage[i].destination,
			       n->plan.stage[i].on);
	printf("would unmount %s and end the %s on this node\n", n->data,
	       n->driver->name);
	for (size_t k = 0; k <= n->n_more; k++)
		printf("would remove %s\n", slu_devices_storage(n, k)->dir);
	printf("would remove %s\n", n->dir);
	return 0;
}

int slu_cmd_down(struct slu_node *n)
{
	struct slu_err err = {0};

	if (n->opt->dry_run)
		return dry_run(n);
	if (!slu_down(n, &err))
		return 0;
	slu_node_log(n, SLU_ERROR, "cannot be cleaned: %s", err.text);
	fprintf(stderr, "sluice-node: job %u: cannot be cleaned: %s\n",
		(unsigned)n->job_id, err.text);
	return 1;
}

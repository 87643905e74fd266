/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node recover`: repairs the state of this node; run when slurmd
 * starts, and periodically by the node's health check. After a restart of the
 * node it takes down the file systems of jobs that ended with the node, so that
 * the node returns to service by itself. Watchers and workers that were killed
 * are replaced. Usually there is nothing to do.
 */
#include "config.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "burst_buffer/node/teardown/kept_expiry.h"
#include "burst_buffer/node/teardown/leftovers.h"
#include "burst_buffer/node/commands/llite.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/verbs.h"
#include "common/proc.h"
#include "burst_buffer/node/commands/watch.h"
#include "burst_buffer/node/commands/commands.h"
#include "burst_buffer/node/teardown/worker.h"

#define TRY_FOR	     86400.0 /* seconds, while sluiced is down */
#define ASK_TIME     60.0
#define REGISTERS    5	     /* seconds */
#define EPILOGS_TURN 1000000 /* us */

static bool lives(const struct slu_node *n, const char *pid_file)
{
	return slu_note_lives(n, pid_file, &(struct slu_pid){0});
}

/* Waits a moment first, as an epilog that waits for a worker replaces it
 * sooner. A worker that has noted its result works on until it removes the
 * notes. */
static int replace_worker(struct slu_node *n, struct slu_err *err)
{
	if (lives(n, "down.pid"))
		return 0;
	usleep(EPILOGS_TURN);
	if (lives(n, "down.pid") || !slu_note_has(n, "down.pid"))
		return 0;
	slu_node_log(n, SLU_WARN, "the worker of `down` was killed");
	slu_note_drop(n, "result");
	return slu_worker_start(n, err);
}

/* An `up` that was killed, or refused, before it had a plan: the prolog runs it
 * again, or the job ends, before this matters. */
static int forget_begun(struct slu_node *n, struct slu_err *err)
{
	return slu_note_age(n, "") > n->conf->setup_timeout
		       ? slu_notes_remove_begun(n, err)
		       : 0;
}

/* Makes sure that the instance is being set up, or has a watcher or a worker.
 */
static int look_after(struct slu_node *n, struct slu_err *err)
{
	if (lives(n, "up.pid"))
		return 0;
	if (!slu_note_has(n, "plan.json"))
		return forget_begun(n, err);
	return slu_note_has(n, "down.pid")
		       ? replace_worker(n, err)
		       : slu_watcher_start(n, slu_cmd_up, err);
}

static void look_after_job(struct slu_node *n, uint32_t job_id)
{
	struct slu_node_options opt = *n->opt;
	struct slu_node as;
	struct slu_err err;

	opt.job_id = job_id;
	if (slu_node_open(&as, &opt, &err) || look_after(&as, &err))
		slu_node_log(n, SLU_ERROR, "recover: job %u: %s",
			     (unsigned)job_id, err.text);
	slu_node_close(&as);
}

static void look_after_all(struct slu_node *n)
{
	DIR *d = opendir(n->conf->run_dir);
	struct dirent *e;
	char *end;

	while (d && (e = readdir(d))) {
		unsigned long job = strtoul(e->d_name, &end, 10);

		/* persistent buffers are the task of `serve` */
		if (job && !*end && job < SLU_PERSIST_FIRST)
			look_after_job(n, (uint32_t)job);
	}
	if (d)
		closedir(d);
}

/* After a restart of the node mounts kept data again for its owner, as a user
 * cannot. */
static void remount_kept(struct slu_node *n)
{
	struct slu_kept *list;
	struct slu_err err;
	size_t n_kept;

	if (slu_kept_list(n->conf, 0, &list, &n_kept, &err)) {
		slu_node_log(n, SLU_ERROR, "%s", err.text);
		return;
	}
	for (size_t i = 0; i < n_kept; i++)
		if (list[i].until > slu_today() &&
		    slu_storage_remount(list[i].dir, &err))
			slu_node_log(n, SLU_ERROR, "%s", err.text);
	free(list);
}

/* An error in one part does not stop the others. */
static int recover(struct slu_node *n, struct slu_err *err)
{
	int rc = slu_leftovers_reconcile(n, ASK_TIME, err);
	struct slu_err why;
	char **storage;

	if (rc < 0)
		return -1;
	slu_node_renew_conf(n);
	storage = slu_storages(n->conf, err);
	if (!storage)
		return -1;
	for (size_t i = 0; storage[i]; i++) {
		if (!slu_leftovers_remove(n, storage[i], &why))
			continue;
		rc = 1;
		*err = why;
	}
	slu_strv_free(storage);
	slu_kept_expire(n, true);
	return rc ? -1 : 0;
}

static int dry_run(struct slu_node *n, struct slu_err *err)
{
	struct slu_node_inventory owed;

	n->deadline = slu_now_mono() + ASK_TIME;
	if (slu_talk_inventory(n, &owed, err))
		return slu_verb_failed("recover", err);
	for (size_t i = 0; i < owed.n_plan; i++)
		if (!owed.plan[i].persistent)
			printf("this node has a part of the file system of job %u; it "
			       "would be taken down, if it is not noted in %s/%u\n",
			       (unsigned)owed.plan[i].job_id, n->conf->run_dir,
			       (unsigned)owed.plan[i].job_id);
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	return EXIT_SUCCESS;
}

/* A node that registers by itself, or has a new address, is unknown to sluiced
 * until slurmd has registered, which happens meanwhile. */
static bool not_yet_known(const struct slu_err *err, double start)
{
	if (err->kind != SLU_DENIED || slu_now_mono() > start + ASK_TIME)
		return false;
	sleep(REGISTERS);
	return true;
}

int slu_cmd_recover(struct slu_node *n)
{
	double start = slu_now_mono(), end = start + TRY_FOR;
	char io[PATH_MAX];
	struct slu_err err = {0};
	int rc;

	if (n->opt->dry_run)
		return dry_run(n, &err);
	snprintf(io, sizeof(io), "%s/io", n->conf->run_dir);
	slu_llite_tidy("", io, time(NULL));
	look_after_all(n);
	remount_kept(n);
	while ((rc = recover(n, &err)) &&
	       (err.kind == SLU_TIMEOUT || not_yet_known(&err, start)) &&
	       slu_now_mono() < end)
		;
	if (!rc)
		return EXIT_SUCCESS;
	slu_node_log(n, SLU_ERROR, "recover: %s", err.text);
	return slu_verb_failed("recover", &err);
}

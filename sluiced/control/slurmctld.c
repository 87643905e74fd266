/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles slurmctld's messages on the control socket. Each may be repeated
 * after a reconnect, and handling it twice has the same result.
 */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <xxhash.h>

#include "select_io/ion/assignment_delta.h"
#include "sluiced/control/distance_watch.h"
#include "sluiced/control/pool_commands.h"
#include "sluiced/control/slurmctld.h"
#include "sluiced/wakeups.h"

#define SLOW 0.5	/* seconds of a name service, without a result */
#define ROOM (1u << 20) /* bytes that writing the database needs */

static void complain(const struct slu_daemon *d, const char *what, int rc,
		     const struct slu_err *err)
{
	if (rc < 0)
		slu_log(d->log, SLU_ERROR, "%s: %s", what, err->text);
}

/* A message that could not be stored must come again, and slurmctld sends each
 * only once in a connection: so the connection is closed. A message that makes
 * no sense would make none the next time either. */
static void stored(struct slu_daemon *d, const char *what, int rc,
		   const struct slu_err *err)
{
	complain(d, what, rc, err);
	if (rc < 0 && err->kind != SLU_INVALID)
		slu_daemon_reconnect(d);
}

/* Why the database cannot be written; NULL: it can, or another process is
 * writing it. The free space counts too: on a full disk SQLite can still write
 * to what its log has allocated before. */
static const char *unwritable(struct slu_daemon *d, struct slu_err *err)
{
	struct statvfs fs;

	if (statvfs(d->conf->database, &fs) == 0 &&
	    fs.f_bavail * fs.f_frsize < ROOM)
		return "no room on the disk of the database";
	if (slu_db_try_write(d->db, err) < 0 && err->kind != SLU_BUSY)
		return err->text;
	return NULL;
}

/* If nothing could be stored the connection is closed: without a link slurmctld
 * starts no job that needs us, and connects again in a few seconds. */
static void connected(void *arg)
{
	struct slu_daemon *d = arg;
	struct slu_hello_daemon hello;
	struct slu_err err;
	const char *why = unwritable(d, &err);

	if (why) {
		slu_control_drop(d->control, why);
		return;
	}
	if (slu_buffers_hello(d->buffers, &hello, &err) < 0) {
		stored(d, "hello", -1, &err);
		return;
	}
	d->peer.changed = slu_now_wall();
	hello.version = SLU_WIRE_VERSION;
	slu_control_send(d->control, &slu_hello_daemon_desc, &hello);
	slu_msg_clear(&slu_hello_daemon_desc, &hello);
	slu_distance_send(d);
}

/* slurmctld may not know a user's name, which requests need (%u,
 * AllowUsers). */
static void name_user(struct slu_daemon *d, struct slu_job *job)
{
	double began = slu_now_mono(), now;
	struct passwd *pw;

	if (job->user || !job->request || slu_breaker_open(&d->users, began))
		return;
	pw = getpwuid(job->uid);
	now = slu_now_mono();
	if (pw)
		job->user = strdup(pw->pw_name);
	else if (now - began > SLOW)
		slu_breaker_trip(&d->users, began, now);
}

/* Takes over what it keeps. */
static void take_peer(struct slu_peer *peer, struct slu_hello_ctl *hello)
{
	free(peer->conf_wrong);
	free(peer->slurm_advice);
	slu_copy(peer->release, sizeof(peer->release),
		 hello->release ? hello->release : "");
	peer->conf_read = hello->conf_read;
	memset(peer->io, 0, sizeof(peer->io));
	peer->conf_wrong = hello->conf_wrong;
	peer->slurm_advice = hello->slurm_advice;
	hello->conf_wrong = hello->slurm_advice = NULL;
}

static uint64_t conf_hash(const struct slu_daemon *d)
{
	return XXH3_64bits(d->conf_text.data, d->conf_text.len);
}

/* slurmctld has read its file: then this one is read again, too, before any job
 * that may need what is new in it. */
static void agree_on_conf(struct slu_daemon *d, uint64_t theirs)
{
	if (!theirs || theirs == conf_hash(d))
		return;
	d->reload(d);
	if (!d->conf_bad && theirs != conf_hash(d))
		slu_log(d->log, SLU_WARN,
			"slurmctld has read another sluice.conf than %s is "
			"now (scontrol reconfigure)",
			d->conf_path);
}

static void take_hello(struct slu_daemon *d, void *msg)
{
	struct slu_hello_ctl *hello = msg;
	struct slu_err err;
	double now = slu_now_wall();
	int rc;

	take_peer(&d->peer, hello);
	agree_on_conf(d, hello->conf_hash);
	for (size_t i = 0; i < hello->n_jobs; i++)
		name_user(d, &hello->jobs[i]);
	slu_log(d->log, SLU_INFO, "slurmctld %s of %s: %zu nodes, %zu jobs",
		hello->slurm_version ? hello->slurm_version : "?",
		hello->cluster ? hello->cluster : "?", hello->n_nodes,
		hello->n_jobs);
	if (hello->version != SLU_WIRE_VERSION)
		slu_log(d->log, SLU_WARN,
			"libsluice speaks version %u, sluiced %u: what the "
			"other does not know is not done",
			hello->version, SLU_WIRE_VERSION);
	rc = slu_nodes_set(d->auth.nodes, hello->nodes, hello->n_nodes, &err);
	stored(d, "nodes", rc, &err);
	rc = slu_jobs_set(d->jobs, hello->jobs, hello->n_jobs, now, &err);
	stored(d, "jobs", rc, &err);
	rc = slu_buffers_sync(d->buffers, hello->jobs, hello->n_jobs, now,
			      &err);
	stored(d, "buffers", rc, &err);
	slu_capacity_connected(d, hello->nodes, hello->n_nodes);
	slu_daemon_touched(d, 0);
	slu_history_replay(&d->history);
}

static void take_started(struct slu_daemon *d, void *msg)
{
	struct slu_job *job = msg;
	struct slu_err err;

	name_user(d, job);
	stored(d, "job", slu_jobs_start(d->jobs, job, &err), &err);
	stored(d, "buffer",
	       slu_buffers_job(d->buffers, job, false, slu_now_wall(), &err),
	       &err);
	slu_daemon_touched(d, job->job_id);
}

static void take_ended(struct slu_daemon *d, void *msg)
{
	const struct slu_job *job = msg;
	struct slu_err err;

	slu_jobs_end(d->jobs, job->job_id, slu_now_wall());
	stored(d, "buffer",
	       slu_buffers_job(d->buffers, job, true, slu_now_wall(), &err),
	       &err);
	slu_daemon_touched(d, job->job_id);
}

static void take_waits(struct slu_daemon *d, void *msg)
{
	struct slu_job *job = msg;
	struct slu_err err;

	name_user(d, job);
	stored(d, "persistent buffer",
	       slu_buffers_waits(d->buffers, job, slu_now_wall(), &err), &err);
	slu_daemon_soon(d); /* comes often, and usually changes nothing */
}

static void take_job_nodes(struct slu_daemon *d, void *msg)
{
	const struct slu_job_nodes *nodes = msg;
	struct slu_err err;

	stored(d, "job_nodes",
	       slu_buffers_job_nodes(d->buffers, nodes, slu_now_wall(), &err),
	       &err);
	slu_daemon_touched(d, nodes->job_id);
}

/* Usually only parked questions are to be ended. */
static void take_cancelled(struct slu_daemon *d, void *msg)
{
	const struct slu_job_cancelled *job = msg;
	struct slu_err err;

	stored(d, "cancel",
	       slu_buffers_cancelled(d->buffers, job, slu_now_wall(), &err),
	       &err);
	slu_daemon_touched(d, job->job_id);
}

/* An assignment on its way to the database, which may take as long as another
 * process writes there; without most of its jobs. */
struct event {
	struct slu_item item;
	struct slu_daemon *d;
	struct slu_epoch *head;
	struct json_object *changes;
};

static int store_event(struct slu_item *item, struct slu_db *db,
		       struct slu_err *err)
{
	struct event *event = (struct event *)item;

	return slu_epoch_store(db, event->head, event->changes, err);
}

static void event_done(struct slu_item *item, const struct slu_err *err)
{
	struct event *event = (struct event *)item;

	if (err)
		complain(event->d, "assignment", -1, err);
	slu_epoch_unref(event->head);
	json_object_put(event->changes);
	free(event);
}

static void store_epoch(struct slu_daemon *d, const struct slu_epoch *old,
			const struct slu_epoch *now)
{
	struct event *event = calloc(1, sizeof(*event));
	struct slu_epoch *head = slu_epoch_head(now);

	if (!event || !head) {
		slu_epoch_unref(head);
		free(event);
		return;
	}
	event->item = (struct slu_item){
		.store = store_event, .done = event_done, .retry_busy = true};
	event->d = d;
	event->head = head;
	event->changes = slu_epoch_changes(old, now);
	slu_write_batch_add(&d->batch, &event->item);
}

/* Publish at once, as the launch of a job may wait for it; the assignment can
 * always be computed again. A site without I/O nodes has no history of
 * assignments. */
static void take_assignment(struct slu_daemon *d, void *msg)
{
	struct slu_epoch *old = d->epoch, *now = NULL;
	struct slu_err err = {.text = "out of memory"};

	if (slu_delta_apply(old ? &old->a : NULL, msg, &err) == 0)
		now = slu_epoch_new(msg);
	if (!now) {
		/* it will send the whole assignment when it connects again */
		slu_control_drop(d->control, err.text);
		return;
	}
	d->epoch = now;
	slu_publish(d->publisher, now, d->conf->mapping_dir,
		    d->conf->mapping_program, (double)d->conf->mapping_timeout);
	if (now->a.ions && now->a.ions[0])
		store_epoch(d, old, now);
	slu_epoch_unref(old);
}

/* A new node counts for pools, too. */
static void take_node_is(struct slu_daemon *d, void *msg)
{
	const struct slu_node_addr *is = msg;

	if (slu_nodes_is(d->auth.nodes, is->name, is->addr))
		slu_daemon_reconnect(d);
}

bool slu_daemon_where(void *arg, const char *name)
{
	const struct slu_where where = {.node = (char *)name};
	struct slu_daemon *d = arg;

	if (!d->control || !slu_control_connected(d->control))
		return false;
	slu_control_send(d->control, &slu_where_desc, &where);
	return true;
}

static void take_history(struct slu_daemon *d, void *msg)
{
	slu_history_take(&d->history, msg);
}

static void take_io_use(struct slu_daemon *d, void *msg)
{
	const struct slu_io_use *use = msg;
	struct slu_peer_io *io = &d->peer.io[use->place % SLU_IO_FS];

	io->use = *use;
	io->use.fs = NULL; /* it is the message's */
	slu_copy(io->fs, sizeof(io->fs), use->fs ? use->fs : "");
}

static void message(void *arg, const struct slu_desc *desc, void *msg)
{
	static const struct {
		const struct slu_desc *desc;
		void (*take)(struct slu_daemon *d, void *msg);
	} table[] = {
		{&slu_hello_ctl_desc, take_hello},
		{&slu_job_started_desc, take_started},
		{&slu_job_ended_desc, take_ended},
		{&slu_job_cancelled_desc, take_cancelled},
		{&slu_job_nodes_desc, take_job_nodes},
		{&slu_node_is_desc, take_node_is},
		{&slu_assignment_desc, take_assignment},
		{&slu_history_desc, take_history},
		{&slu_job_waits_desc, take_waits},
		{&slu_io_use_desc, take_io_use},
	};

	if (((struct slu_daemon *)arg)->failed)
		return;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].desc == desc)
			table[i].take(arg, msg);
}

static bool is_verdict(const struct slu_desc *desc)
{
	return desc == &slu_hold_desc || desc == &slu_requeue_desc ||
	       desc == &slu_fail_desc || desc == &slu_cancel_job_desc ||
	       desc == &slu_complete_desc;
}

static void done(void *arg, const struct slu_order *order, bool ok,
		 const char *text)
{
	struct slu_daemon *d = arg;
	struct slu_err err;

	if (d->failed)
		return;
	if (!ok && order->job_id)
		slu_log(d->log, SLU_WARN, "%s of job %u refused: %s",
			order->desc->name, order->job_id, text ? text : "");
	else if (!ok)
		slu_log(d->log, SLU_WARN, "%s of %s refused: %s",
			order->desc->name, order->node, text ? text : "");
	if (is_verdict(order->desc))
		stored(d, order->desc->name,
		       slu_buffers_verdict_done(d->buffers, order->job_id, ok,
						text, slu_now_wall(), &err),
		       &err);
	else if (ok && order->desc == &slu_resume_desc)
		slu_buffers_resumed(d->buffers, order->node, slu_now_wall());
	else
		return;
	slu_daemon_touched(d, order->job_id);
}

static void drained(void *arg)
{
	struct slu_daemon *d = arg;

	slu_history_more(&d->history);
}

static void gone(void *arg)
{
	struct slu_daemon *d = arg;

	d->peer.changed = slu_now_wall();
	slu_timer_stop(d->loop, &d->again);
	slu_buffers_disconnected(d->buffers);
	slu_history_disconnected(&d->history);
}

/* The daemon sets arg. */
const struct slu_control_ops slu_control_glue = {
	.connected = connected,
	.message = message,
	.done = done,
	.drained = drained,
	.gone = gone,
};

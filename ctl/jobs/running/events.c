/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Handles what happens to jobs, from events of hooks and from snapshots of
 * slurmctld's jobs. Both end in the same two functions, started() and ended(),
 * which may be called any number of times for one run of a job.
 */
#include "config.h"
#include "ctl/jobs/running/events.h"

#include "ctl/link/session.h"
#include "ctl/jobs/running/followed.h"
#include "ctl/predictor/training.h"
#include "ctl/arbiter/hostnames.h"
#include "ctl/arbiter/ions.h"
#include "ctl/private.h"

#include <stdlib.h>
#include <string.h>

#include "ctl/arbiter/forward_request.h"

/* A start from job_begin is looked at a little later: the job is not yet
 * RUNNING then, and usually prep's own event comes first. */
#define LOOK_DELAY	0.1
#define RELOAD_DELAY	0.05

#define SUSPENDED_EVERY 60 /* s: Slurm sends no message */
#define LOOK_AT_ONCE	64 /* jobs, under one lock */

static bool is_running(const struct slu_job *job)
{
	return slu_eq(job->state, "RUNNING") || slu_eq(job->state, "SUSPENDED");
}

static bool is_known(struct slu_ctl *ctl, const struct slu_job *job)
{
	const struct slu_followed *live = slu_followed_get(ctl, job->job_id);

	return live && live->start == job->start;
}

/* A run of a job has started. A known one is reported again, as sluiced may
 * have missed it. */
static void started(struct slu_ctl *ctl, struct slu_job *job, double now)
{
	bool known = is_known(ctl, job);
	struct slu_followed *live = slu_followed_start(ctl, job);

	if (live && live->ended)
		return;
	if (!known) {
		slu_ions_start(ctl, job);
		slu_ions_changed(ctl, "start", job->job_id);
	}
	slu_ions_sizes(ctl, job);
	slu_ctl_send(ctl, &slu_job_started_desc, job, now);
}

/* Did it run? Not if it was cancelled before it had nodes, or has given them
 * all to another job. */
static bool ran(const struct slu_job *job)
{
	return job->nodes && *job->nodes && job->node_cnt && job->start &&
	       job->end >= job->start;
}

/* Did the user end the job while it was set up? The setup takes at least as
 * long as the user waited, which counts. */
static bool given_up(const struct slu_job *job)
{
	return job->request && job->unlaunched &&
	       (slu_eq(job->state, "CANCELLED") ||
		slu_eq(job->state, "COMPLETED"));
}

/* Trains the predictor with a run that has ended, and records it. */
static void learn(struct slu_ctl *ctl, struct slu_job *job)
{
	if (!ran(job))
		return;
	if (!job->prepared && given_up(job))
		job->prepared = job->end - job->start;
	slu_training_add_once(ctl, job);
	slu_setup_times_learn(&ctl->ready, job);
	slu_history_queue_add(&ctl->history, job);
}

/* How many I/O nodes a run that ends had, see wire/job.h. */
static uint32_t ions_of(const struct slu_ctl *ctl,
			const struct slu_followed *live, uint32_t job_id)
{
	const struct slu_conf *conf = ctl->site->conf;

	if (conf && !conf->io_nodes.n)
		return 0;
	if (!ctl->arbiter || !live || live->unmapped)
		return SLU_NO_ID;
	return slu_arbiter_held(ctl->arbiter, job_id);
}

/* The same of one that had several numbers; NULL: not known. */
static char *ion_times_of(const struct slu_ctl *ctl, const struct slu_job *job)
{
	struct slu_ion_times times;

	if (job->ions != SLU_NO_ID || !ctl->arbiter ||
	    slu_arbiter_times(ctl->arbiter, job->job_id, job->end, &times) < 0)
		return NULL;
	return slu_ion_times_text(&times);
}

static void predicted(const struct slu_ctl *ctl, struct slu_job *job)
{
	struct slu_ion_forecast f;

	if (!ctl->arbiter ||
	    slu_arbiter_forecast(ctl->arbiter, job->job_id, job->end, &f) < 0)
		return;
	job->ion_predicted = f.predicted;
	job->ion_static = f.fixed;
	job->ion_alone = f.alone;
	job->ion_error = f.error;
}

static void learn_once(struct slu_ctl *ctl, struct slu_followed *live,
		       struct slu_job *job)
{
	if (live && live->learned)
		return;
	job->ions = ions_of(ctl, live, job->job_id);
	free(job->ion_times);
	job->ion_times =
		live && !live->unmapped ? ion_times_of(ctl, job) : NULL;
	if (live && !live->unmapped)
		predicted(ctl, job);
	learn(ctl, job);
	if (live)
		live->learned = true;
}

static void ended(struct slu_ctl *ctl, struct slu_job *job, double now)
{
	struct slu_followed *live = slu_followed_start(ctl, job);

	learn_once(ctl, live, job);
	if (!live || !live->ended) {
		slu_ions_end(ctl, job->job_id);
		slu_ions_changed(ctl, "end", job->job_id);
	}
	if (live)
		slu_followed_end(ctl, live, job, now);
	slu_ctl_send(ctl, &slu_job_ended_desc, job, now);
}

/* Launches are held only while something can release them. */
static void held(struct slu_ctl *ctl, uint32_t job_id, double now)
{
	const struct slu_conf *conf = ctl->site->conf;
	struct slu_followed *live = slu_followed_get(ctl, job_id);

	if (!live || live->ended || !ctl->linked || !ctl->arbiter || !conf ||
	    !conf->io_nodes.n) {
		if (live)
			live->unmapped = true;
		ctl->prolog_done(0, job_id, false);
		return;
	}
	slu_followed_hold(ctl, live, now + (double)conf->mapping_timeout);
	/* a look at all jobs may have found it, and it was solved since */
	if (!live->epoch && !ctl->ions_dirty)
		live->epoch = ctl->epoch;
	if (live->epoch && live->epoch <= ctl->published)
		slu_followed_release(ctl, live);
}

static void add_look(struct slu_ctl *ctl, uint32_t job_id, double now)
{
	struct slu_look *grown =
		realloc(ctl->look, (ctl->n_look + 1) * sizeof(*grown));

	if (!grown) {
		ctl->stale = true;
		return;
	}
	ctl->look = grown;
	grown[ctl->n_look++] =
		(struct slu_look){.job_id = job_id, .due = now + LOOK_DELAY};
}

static void handle(struct slu_ctl *ctl, struct slu_event *event, double now)
{
	struct slu_job_cancelled cancelled = {.job_id = event->job_id};

	switch (event->kind) {
	case SLU_EV_LOOK:
		add_look(ctl, event->job_id, now);
		break;
	case SLU_EV_STARTED:
	case SLU_EV_HELD:
		slu_forward_request(ctl, event->job);
		started(ctl, event->job, now);
		if (event->kind == SLU_EV_HELD)
			held(ctl, event->job_id, now);
		break;
	case SLU_EV_WAITS:
		slu_ctl_send(ctl, &slu_job_waits_desc, event->job, now);
		break;
	case SLU_EV_LAUNCH_LOST:
		slu_followed_lost(ctl, event->job_id);
		break;
	case SLU_EV_ENDED:
		slu_forward_request(ctl, event->job);
		ended(ctl, event->job, now);
		break;
	case SLU_EV_CANCELLED:
		cancelled.start = event->job->start;
		slu_ctl_send(ctl, &slu_job_cancelled_desc, &cancelled, now);
		break;
	case SLU_EV_RELOAD:
		/* Slurm calls this hook in every plugin that has it. */
		ctl->reload_at = now + RELOAD_DELAY;
		break;
	}
}

void slu_ctl_events(struct slu_ctl *ctl, double now)
{
	struct slu_event event;

	slu_event_queue_drain_fd(&ctl->queue);
	while (slu_event_queue_pop(&ctl->queue, &event)) {
		handle(ctl, &event, now);
		slu_event_clear(&event);
	}
	if (slu_event_queue_overflowed(&ctl->queue)) {
		ctl_log(ctl, SLU_WARN,
			"too many events at once: looking at all jobs anew");
		ctl->stale = ctl->recall = true;
		if (ctl->link.fd >= 0)
			ctl->hello_said = false; /* say it all again */
	}
}

/* Compares a job with what is followed: it has started, was resized, or has
 * ended. */
static void found(struct slu_ctl *ctl, struct slu_job *job, double now)
{
	struct slu_followed *live = slu_followed_get(ctl, job->job_id);

	slu_forward_request(ctl, job);
	if (is_running(job) && !is_known(ctl, job))
		started(ctl, job, now);
	else if (is_running(job))
		slu_ions_resize(ctl, job);
	else if (live && !live->ended)
		ended(ctl, job, now);
}

/* The jobs that are due for a look, under one read lock. */
void slu_ctl_read_due_jobs(struct slu_ctl *ctl, double now)
{
	uint32_t id[LOOK_AT_ONCE];
	struct slu_job job[LOOK_AT_ONCE] = {0};
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < ctl->n_look; i++)
		if (ctl->look[i].due <= now && n < LOOK_AT_ONCE)
			id[n++] = ctl->look[i].job_id;
		else
			ctl->look[kept++] = ctl->look[i];
	ctl->n_look = kept;
	if (!n)
		return;
	ctl->ops.jobs(ctl->ops.arg, id, n, job);
	for (size_t i = 0; i < n; i++) {
		if (job[i].job_id)
			found(ctl, &job[i], now);
		slu_msg_clear(&slu_job_desc, &job[i]);
	}
}

/* A run that sluiced knows is reported again. */
static void tell_suspended(struct slu_ctl *ctl, struct slu_job *job, double now)
{
	struct slu_followed *live = slu_followed_get(ctl, job->job_id);

	if (!live || live->ended || !is_running(job) || !is_known(ctl, job) ||
	    (job->suspended == live->suspended &&
	     job->suspended_since == live->suspended_since))
		return;
	live->suspended = job->suspended;
	live->suspended_since = job->suspended_since;
	slu_forward_request(ctl, job);
	slu_ctl_send(ctl, &slu_job_started_desc, job, now);
}

double slu_ctl_suspended(struct slu_ctl *ctl, double now)
{
	struct slu_followed *live;
	size_t from = 0;

	if (now < ctl->next_suspended)
		return ctl->next_suspended;
	do {
		struct slu_job job[LOOK_AT_ONCE] = {0};
		uint32_t id[LOOK_AT_ONCE];
		size_t n = 0;

		while (n < LOOK_AT_ONCE &&
		       (live = slu_map_next(&ctl->live, &from)))
			if (!live->ended)
				id[n++] = live->job_id;
		if (n)
			ctl->ops.jobs(ctl->ops.arg, id, n, job);
		for (size_t i = 0; i < n; i++) {
			tell_suspended(ctl, &job[i], now);
			slu_msg_clear(&slu_job_desc, &job[i]);
		}
	} while (live);
	return ctl->next_suspended = now + SUSPENDED_EVERY;
}

static bool is_alive(const struct slu_job *job)
{
	return is_running(job) || job->completing;
}

/* Follows the runs in the snapshot, and ends those that are missing there. */
static void follow(struct slu_ctl *ctl, struct slu_job *jobs, size_t n,
		   double now)
{
	struct slu_map seen = {0};
	struct slu_followed *live;
	bool known;

	for (size_t i = 0; i < n; i++) {
		slu_forward_request(ctl, &jobs[i]);
		if (slu_map_put(&seen, jobs[i].job_id, &jobs[i]) < 0) {
			/* a job that is missing there has not ended: look
			 * again */
			ctl->stale = true;
			slu_map_free(&seen);
			return;
		}
		known = is_known(ctl, &jobs[i]);
		live = slu_followed_start(ctl, &jobs[i]);
		if (is_running(&jobs[i]))
			continue;
		/* of one that is not known its end may still be in the queue,
		 * or long past */
		if (live && known && !live->ended)
			learn_once(ctl, live, &jobs[i]);
		if (live) {
			/* sluiced is new, so it gets all nodes again */
			slu_followed_forget_nodes(ctl, live);
			slu_followed_end(ctl, live, &jobs[i], now);
		}
		if (ctl->recall && ran(&jobs[i])) {
			if (!live || !live->learned)
				jobs[i].ions = ions_of(ctl, NULL, 0);
			slu_history_queue_add(&ctl->history, &jobs[i]);
		}
	}
	for (size_t i = 0; (live = slu_map_next(&ctl->live, &i));)
		if (!slu_map_get(&seen, live->job_id)) {
			slu_followed_release(ctl, live);
			slu_ctl_io_ended(ctl, live->job_id);
			live->ended = true;
			live->setting_up = false;
		}
	slu_map_free(&seen);
	ctl->recall = false;
}

static size_t partition(struct slu_job *jobs, size_t n,
			bool (*first)(const struct slu_job *job))
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (first(&jobs[i])) {
			struct slu_job swap = jobs[k];

			jobs[k++] = jobs[i];
			jobs[i] = swap;
		}
	return k;
}

/* Jobs that sluiced has to know: those that live, and how a job with a buffer
 * ended. */
static bool concerns_daemon(const struct slu_job *job)
{
	return is_alive(job) || slu_ctl_has_buffer(job->request);
}

static bool with_request(const struct slu_job *job)
{
	return job->request;
}

static void say_hello(struct slu_ctl *ctl, struct slu_job *jobs, size_t n_jobs,
		      struct slu_ctl_node *nodes, size_t n_nodes, double now)
{
	struct slu_ctl_settings settings = {0};
	struct slu_hello_ctl hello = {.version = SLU_WIRE_VERSION,
				      .slurm_version = settings.version,
				      .cluster = settings.cluster,
				      .jobs = jobs,
				      .n_nodes = n_nodes,
				      .release = (char *)PACKAGE_VERSION,
				      .conf_read = ctl->site->read,
				      .conf_hash = ctl->site->hash,
				      .conf_wrong = ctl->conf_wrong,
				      .slurm_advice = ctl->slurm_advice};
	struct slu_err err;
	int rc;

	ctl->ops.settings(ctl->ops.arg, &settings);
	hello.nodes = calloc(n_nodes + 1, sizeof(*hello.nodes));
	if (!hello.nodes)
		return;
	for (size_t i = 0; i < n_nodes; i++)
		hello.nodes[i] = nodes[i].addr;
	hello.n_jobs = partition(jobs, n_jobs, concerns_daemon);
	rc = slu_link_send(&ctl->link, &slu_hello_ctl_desc, &hello, &err);
	if (rc < 0) {
		/* Too long for a line: jobs without a request can be left
		 * out. */
		hello.n_jobs = partition(jobs, n_jobs, with_request);
		rc = slu_link_send(&ctl->link, &slu_hello_ctl_desc, &hello,
				   &err);
	}
	free(hello.nodes);
	if (rc < 0)
		slu_ctl_link_down(ctl, &err, now);
	else
		ctl->hello_said = true;
}

static void use_snapshot(struct slu_ctl *ctl, struct slu_job *jobs, size_t n,
			 struct slu_ctl_node *nodes, size_t n_nodes, double now)
{
	size_t n_run;

	slu_hostnames_set(ctl, nodes, n_nodes);
	slu_unknown_ions(ctl, nodes, n_nodes);
	follow(ctl, jobs, n, now);
	n_run = partition(jobs, n, is_running);
	slu_ions_configure(ctl, nodes, n_nodes, jobs, n_run);
	slu_ions_changed(ctl, "all jobs read", 0);
	if (ctl->link.fd >= 0 && !ctl->hello_said)
		say_hello(ctl, jobs, n, nodes, n_nodes, now);
}

void slu_ctl_snapshot(struct slu_ctl *ctl, double now)
{
	struct slu_ctl_node *nodes;
	struct slu_job *jobs;
	size_t n_jobs, n_nodes;
	struct slu_err err;

	if (ctl->ops.snapshot(ctl->ops.arg, &jobs, &n_jobs, &nodes, &n_nodes,
			      &err) < 0) {
		ctl_log(ctl, SLU_ERROR, "cannot look at the jobs: %s",
			err.text);
		return; /* stale still: the next turn tries again */
	}
	ctl->stale = false;
	use_snapshot(ctl, jobs, n_jobs, nodes, n_nodes, now);
	for (size_t i = 0; i < n_jobs; i++)
		slu_msg_clear(&slu_job_desc, &jobs[i]);
	for (size_t i = 0; i < n_nodes; i++) {
		free(nodes[i].addr.name);
		free(nodes[i].addr.addr);
		free(nodes[i].comment);
	}
	free(jobs);
	free(nodes);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the jobs that libsluice follows. An entry is made at a start and
 * removed some seconds after the end, so that the second end that Slurm reports
 * for some jobs is recognised; with a buffer it stays until every node's epilog
 * has ended.
 */
#include "config.h"
#include "ctl/jobs/running/followed.h"

#include "ctl/link/session.h"
#include "ctl/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REMEMBER     10.0 /* s after the end */
#define POLL_EVERY   0.25 /* s, nodes of ended jobs */
#define LAUNCH_EVERY 0.5  /* s, lost launches */
#define KEEP_EVERY   15.0 /* s, ends of jobs that have a buffer */
#define KEEP_SOON    1.0  /* s, the same while one of them is suspended */
#define KEEP_AHEAD   90	  /* s; Slurm looks at limits every 30 s */
#define POLL_AT_ONE  256  /* jobs under one read lock */

struct slu_followed *slu_followed_get(struct slu_ctl *ctl, uint32_t job_id)
{
	return slu_map_get(&ctl->live, job_id);
}

/* All nodes of the job are accounted for: stops waiting for them. */
void slu_followed_forget_nodes(struct slu_ctl *ctl, struct slu_followed *live)
{
	ctl->ending -= live->remaining.n > 0;
	slu_hosts_free(&live->remaining);
	live->remaining = (struct slu_hosts){0};
}

struct slu_followed *slu_followed_start(struct slu_ctl *ctl,
					const struct slu_job *job)
{
	struct slu_followed *live = slu_followed_get(ctl, job->job_id);

	if (live && live->start == job->start)
		return live; /* ended or not: the same run */
	if (live) { /* another run: its nodes cannot be completing any more */
		slu_followed_release(ctl, live);
		slu_followed_forget_nodes(ctl, live);
	} else {
		live = calloc(1, sizeof(*live));
		if (live && slu_map_put(&ctl->live, job->job_id, live) < 0) {
			free(live);
			live = NULL;
		}
	}
	if (!live)
		return NULL;
	*live = (struct slu_followed){
		.job_id = job->job_id,
		.start = job->start,
		.restarts = job->restarts,
		.has_buffer = slu_ctl_has_buffer(job->request),
	};
	return live;
}

void slu_followed_end(struct slu_ctl *ctl, struct slu_followed *live,
		      const struct slu_job *job, double now)
{
	slu_followed_release(ctl, live);
	live->ended = true;
	live->setting_up = false;
	live->forget_at = now + REMEMBER;
	if (!live->has_buffer || !job->nodes || live->remaining.n)
		return;
	slu_followed_forget_nodes(ctl, live);
	slu_hosts_parse(job->nodes, &live->remaining, NULL);
	ctl->ending += live->remaining.n > 0;
	ctl->next_poll = now;
}

void slu_followed_hold(struct slu_ctl *ctl, struct slu_followed *live,
		       double until)
{
	live->held = true;
	live->held_until = until;
	if (ctl->next_sweep > until)
		ctl->next_sweep = until;
}

void slu_followed_release(struct slu_ctl *ctl, struct slu_followed *live)
{
	if (!live->held)
		return;
	live->held = false;
	live->unmapped |= !live->epoch || live->epoch > ctl->published;
	ctl->prolog_done(0, live->job_id, false);
}

void slu_followed_published(struct slu_ctl *ctl, uint64_t epoch, bool ok)
{
	struct slu_followed *live;

	if (epoch > ctl->published)
		ctl->published = epoch;
	for (size_t i = 0; (live = slu_map_next(&ctl->live, &i));)
		if (live->epoch && live->epoch <= epoch) {
			live->unmapped |= live->held && !ok;
			slu_followed_release(ctl, live);
		}
}

void slu_followed_release_all(struct slu_ctl *ctl)
{
	struct slu_followed *live;

	for (size_t i = 0; (live = slu_map_next(&ctl->live, &i));)
		slu_followed_release(ctl, live);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Move from `remaining` those that are not among `completing` to `gone`, which
 * is empty. Both may be of thousands of nodes. */
static int split(struct slu_hosts *remaining, const char *completing,
		 struct slu_hosts *gone)
{
	struct slu_hosts still = {0};
	size_t kept = 0;

	if (slu_hosts_parse(completing ? completing : "", &still, NULL) < 0)
		return -1;
	gone->name = calloc(remaining->n + 1, sizeof(*gone->name));
	if (!gone->name) {
		slu_hosts_free(&still);
		return -1;
	}
	if (still.n)
		qsort(still.name, still.n, sizeof(*still.name), by_name);
	for (size_t i = 0; i < remaining->n; i++) {
		char **name = &remaining->name[i];

		if (still.n && bsearch(name, still.name, still.n,
				       sizeof(*still.name), by_name))
			remaining->name[kept++] = *name;
		else
			gone->name[gone->n++] = *name;
	}
	remaining->n = kept;
	slu_hosts_free(&still);
	return 0;
}

/* Some nodes have left COMPLETING: those that are down are lost, the others'
 * epilog has ended. */
static void tell_gone(struct slu_ctl *ctl, uint32_t job_id,
		      struct slu_hosts *gone, double now)
{
	struct slu_job_nodes msg = {.job_id = job_id};
	struct slu_hosts left = {0};
	char *all = slu_hosts_text(gone);

	if (!all)
		return;
	msg.lost = ctl->ops.down(ctl->ops.arg, all, false);
	free(all);
	/* What is not among the lost has left; gone keeps the lost. */
	if (split(gone, msg.lost, &left) == 0) {
		msg.left = left.n ? slu_hosts_text(&left) : NULL;
		slu_ctl_send(ctl, &slu_job_nodes_desc, &msg, now);
	}
	slu_hosts_free(&left);
	slu_msg_clear(&slu_job_nodes_desc, &msg);
}

/* Reports the nodes that the job has left since the last look. A job that has
 * ended, or runs again, is not completing on any node. */
static void poll_one(struct slu_ctl *ctl, struct slu_followed *live,
		     const struct slu_job *job, double now)
{
	struct slu_hosts gone = {0};
	bool same = job->job_id && (!job->start || job->start == live->start);

	if (split(&live->remaining, same ? job->completing_nodes : NULL,
		  &gone) == 0 &&
	    gone.n) {
		ctl->ending -= !live->remaining.n;
		tell_gone(ctl, live->job_id, &gone, now);
	}
	slu_hosts_free(&gone);
}

/* The next batch, in turn: a job that stages out for an hour must not delay the
 * others. */
static size_t ids_to_poll(struct slu_ctl *ctl, uint32_t id[POLL_AT_ONE])
{
	struct slu_followed *live;
	size_t n = 0;

	while (n < POLL_AT_ONE &&
	       (live = slu_map_next(&ctl->live, &ctl->poll_from)))
		if (live->ended && live->remaining.n)
			id[n++] = live->job_id;
	if (n < POLL_AT_ONE)
		ctl->poll_from = 0;
	return n;
}

/* Returns whether nodes of some job are still completing. Without a link
 * sluiced cannot get a report, so nothing is moved. */
static bool poll_nodes(struct slu_ctl *ctl, double now)
{
	uint32_t id[POLL_AT_ONE];
	struct slu_job *job;
	size_t n;

	if (!ctl->linked || !ctl->ending)
		return false;
	n = ids_to_poll(ctl, id);
	job = n ? calloc(n, sizeof(*job)) : NULL;
	if (!job)
		return true;
	ctl->ops.jobs(ctl->ops.arg, id, n, job);
	for (size_t i = 0; i < n; i++) {
		poll_one(ctl, slu_followed_get(ctl, id[i]), &job[i], now);
		slu_msg_clear(&slu_job_desc, &job[i]);
	}
	free(job);
	return true;
}

static struct slu_ctl_end end_of(const struct slu_followed *live,
				 int64_t at_least)
{
	struct slu_ctl_end end = {.job_id = live->job_id, .start = live->start};

	if (live->setting_up) {
		end.give_back = time(NULL) - live->start + KEEP_AHEAD;
		if (end.give_back < at_least)
			end.give_back = at_least;
	} else {
		end.give_back = live->gave_back;
		end.final = true;
	}
	return end;
}

int slu_followed_keep(struct slu_ctl *ctl, const struct slu_followed *live,
		      int64_t at_least, struct slu_err *err)
{
	const struct slu_ctl_end end = end_of(live, at_least);

	return ctl->ops.set_end(ctl->ops.arg, &end,
				ctl->site->conf->max_give_back, err);
}

static bool has_end(const struct slu_followed *live)
{
	return live->setting_up || (live->gave_back > 0 && !live->ended);
}

/* Returns after how long to do it again. A job that is resumed may be past the
 * end that Slurm gives it then: it would be ended as soon as Slurm checks
 * limits. */
static double keep_ends(struct slu_ctl *ctl)
{
	const struct slu_conf *conf = ctl->site->conf;
	struct slu_ctl_end end[SLU_CTL_ENDS];
	struct slu_followed *live;
	int64_t max = conf ? conf->max_give_back : 0;
	double wait = 3600;
	size_t n = 0, i = 0;
	bool suspended;

	do {
		live = slu_map_next(&ctl->live, &i);
		if (live && has_end(live))
			end[n++] = end_of(live, 0);
		if (n && (!live || n == SLU_CTL_ENDS)) {
			suspended =
				ctl->ops.set_ends(ctl->ops.arg, end, n, max);
			wait = fmin(wait, suspended ? KEEP_SOON : KEEP_EVERY);
			n = 0;
		}
	} while (live);
	return wait;
}

/* Launches that have waited long enough, and ended jobs to forget. */
static double sweep(struct slu_ctl *ctl, double now)
{
	struct slu_followed *live;
	double next = now + REMEMBER;

	for (size_t i = 0; (live = slu_map_next(&ctl->live, &i));) {
		if (live->held && live->held_until <= now) {
			ctl_log(ctl, SLU_WARN,
				"JobId=%u starts without a published mapping: "
				"MappingTimeout",
				live->job_id);
			slu_followed_release(ctl, live);
		}
		if (live->held && live->held_until < next)
			next = live->held_until;
		if (live->ended && !live->remaining.n &&
		    live->forget_at <= now) {
			slu_map_del(&ctl->live, live->job_id);
			slu_followed_forget_nodes(ctl, live);
			free(live);
			i--;
		}
	}
	return next;
}

void slu_followed_lost(struct slu_ctl *ctl, uint32_t job_id)
{
	uint32_t *grown =
		realloc(ctl->lost, (ctl->n_lost + 1) * sizeof(*grown));

	if (!grown)
		return; /* Slurm's BatchStartTimeout ends it */
	ctl->lost = grown;
	grown[ctl->n_lost++] = job_id;
	ctl->next_launch = 0;
}

/* Launches jobs whose launch was lost (slu_ctl_launch_lost()). They are kept
 * for another try while slurmctld answers SLU_BUSY. */
static void make_up_launches(struct slu_ctl *ctl)
{
	struct slu_err err;
	size_t kept = 0;
	int rc;

	for (size_t i = 0; i < ctl->n_lost; i++) {
		rc = ctl->ops.relaunch(ctl->ops.arg, ctl->lost[i], &err);
		if (rc < 0 && err.kind == SLU_BUSY)
			ctl->lost[kept++] = ctl->lost[i];
	}
	ctl->n_lost = kept;
}

double slu_followed_tick(struct slu_ctl *ctl, double now)
{
	double next;

	if (ctl->next_launch <= now) {
		make_up_launches(ctl);
		ctl->next_launch = now + (ctl->n_lost ? LAUNCH_EVERY : 3600);
	}
	if (ctl->next_poll <= now)
		ctl->next_poll =
			now + (poll_nodes(ctl, now) ? POLL_EVERY : 3600);
	if (ctl->next_keep <= now)
		ctl->next_keep = now + keep_ends(ctl);
	if (ctl->next_sweep <= now)
		ctl->next_sweep = sweep(ctl, now);
	next = ctl->next_sweep;
	if (ctl->next_poll < next)
		next = ctl->next_poll;
	if (ctl->next_keep < next)
		next = ctl->next_keep;
	if (ctl->next_launch < next)
		next = ctl->next_launch;
	return next;
}

void slu_followed_fini(struct slu_ctl *ctl)
{
	struct slu_followed *live;

	for (size_t i = 0; (live = slu_map_next(&ctl->live, &i));) {
		slu_hosts_free(&live->remaining);
		free(live);
	}
	slu_map_free(&ctl->live);
	free(ctl->lost);
	ctl->lost = NULL;
	ctl->n_lost = ctl->ending = ctl->poll_from = 0;
}

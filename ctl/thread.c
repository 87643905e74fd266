/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the loop of the main thread. Each turn: events from hooks, the link
 * (open, read, write), what is due, then the I/O nodes once for everything that
 * happened. An error of the link closes it; when it is opened again, a snapshot
 * is sent first, so nothing that was lost with it matters.
 */
#include "config.h"
#include "ctl/thread.h"

#include "ctl/users.h"
#include "ctl/threads.h"
#include "ctl/link/commands.h"
#include "ctl/link/session.h"
#include "ctl/iostart/hooks.h"
#include "ctl/jobs/running/events.h"
#include "ctl/jobs/running/followed.h"
#include "ctl/jobs/running/unheard.h"
#include "ctl/predictor/training.h"
#include "ctl/arbiter/ions.h"
#include "ctl/private.h"

#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/advice.h"
#include "ctl/pools/pools.h"

#define LONGEST_WAIT 30.0
#define PASS_EVERY   1.0

static double now_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* For administrators: logs it now, for bbstat and sluiced to show later. */
static void advise(struct slu_ctl *ctl, const char *conf_wrong)
{
	struct slu_ctl_settings settings = {0};
	struct slu_buf text = {0};
	const char *line;
	size_t len;

	if (!ctl->site->conf)
		return;
	ctl->ops.settings(ctl->ops.arg, &settings);
	slu_advice(&settings, ctl->site->conf, &text);
	for (line = text.data; line && *line; line += len + 1) {
		len = strcspn(line, "\n");
		ctl_log(ctl, SLU_WARN, "slurm.conf: %.*s", (int)len, line);
	}
	pthread_rwlock_wrlock(&ctl->site_lock);
	free(ctl->conf_wrong);
	free(ctl->slurm_advice);
	ctl->conf_wrong = conf_wrong ? strdup(conf_wrong) : NULL;
	ctl->slurm_advice = text.data ? strdup(text.data) : NULL;
	pthread_rwlock_unlock(&ctl->site_lock);
	slu_buf_free(&text);
}

void slu_ctl_link_lost(struct slu_ctl *ctl)
{
	/* launches must not wait for an answer that will not come */
	slu_followed_release_all(ctl);
	slu_training_add_waiting(ctl);
}

static void replace_site(struct slu_ctl *ctl, struct slu_site *site)
{
	struct slu_site *old = ctl->site;

	pthread_rwlock_rdlock(&ctl->site_lock);
	slu_site_keep_users(site, old);
	pthread_rwlock_unlock(&ctl->site_lock);
	pthread_rwlock_wrlock(&ctl->site_lock);
	slu_training_keep(ctl, site);
	ctl->site = site;
	pthread_rwlock_unlock(&ctl->site_lock);
	slu_training_restart(ctl);
	slu_io_start_use(ctl);
	slu_site_free(old);
}

/* A file system may hang for minutes. Meanwhile no launch is held, and held
 * ones are released. */
static struct slu_site *read_site(struct slu_ctl *ctl, double now)
{
	bool linked = ctl->linked;
	struct slu_site *site;

	pthread_rwlock_wrlock(&ctl->site_lock); /* see slu_ctl_started() */
	ctl->linked = false;
	pthread_rwlock_unlock(&ctl->site_lock);
	slu_followed_release_all(ctl);
	slu_ctl_events(ctl, now);
	site = slu_site_new(ctl->conf_path);
	ctl->linked = linked && ctl->link.fd >= 0;
	return site;
}

/* The link is opened again: the socket may be another, and sluiced has to
 * replay history for a new predictor. */
static void use_site(struct slu_ctl *ctl, struct slu_site *site, double now)
{
	struct slu_err err;

	replace_site(ctl, site);
	if (ctl->arbiter) /* the old table is freed */
		slu_arbiter_patterns(ctl->arbiter, site->patterns);
	ctl->ions_stale = ctl->stale = true;
	if (ctl->link.fd >= 0) {
		slu_err(&err, SLU_IO, "the configuration was read again");
		slu_ctl_link_down(ctl, &err, now);
	}
	ctl->link.retry_at = now;
}

/* A bad file changes nothing. */
static void reload(struct slu_ctl *ctl, double now)
{
	struct slu_site *site = read_site(ctl, now);

	ctl->reload_at = 0;
	if (site && !site->why_not) {
		use_site(ctl, site, now);
		advise(ctl, NULL);
		return;
	}
	ctl_log(ctl, SLU_ERROR, "%s: %s",
		ctl->site->conf ? "the old configuration stays"
				: "nothing is done for any job",
		site ? site->why_not : "out of memory");
	advise(ctl, site ? site->why_not : "out of memory");
	ctl->stale = true; /* the next hello reports this to sluiced */
	ctl->hello_said = false;
	slu_site_free(site);
}

static void open_link(struct slu_ctl *ctl, double now)
{
	struct slu_err err;

	if (ctl->link.fd >= 0 || now < ctl->link.retry_at || !ctl->site->conf)
		return;
	if (slu_link_open(&ctl->link, ctl->site->conf->control_socket, &err) <
	    0) {
		slu_ctl_link_down(ctl, &err, now);
		return;
	}
	slu_history_queue_resend(&ctl->history);
	slu_history_position_restart(&ctl->predictor_heard);
	slu_history_position_restart(&ctl->ready_heard);
	slu_history_position_restart(&ctl->arbiter_heard);
	slu_history_position_restart(&ctl->volumes_heard);
	for (int i = 0; i < SLU_IO_OBJECTS; i++)
		slu_history_position_restart(&ctl->rates_heard[i]);
	ctl->rows = ctl->bad_rows = 0;
	ctl->replayed = ctl->assignment_said = false;
	ctl->io_tell_at = 0;
	ctl->stale = true; /* the snapshot says hello */
}

static void read_link(struct slu_ctl *ctl, double now)
{
	struct slu_err err;
	const char *line;
	size_t len;

	if (ctl->link.fd < 0)
		return;
	if (slu_link_fill(&ctl->link, &err) < 0) {
		slu_ctl_link_down(ctl, &err, now);
		return;
	}
	while (ctl->link.fd >= 0 && slu_link_line(&ctl->link, &line, &len))
		slu_ctl_handle_line(ctl, line, len, now);
}

static void write_link(struct slu_ctl *ctl, double now)
{
	struct slu_err err;

	if (ctl->link.fd < 0)
		return;
	if ((ctl->linked &&
	     slu_history_queue_send(&ctl->history, &ctl->link, &err) < 0) ||
	    slu_link_flush(&ctl->link, &err) < 0)
		slu_ctl_link_down(ctl, &err, now);
}

static void keep_number(struct slu_ctl *ctl)
{
	const uint32_t last = ctl->begun;

	if (last == ctl->kept)
		return;
	ctl->ops.keep_number(ctl->ops.arg, last);
	ctl->kept = last; /* if that fails, the next one may work */
}

static void store_jobs(struct slu_ctl *ctl)
{
	if (atomic_exchange(&ctl->store_jobs, false))
		ctl->ops.store_jobs(ctl->ops.arg);
}

/* Begins at most one pass of the scheduler a second, however many ends there
 * are. Returns when the next one is due. */
static double schedule(struct slu_ctl *ctl, double now)
{
	if (!ctl->wants_pass)
		return INFINITY;
	if (now < ctl->passed + PASS_EVERY)
		return ctl->passed + PASS_EVERY;
	ctl->wants_pass = false;
	ctl->passed = now;
	ctl->ops.schedule(ctl->ops.arg);
	return INFINITY;
}

double slu_ctl_step(struct slu_ctl *ctl, double now)
{
	double next = now + LONGEST_WAIT, tick;

	slu_ctl_events(ctl, now);
	slu_io_start_log(ctl);
	keep_number(ctl);
	store_jobs(ctl);
	if (ctl->reload_at && ctl->reload_at <= now)
		reload(ctl, now);
	if (ctl->stop) /* while reading hung */
		return now;
	open_link(ctl, now);
	read_link(ctl, now);
	if (ctl->stale)
		slu_ctl_snapshot(ctl, now);
	slu_ctl_read_due_jobs(ctl, now);
	slu_pools_expire(&ctl->mirror, (int64_t)time(NULL));
	tick = slu_ctl_suspended(ctl, now);
	if (tick < next)
		next = tick;
	tick = slu_followed_tick(ctl, now);
	if (tick < next)
		next = tick;
	slu_unheard_tick(ctl, now);
	if (ctl->next_unheard < next)
		next = ctl->next_unheard;
	tick = slu_ions_watch(ctl, now);
	if (tick < next)
		next = tick;
	slu_ions_solve(ctl, now);
	slu_io_start_report(ctl, now);
	write_link(ctl, now);
	tick = slu_users_tick(ctl, now);
	if (tick < next)
		next = tick;
	tick = schedule(ctl, now);
	if (tick < next)
		next = tick;
	for (size_t i = 0; i < ctl->n_look; i++)
		if (ctl->look[i].due < next)
			next = ctl->look[i].due;
	if (ctl->link.fd < 0 && ctl->site->conf && ctl->link.retry_at < next)
		next = ctl->link.retry_at;
	if (ctl->reload_at && ctl->reload_at < next)
		next = ctl->reload_at;
	return next;
}

static void wait_until(struct slu_ctl *ctl, double when)
{
	struct pollfd fds[2] = {
		{.fd = ctl->queue.fd, .events = POLLIN},
		{.fd = ctl->link.fd, .events = POLLIN},
	};
	double wait = when - now_seconds();

	if (slu_link_pending(&ctl->link))
		fds[1].events |= POLLOUT;
	/* rounded up, so that what is due is due when we wake */
	poll(fds, 2, wait > 0 ? (int)(wait * 1000) + 1 : 0);
}

/* slurmctld's own work comes before ours. */
static void be_modest(void)
{
	struct sched_param none = {0};

	sched_setscheduler(0, SCHED_BATCH, &none);
}

void *slu_ctl_thread(void *arg)
{
	struct slu_ctl *ctl = arg;
	double next;

	ctl->kept = ctl->ops.pass_numbers(ctl->ops.arg);
	slu_ctl_begun(ctl, ctl->kept);
	be_modest();
	/* in a standby the plugins may have read it weeks ago */
	ctl->reload_at = now_seconds();
	ctl->stale = ctl->recall = true;
	ctl->epoch = (uint64_t)time(NULL) * 1000;
	while (!ctl->stop) {
		next = slu_ctl_step(ctl, now_seconds());
		if (!ctl->stop)
			wait_until(ctl, next);
	}
	slu_ctl_thread_fini(ctl);
	slu_ctl_unref(ctl);
	return NULL;
}

/* A later thread starts with nothing but what the hooks have. Held launches
 * stay held: the next active controller launches them. */
void slu_ctl_thread_fini(struct slu_ctl *ctl)
{
	slu_link_close(&ctl->link, 0);
	slu_link_good(&ctl->link);
	ctl->link.retry_at = 0;
	ctl->linked = ctl->heard = ctl->hello_said = false;
	slu_followed_fini(ctl);
	slu_ions_fini(ctl);
	slu_training_fini(ctl);
	slu_msg_clear(&slu_distances_desc, &ctl->distances);
	slu_volumes_free(ctl->volumes);
	ctl->volumes = NULL;
	ctl->volumes_heard = (struct slu_history_position){0};
	for (int i = 0; i < SLU_IO_OBJECTS; i++)
		ctl->rates_heard[i] = (struct slu_history_position){0};
	slu_every_io(s, ctl) slu_iostart_unlearn(s);
	ctl->arbiter_heard = (struct slu_history_position){0};
	free(ctl->look);
	ctl->look = NULL;
	ctl->n_look = 0;
}

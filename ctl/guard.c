/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guard of the limits that we have set: a thread of its own that keeps no
 * state but looks at slurmctld's own records every few seconds, so that neither
 * a restart of slurmctld, nor sluiced being away, nor a file that hangs our
 * other thread can make a limit bite that the user has not asked for.
 *
 *   running  the whole limit is given back, in one step, LEAD seconds before
 *	      its end: Slurm looks at limits every 30 s, warns a minute before
 *   pending  while a reservation would be in the way of the whole limit, the
 *	      job has the whole one, and Slurm plans with that
 *
 * When the site turns the mode off, all limits are given back at once.
 */
#include "config.h"
#include "ctl/private.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICK  15 /* s, between looks */
#define LEAD  120
#define ALIVE 60 /* s without a look: nothing new is tightened */

static int64_t seconds(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec;
}

bool slu_guard_alive(struct slu_ctl *ctl)
{
	int64_t beat = atomic_load(&ctl->guard_beat);

	return beat && seconds(CLOCK_MONOTONIC) - beat < ALIVE;
}

/* Half of a short limit. */
static int64_t lead(const struct slu_ctl_limit *job)
{
	int64_t half = (int64_t)job->tight * 30;

	return half < LEAD ? half : LEAD;
}

/* Does the site still want it? An unreadable configuration changes nothing. */
static bool is_wanted(const struct slu_conf *conf,
		      const struct slu_ctl_limit *job)
{
	return !conf || conf->predict_mode == SLU_PREDICT_TIGHTEN ||
	       (conf->predict_mode == SLU_PREDICT_FILL && !job->whole_asked);
}

static void put_limit(char out[32], uint32_t minutes)
{
	if (minutes == SLU_NOTE_UNLIMITED)
		slu_copy(out, 32, "unlimited");
	else
		snprintf(out, 32, "%u:%02u:00", minutes / 60, minutes % 60);
}

static void say(struct slu_ctl *ctl, const struct slu_ctl_limit *job,
		const struct slu_ctl_late *late)
{
	char tight[32], whole[32];

	put_limit(tight, job->tight);
	put_limit(whole, job->whole);
	if (!job->running)
		ctl_log(ctl, SLU_INFO, "JobId=%u: limit %s%s", job->job_id,
			job->limit == job->tight ? whole : tight,
			job->barred ? ", for a reservation" : "");
	else if (!late->jobs)
		ctl_log(ctl, SLU_INFO, "JobId=%u: limit %s extended to %s",
			job->job_id, tight, whole);
	else
		ctl_log(ctl, SLU_INFO,
			"JobId=%u: limit %s extended to %s; %u planned "
			"starts, of them first JobId=%u, may be later by up to "
			"%lld s",
			job->job_id, tight, whole, late->jobs, late->first,
			(long long)late->longest);
}

static void set(struct slu_ctl *ctl, const struct slu_ctl_limit *job,
		bool whole)
{
	struct slu_ctl_late late = {0};
	struct slu_err err;

	if (ctl->ops.set_limit(ctl->ops.arg, job->job_id, whole, &late, &err) ==
	    0)
		say(ctl, job, &late);
	else if (err.kind != SLU_NOTFOUND)
		ctl_log(ctl, SLU_WARN, "JobId=%u: its limit: %s", job->job_id,
			err.text);
}

/* Returns when to look at it again, Unix seconds. */
static int64_t guard(struct slu_ctl *ctl, const struct slu_conf *conf,
		     const struct slu_ctl_limit *job, int64_t now)
{
	bool wanted = is_wanted(conf, job);
	int64_t due = job->end - lead(job);

	if (job->whole <= job->tight)
		return now + TICK;
	if (job->running && job->limit == job->tight) {
		if (wanted && now < due)
			return due;
		set(ctl, job, true);
	} else if (!job->running) {
		bool whole = !wanted || job->barred;

		if (job->limit == (whole ? job->tight : job->whole))
			set(ctl, job, whole);
	}
	return now + TICK;
}

int64_t slu_guard_step(struct slu_ctl *ctl, int64_t now)
{
	struct slu_ctl_limit *jobs;
	int64_t next = now + TICK, due;
	struct slu_conf copy = {0};
	struct slu_err err;
	bool has_conf;
	size_t n;

	if (ctl->ops.limits(ctl->ops.arg, now, &jobs, &n, &err) < 0) {
		ctl_log(ctl, SLU_ERROR, "cannot look at limits: %s", err.text);
		return now + 1;
	}
	pthread_rwlock_rdlock(&ctl->site_lock);
	has_conf = ctl->site->conf;
	if (has_conf)
		copy.predict_mode = ctl->site->conf->predict_mode;
	pthread_rwlock_unlock(&ctl->site_lock);
	for (size_t i = 0; i < n; i++) {
		due = guard(ctl, has_conf ? &copy : NULL, &jobs[i], now);
		if (due < next)
			next = due;
	}
	free(jobs);
	atomic_store(&ctl->guard_beat, seconds(CLOCK_MONOTONIC));
	return next;
}

void slu_ctl_guard_look(struct slu_ctl *ctl)
{
	int waiting = 0;

	sem_getvalue(&ctl->guard_wake, &waiting);
	if (waiting <= 0)
		sem_post(&ctl->guard_wake);
}

/* At least a second, so that the hooks cannot keep it busy. */
static void wait_for_wake(struct slu_ctl *ctl, int64_t wait)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += wait > 1 ? wait : 1;
	while (sem_clockwait(&ctl->guard_wake, CLOCK_MONOTONIC, &until) < 0 &&
	       errno == EINTR)
		;
}

void *slu_guard_thread(void *arg)
{
	struct slu_ctl *ctl = arg;
	int64_t last = 0, now, next;

	while (!ctl->stop) {
		now = seconds(CLOCK_REALTIME);
		next = now == last ? now + 1 : slu_guard_step(ctl, now);
		last = now;
		if (!ctl->stop)
			wait_for_wake(ctl, next - now);
	}
	slu_ctl_unref(ctl);
	return NULL;
}

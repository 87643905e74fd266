/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extends the tight time limits that Sluice has set, before they end a job that
 * its user's own ("whole") limit would let run. A thread of its own, which
 * keeps no state but looks at slurmctld's records every few seconds: so this
 * works after a restart of slurmctld, while sluiced is away, and while a file
 * hangs our other thread.
 *
 * A limit that is longer than the default is never extended; a pending job
 * loses it while it is not allowed. When the site turns the mode off, all jobs
 * get their whole limits at once. See is_due() for the rules.
 */
#include "config.h"
#include "ctl/jobs/running/limit_guard.h"

#include "ctl/private.h"
#include "ctl/threads.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>

#include "job_submit/time_limit.h"

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

/* Does the site's mode still allow this tight limit? An unreadable
 * configuration changes nothing. */
static bool is_wanted(const struct slu_conf *conf,
		      const struct slu_ctl_limit *job)
{
	return !conf || conf->predict_mode == SLU_PREDICT_TIGHTEN ||
	       conf->predict_mode == SLU_PREDICT_EARLY ||
	       (conf->predict_mode == SLU_PREDICT_FILL && !job->whole_asked);
}

static void put_limit(char out[32], uint32_t minutes)
{
	if (minutes == SLU_NOTE_UNLIMITED)
		slu_copy(out, 32, "unlimited");
	else
		snprintf(out, 32, "%u:%02u:00", minutes / 60, minutes % 60);
}

/* Names the planned starts that a longer limit delays. */
static void put_late(char out[256], const struct slu_ctl_late *late)
{
	int n = 0;

	*out = '\0';
	if (late->jobs)
		n = snprintf(out, 256,
			     "; %u planned starts, of them first JobId=%u, may "
			     "be later by up to %lld s",
			     late->jobs, late->first, (long long)late->longest);
	if (*late->reservation)
		snprintf(out + n, 256 - (size_t)n,
			 "; reservation %s begins before that",
			 late->reservation);
}

static void say(struct slu_ctl *ctl, const struct slu_ctl_limit *job,
		const struct slu_ctl_late *late)
{
	static const char *const why[] = {
		[SLU_LIMIT_BAR_NONE] = "",
		[SLU_LIMIT_BAR_RESERVATION] = ", for a reservation",
		[SLU_LIMIT_BAR_MAXIMUM] = ", by what is allowed now",
	};
	char tight[32], whole[32], delay[256];

	put_limit(tight, job->tight);
	put_limit(whole, job->whole);
	put_late(delay, late);
	if (job->running)
		ctl_log(ctl, SLU_INFO, "JobId=%u: limit %s extended to %s%s",
			job->job_id, tight, whole, delay);
	else
		ctl_log(ctl, SLU_INFO, "JobId=%u: limit %s%s", job->job_id,
			job->limit == job->tight ? whole : tight,
			why[job->bar]);
}

/*
 * Must the job's limit be changed now, and to the whole one? *next: when to
 * check again, Unix seconds.
 *
 *   running  gets the whole limit, in one step, two minutes before its end:
 *	      Slurm looks at limits every 30 s, and warns a minute before
 *   pending  has the whole limit, with which Slurm plans, while a reservation
 *	      would be in the way of it, or its partition, association or QOS
 *	      allows less by now
 */
static bool is_due(const struct slu_conf *conf, const struct slu_ctl_limit *job,
		   int64_t now, bool *whole, int64_t *next)
{
	bool filled = job->whole < job->tight;
	bool wanted = filled || is_wanted(conf, job);
	int64_t due = job->end - slu_limit_lead(job->tight);

	*next = now + SLU_LIMIT_LOOK;
	if (job->whole == job->tight || (filled && job->running))
		return false;
	if (job->running) {
		*whole = true;
		if (job->limit != job->tight)
			return false;
		if (wanted && now < due && !job->suspended)
			*next = due;
		return !wanted || now >= due;
	}
	*whole = !wanted || job->bar;
	return job->limit == (*whole ? job->tight : job->whole);
}

/* The earliest end first. */
static int by_end(const void *a, const void *b)
{
	const struct slu_ctl_limit *x = a, *y = b;

	if (x->running != y->running)
		return x->running ? -1 : 1;
	return (x->end > y->end) - (x->end < y->end);
}

/* All jobs that have begun together are due together. Returns when the next
 * one is. */
static int64_t guard(struct slu_ctl *ctl, const struct slu_conf *conf,
		     struct slu_ctl_limit *job, size_t n, int64_t now)
{
	struct slu_ctl_put *put = calloc(n + 1, sizeof(*put));
	int64_t next = now + SLU_LIMIT_LOOK, due;
	size_t *of = calloc(n + 1, sizeof(*of)), puts = 0;
	bool whole;

	qsort(job, n, sizeof(*job), by_end);
	for (size_t i = 0; put && of && i < n; i++) {
		if (is_due(conf, &job[i], now, &whole, &due)) {
			of[puts] = i;
			put[puts++] = (struct slu_ctl_put){
				.job_id = job[i].job_id, .whole = whole};
		}
		if (due < next)
			next = due;
	}
	if (puts)
		ctl->ops.set_limits(ctl->ops.arg, put, puts);
	for (size_t i = 0; i < puts; i++)
		if (put[i].done)
			say(ctl, &job[of[i]], &put[i].late);
	if (!put || !of)
		next = now + 1;
	free(put);
	free(of);
	return next;
}

int64_t slu_guard_step(struct slu_ctl *ctl, int64_t now)
{
	struct slu_ctl_limit *jobs;
	struct slu_conf copy = {0};
	struct slu_err err;
	int64_t next;
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
	next = guard(ctl, has_conf ? &copy : NULL, jobs, n, now);
	free(jobs);
	atomic_store(&ctl->guard_beat, seconds(CLOCK_MONOTONIC));
	return next;
}

int slu_guard_timer(void)
{
	return timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

/* A timer costs a hook less than waking the thread: event_queue.c. */
void slu_ctl_guard_look(struct slu_ctl *ctl)
{
	const struct itimerspec soon = {.it_value.tv_nsec = 1};

	timerfd_settime(ctl->guard_timer, 0, &soon, NULL);
}

/* From now on the timer expires when another thread wakes us, or when the clock
 * is set by which jobs end: Slurm checks their limits at once when it has moved
 * on. */
static void arm(struct slu_ctl *ctl)
{
	const struct itimerspec never = {.it_value.tv_sec = LONG_MAX};

	timerfd_settime(ctl->guard_timer,
			TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never,
			NULL);
}

/* Waits at least a second, so that hooks cannot keep the thread busy. */
static void wait_for_timer(struct slu_ctl *ctl, int64_t wait)
{
	struct pollfd timer = {.fd = ctl->guard_timer, .events = POLLIN};

	poll(&timer, 1, (int)(wait > 1 ? wait : 1) * 1000);
}

void *slu_guard_thread(void *arg)
{
	struct slu_ctl *ctl = arg;
	int64_t last = 0, now, next;

	while (!ctl->stop) {
		arm(ctl);
		now = seconds(CLOCK_REALTIME);
		next = now == last ? now + 1 : slu_guard_step(ctl, now);
		last = now;
		if (!ctl->stop)
			wait_for_timer(ctl, next - now);
	}
	slu_ctl_unref(ctl);
	return NULL;
}

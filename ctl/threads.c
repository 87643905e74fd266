/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts, stops and counts the threads of libsluice: the main thread, the limit
 * guard, and short-lived ones. A thread that could not be started, or whose
 * predecessor is still stuck, is started by a later hook (a call of a plugin).
 */
#include "config.h"
#include "ctl/threads.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "ctl/private.h"

#define START_AGAIN 10 /* seconds, after a thread could not be started */

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int64_t active_since; /* Unix seconds */

void slu_ctl_unref(struct slu_ctl *ctl)
{
	if (atomic_fetch_sub(&ctl->owners, 1) == 1)
		ctl->parts->free(ctl);
}

bool slu_threads_join(struct slu_ctl *ctl, const struct timespec *until)
{
	if (ctl->has_thread)
		ctl->has_thread =
			pthread_timedjoin_np(ctl->thread, NULL, until) != 0;
	if (ctl->has_guard)
		ctl->has_guard =
			pthread_timedjoin_np(ctl->guard, NULL, until) != 0;
	return !ctl->has_thread && !ctl->has_guard;
}

void slu_threads_let_go(struct slu_ctl *ctl)
{
	if (ctl->has_thread)
		pthread_detach(ctl->thread);
	if (ctl->has_guard)
		pthread_detach(ctl->guard);
}

/* Our threads block all signals: signals are for slurmctld's own threads. */
static bool start_thread(struct slu_ctl *ctl, pthread_t *thread,
			 void *(*fn)(void *ctl))
{
	sigset_t all, old;
	int rc;

	atomic_fetch_add(&ctl->owners, 1);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(thread, NULL, fn, ctl);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc == 0)
		return true;
	atomic_fetch_sub(&ctl->owners, 1);
	ctl_log(ctl, SLU_ERROR, "cannot start a thread: %s", strerror(rc));
	return false;
}

bool slu_ctl_detach(struct slu_ctl *ctl, void *(*fn)(void *ctl))
{
	pthread_t thread;

	if (!start_thread(ctl, &thread, fn))
		return false;
	pthread_detach(thread);
	return true;
}

static bool may_start(const struct slu_ctl *ctl)
{
	return !ctl->standby &&
	       (!ctl->started ||
		(ctl->start_again && time(NULL) >= ctl->start_again));
}

/* Starts the threads that do not run; limits that the guard was about to extend
 * must not wait for another slurmctld. */
static void start_threads(struct slu_ctl *ctl)
{
	ctl->stop = false;
	if (!active_since)
		active_since = time(NULL);
	if (!ctl->has_guard)
		ctl->has_guard =
			start_thread(ctl, &ctl->guard, ctl->parts->guard);
	if (!ctl->has_thread)
		ctl->has_thread =
			start_thread(ctl, &ctl->thread, ctl->parts->thread);
	ctl->started = true;
	ctl->start_again = ctl->has_guard && ctl->has_thread
				   ? 0
				   : time(NULL) + START_AGAIN;
}

void slu_ctl_wake(struct slu_ctl *ctl)
{
	const struct timespec now = {0};

	if (!may_start(ctl))
		return;
	pthread_mutex_lock(&start_lock);
	if (may_start(ctl) && (ctl->started || slu_threads_join(ctl, &now)))
		start_threads(ctl);
	pthread_mutex_unlock(&start_lock);
}

void slu_ctl_active(struct slu_ctl *ctl)
{
	if (!ctl->started)
		active_since = time(NULL);
	ctl->standby = false;
	slu_every_io(s, ctl) slu_iostart_active(s, time(NULL));
	slu_ctl_wake(ctl);
}

int64_t slu_ctl_active_since(void)
{
	return active_since;
}

void slu_threads_stand_by(struct slu_ctl *ctl)
{
	ctl->standby = true;
	active_since = 0;
}

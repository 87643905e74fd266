/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wakes the daemon's timers on behalf of its parts. What a timer does is
 * decided in startup.c.
 */
#include "sluiced/wakeups.h"

#include "common/clock.h"

#define TICK_SOON 1.0 /* after a change, seconds */
#define AGAIN_MIN 1.0 /* until slurmctld reports everything again */
#define AGAIN_MAX 8.0

void slu_daemon_tick_soon(struct slu_daemon *d)
{
	slu_timer_soon(d->loop, &d->tick, TICK_SOON);
}

void slu_daemon_soon(struct slu_daemon *d)
{
	slu_timer_soon(d->loop, &d->poll, 0);
	slu_daemon_tick_soon(d);
}

void slu_daemon_touched(struct slu_daemon *d, uint32_t job_id)
{
	slu_longpoll_changed(d->longpoll, job_id);
	slu_daemon_soon(d);
}

void slu_daemon_reconnect(struct slu_daemon *d)
{
	double now = slu_now_mono();
	bool lately =
		d->again_asked > 0 && now < d->again_asked + 2 * AGAIN_MAX;
	double pause = lately ? 2 * d->again_pause : AGAIN_MIN;

	if (d->again.due > 0)
		return;
	d->again_asked = now;
	d->again_pause = pause < AGAIN_MAX ? pause : AGAIN_MAX;
	slu_timer_set(d->loop, &d->again, d->again_pause);
}

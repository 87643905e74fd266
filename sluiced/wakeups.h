/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_WAKEUPS_H
#define SLU_SLUICED_WAKEUPS_H

/*
 * Wakes the event loop on behalf of the daemon's parts: to look at the buffers
 * soon, or to connect to slurmctld again.
 */

#include "sluiced/daemon.h"

/* Something from slurmctld could not be stored, or something for it could not
 * be read: after a pause, which grows with each failure, have it connect again,
 * report everything and get everything. */
void slu_daemon_reconnect(struct slu_daemon *d);

/* A message has changed something about the buffers: check deadlines and the
 * parked requests of this job soon (0: of all jobs). */
void slu_daemon_touched(struct slu_daemon *d, uint32_t job_id);
/* Buffers may have changed and have reported that; check deadlines. */
void slu_daemon_soon(struct slu_daemon *d);
/* Only check deadlines. */
void slu_daemon_tick_soon(struct slu_daemon *d);

#endif

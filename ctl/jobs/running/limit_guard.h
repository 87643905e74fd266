/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_LIMIT_GUARD_H
#define SLU_CTL_LIMIT_GUARD_H

/*
 * Extends, in a thread of its own, time limits which we have set and which turn
 * out too short.
 */

#include <stdbool.h>
#include <stdint.h>

struct slu_ctl;

/* Creates the guard's timer, a descriptor (timerfd_create(2)); -1: none can be
 * had. */
int slu_guard_timer(void);
/* The thread; ctl is a struct slu_ctl. */
void *slu_guard_thread(void *ctl);
/* Check all limits that we have set, at Unix time `now`. Returns when to check
 * again. */
int64_t slu_guard_step(struct slu_ctl *ctl, int64_t now);
/* Has the thread run recently? From any thread. */
bool slu_guard_alive(struct slu_ctl *ctl);

#endif

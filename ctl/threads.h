/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_THREADS_H
#define SLU_CTL_THREADS_H

/*
 * Manages the threads of libsluice, and counts the owners of its object (struct
 * slu_ctl, private.h): the plugins together are one owner, each thread is
 * another. The last owner frees the object.
 */

#include <stdbool.h>
#include <time.h>

struct slu_ctl;

/* Start the threads that do not run: a hook was called that only an active
 * controller calls. */
void slu_ctl_wake(struct slu_ctl *ctl);
/* Give up one reference. */
void slu_ctl_unref(struct slu_ctl *ctl);
/* Start a detached thread, which holds a reference until it calls
 * slu_ctl_unref(). */
bool slu_ctl_detach(struct slu_ctl *ctl, void *(*fn)(void *ctl));
/* Wait until the main thread and the guard, which are told to stop, have ended,
 * at most until then (CLOCK_REALTIME). */
bool slu_threads_join(struct slu_ctl *ctl, const struct timespec *until);
/* Detach those that have not ended in time. */
void slu_threads_let_go(struct slu_ctl *ctl);
/* The threads are not started again before slu_ctl_active(). */
void slu_threads_stand_by(struct slu_ctl *ctl);

#endif

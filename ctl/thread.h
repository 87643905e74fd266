/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_THREAD_H
#define SLU_CTL_THREAD_H

/*
 * Runs the main thread of libsluice: a loop that handles events of jobs, the
 * link to sluiced and timers.
 */

struct slu_ctl;

/* The thread; ctl is a struct slu_ctl. */
void *slu_ctl_thread(void *ctl);
/* One turn of the loop, without waiting. Returns when the next is due. */
double slu_ctl_step(struct slu_ctl *ctl, double now);
/* Free what belongs to the thread, after its end. */
void slu_ctl_thread_fini(struct slu_ctl *ctl);
/* The link was closed: releases held launches. */
void slu_ctl_link_lost(struct slu_ctl *ctl);

#endif

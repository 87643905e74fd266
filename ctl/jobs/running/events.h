/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_EVENTS_H
#define SLU_CTL_EVENTS_H

/* Handles what happens to jobs: events that hooks have queued (event_queue.h),
 * and snapshots of all jobs. */

struct slu_ctl;

/* Handle the queued events. */
void slu_ctl_events(struct slu_ctl *ctl, double now);
/* Read all jobs and nodes, follow the jobs that run, and send a hello if the
 * link is new. */
void slu_ctl_snapshot(struct slu_ctl *ctl, double now);
/* Reads the jobs whose events say too little, when they are due. */
void slu_ctl_read_due_jobs(struct slu_ctl *ctl, double now);
/* Reports to sluiced which running jobs were suspended or resumed. Returns when
 * to do so again. */
double slu_ctl_suspended(struct slu_ctl *ctl, double now);

#endif

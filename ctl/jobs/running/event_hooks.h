/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_JOBS_EVENT_HOOKS_H
#define SLU_CTL_JOBS_EVENT_HOOKS_H

/* Queues starts, ends and waits of jobs, which hooks of plugins report, as
 * events for the main thread. */

#include <stdbool.h>
#include "ctl/jobs/running/event_queue.h"
#include "wire/job.h"

struct slu_ctl;

/* Takes over the content of *job, which may be NULL. False: the event is lost,
 * and a snapshot will repair that. Any thread. */
bool slu_event_report(struct slu_ctl *ctl, enum slu_event_kind kind,
		      uint32_t job_id, struct slu_job *job);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues events for the main thread, when hooks report that jobs start, end,
 * wait or are to be looked at.
 */
#include "config.h"
#include "ctl/jobs/running/event_hooks.h"

#include <stdlib.h>

#include "ctl/private.h"
#include "ctl/threads.h"

bool slu_event_report(struct slu_ctl *ctl, enum slu_event_kind kind,
		      uint32_t job_id, struct slu_job *job)
{
	struct slu_event event = {.kind = kind, .job_id = job_id};
	/* Where prep is configured, its own event follows soon. */
	bool urgent = kind != SLU_EV_LOOK || !ctl->prolog_done;

	slu_ctl_wake(ctl);
	if (job) {
		event.job = malloc(sizeof(*job));
		if (!event.job) {
			slu_msg_clear(&slu_job_desc, job);
			return false;
		}
		*event.job = *job;
		*job = (struct slu_job){0};
	}
	return slu_event_queue_push(&ctl->queue, event, urgent);
}

/* Numbers start again after MaxJobId, so the comparison is modular. */
void slu_ctl_begun(struct slu_ctl *ctl, uint32_t number)
{
	const uint32_t wrapped = 1u << 24;
	uint32_t last = ctl->begun;

	while ((number > last || last - number > wrapped) &&
	       !atomic_compare_exchange_weak(&ctl->begun, &last, number))
		;
}

void slu_ctl_store_jobs(struct slu_ctl *ctl)
{
	if (!atomic_exchange(&ctl->store_jobs, true))
		slu_event_queue_wake(&ctl->queue);
}

void slu_ctl_look(struct slu_ctl *ctl, uint32_t job_id)
{
	slu_event_report(ctl, SLU_EV_LOOK, job_id, NULL);
}

void slu_ctl_set_prolog_done(struct slu_ctl *ctl,
			     void (*fn)(int rc, uint32_t job_id,
					bool timed_out))
{
	ctl->prolog_done = fn;
}

/* `linked` is read under the lock under which the thread resets it before it
 * reads files, so that no launch is held meanwhile. */
bool slu_ctl_started(struct slu_ctl *ctl, struct slu_job *job)
{
	const struct slu_conf *conf;
	bool hold;

	slu_ctl_wake(ctl); /* takes a lock of its own */
	pthread_rwlock_rdlock(&ctl->site_lock);
	conf = ctl->site->conf;
	hold = ctl->linked && ctl->prolog_done && conf && conf->io_nodes.n &&
	       conf->mapping_dir;
	hold = slu_event_report(ctl, hold ? SLU_EV_HELD : SLU_EV_STARTED,
				job->job_id, job) &&
	       hold;
	pthread_rwlock_unlock(&ctl->site_lock);
	return hold;
}

void slu_ctl_waits(struct slu_ctl *ctl, struct slu_job *job)
{
	slu_event_report(ctl, SLU_EV_WAITS, job->job_id, job);
}

void slu_ctl_launch_lost(struct slu_ctl *ctl, uint32_t job_id)
{
	slu_event_report(ctl, SLU_EV_LAUNCH_LOST, job_id, NULL);
}

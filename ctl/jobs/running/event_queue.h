/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_JOBS_EVENT_QUEUE_H
#define SLU_CTL_JOBS_EVENT_QUEUE_H

/*
 * Passes events from the hooks to the main thread: a ring under a mutex that is
 * held for a few instructions, and a timer that wakes the thread soon. If the
 * ring is full, the event is dropped and the overflow noted: the thread then
 * takes a snapshot of all jobs instead, so that only the order is lost.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include "common/err.h"
#include "wire/job.h"

enum slu_event_kind {
	SLU_EV_LOOK,	    /* job_id has, or may have, started */
	SLU_EV_STARTED,	    /* job */
	SLU_EV_HELD,	    /* job, whose launch is held */
	SLU_EV_LAUNCH_LOST, /* job_id */
	SLU_EV_ENDED,	    /* job */
	SLU_EV_CANCELLED,   /* job: its number and start */
	SLU_EV_WAITS,	    /* job, for persistent buffers */
	SLU_EV_RELOAD,	    /* read the configuration again */
};

struct slu_event {
	enum slu_event_kind kind;
	uint32_t job_id;
	struct slu_job *job; /* owned; NULL for the kinds with a job_id only */
};

struct slu_event_queue {
	pthread_mutex_t lock; /* guards all below but fd and cap */
	struct slu_event *ring;
	size_t cap, head, n;
	bool overflow;
	bool woken; /* fd is readable, or soon will be */
	int fd;	    /* readable when there are events */
};

int slu_event_queue_init(struct slu_event_queue *q, size_t cap,
			 struct slu_err *err);
void slu_event_queue_fini(struct slu_event_queue *q);

/* Takes event.job over. False: there was no space, the job was freed. An event
 * that is not urgent waits for the next that is. */
bool slu_event_queue_push(struct slu_event_queue *q, struct slu_event event,
			  bool urgent);
/* Just wake the thread. */
void slu_event_queue_wake(struct slu_event_queue *q);
/* False when empty. */
bool slu_event_queue_pop(struct slu_event_queue *q, struct slu_event *out);
/* Forget them all. */
void slu_event_queue_clear(struct slu_event_queue *q);
/* Was anything dropped since the last call? */
bool slu_event_queue_overflowed(struct slu_event_queue *q);
/* Forget the wake-ups so far; to be called before popping. */
void slu_event_queue_drain_fd(struct slu_event_queue *q);

void slu_event_clear(struct slu_event *event);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues events in a ring of fixed size, so that hooks neither wait nor
 * allocate.
 */
#include "config.h"
#include "ctl/jobs/running/event_queue.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* Waking another thread may cost a hook a tenth of a millisecond (on a virtual
 * machine an interrupt to a processor that sleeps); setting a timer does not,
 * and no thread pays when the timer fires. */
#define WAKE_AFTER_NS 500000

int slu_event_queue_init(struct slu_event_queue *q, size_t cap,
			 struct slu_err *err)
{
	*q = (struct slu_event_queue){.cap = cap, .fd = -1};
	pthread_mutex_init(&q->lock, NULL);
	q->ring = calloc(cap, sizeof(*q->ring));
	if (!q->ring)
		return slu_err(err, SLU_NOMEM, "event queue: out of memory");
	q->fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (q->fd < 0)
		return slu_errno(err, SLU_IO, "timerfd");
	return 0;
}

void slu_event_clear(struct slu_event *event)
{
	slu_msg_free(&slu_job_desc, event->job);
	*event = (struct slu_event){0};
}

void slu_event_queue_clear(struct slu_event_queue *q)
{
	struct slu_event event;

	while (slu_event_queue_pop(q, &event))
		slu_event_clear(&event);
}

void slu_event_queue_fini(struct slu_event_queue *q)
{
	slu_event_queue_clear(q);
	free(q->ring);
	q->ring = NULL;
	if (q->fd >= 0)
		close(q->fd);
	pthread_mutex_destroy(&q->lock);
}

void slu_event_queue_wake(struct slu_event_queue *q)
{
	const struct itimerspec soon = {.it_value.tv_nsec = WAKE_AFTER_NS};

	timerfd_settime(q->fd, 0, &soon, NULL);
}

bool slu_event_queue_push(struct slu_event_queue *q, struct slu_event event,
			  bool urgent)
{
	bool room, wake;

	pthread_mutex_lock(&q->lock);
	room = q->n < q->cap;
	if (room)
		q->ring[(q->head + q->n++) % q->cap] = event;
	else
		q->overflow = true;
	wake = (urgent || !room) && !q->woken;
	q->woken |= wake;
	pthread_mutex_unlock(&q->lock);
	if (wake)
		slu_event_queue_wake(q);
	if (!room)
		slu_event_clear(&event);
	return room;
}

bool slu_event_queue_pop(struct slu_event_queue *q, struct slu_event *out)
{
	bool any;

	pthread_mutex_lock(&q->lock);
	any = q->n > 0;
	if (any) {
		*out = q->ring[q->head];
		q->head = (q->head + 1) % q->cap;
		q->n--;
	}
	pthread_mutex_unlock(&q->lock);
	return any;
}

bool slu_event_queue_overflowed(struct slu_event_queue *q)
{
	bool was;

	pthread_mutex_lock(&q->lock);
	was = q->overflow;
	q->overflow = false;
	pthread_mutex_unlock(&q->lock);
	return was;
}

void slu_event_queue_drain_fd(struct slu_event_queue *q)
{
	uint64_t count;

	while (read(q->fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
	/* In this order: a hook that pushes in between sees `woken` and does
	 * not write, but its event is popped below. */
	pthread_mutex_lock(&q->lock);
	q->woken = false;
	pthread_mutex_unlock(&q->lock);
}

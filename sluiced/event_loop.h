/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_EVENT_LOOP_H
#define SLU_SLUICED_EVENT_LOOP_H

/*
 * The daemon's one thread: descriptors, timers and children that end, in a loop
 * over poll(2). A handler may watch, unwatch and set timers freely. A
 * descriptor that is closed and opened again within one turn may get one event
 * that was meant for the earlier one; all of ours are non-blocking, so that
 * does no harm.
 */

#include <sys/types.h>

#include "common/clock.h"
#include "common/err.h"

struct slu_loop;

typedef void slu_ready_f(void *arg, short revents);
typedef void slu_timer_f(void *arg);

/* Embedded in an object that sets fn and arg once; the rest is private. */
struct slu_timer {
	slu_timer_f *fn;
	void *arg;
	double due; /* monotonic seconds; 0: off */
	struct slu_timer *next;
};

/* Embedded in an object that sets the first three members. */
struct slu_exit_watch {
	pid_t pid;
	void (*fn)(void *arg, int status); /* with the status of waitpid(2) */
	void *arg;
	struct slu_exit_watch *next;
};

struct slu_loop *slu_loop_new(struct slu_err *err);
/* Children that have not ended are reported with status -1. */
void slu_loop_free(struct slu_loop *loop);

/* Call fn when poll(2) reports one of `events` for fd; watching it again
 * changes the events. */
int slu_loop_watch(struct slu_loop *loop, int fd, short events, slu_ready_f *fn,
		   void *arg, struct slu_err *err);
void slu_loop_unwatch(struct slu_loop *loop, int fd);

/* Call the timer's fn once, `seconds` from now (0: after this turn). */
void slu_timer_set(struct slu_loop *loop, struct slu_timer *timer,
		   double seconds);
/* The same, unless it is due sooner already. */
void slu_timer_soon(struct slu_loop *loop, struct slu_timer *timer,
		    double seconds);
void slu_timer_stop(struct slu_loop *loop, struct slu_timer *timer);

/* Call fn, once, when this child has ended. It may hang in the kernel for ever,
 * so nothing ever waits for it. */
void slu_loop_await(struct slu_loop *loop, struct slu_exit_watch *end);

/* Turn until slu_loop_stop() is called. */
int slu_loop_run(struct slu_loop *loop, struct slu_err *err);
/* One turn: wait at most `seconds`, then handle what is ready and due. */
int slu_loop_turn(struct slu_loop *loop, double seconds, struct slu_err *err);
void slu_loop_stop(struct slu_loop *loop);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_EVENT_LOOP_H
#define SLU_SLUICED_EVENT_LOOP_H

/*
 * The daemon's one thread: descriptors, timers and children that end, poll(2)
 * over them. A handler may watch, unwatch and set timers freely. A descriptor
 * that is closed and opened again within one turn may see one event that was
 * meant for its predecessor; all of ours are non-blocking and do not mind.
 */

#include <sys/types.h>

#include "common/clock.h"
#include "common/err.h"

struct slu_loop;

typedef void slu_ready_f(void *arg, short revents);
typedef void slu_timer_f(void *arg);

/* Embedded in its owner; fn and arg are filled in once, the rest is ours. */
struct slu_timer {
	slu_timer_f *fn;
	void *arg;
	double due; /* monotonic seconds; 0: off */
	struct slu_timer *next;
};

/* Embedded in its owner, who fills in the first three. */
struct slu_end {
	pid_t pid;
	void (*fn)(void *arg, int status); /* as waitpid(2) has it */
	void *arg;
	struct slu_end *next;
};

struct slu_loop *slu_loop_new(struct slu_err *err);
/* Ends that have not come are told, with status -1. */
void slu_loop_free(struct slu_loop *loop);

/* Call fn when poll(2) reports one of `events` for fd; watching a descriptor
 * again changes what for. */
int slu_loop_watch(struct slu_loop *loop, int fd, short events, slu_ready_f *fn,
		   void *arg, struct slu_err *err);
void slu_loop_unwatch(struct slu_loop *loop, int fd);

/* Call the timer's fn once, `seconds` from now (0: after this turn). */
void slu_timer_set(struct slu_loop *loop, struct slu_timer *timer,
		   double seconds);
/* The same unless it is due sooner already. */
void slu_timer_soon(struct slu_loop *loop, struct slu_timer *timer,
		    double seconds);
void slu_timer_stop(struct slu_loop *loop, struct slu_timer *timer);

/* A child that is about to end: call fn, once, when it has been waited for. It
 * may hang in the kernel for ever, so this never waits in its place. */
void slu_loop_await(struct slu_loop *loop, struct slu_end *end);

/* Turn until slu_loop_stop() was called. */
int slu_loop_run(struct slu_loop *loop, struct slu_err *err);
/* One turn: wait at most `seconds`, then handle what is ready and due. */
int slu_loop_turn(struct slu_loop *loop, double seconds, struct slu_err *err);
void slu_loop_stop(struct slu_loop *loop);

#endif

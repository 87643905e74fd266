/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits with poll(2) for descriptors, timers and ends of children, and calls
 * their handlers. There is a handful of descriptors: the thousands of HTTP
 * connections are behind libmicrohttpd's one epoll descriptor.
 *
 * Invariant: poll->fd[i] and watch[i] describe the same descriptor. Handlers
 * may reorder both during a turn, so the ready descriptors are collected first
 * and looked up again by number.
 */
#include "sluiced/event_loop.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>

#define WATCH_MAX   64
#define SOON	    0.001 /* s until a child's end is checked again, at first */
#define NOT_SO_SOON 1.0	  /* and in the end */

struct watch {
	slu_ready_f *fn;
	void *arg;
};

struct slu_loop {
	struct pollfd fd[WATCH_MAX];
	struct watch watch[WATCH_MAX];
	int n;
	struct slu_timer *timers;
	struct slu_exit_watch *ends;
	double look; /* s until ends are checked again; 0: there are none */
	bool stop;
};

struct slu_loop *slu_loop_new(struct slu_err *err)
{
	struct slu_loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		slu_err(err, SLU_NOMEM, "event loop: out of memory");
	return loop;
}

void slu_loop_free(struct slu_loop *loop)
{
	struct slu_exit_watch *end;

	while (loop && (end = loop->ends)) {
		loop->ends = end->next;
		end->fn(end->arg, -1);
	}
	free(loop);
}

static int find(const struct slu_loop *loop, int fd)
{
	for (int i = 0; i < loop->n; i++)
		if (loop->fd[i].fd == fd)
			return i;
	return -1;
}

int slu_loop_watch(struct slu_loop *loop, int fd, short events, slu_ready_f *fn,
		   void *arg, struct slu_err *err)
{
	int i = find(loop, fd);

	if (i < 0 && loop->n == WATCH_MAX)
		return slu_err(err, SLU_NOMEM, "too many descriptors");
	if (i < 0)
		i = loop->n++;
	loop->fd[i] = (struct pollfd){.fd = fd, .events = events};
	loop->watch[i] = (struct watch){fn, arg};
	return 0;
}

void slu_loop_unwatch(struct slu_loop *loop, int fd)
{
	int i = find(loop, fd);

	if (i < 0)
		return;
	loop->n--;
	loop->fd[i] = loop->fd[loop->n];
	loop->watch[i] = loop->watch[loop->n];
}

void slu_timer_set(struct slu_loop *loop, struct slu_timer *timer,
		   double seconds)
{
	if (timer->due == 0) {
		timer->next = loop->timers;
		loop->timers = timer;
	}
	timer->due = slu_now_mono() + seconds;
}

void slu_timer_soon(struct slu_loop *loop, struct slu_timer *timer,
		    double seconds)
{
	if (timer->due == 0 || timer->due > slu_now_mono() + seconds)
		slu_timer_set(loop, timer, seconds);
}

void slu_timer_stop(struct slu_loop *loop, struct slu_timer *timer)
{
	struct slu_timer **p = &loop->timers;

	while (*p && *p != timer)
		p = &(*p)->next;
	if (*p)
		*p = timer->next;
	timer->due = 0;
}

void slu_loop_await(struct slu_loop *loop, struct slu_exit_watch *end)
{
	end->next = loop->ends;
	loop->ends = end;
	loop->look = SOON;
}

/* Removes the first child that has ended from the list; a handler may add
 * others. */
static bool take_end(struct slu_loop *loop)
{
	for (struct slu_exit_watch **p = &loop->ends; *p; p = &(*p)->next) {
		struct slu_exit_watch *end = *p;
		int status = -1;

		if (waitpid(end->pid, &status, WNOHANG) == 0)
			continue;
		*p = end->next;
		end->fn(end->arg, status);
		return true;
	}
	return false;
}

static void run_ends(struct slu_loop *loop)
{
	while (take_end(loop))
		;
	loop->look = loop->ends ? fmin(2 * loop->look, NOT_SO_SOON) : 0;
}

static struct slu_timer *first_timer(const struct slu_loop *loop)
{
	struct slu_timer *first = loop->timers;

	for (struct slu_timer *t = first; t; t = t->next)
		if (t->due < first->due)
			first = t;
	return first;
}

/* Timers that a handler sets meanwhile are due after `now`. */
static void run_timers(struct slu_loop *loop)
{
	double now = slu_now_mono();
	struct slu_timer *t;

	while ((t = first_timer(loop)) && t->due < now) {
		slu_timer_stop(loop, t);
		t->fn(t->arg);
	}
}

static void run_ready(struct slu_loop *loop)
{
	struct pollfd ready[WATCH_MAX];
	int n = 0;

	for (int i = 0; i < loop->n; i++)
		if (loop->fd[i].revents)
			ready[n++] = loop->fd[i];
	for (int i = 0; i < n; i++) {
		int at = find(loop, ready[i].fd);

		if (at >= 0)
			loop->watch[at].fn(loop->watch[at].arg,
					   ready[i].revents);
	}
}

int slu_loop_turn(struct slu_loop *loop, double seconds, struct slu_err *err)
{
	struct slu_timer *first = first_timer(loop);
	double wait = seconds;

	if (first)
		wait = fmin(wait, first->due - slu_now_mono());
	if (loop->look > 0)
		wait = fmin(wait, loop->look);
	wait = fmax(wait, 0);
	if (poll(loop->fd, (nfds_t)loop->n, (int)ceil(wait * 1000)) < 0) {
		if (errno != EINTR)
			return slu_errno(err, SLU_IO, "poll");
		return 0;
	}
	run_ready(loop);
	run_timers(loop);
	run_ends(loop);
	return 0;
}

int slu_loop_run(struct slu_loop *loop, struct slu_err *err)
{
	loop->stop = false;
	while (!loop->stop)
		if (slu_loop_turn(loop, 60, err) < 0)
			return -1;
	return 0;
}

void slu_loop_stop(struct slu_loop *loop)
{
	loop->stop = true;
}

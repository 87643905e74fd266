/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CHILD_H
#define SLU_SLUICED_CHILD_H

/*
 * Runs work that may take long or hang (a shared file system, a big question)
 * in a child process with a deadline, which sends its result through a pipe. A
 * process that hangs in the kernel survives SIGKILL, so "has answered" and "has
 * exited" are two events, and the daemon never blocks for the second.
 *
 * A child may stay for more work of the same kind, which saves a fork each
 * time; it keeps the copy of the daemon's memory from the time of its fork.
 */

#include <stdbool.h>

#include "common/err.h"
#include "common/str.h"
#include "sluiced/event_loop.h"

struct slu_child;

struct slu_child_work {
	/* In the child: fill *out (bounded by max). Of the parent's descriptors
	 * only 0 to 2 are open. SQLite must not be used, because the parent has
	 * it open. run may execute another program, which ends with
	 * slu_child_reply_and_exit(). */
	int (*run)(void *arg, struct slu_buf *out, struct slu_err *err);
	/* NULL, or in the child: like run, for each request of
	 * slu_child_send(). The child ends after the first failure, and then
	 * sends no output. */
	int (*again)(void *arg, const char *text, size_t len,
		     struct slu_err *err);
	/* In the parent, after run and after each again: err is NULL on
	 * success; the parent may take *out over. */
	void (*done)(void *arg, struct slu_buf *out, const struct slu_err *err);
	/* In the parent, once, after done: the process has ended and the
	 * slu_child is freed. May be NULL. */
	void (*gone)(void *arg);
	void *arg;
	size_t max;	/* bytes of output */
	double seconds; /* after which it is killed: SLU_TIMEOUT */
};

struct slu_child *slu_child_start(struct slu_loop *loop,
				  const struct slu_child_work *work,
				  struct slu_err *err);
/* A request to a child that stays and has answered; it has `work.seconds` from
 * now. -1: it is longer than SLU_CHILD_SEND_MAX, or the child is ending. */
#define SLU_CHILD_SEND_MAX (96 * 1024)
int slu_child_send(struct slu_child *child, const char *text, size_t len);
/* Ends a child that stays and has answered. If it is still there after
 * `work.seconds` it hangs. */
void slu_child_retire(struct slu_child *child);
/* Has the child passed its deadline, while its end is not known yet? */
bool slu_child_hangs(const struct slu_child *child);
/* In the child: sends the result of run (err NULL: success) and exits. */
void slu_child_reply_and_exit(struct slu_buf *out, const struct slu_err *err)
	__attribute__((noreturn));
/* Kill it without calling done or gone. The loop waits for its end. */
void slu_child_drop(struct slu_child *child);

#endif

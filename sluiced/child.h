/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CHILD_H
#define SLU_SLUICED_CHILD_H

/*
 * Work that may take long or hang (a shared file system, a big question) is
 * done by a child process with a deadline; what it says comes back through a
 * pipe. A process that hangs in the kernel survives SIGKILL, so "answered" and
 * "gone" are two events, and nobody waits here for the second.
 *
 * A child may stay for more work of the same kind, which saves a fork each
 * time; it keeps the memory that this process had when it began.
 */

#include <stdbool.h>

#include "common/err.h"
#include "common/str.h"
#include "sluiced/event_loop.h"

struct slu_child;

struct slu_child_work {
	/* In the child: fill *out (bounded by max). No descriptor of the
	 * parent is open there but 0 to 2. SQLite must not be used, because
	 * the parent has it open: run may execute another program, which ends
	 * with slu_child_end(). */
	int (*run)(void *arg, struct slu_buf *out, struct slu_err *err);
	/* NULL, or in the child, each time that slu_child_say() has said
	 * something, as run. It ends after its first failure, and then no
	 * output is sent. */
	int (*again)(void *arg, const char *text, size_t len,
		     struct slu_err *err);
	/* In the parent, once for run and for each again: err is NULL when run
	 * succeeded; *out is the parent's to steal from. */
	void (*done)(void *arg, struct slu_buf *out, const struct slu_err *err);
	/* In the parent, once, after done: the process is gone and the
	 * slu_child no longer exists. May be NULL. */
	void (*gone)(void *arg);
	void *arg;
	size_t max;	/* bytes of output */
	double seconds; /* then it is killed: SLU_TIMEOUT */
};

struct slu_child *slu_child_start(struct slu_loop *loop,
				  const struct slu_child_work *work,
				  struct slu_err *err);
/* To a child that stays and has answered: work on this, `work.seconds` from
 * now. -1: it is longer than SLU_CHILD_SAY, or the child is ending. */
#define SLU_CHILD_SAY (96 * 1024)
int slu_child_say(struct slu_child *child, const char *text, size_t len);
/* A child that stays and has answered is not needed any more: it goes. Where
 * it is not gone `work.seconds` from now it hangs. */
void slu_child_dismiss(struct slu_child *child);
/* Its time was over, and what became of it is not known yet. */
bool slu_child_hangs(const struct slu_child *child);
/* In the child: send what run would have returned (err NULL: success) and
 * exit. */
void slu_child_end(struct slu_buf *out, const struct slu_err *err)
	__attribute__((noreturn));
/* Kill it and forget about it; neither done nor gone is called. The loop waits
 * for its end. */
void slu_child_drop(struct slu_child *child);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_ASIDE_H
#define SLU_HOST_ASIDE_H

/*
 * Runs a function in a child process, because it touches a file system that may
 * hang, or must run as another user. The child dies with its parent. If it is
 * not done in time it is killed; if it hangs in the kernel, its user's FUSE
 * mounts that do not answer are aborted (fuse.h), or else it is left behind.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "common/clock.h"
#include "common/err.h"

#define SLU_ASIDE_OUT 1024

struct slu_aside;

/* What the child does: returns 0 or sets *err; may leave an answer in `out`,
 * which has SLU_ASIDE_OUT bytes, aligned for any type, zero at first. */
typedef int slu_aside_f(struct slu_aside *aside, void *arg, void *out,
			struct slu_err *err);

struct slu_aside {
	slu_aside_f *fn;
	void *arg;
	double seconds; /* time limit for all of it */
	/* Called in the parent about once a second, with the sums that the
	 * child has reported. Not 0: the child is killed, SLU_BUSY. May be
	 * NULL. */
	int (*tick)(void *arg, uint64_t bytes, uint64_t files);
	void *tick_arg;
	int tell;     /* the child's end of the pipe */
	pid_t parent; /* both set by slu_aside */
};

/* Run it. `out` (may be NULL) gets SLU_ASIDE_OUT bytes on success. A child
 * that did not end in time is SLU_TIMEOUT, "WHAT: no answer within N s". */
int slu_aside(struct slu_aside *aside, const char *what, void *out,
	      struct slu_err *err);

/* Become this user, with the groups from NSS (only `gid` for a uid without a
 * name). */
int slu_become(uid_t uid, gid_t gid, struct slu_err *err);
/* As slu_become(), for the child: it still dies with its parent afterwards. */
int slu_aside_become(struct slu_aside *aside, uid_t uid, gid_t gid,
		     struct slu_err *err);

/* In the child: report the sums so far (one thread at a time); sent at most
 * every half second. */
void slu_aside_progress(struct slu_aside *aside, uint64_t bytes,
			uint64_t files);

#endif

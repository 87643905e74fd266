/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_CLAIMS_H
#define SLU_STAGING_CLAIMS_H

/*
 * Decides which node copies which chunk of a manifest (share.h), in a directory
 * that all nodes share: the node that creates the symbolic link CHUNK, which
 * points to its own number, has claimed the chunk. Creating a link is atomic on
 * every file system, and it survives a crash of its node, which then finds its
 * own claims again.
 */

#include <limits.h>
#include <stdbool.h>
#include "common/err.h"

#define SLU_NOBODY UINT_MAX

/* How an act of staging takes chunks. */
struct slu_claims {
	/* 1: this node has it, now or already; 0: another one; -1. */
	int (*take)(void *arg, unsigned chunk, struct slu_err *err);
	/* The owner of each of n chunks; without `who` only whether it has one,
	 * which is cheaper. SLU_NOBODY: it is free. */
	int (*look)(void *arg, bool who, unsigned *owner, unsigned n,
		    struct slu_err *err);
	/* The owners of n chunks from `first`, all of which are claimed. */
	int (*whose)(void *arg, unsigned first, unsigned *owner, unsigned n,
		     struct slu_err *err);
	void *arg;
};

/* Claims for a process that may write the directory: node `self`. */
struct slu_claims_dir {
	int dir;
	unsigned self;
};
int slu_claims_take(void *claims_dir, unsigned chunk, struct slu_err *err);
int slu_claims_look(void *claims_dir, bool who, unsigned *owner, unsigned n,
		    struct slu_err *err);
int slu_claims_whose(void *claims_dir, unsigned first, unsigned *owner,
		     unsigned n, struct slu_err *err);

/* Claims for a process that may not write the directory: another process does
 * it for this one, which starts it while it still has the rights; it ends when
 * `fd` is closed. One request at a time. */
struct slu_claims_proxy {
	int fd;
};
/* `path` is the directory of claims; there are `most` chunks at most. */
int slu_claims_proxy_start(struct slu_claims_proxy *proxy, const char *path,
			   unsigned self, unsigned most, struct slu_err *err);
int slu_claims_proxy_take(void *proxy, unsigned chunk, struct slu_err *err);
int slu_claims_proxy_look(void *proxy, bool who, unsigned *owner, unsigned n,
			  struct slu_err *err);
int slu_claims_proxy_whose(void *proxy, unsigned first, unsigned *owner,
			   unsigned n, struct slu_err *err);

#endif

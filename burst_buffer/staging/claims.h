/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_CLAIMS_H
#define SLU_STAGING_CLAIMS_H

/*
 * Which node does which chunk: a directory that all nodes share has a symbolic
 * link per chunk that was taken, its name the chunk's number, its target the
 * node's. Making a link is atomic everywhere, and it stays when its maker
 * dies, who so finds its own again.
 */

#include <limits.h>
#include <stdbool.h>
#include "common/err.h"

#define SLU_NOBODY UINT_MAX

/* How an act of staging takes chunks. */
struct slu_claims {
	/* 1: it is ours, now or already; 0: another's; -1. */
	int (*take)(void *arg, unsigned chunk, struct slu_err *err);
	/* Whose each of n chunks is; without `who` only whether it is
	 * anybody's, which is cheaper. SLU_NOBODY: it is free. */
	int (*look)(void *arg, bool who, unsigned *owner, unsigned n,
		    struct slu_err *err);
	/* Whose n chunks from `first` are, all of which are somebody's. */
	int (*whose)(void *arg, unsigned first, unsigned *owner, unsigned n,
		     struct slu_err *err);
	void *arg;
};

/* On a directory, by who may write it: node `self`. */
struct slu_claims_dir {
	int dir;
	unsigned self;
};
int slu_claims_take(void *claims_dir, unsigned chunk, struct slu_err *err);
int slu_claims_look(void *claims_dir, bool who, unsigned *owner, unsigned n,
		    struct slu_err *err);
int slu_claims_whose(void *claims_dir, unsigned first, unsigned *owner,
		     unsigned n, struct slu_err *err);

/* The same for who may not: a process of its own, which is started while that
 * is still allowed, and ends when `fd` is closed. One question at a time. */
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

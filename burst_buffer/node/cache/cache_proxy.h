/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_CACHE_PROXY_H
#define SLU_NODE_CACHE_PROXY_H

/*
 * Lets a process that copies as the job's user use the stage cache
 * (storage/stage_cache.h), which only root can access. It asks a process of
 * root's (the proxy), which is started before the user is changed and ends when
 * the other closes `fd`. A request passes the source, open for reading; the
 * proxy trusts only what the kernel says of that descriptor. An answer passes
 * one entry, open.
 */

#include <pthread.h>
#include "burst_buffer/staging/stage.h"
#include "burst_buffer/storage/stage_cache.h"

struct slu_cache_proxy {
	int fd;
	pthread_mutex_t lock; /* one question at a time */
	struct slu_stage_cache_use use;
};

/* What the proxy opens: arguments of slu_stage_cache_open(). */
struct slu_cache_of {
	const char *storage;
	struct slu_cache_budget budget;
	uid_t uid;
	uint32_t job_id;
	uint64_t buffer;
	struct timespec began; /* the job's first use of it */
	/* Called once with the first error; NULL: it is ignored. */
	void (*wrong)(void *arg, const char *text);
	void *arg;
};

/* Starts the proxy; proxy->use is for slu_stage(). -1: the stage-in has no
 * cache. */
int slu_cache_proxy_start(struct slu_cache_proxy *proxy,
			  const struct slu_cache_of *of, struct slu_err *err);

#endif

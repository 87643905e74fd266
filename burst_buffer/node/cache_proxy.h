/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_CACHE_PROXY_H
#define SLU_NODE_CACHE_PROXY_H

/*
 * The stage cache (storage/stage_cache.h) for who may not reach it: the process
 * that copies as the job's user asks another one, root's, which is started
 * while that is still allowed, and ends when the first closes `fd`. It shows
 * the source, open for reading, and is told nothing but what the kernel says of
 * that. What it gets is one entry, open.
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
	/* Told once what is wrong with it; NULL: nobody wants to know. */
	void (*wrong)(void *arg, const char *text);
	void *arg;
};

/* proxy->use is what a stage-in takes. -1: it has no cache. */
int slu_cache_proxy_start(struct slu_cache_proxy *proxy,
			  const struct slu_cache_of *of, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_LINK_MIRROR_STATE_H
#define SLU_CTL_LINK_MIRROR_STATE_H

/*
 * The state that libsluice keeps of buffers, pools and the jobs that want them,
 * under one mutex.
 */

#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include "common/str.h"
#include "ctl/map.h"
#include "wire/control.h"

/* The last message to sluiced that a pending job waits for something, and the
 * answer. */
struct slu_wait_notice {
	time_t at;		 /* time of the last message */
	unsigned int unanswered; /* messages since the last answer */
	char why[256];		 /* the last answer, or "" */
};

/* When a job's last buffer was done; each job has one entry. */
struct slu_mirror_over {
	uint32_t job_id;
	uint64_t buffer;
	time_t at;
};

#define SLU_MIRROR_KEPT 4096
#define SLU_MIRROR_OVER 256 /* number of jobs that are remembered */

struct slu_mirror {
	pthread_mutex_t lock;
	struct slu_map job; /* job number -> its buffers */
	size_t n;
	/* Those that outlive jobs, by how they are looked up. */
	struct slu_mirror_item *kept[SLU_MIRROR_KEPT];
	struct slu_mirror_over over[SLU_MIRROR_OVER];
	/* pools/: */
	struct slu_capacity supply;
	struct slu_map claim; /* claims.c: job number -> its claim */
	/* persistent_state.c: job number -> struct slu_wait_notice */
	struct slu_map notice;
	struct slu_pool_waiter *waiter; /* waiters.c */
	struct slu_map taken; /* usage.c: user -> usage of each pool */
	bool taken_unknown;   /* not known for lack of memory */
	uint64_t version;     /* counts changes of buffers and claims */
	struct slu_pool_endings *endings; /* pools.c */
};

#endif

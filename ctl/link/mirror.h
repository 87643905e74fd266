/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MIRROR_H
#define SLU_CTL_MIRROR_H

/*
 * The buffers that are alive, as sluiced last reported them. The thread writes,
 * hooks read; a mutex guards all of it, held for one lookup or one walk.
 */

#include <pthread.h>
#include <stdbool.h>
#include <time.h>
#include "common/str.h"
#include "ctl/map.h"
#include "wire/control.h"

/* What a waiting job wants from sluiced. */
struct slu_told {
	time_t at;		 /* when sluiced was last told */
	unsigned int unanswered; /* how often since its last answer */
	char why[256];		 /* that, or "" */
};

/* When a job's last buffer was done; each job has one entry. */
struct slu_mirror_over {
	uint32_t job_id;
	uint64_t buffer;
	time_t at;
};

#define SLU_MIRROR_KEPT 4096
#define SLU_MIRROR_OVER 256 /* so many jobs are remembered */

struct slu_mirror {
	pthread_mutex_t lock;
	struct slu_map job; /* job number -> its buffers */
	size_t n;
	/* Those that outlive jobs, by how they are looked up. */
	struct slu_mirror_item *kept[SLU_MIRROR_KEPT];
	struct slu_mirror_over over[SLU_MIRROR_OVER];
	/* pools.c: */
	struct slu_capacity supply;
	struct slu_map claim; /* job number -> its claim */
	/* persistent_state.c: job number -> struct slu_told */
	struct slu_map told;
	struct slu_pool_waiter *waiter; /* reservation.c */
	struct slu_map taken; /* usage.c: user -> what he takes of each pool */
	bool taken_unknown;   /* not known for lack of memory */
	uint64_t version;     /* counts changes of buffers and claims */
	struct slu_pool_endings *endings; /* pools.c */
};

void slu_mirror_init(struct slu_mirror *m);
void slu_mirror_fini(struct slu_mirror *m);

/* One buffer's state; DONE removes it. Takes over the content of *state. -1
 * without memory: the entry is unchanged. */
int slu_mirror_set(struct slu_mirror *m, struct slu_buffer_state *state);
/* These and no others are alive; takes over the contents. Adds to `gone` the
 * numbers (uint32_t) of jobs that have none any more. */
int slu_mirror_replace(struct slu_mirror *m, struct slu_buffer_state *state,
		       size_t n, struct slu_buf *gone);

bool slu_mirror_alive(struct slu_mirror *m, uint32_t job_id);
/* Notes that this buffer is done, for the first time or again after a new link.
 * The other: when was the last buffer of the job done? 0: not known. */
void slu_mirror_over(struct slu_mirror *m, const struct slu_buffer_state *state,
		     time_t now);
time_t slu_mirror_was_over(struct slu_mirror *m, uint32_t job_id);
/* Calls fn (may be NULL) for the buffers of uid (SLU_NO_ID: all) and job_id (0:
 * all); returns their number. */
size_t slu_mirror_walk(struct slu_mirror *m, uint32_t uid, uint32_t job_id,
		       void (*fn)(void *arg, const struct slu_buffer_state *b),
		       void *arg);
/* Calls fn for those of one job, without those that only wait for it. */
void slu_mirror_job(struct slu_mirror *m, uint32_t job_id,
		    void (*fn)(void *arg, const struct slu_buffer_state *b),
		    void *arg);
/* Calls fn for all of them; the caller has the lock. */
void slu_mirror_each(struct slu_mirror *m,
		     void (*fn)(void *arg, const struct slu_buffer_state *b),
		     void *arg);
/* Calls fn for the persistent ones of this name, and for those that wait for
 * this job with staged data; fast, however many others there are; the caller
 * has the lock. */
void slu_mirror_named(struct slu_mirror *m, const char *name,
		      void (*fn)(void *arg, const struct slu_buffer_state *b),
		      void *arg);
void slu_mirror_prestage(struct slu_mirror *m, uint32_t job_id,
			 void (*fn)(void *arg,
				    const struct slu_buffer_state *b),
			 void *arg);
/* A table for `scontrol show bbstat`. */
void slu_mirror_print(struct slu_mirror *m, uint32_t job_id,
		      struct slu_buf *out);

#endif

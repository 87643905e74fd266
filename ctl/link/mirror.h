/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_MIRROR_H
#define SLU_CTL_MIRROR_H

/*
 * Keeps a copy of the buffers that are alive, as sluiced last reported them,
 * for hooks, which may not wait for sluiced. The main thread writes, hooks
 * read; one mutex, held for one lookup or one walk.
 */

#include "ctl/link/mirror_state.h"

void slu_mirror_init(struct slu_mirror *m);
/* To be called after slu_pools_fini(). */
void slu_mirror_fini(struct slu_mirror *m);
/* Under the lock: forgets all of them. */
void slu_mirror_clear(struct slu_mirror *m);

/* Stores one buffer's state; DONE removes it. Takes over the content of *state.
 * -1 without memory: the entry is unchanged. */
int slu_mirror_set(struct slu_mirror *m, struct slu_buffer_state *state);
/* Replaces all buffers by these; takes over the contents. Adds to `gone` the
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
void slu_mirror_early_stage_in(struct slu_mirror *m, uint32_t job_id,
			       void (*fn)(void *arg,
					  const struct slu_buffer_state *b),
			       void *arg);
/* A table for `scontrol show bbstat`. */
void slu_mirror_print(struct slu_mirror *m, uint32_t job_id,
		      struct slu_buf *out);

#endif

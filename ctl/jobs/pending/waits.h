/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_WAITS_H
#define SLU_CTL_WAITS_H

/*
 * Records what each pending job waits for, by the scheduler's questions: now,
 * and in sum since the first one. In memory only, with its own lock; times are
 * Unix seconds.
 */

#include <pthread.h>
#include "common/str.h"
#include "ctl/map.h"
#include "wire/waits.h"

struct slu_waits {
	pthread_mutex_t lock;
	struct slu_map job; /* number -> struct slu_waiting */
	int64_t swept;	    /* when old entries were last dropped */
};

void slu_waits_init(struct slu_waits *w);
void slu_waits_fini(struct slu_waits *w);
/* Forget all: another controller is active now. */
void slu_waits_forget(struct slu_waits *w);
/* The scheduler has asked: the job waits for this, and `why` is the sentence.
 * The time since the last question counts for that question's answer, but at
 * most five minutes of it, as it is not known when that ended. */
void slu_waits_note(struct slu_waits *w, uint32_t job_id, enum slu_wait what,
		    const char *why, int64_t now);
/* Removes a job that does not wait any more; *waited: for what it has waited
 * (may be NULL). False: nothing is known of the job. */
bool slu_waits_take(struct slu_waits *w, uint32_t job_id, int64_t now,
		    struct slu_waited *waited);
/* For what a job has waited so far; it remains in the list. */
void slu_waits_look(struct slu_waits *w, uint32_t job_id, int64_t now,
		    struct slu_waited *waited);
/* Lines for `scontrol show bbstat`: of one job, or (0) of all. */
void slu_waits_print(struct slu_waits *w, uint32_t job_id, int64_t now,
		     struct slu_buf *out);

#endif

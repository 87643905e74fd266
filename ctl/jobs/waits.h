/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_WAITS_H
#define SLU_CTL_WAITS_H

/*
 * What each pending job waits for, as the scheduler's questions find it: now,
 * and summed since it was asked about first. In memory only, with a lock of its
 * own; times are Unix seconds.
 */

#include <pthread.h>
#include "common/str.h"
#include "ctl/map.h"
#include "wire/waits.h"

struct slu_waits {
	pthread_mutex_t lock;
	struct slu_map job; /* number -> struct slu_waiting */
	int64_t swept;	    /* when those were dropped that do not ask */
};

void slu_waits_init(struct slu_waits *w);
void slu_waits_fini(struct slu_waits *w);
/* Of all jobs: another controller is asked about them. */
void slu_waits_forget(struct slu_waits *w);
/* The scheduler asked: it waits for this, and `why` is the sentence. The time
 * since it last asked counts for what it was told then, but not more than five
 * minutes of it: nobody knows when that was over. */
void slu_waits_note(struct slu_waits *w, uint32_t job_id, enum slu_wait what,
		    const char *why, int64_t now);
/* It waits no more, and is forgotten; for what it waited (may be NULL). False:
 * nothing is known of it. */
bool slu_waits_take(struct slu_waits *w, uint32_t job_id, int64_t now,
		    struct slu_waited *waited);
/* For what it has waited by now, and goes on. */
void slu_waits_look(struct slu_waits *w, uint32_t job_id, int64_t now,
		    struct slu_waited *waited);
/* The lines for `scontrol show bbstat`: of one job, or (0) of all. */
void slu_waits_print(struct slu_waits *w, uint32_t job_id, int64_t now,
		     struct slu_buf *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_SETUP_TIMES_H
#define SLU_CTL_SETUP_TIMES_H

/*
 * Remembers how long jobs took from their start until their file system was
 * ready, with everything staged in. Jobs are of one kind when they are the same
 * user's, on as many nodes, with the same file system and the same data to
 * stage in. The main thread writes, hooks read; one mutex, held for one lookup.
 */

#include <pthread.h>
#include "burst_buffer/request/request.h"
#include "wire/job.h"

#define SLU_SETUP_TIMES_SLOTS 4096 /* kinds that are known, at most */
#define SLU_SETUP_TIMES_RUNS  5	   /* only the last runs of a kind count */
#define SLU_SETUP_TIMES_FEW   3	   /* with fewer runs nothing is said */

struct slu_setup_times {
	pthread_mutex_t lock;
	struct slu_setup_times_kind {
		uint64_t key;	/* 0: free */
		uint32_t taken; /* runs, ever */
		uint32_t seconds[SLU_SETUP_TIMES_RUNS];
	} * kind;
};

int slu_setup_times_init(struct slu_setup_times *r);
void slu_setup_times_fini(struct slu_setup_times *r);

/* Adds a run that has ended; ignored without `prepared`. */
void slu_setup_times_learn(struct slu_setup_times *r,
			   const struct slu_job *job);
/* The median of the last runs, seconds, and in *runs their number; 0: not
 * known. The request is resolved. */
uint32_t slu_setup_times_median(struct slu_setup_times *r,
				const struct slu_request *req, uint32_t uid,
				uint32_t nodes, uint32_t *runs);

#endif

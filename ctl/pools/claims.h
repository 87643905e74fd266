/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_POOLS_CLAIMS_H
#define SLU_CTL_POOLS_CLAIMS_H

/*
 * Counts storage of jobs that have started, or are to be staged in, but have no
 * buffer in the mirror of sluiced's state yet: their claims on pools.
 */

#include "ctl/link/mirror_state.h"

/* A claim counts only as long as its job has no buffer. */
struct slu_claim {
	uint32_t job_id, uid;
	uint64_t size;
	int64_t until; /* Unix seconds; INT64_MAX: no limit */
	bool counted;
	char pool[64];
};

/* Drops claims that have expired; Unix seconds, INT64_MAX: all. */
void slu_pools_expire(struct slu_mirror *m, int64_t now);
bool slu_pools_claimed(struct slu_mirror *m, uint32_t job_id);

/* Under the lock: */
/* The job has its buffer now. */
void slu_pools_drop_claim(struct slu_mirror *m, uint32_t job_id);
/* The job has its first buffer, or none any more (0: all jobs): counts its
 * claim only if it has none. */
void slu_pools_recount(struct slu_mirror *m, uint32_t job_id);
void slu_claim_recount(struct slu_mirror *m, struct slu_claim *claim);
/* Frees a claim that is in no map any more. NULL is fine. */
void slu_claim_free(struct slu_mirror *m, struct slu_claim *claim);

#endif

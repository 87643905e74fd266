/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_POOLS_H
#define SLU_CTL_POOLS_H

/*
 * Decides whether a pool has space for a job. The capacity is what sluiced last
 * reported; the usage is that of buffers in the mirror, and of jobs that have
 * started but have no buffer yet (claims). For hooks and the main thread;
 * guarded by the mutex of the mirror (link/mirror.h). A job gets all that it
 * needs at once or nothing, so that no two jobs can wait for each other.
 */

#include "common/hostlist.h"
#include "ctl/link/mirror.h"
#include "ctl/pools/capacity.h"
#include "ctl/pools/claims.h"

struct slu_pool_need {
	const char *pool; /* NULL: none, and there is always space */
	uint32_t uid;
	uint64_t size;	       /* bytes */
	uint64_t max_per_user; /* bytes; 0: no limit */
	uint64_t reserved;     /* bytes reserved for other jobs */
};

/* The sum, or UINT64_MAX. */
static inline uint64_t slu_pools_add(uint64_t a, uint64_t b)
{
	return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

struct slu_pool_use {
	uint64_t total; /* bytes; 0: unknown */
	uint64_t used;	/* bytes of buffers and claims, and of kept data */
	uint64_t kept;	/* bytes of kept data of failed stage-outs, */
	uint64_t kept_of_user; /* and how many of these are the user's (`need`)
				*/
	uint64_t unfree;   /* used, or more where other files are there too */
	uint64_t largest;  /* bytes for users that the largest node can hold */
	uint64_t together; /* in a share over its devices; 0: there is none */
	uint32_t devices;  /* so many; each has room for all manifests */
	uint32_t nodes;
	bool complete; /* false: the sizes of some nodes are not known */
};

/* Before slu_mirror_fini(); what is in the mirror goes, too. */
void slu_pools_fini(struct slu_mirror *m);

void slu_pools_use(struct slu_mirror *m, const char *pool,
		   struct slu_pool_use *out);

/* -1: it can never be satisfied, as the pool is not so large, or one user may
 * not have so much. `with`: words before the size, or "". */
int slu_pools_never(struct slu_mirror *m, const struct slu_pool_need *need,
		    const char *with, struct slu_err *err);

/* Does the pool have space for this now? If not, *why is the sentence. */
bool slu_pools_room(struct slu_mirror *m, const struct slu_pool_need *need,
		    char why[SLU_POOL_WHY]);
/* When there will be space, if each job with a share of it ends when end_of(id)
 * says (Unix seconds; 0: unknown): `now`, or later; 0: not known; INT64_MAX:
 * only after a buffer whose end is not known. */
int64_t slu_pools_when(struct slu_mirror *m, const struct slu_pool_need *need,
		       int64_t (*end_of)(uint32_t job_id), int64_t now);

/* Bytes that are still taken at the time `when`, by those ends. */
uint64_t slu_pools_held(struct slu_mirror *m, const char *pool, int64_t when,
			int64_t (*end_of)(uint32_t job_id), int64_t now);

/* Seconds within which a waiting job asks again. */
#define SLU_CLAIM_WAITS 300
/* A job starts, and claims that much until its buffer is in the mirror, or it
 * ends; or it waits for its data to be staged in before it starts, and claims
 * it only until then (Unix seconds, 0: no limit), as there is no report if it
 * is held meanwhile. A second call renews the claim. A job whose early stage-in
 * buffer is in the mirror needs none. */
void slu_pools_claim(struct slu_mirror *m, uint32_t job_id,
		     const struct slu_pool_need *need, int64_t until);
void slu_pools_unclaim(struct slu_mirror *m, uint32_t job_id);

#endif

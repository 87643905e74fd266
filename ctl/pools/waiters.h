/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_POOLS_WAITERS_H
#define SLU_CTL_POOLS_WAITERS_H

/*
 * Keeps the first job of each pool that waits for space. Under the lock of the
 * mirror; times are Unix seconds.
 */

#include "ctl/link/mirror_state.h"

struct slu_pool_reservation {
	uint32_t job_id, priority;
	int64_t start; /* when the scheduler plans to start it; 0: unknown */
	int64_t end;   /* when it would end if it started now; 0: unknown */
};

struct slu_pool_waiter {
	struct slu_pool_waiter *next; /* of another pool */
	char pool[64];
	struct slu_pool_reservation turn;
	uint64_t size;
	int64_t asked; /* when it last asked */
};

/* The pool's first waiter, if it still counts; NULL: none. */
struct slu_pool_waiter *slu_pool_first_waiter(struct slu_mirror *m,
					      const char *pool, int64_t now);
/* Order by priority, then by submission. */
bool slu_pool_is_before(const struct slu_pool_reservation *a,
			const struct slu_pool_reservation *b);
/* Makes a job, which lacks so many bytes, the pool's first waiter, or keeps it
 * so, unless another job is before it. */
void slu_pool_note_waiter(struct slu_mirror *m,
			  const struct slu_pool_reservation *turn,
			  const char *pool, uint64_t size, int64_t now);
/* The job does not wait any more (0: none does). */
void slu_pools_forget_reservation(struct slu_mirror *m, uint32_t job_id);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_POOLS_RESERVATION_H
#define SLU_CTL_POOLS_RESERVATION_H

/*
 * Decides whether a pool has space for a job beside the reservation of a job of
 * higher priority, so that small jobs cannot overtake a large one for ever.
 */

#include "ctl/pools/pools.h"
#include "ctl/pools/waiters.h"

/* The same as slu_pools_room(); times are Unix seconds. */
bool slu_pools_reservation(struct slu_mirror *m,
			   const struct slu_pool_reservation *turn,
			   const struct slu_pool_need *need,
			   int64_t (*end_of)(uint32_t job_id), int64_t now,
			   char why[SLU_POOL_WHY]);

#endif

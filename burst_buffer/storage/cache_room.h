/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_ROOM_H
#define SLU_STORAGE_CACHE_ROOM_H

/* Reserves space for new entries of the stage cache within its budget. Private
 * to burst_buffer/storage; stage_cache.h has the functions for other rooms. */

#include "burst_buffer/storage/cache_lock.h"
#include "burst_buffer/storage/stage_cache.h"

/* Converts the configured budget to bytes; a percentage is of the disk at
 * `dir`. */
int slu_cache_budget_of(int dir, const struct slu_cache_budget *budget,
			uint64_t *bytes, struct slu_err *err);

/* Evicts entries until the cache is within its budget. The caller holds the
 * lock. */
int slu_cache_trim(const struct slu_stage_cache *c, struct slu_err *err);

/* Reserves `bytes` beyond c->taken, which may evict entries. Takes the cache's
 * lock. -1, SLU_BUSY: no space can be had. */
int slu_cache_reserve(struct slu_stage_cache *c, uint64_t bytes,
		      const struct timespec *now, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_ROOM_H
#define SLU_STORAGE_CACHE_ROOM_H

/* Room in the stage cache, and what it leaves of the disk; the rest of
 * stage_cache.h. Not for other rooms. */

#include "burst_buffer/storage/cache_lock.h"
#include "burst_buffer/storage/stage_cache.h"

/* In bytes. */
int slu_cache_budget_of(int dir, const struct slu_cache_budget *budget,
			uint64_t *bytes, struct slu_err *err);

/* Who has the lock: remove what is over the budget. */
int slu_cache_trim(const struct slu_stage_cache *c, struct slu_err *err);

/* Have room for so many bytes more than c->taken. -1: SLU_BUSY: there is none.
 */
int slu_cache_reserve(struct slu_stage_cache *c, uint64_t bytes,
		      const struct timespec *now, struct slu_err *err);

#endif

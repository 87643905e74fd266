/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_PREFETCH_H
#define SLU_STORAGE_CACHE_PREFETCH_H

/*
 * Removes unfinished prefetches from the stage cache. Private to
 * burst_buffer/storage; the walk over all prefetches is
 * slu_stage_cache_walk_prefetches() of stage_cache.h.
 */

#include "common/err.h"

/* Removes each prefetch that is not complete and whose job has not begun; its
 * process notices that and ends. The caller holds the cache's lock. */
int slu_cache_remove_early(int dir, struct slu_err *err);

#endif

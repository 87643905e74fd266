/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_AHEAD_H
#define SLU_STORAGE_CACHE_AHEAD_H

/* What the stage cache holds ahead of a job (stage_cache.h has the walk over
 * it). Not for other rooms. */

#include "common/err.h"

/* Who has the lock: remove what is being brought ahead of jobs that have not
 * begun. */
int slu_cache_remove_early(int dir, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_LOCK_H
#define SLU_STORAGE_CACHE_LOCK_H

/* The directory of the stage cache, and the lock of those who change it. Not
 * for other rooms. */

#include <stdbool.h>
#include "common/err.h"

/* STORAGE/cache and its lock; -1, SLU_NOTFOUND: there is none, and it was not
 * to be made. */
int slu_cache_open_top(const char *storage, bool make, int *dir, int *lock,
		       struct slu_err *err);
/* flock() ends it. -1: SLU_BUSY: another process has had it for 20 s. */
int slu_cache_lock(int lock, struct slu_err *err);

#endif

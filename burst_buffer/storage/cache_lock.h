/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_LOCK_H
#define SLU_STORAGE_CACHE_LOCK_H

/*
 * Opens the directory of the stage cache, STORAGE/cache, and takes its lock,
 * under which processes count, reserve and remove entries. Private to
 * burst_buffer/storage.
 */

#include <stdbool.h>
#include "common/err.h"

/* Opens STORAGE/cache and its lock file, without locking it; the caller closes
 * both. `make`: creates the directory if it is missing. -1, SLU_NOTFOUND: it is
 * missing and !make. */
int slu_cache_open_top(const char *storage, bool make, int *dir, int *lock,
		       struct slu_err *err);
/* Takes the lock exclusively; closing the file or flock(LOCK_UN) releases it.
 * -1, SLU_BUSY: another process has held it for 20 s. */
int slu_cache_lock(int lock, struct slu_err *err);

#endif

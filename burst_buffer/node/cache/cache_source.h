/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_CACHE_SOURCE_H
#define SLU_NODE_CACHE_SOURCE_H

/* Identifies the file that a stage-in reads, so that the stage cache can
 * recognise it later. */

#include <sys/types.h>
#include "burst_buffer/storage/cache_record.h"

/* Cache of mounted file systems: the last one that was looked up. Zero it. */
struct slu_cache_mounts {
	int id;
	char *fs; /* its kind, what is mounted, and which part of it */
};

/* Identifies the range [offset, offset + length) of a regular file that is open
 * for reading as `in`, in its present version. Only the kernel is asked, so it
 * does not matter which user opened the file. false: the range is not to be
 * cached, as `in` is not such a file; has no name; lies on the device `own`
 * already; or was changed so lately before `now` (Unix seconds) that another
 * change might not show. Its strings are the caller's. */
bool slu_cache_source(struct slu_cache_mounts *mounts, int in, uint64_t offset,
		      uint64_t length, dev_t own, int64_t now,
		      struct slu_cache_record *out);
void slu_cache_mounts_free(struct slu_cache_mounts *mounts);

#endif

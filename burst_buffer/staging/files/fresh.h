/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_FRESH_H
#define SLU_STAGING_FRESH_H

/*
 * Gets the present state and content of a file from its server, not from this
 * node's kernel cache: another node may have written it since. On a block
 * device's file system the cache is always right, and is used.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Like fstat(2), and like fstatat(2) with AT_SYMLINK_NOFOLLOW. */
int slu_fstat_fresh(int fd, struct stat *st);
int slu_stat_fresh(int dir, const char *name, struct stat *st);

/* Drop the kernel's cached pages of [offset, offset + len) of a file before it
 * is read; `st` is its stat. len 0: to its end. Dirty pages are written, and
 * stay; so do pages that are mapped here. */
void slu_drop_cache(int fd, const struct stat *st, uint64_t offset,
		    uint64_t len);

/* Does the kernel still have cached pages of it, for example because they are
 * mapped? False where the cache is always right. */
bool slu_holds_cache(int fd, const struct stat *st, uint64_t offset,
		     uint64_t len);

/* Does the kernel generate it when it is read, as in /proc and /sys? Then its
 * size means nothing. False also where that is unknown. */
bool slu_is_generated(int dir, const char *name);

#endif

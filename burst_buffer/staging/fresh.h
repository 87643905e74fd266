/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_FRESH_H
#define SLU_STAGING_FRESH_H

/*
 * What a file is and holds now, not what this node's kernel remembers: another
 * node may have written it since. Of file systems on a block device the kernel
 * knows best.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Like fstat(2), and like fstatat(2) with AT_SYMLINK_NOFOLLOW. */
int slu_fstat_fresh(int fd, struct stat *st);
int slu_stat_fresh(int dir, const char *name, struct stat *st);

/* Drop what the kernel holds of [offset, offset + len) of a file, `st` its
 * own, before it is read. len 0: to its end. What is dirty is written, and
 * stays; so does what somebody has mapped here. */
void slu_drop_cache(int fd, const struct stat *st, uint64_t offset,
		    uint64_t len);

/* Does the kernel still hold some of it, as it does of what is mapped? False
 * where it knows best. */
bool slu_holds_cache(int fd, const struct stat *st, uint64_t offset,
		     uint64_t len);

/* Is it made by the kernel when it is read, as all in /proc and /sys? Its size
 * says nothing. False also where it cannot be told. */
bool slu_is_generated(int dir, const char *name);

#endif

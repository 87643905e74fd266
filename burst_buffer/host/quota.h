/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_QUOTA_H
#define SLU_HOST_QUOTA_H

/*
 * Limits the bytes and the files of a directory tree by a project quota (XFS,
 * or ext4 with the feature, mounted with prjquota). Files are limited, too, as
 * one job could otherwise use up all inodes.
 */

#include <stdint.h>
#include <linux/dqblk_xfs.h>
#include "common/err.h"

/* Gives the empty directory `path` the project `id` and limits of `bytes` and
 * `inodes`. To prove that they hold, statfs() of the directory must then show
 * no more than that. SLU_NOTFOUND: the file system cannot do it; the directory
 * is as it was. */
int slu_quota_set(const char *path, uint32_t id, uint64_t bytes,
		  uint64_t inodes, struct slu_err *err);

/* The arguments of the system call; zeros: no limits. */
struct fs_disk_quota slu_quota_limits(uint32_t id, uint64_t bytes,
				      uint64_t inodes);

/* Bytes used by files of the project; -1: not known. */
int slu_quota_used(const char *path, uint32_t id, uint64_t *bytes,
		   struct slu_err *err);

/* Clear the limits (the directory is gone); `path` is any place in the same
 * file system. */
int slu_quota_clear(const char *path, uint32_t id, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_FAKE_GKFS_CLIENT_H
#define SLU_FAKE_GKFS_CLIENT_H

/* The inside of the stand-in for libgkfs_intercept.so: who the daemons are,
 * which paths and descriptors are theirs, and what is read of a file. */

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define REAL(name) ((__typeof__(&name))fake_real(#name))

void *fake_real(const char *name);

/* The path in the store, or as it is. */
const char *fake_led(const char *path, char out[PATH_MAX]);
/* Before a file of ours is made: where an older one's chunks have its name, as
 * '/' is ':' there, it becomes the same file. */
void fake_share_chunks(int dir, const char *path);
bool fake_ours_path(const char *path);
bool fake_ours(int fd);
bool fake_ours_at(int dir, const char *path);

/* A call on what is ours: 0, go on. In a forked child, which has no thread that
 * could hear an answer, it waits for ever; -1 with errno: unless somebody has
 * put his own function at intercept_hook_point, which refuses it. */
int fake_enter(long number, long a, long b);

/* What pread(2) gets of the chunks of 512 KiB that exist: their sum, each where
 * it belongs in `data`, of which the rest stays as it was. */
ssize_t fake_read_chunks(int fd, void *data, size_t len, off_t offset);

#endif

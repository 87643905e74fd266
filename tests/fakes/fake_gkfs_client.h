/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_FAKE_GKFS_CLIENT_H
#define SLU_FAKE_GKFS_CLIENT_H

/*
 * Private to the simulated client library of GekkoFS (fake_gkfs_intercept.c):
 * which daemons there are, which paths and descriptors are in GekkoFS, and
 * which bytes a read gets. "Ours" is what is in GekkoFS.
 */

#include <dlfcn.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define REAL(name) ((__typeof__(&name))fake_real(#name))

void *fake_real(const char *name);

/* The path in the store, or the path itself if it is not ours. */
const char *fake_led(const char *path, char out[PATH_MAX]);
/* Called before a file of ours is created. GekkoFS names chunks by the path
 * with ':' for '/': if an older file's chunks have the same name, the new file
 * becomes the same file. */
void fake_share_chunks(int dir, const char *path);
bool fake_ours_path(const char *path);
bool fake_ours(int fd);
bool fake_ours_at(int dir, const char *path);

/*
 * Called before a system call on a file of ours; 0: proceed. In a forked child,
 * which has no thread to receive answers, it hangs as the real client does; if
 * the program has set intercept_hook_point to a function that refuses the call,
 * it returns -1 with errno.
 */
int fake_enter(long number, long a, long b);

/* What pread(2) gets of the chunks of 512 KiB that exist: their sum, each where
 * it belongs in `data`, of which the rest stays as it was. */
ssize_t fake_read_chunks(int fd, void *data, size_t len, off_t offset);

#endif

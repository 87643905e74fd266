/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_FILE_H
#define SLU_COMMON_FILE_H

/*
 * Whole files, bounded reads and atomic writes. Paths are relative to dirfd as
 * in openat(2), so that a recorded tree or a private directory can be the root;
 * dirfd may be AT_FDCWD.
 */

#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/str.h"

/* Read a file of at most max bytes into *out, whose old content is freed;
 * longer is SLU_NOMEM, missing SLU_NOTFOUND, forbidden SLU_DENIED. Only regular
 * files (SLU_INVALID): never blocks on a FIFO or device. */
int slu_file_read(int dirfd, const char *path, size_t max, struct slu_buf *out,
		  struct slu_err *err);

/* The same of what is to be read from fd, which may be a pipe; path: its name
 * in errors. */
int slu_fd_read(int fd, const char *path, size_t max, struct slu_buf *out,
		struct slu_err *err);

/* Write path.XXXXXXXX beside it, fsync when `sync`, rename into place. The mode
 * is exact, whatever the umask. */
int slu_file_write(int dirfd, const char *path, const void *data, size_t len,
		   mode_t mode, bool sync, struct slu_err *err);

/* Length of the path beside which this name, "path.0123abcd", was made, perhaps
 * by a writer that was killed. 0: it is no such name. */
size_t slu_file_leftover_of(const char *name);

/* The same without sync, for files that can be computed again: readers find the
 * old or the new content, but when the machine crashes soon after, the file may
 * be empty. (A rename over a file makes ext4 write the new one to disk at once,
 * so that it is not; behind other traffic that takes milliseconds.) */
int slu_file_swap(int dirfd, const char *path, const void *data, size_t len,
		  mode_t mode, struct slu_err *err);

/* write(2) until all is written (0) or an error (-1 and errno). */
int slu_write_all(int fd, const void *data, size_t len);

/* Read up to len bytes from `offset` on, -1: from where the descriptor stands;
 * fewer only at the end of the file. How many, or -1 and errno. */
ssize_t slu_read_up_to(int fd, void *data, size_t len, off_t offset);

/* mkdir -p with exactly the given mode for new directories. The part of the
 * path that exists must not be writable by others. */
int slu_mkdirs(const char *path, mode_t mode, struct slu_err *err);

/* Removes a file or directory tree of any depth, without following links below
 * path's last component or in it, and without crossing a mount point
 * (SLU_BUSY). After an error the rest is removed all the same; the text names
 * the first path that could not be. A missing path is success. Needs Linux 5.6
 * (openat2). */
int slu_rmtree(int dirfd, const char *path, struct slu_err *err);

/* Have as many descriptors as the hard limit allows; returns how many. */
rlim_t slu_most_files(void);

/* Close every descriptor from `from` up. */
void slu_close_from(int from);

#endif

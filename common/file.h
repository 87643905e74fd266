/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_FILE_H
#define SLU_COMMON_FILE_H

/* Whole files, bounded reads and atomic writes; at-style so that a recorded
 * tree or a private directory can be the root. dirfd may be AT_FDCWD. */

#include <stddef.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/str.h"

/* Read at most max bytes of a file; longer is SLU_NOMEM, missing is
 * SLU_NOTFOUND. Never blocks on a FIFO or device (only regular files). */
int slu_file_read(int dirfd, const char *path, size_t max, struct slu_buf *out,
		  struct slu_err *err);

/* Write path.XXXXXX beside it, fsync when `sync`, rename into place. */
int slu_file_write(int dirfd, const char *path, const void *data, size_t len,
		   mode_t mode, bool sync, struct slu_err *err);

/* write(2) until all is written or an error. */
int slu_write_all(int fd, const void *data, size_t len);

/* mkdir -p with the given mode for new directories. */
int slu_mkdirs(const char *path, mode_t mode, struct slu_err *err);

/* Remove a directory tree without following links and without crossing a
 * mount point. A missing path is success. */
int slu_rmtree(int dirfd, const char *path, struct slu_err *err);

/* Close every descriptor from `from` up. */
void slu_close_from(int from);

#endif

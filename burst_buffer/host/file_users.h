/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_HOST_FILE_USERS_H
#define SLU_BURST_BUFFER_HOST_FILE_USERS_H

/*
 * Finds the processes that keep a directory or device busy, for error messages:
 * by the names of their files in /proc (proc_files.h). Files of a file system
 * that is mounted nowhere any more have no name below a directory: they are
 * found by device.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/str.h"

/* Does any process have a file below mapped so that it can write to it without
 * a system call? */
bool slu_users_map(const char *dir);

/* Appends the processes that have this file open, except the calling one:
 * "python3 (71) of ann, ...". Without the right to look at all processes: only
 * those of the caller's user. */
void slu_users_of(const char *path, struct slu_buf *who);
/* Appends the name of one process, as slu_users_of(), after a comma unless *who
 * is empty; proc: a descriptor of /proc/PID. */
void slu_users_add_name(struct slu_buf *who, int proc, pid_t pid);

/* SLU_BUSY: "DIR is in use by NAME (PID), ...", or, where none is found, which
 * processes may hold a file of it out of sight: a descriptor in flight over a
 * socket, or one of an io_uring. Returns -1. */
int slu_users_err(const char *dir, struct slu_err *err);

/* As slu_users_err() for all files of this device and for mount namespaces in
 * which it is mounted, even one that only a descriptor keeps; dir: its name in
 * the text. */
int slu_users_device_err(const char *dir, unsigned major, unsigned minor,
			 struct slu_err *err);

/* Bytes of deleted files below dir that processes still have open or mapped.
 * Descriptors in flight over a socket are not seen; a file that several
 * processes hold counts once for each. */
uint64_t slu_users_bytes(const char *dir);

#endif

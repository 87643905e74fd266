/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_DRAIN_H
#define SLU_NODE_DRAIN_H

/* Starts a process that writes to a file what comes through a pipe: the
 * manifest, sent by a staging child that has no rights in RunDir. */

#include <sys/types.h>
#include "common/err.h"

/* Returns the end of the pipe to write to, which slu_drain_end() closes. That
 * fails when not all was written, even if no write to the pipe failed. */
int slu_drain_start(const char *path, pid_t *pid, struct slu_err *err);
int slu_drain_end(int fd, pid_t pid, struct slu_err *err);

#endif

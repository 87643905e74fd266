/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_LOGS_H
#define SLU_HOST_LOGS_H

/*
 * Where daemons of ours log that users can make log without end: a directory of
 * root's that is a file system of its own, in memory, so that the kernel ends
 * what they write, however they write it. They do not mind, and nothing else is
 * filled.
 */

#include <limits.h>
#include <stddef.h>
#include "common/err.h"

#define SLU_LOGS_SIZE (4 << 20) /* bytes, of all logs of a directory */

/* Make it (its parent is there); harmless twice. */
int slu_logs_make(const char *dir, struct slu_err *err);

/* The path of the log that a daemon begins now; what was there is NAME.old. */
void slu_logs_begin(const char *dir, const char *name, char path[PATH_MAX]);

/* Take away the middle of each log that has become long, in place: its first
 * words stay, which say how it began, and its last ones; between them is a
 * hole, which reads as zeros. Now and then, while the daemons run. */
void slu_logs_turn(const char *dir);

/* The first line of a log that has these words, what stands before them left
 * out, cut to the room there is; "" if there is none. */
void slu_logs_first(const char *dir, const char *name, const char *words,
		    char *line, size_t size);

/* It goes, whoever still writes there; nothing there is success. */
int slu_logs_drop(const char *dir, struct slu_err *err);

#endif

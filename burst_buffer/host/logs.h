/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_LOGS_H
#define SLU_HOST_LOGS_H

/*
 * Directories for logs of daemons that users can make write without end: root's
 * own small file system in memory, whose size is the limit however they write.
 * The daemons cope with that, and no other file system is filled.
 */

#include <limits.h>
#include <stddef.h>
#include "common/err.h"

#define SLU_LOGS_SIZE (4 << 20) /* bytes, of all logs of a directory */

/* Make it (its parent exists); harmless twice. */
int slu_logs_make(const char *dir, struct slu_err *err);

/* The path of the log for a daemon that starts now; an existing log becomes
 * NAME.old. */
void slu_logs_begin(const char *dir, const char *name, char path[PATH_MAX]);

/* Punch out the middle of each long log in place: the beginning, which says how
 * it started, and the end stay; the hole reads as zeros. To be called now and
 * then while the daemons run. */
void slu_logs_turn(const char *dir);

/* The first line of a log that contains these words, from there on, cut to the
 * space there is; "" if there is none. */
void slu_logs_first(const char *dir, const char *name, const char *words,
		    char *line, size_t size);

/* Remove it, even if daemons still write there; 0 also if there is none. */
int slu_logs_drop(const char *dir, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_LOGS_H
#define SLU_HOST_LOGS_H

/*
 * Limits the logs of daemons that users can cause to write without end:
 * provides a directory in a small tmpfs of root's, so that they can fill no
 * other file system. The daemons cope with a full one.
 */

#include <limits.h>
#include <stddef.h>
#include "common/err.h"

#define SLU_LOGS_SIZE (4 << 20) /* bytes, of all logs of a directory */

/* Makes the directory (its parent exists); repeating it does no harm. */
int slu_logs_make(const char *dir, struct slu_err *err);

/* The path of the log for a daemon that starts now; an existing log becomes
 * NAME.old. */
void slu_logs_begin(const char *dir, const char *name, char path[PATH_MAX]);

/* Punch out the middle of each long log in place: the beginning, which says how
 * it started, and the end stay; the hole reads as zeros. To be called now and
 * then while the daemons run. */
void slu_logs_trim(const char *dir);

/* What stands behind these words in the first line of a log that has them, cut
 * to the space there is; "" if there is none. */
void slu_logs_find(const char *dir, const char *name, const char *words,
		   char *line, size_t size);

/* Removes the directory, even if daemons still write there; 0 also if there is
 * none. */
int slu_logs_drop(const char *dir, struct slu_err *err);

#endif

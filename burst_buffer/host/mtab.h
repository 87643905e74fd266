/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_MTAB_H
#define SLU_HOST_MTAB_H

/* The mount table, from /proc/self/mountinfo: asking it touches no file
 * system, so that it can be asked about one that hangs. */

#include <stddef.h>
#include <stdbool.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/str.h"

struct slu_mtab_line {
	unsigned major, minor;
	char *point, *type, *source;
};

struct slu_mtab {
	struct slu_mtab_line *line; /* in the order in which they were made */
	size_t n;
};

int slu_mtab_read(struct slu_mtab *out, struct slu_err *err);
/* The same from text in that format. */
int slu_mtab_parse(const char *text, struct slu_mtab *out, struct slu_err *err);
void slu_mtab_free(struct slu_mtab *mounts);

/* The last mount at exactly this point, or NULL. */
const struct slu_mtab_line *slu_mtab_at(const struct slu_mtab *mounts,
					const char *point);
/* The last mount at or below this directory, or NULL. */
const struct slu_mtab_line *slu_mtab_below(const struct slu_mtab *mounts,
					   const char *dir);

/* Is something mounted at `point`? false also when the table cannot be read. */
bool slu_mounted(const char *point);

/*
 * Unmount everything at and below `dir`, innermost first. What is busy is tried
 * again for `seconds`; then processes of `uid` that use it (working directory,
 * root, open files or maps) are killed and it is tried once more. What still
 * stays is SLU_BUSY and names who uses it. Nothing mounted is success. What
 * lies in a FUSE mount below `dir` is detached with that.
 */
int slu_unmount_below(const char *dir, uid_t uid, double seconds,
		      struct slu_err *err);
/* The same; adds to `who` which processes were killed (users.h). */
int slu_unmount_telling(const char *dir, uid_t uid, double seconds,
			struct slu_buf *who, struct slu_err *err);

/* Detach everything at and below `dir` at once, whoever uses it: what uses it
 * keeps it until it ends. */
int slu_unmount_lazily(const char *dir, struct slu_err *err);

/* The first, and what it cannot unmount is detached: 1, and `err` says who uses
 * it, as far as that can be seen. */
int slu_unmount_whoever(const char *dir, uid_t uid, double seconds,
			struct slu_err *err);

#endif

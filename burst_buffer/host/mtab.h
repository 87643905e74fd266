/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_HOST_MTAB_H
#define SLU_HOST_MTAB_H

/*
 * Reads the mount table (from /proc/self/mountinfo, which touches no file
 * system, so it works while one hangs), and unmounts what lies below a
 * directory.
 */

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
	struct slu_mtab_line
		*line; /* in the order in which they were mounted */
	size_t n;
};

int slu_mtab_read(struct slu_mtab *out, struct slu_err *err);
/* Parses text in the format of mountinfo. */
int slu_mtab_parse(const char *text, struct slu_mtab *out, struct slu_err *err);
void slu_mtab_free(struct slu_mtab *mounts);

/* The last mount at exactly this point, or NULL. */
const struct slu_mtab_line *slu_mtab_at(const struct slu_mtab *mounts,
					const char *point);
/* The last mount at or below this directory, or NULL. */
const struct slu_mtab_line *slu_mtab_below(const struct slu_mtab *mounts,
					   const char *dir);

/* Is something mounted at `point`? false also if the table cannot be read. */
bool slu_mounted(const char *point);

/* Unmounts everything at and below `dir`, innermost first. A busy mount is
 * tried again for `seconds`; then processes of `uid` that use it (working
 * directory, root, open files or maps) are killed and it is tried once more.
 * SLU_BUSY: a mount stays; err names its users. No mount there is success.
 * Mounts inside of a FUSE mount below `dir` are detached with that. */
int slu_unmount_below(const char *dir, uid_t uid, double seconds,
		      struct slu_err *err);
/* As slu_unmount_below(); appends to `who` which processes were killed
 * (kill_users.h). */
int slu_unmount_report(const char *dir, uid_t uid, double seconds,
		       struct slu_buf *who, struct slu_err *err);

/* Detach everything at and below `dir` at once; processes that use it keep it
 * until they end. */
int slu_unmount_lazily(const char *dir, struct slu_err *err);

/* As slu_unmount_below(), but detaches what it cannot unmount: 1, and `err`
 * names the users, as far as they can be found. */
int slu_unmount_or_detach(const char *dir, uid_t uid, double seconds,
			  struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_COPIED_H
#define SLU_STAGING_COPIED_H

/*
 * What was copied while the job ran. Size and time of a file do not say that it
 * has not been written since: a program may put the time back. So its path is
 * noted with a hash of inode, size, time and time of change before it is
 * copied, and again when it has its name; who finds the same at the end need
 * not copy it. The last note of a path counts.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "common/err.h"

struct slu_copied_note;
struct slu_copied {
	int fd; /* the caller's; of the job's file system. 0: there is none */
	struct slu_copied_note *note; /* of earlier acts; sorted */
	size_t n;
	int64_t began; /* the last copying, by the clock of that file system */
};

/* Read what has been noted. What cannot be read is not known. */
int slu_copied_load(struct slu_copied *k, int fd, struct slu_err *err);
void slu_copied_free(struct slu_copied *k); /* fd stays open */

enum slu_copied_as {
	SLU_COPIED_NOT,	 /* nobody has copied it early */
	SLU_COPIED_ELSE, /* it was something else then, or may have been */
	SLU_COPIED_SAME,
};
enum slu_copied_as slu_copied_as(const struct slu_copied *k, const char *path,
				 const struct stat *st);

/* May it be left as it is, if size, mode and time say so? `moved`: a mover, who
 * notes nothing, may have brought it. */
bool slu_copied_trusts(const struct slu_copied *k, bool moved, const char *path,
		       const struct stat *st);

/* Has a file of this path arrived early? */
bool slu_copied_has(const struct slu_copied *k, const char *path);
/* It is in the source still (any thread); and of how many paths that is not so,
 * which were copied early, or begun. */
void slu_copied_see(const struct slu_copied *k, const char *path);
uint64_t slu_copied_gone(const struct slu_copied *k);

/* Notes; fd is open for appending. Any thread. Copying begins; this file, which
 * is `st`, is going to be copied (NULL: what is copied is not to count); it has
 * arrived, and is `st` now. */
int slu_copied_begin(struct slu_copied *k, struct slu_err *err);
void slu_copied_copy(const struct slu_copied *k, const char *path,
		     const struct stat *st);
void slu_copied_arrived(const struct slu_copied *k, const char *path,
			const struct stat *st);

#endif

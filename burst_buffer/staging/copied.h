/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_COPIED_H
#define SLU_STAGING_COPIED_H

/*
 * Records what was copied while the job ran (early stage-out), so that the last
 * copy need not repeat it. Size and time of a file do not prove that it has not
 * been written since: a program may reset the time. So its path is noted with a
 * hash of inode, size, mtime and ctime before it is copied, and again when the
 * copy has its name; if the hash is the same at the end, it need not be copied
 * again. The last note of a path counts.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include "common/err.h"

struct slu_copied_note;
struct slu_copied {
	int fd; /* the caller's; in the job's file system. 0: none */
	struct slu_copied_note *note; /* of earlier acts; sorted */
	size_t n;
	int64_t began; /* start of the last copy, by the clock of that file
			  system */
};

/* Read the notes. Files whose notes cannot be read count as not copied. */
int slu_copied_load(struct slu_copied *k, int fd, struct slu_err *err);
void slu_copied_free(struct slu_copied *k); /* fd stays open */

enum slu_copied_as {
	SLU_COPIED_NOT,	 /* it was not copied early */
	SLU_COPIED_ELSE, /* it was, and has, or may have, changed since */
	SLU_COPIED_SAME,
};
enum slu_copied_as slu_copied_as(const struct slu_copied *k, const char *path,
				 const struct stat *st);

/* May the copy be kept if its size, mode and time match? `moved`: the site's
 * mover, which writes no notes, may have copied it. */
bool slu_copied_trusts(const struct slu_copied *k, bool moved, const char *path,
		       const struct stat *st);

/* Was a file with this path copied early? */
bool slu_copied_has(const struct slu_copied *k, const char *path);
/* Records that the source still has it (any thread); and counts the paths that
 * were copied early, or begun, and that the source no longer has. */
void slu_copied_see(const struct slu_copied *k, const char *path);
uint64_t slu_copied_gone(const struct slu_copied *k);

/* Write notes; fd is open for appending. Any thread. In order: copying begins;
 * this file, with state `st`, is about to be copied (NULL: the copy must not
 * count); its copy is complete, and its state is `st` now. */
int slu_copied_begin(struct slu_copied *k, struct slu_err *err);
void slu_copied_copy(const struct slu_copied *k, const char *path,
		     const struct stat *st);
void slu_copied_arrived(const struct slu_copied *k, const char *path,
			const struct stat *st);

#endif

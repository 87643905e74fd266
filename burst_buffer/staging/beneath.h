/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_BENEATH_H
#define SLU_STAGING_BENEATH_H

/*
 * Opening what lies below a directory, and only there: no symbolic link is
 * followed in any component and ".." leads nowhere, whatever somebody renames
 * meanwhile (openat2, Linux 5.6). Paths may be longer than PATH_MAX.
 */

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "common/err.h"
#include "common/str.h"

/* Is every component a name: not empty, not "." and not ".."? */
bool slu_plain_path(const char *path);

/* Like openat(2); errno is set on failure (ELOOP: a link is in the way). */
int slu_open_beneath(int root, const char *path, int flags, mode_t mode);

/* Open the directory that holds `path` (a descriptor the caller closes) and
 * point *name at its last component. "" is ".", in the root itself. */
int slu_open_parent(int root, const char *path, const char **name);

/* The directory of the path that was opened last: what lies beside it needs no
 * look at the whole way there, which on a network costs a question for every
 * component. {.root = ROOT, .fd = -1} begins it. */
struct slu_parent_cache {
	int root;
	int fd;
	struct slu_buf dir;
};
/* The directory that holds `path`, the cache's own, and its last component. */
int slu_parent_cache_open(struct slu_parent_cache *near, const char *path,
			  const char **name);
void slu_parent_cache_free(struct slu_parent_cache *near);

/* Create or empty a regular file for writing, with this mode or a narrower one.
 * A link, a pipe, or a file that has other names, or may not be written or
 * given the mode, is replaced. What is `source` itself is left alone: -1, and
 * errno is SLU_SAME_FILE. */
#define SLU_SAME_FILE EDEADLK /* none of open(2) */
int slu_create_beneath(int root, const char *path, mode_t mode,
		       const struct stat *source);
bool slu_same_inode(const struct stat *a, const struct stat *b);

/* Add to err, which errno `why` has made, what "No space left" does not say:
 * that there is some in the file system of `dir`, but not for one file more.
 * -1. */
int slu_say_inodes(int dir, int why, struct slu_err *err);

/* A path for a message: one line, at most 200 bytes, its end rather than its
 * beginning; returns out. */
#define SLU_PATH_TEXT 208
const char *slu_path_text(const char *path, char out[SLU_PATH_TEXT]);

#endif

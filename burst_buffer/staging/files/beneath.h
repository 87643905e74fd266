/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_BENEATH_H
#define SLU_STAGING_BENEATH_H

/*
 * Opens and creates files below a directory so that no path can lead out of it,
 * even while users rename directories: no symbolic link is followed in any
 * component and ".." is refused (openat2, Linux 5.6). Paths may be longer than
 * PATH_MAX.
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

/* The directory of the path that was opened last, so that files in the same
 * directory do not need a walk of the whole path, which on a network costs a
 * round trip for every component. Initialise with {.root = ROOT, .fd = -1}. */
struct slu_parent_cache {
	int root;
	int fd;
	struct slu_buf dir;
};
/* Open the directory of `path`, a descriptor of the cache, and point *name at
 * its last component. */
int slu_parent_cache_open(struct slu_parent_cache *near, const char *path,
			  const char **name);
void slu_parent_cache_free(struct slu_parent_cache *near);

/* Create or empty a regular file for writing, with this mode or a narrower one.
 * A link, a pipe, or a file with several hard links, or that cannot be written
 * or given the mode, is replaced. If it is `source` itself it is not changed:
 * -1, and errno is SLU_SAME_FILE. */
#define SLU_SAME_FILE EDEADLK /* open(2) never returns it */
int slu_create_beneath(int root, const char *path, mode_t mode,
		       const struct stat *source);
bool slu_same_inode(const struct stat *a, const struct stat *b);

/* Add to err, which was made from errno `why`, what "No space left" does not
 * say: that the file system of `dir` has space, but no inodes left. Returns -1.
 */
int slu_say_inodes(int dir, int why, struct slu_err *err);

/* A path for a message: one line, at most 200 bytes, cut at the front; returns
 * out. */
#define SLU_PATH_TEXT 208
const char *slu_path_text(const char *path, char out[SLU_PATH_TEXT]);

#endif

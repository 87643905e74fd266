/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_COLLIDING_PATHS_H
#define SLU_STAGING_COLLIDING_PATHS_H

/*
 * Detects colliding paths before data is lost: two files of GekkoFS whose paths
 * differ only in a ':' instead of a '/', such as "d:x" and "d/x", share their
 * content. Found by one lstat(2) for each possible collision, without reading
 * data.
 */

#include <limits.h>
#include <stdbool.h>

/*
 * Does the file `path` below `dir`, which is `root` or below it, collide with
 * another one below `root`? If so, gives the paths of both below `root`. `path`
 * "": dir is the file. Paths longer than PATH_MAX do not collide.
 */
bool slu_colliding_path(const char *root, const char *dir, const char *path,
			char self[PATH_MAX], char other[PATH_MAX]);

/* Can a file below `dir` without a ':' in its path collide with one outside of
 * `dir`? Reads the directories from `root` to `dir`. */
bool slu_may_collide_outside(const char *root, const char *dir);

#endif

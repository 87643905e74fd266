/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_TWINS_H
#define SLU_STAGING_TWINS_H

/*
 * Twins: two files of GekkoFS whose paths differ only in a ':' instead of a
 * '/', such as "d:x" and "d/x". They share their content, so the data written
 * to one of them is lost. Found by one lstat(2) for each possible twin, without
 * reading data.
 */

#include <limits.h>
#include <stdbool.h>

/*
 * Does the file `path` below `dir`, which is `root` or below it, have a twin
 * below `root`? If so, gives the paths of both below `root`. `path` "": dir is
 * the file. Paths longer than PATH_MAX have none.
 */
bool slu_twin(const char *root, const char *dir, const char *path,
	      char self[PATH_MAX], char twin[PATH_MAX]);

/* Can a file below `dir` without a ':' in its path have a twin outside of
 * `dir`? Reads the directories from `root` to `dir`. */
bool slu_twins_outside(const char *root, const char *dir);

#endif

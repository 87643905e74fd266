/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_TWINS_H
#define SLU_STAGING_TWINS_H

/*
 * Twins: two files of a plain file system (GekkoFS) whose paths differ in
 * nothing but a ':' for a '/', as "d:x" and "d/x". They share their content,
 * so that what was written to one of them is lost. Only names and kinds are
 * looked at, by one lstat(2) for each directory and file that may be one.
 */

#include <limits.h>
#include <stdbool.h>

/*
 * Has the file `path` below `dir`, which lies below `root` or is it, a twin
 * below `root`? Then that one and the file itself, as they are called below
 * `root`. `path` "": dir is the file. What is longer than PATH_MAX has none.
 */
bool slu_twin(const char *root, const char *dir, const char *path,
	      char self[PATH_MAX], char twin[PATH_MAX]);

/* May a file below `dir` without a ':' in its path have a twin that does not
 * lie there? On the way from `root` to `dir` directories are read for it. */
bool slu_twins_outside(const char *root, const char *dir);

#endif

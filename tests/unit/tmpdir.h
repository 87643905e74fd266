/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_TMPDIR_H
#define SLU_TESTS_TMPDIR_H

/* Creates a directory for the test in $TMPDIR (see scratch.h), which is deleted
 * when its process ends. */

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <check.h>

/* Weak: one for all files of a program. */
__attribute__((weak)) char tmpdir_path[80];
__attribute__((weak)) pid_t tmpdir_owner;

static int tmpdir_remove_one(const char *path, const struct stat *st, int type,
			     struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void tmpdir_remove(void)
{
	if (getpid() == tmpdir_owner)
		nftw(tmpdir_path, tmpdir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Make it (once per process) and return its path. */
static inline const char *tmpdir(void)
{
	if (tmpdir_owner == getpid())
		return tmpdir_path;
	snprintf(tmpdir_path, sizeof(tmpdir_path), "%s/XXXXXX",
		 getenv("TMPDIR"));
	ck_assert_ptr_nonnull(mkdtemp(tmpdir_path));
	tmpdir_owner = getpid();
	atexit(tmpdir_remove);
	return tmpdir_path;
}

/* Path of `name` in it; good until the next call but three. */
static inline const char *tmpfile_path(const char *name)
{
	static char path[4][256];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", tmpdir(), name);
	return path[turn];
}

#endif

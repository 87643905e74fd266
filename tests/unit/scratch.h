/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_SCRATCH_H
#define SLU_TESTS_SCRATCH_H

/*
 * Creates the directory for a test program's files: after scratch_begin()
 * $TMPDIR is a directory of its own. The process that created it deletes it
 * after all tests, so that nothing remains of those that failed, crashed or
 * timed out.
 */

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_path[64]; /* empty: there is none yet */

static inline int scratch_remove_one(const char *path, const struct stat *st,
				     int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	remove(path);
	return 0; /* the others all the same */
}

/* False: there is one already, whose maker will remove it. */
static inline bool scratch_begin(void)
{
	const char *tmp = getenv("TMPDIR");

	if (*scratch_path)
		return false;
	snprintf(scratch_path, sizeof(scratch_path), "%s/sluice-test.XXXXXX",
		 tmp ? tmp : "/tmp");
	if (!mkdtemp(scratch_path)) {
		perror(scratch_path);
		exit(EXIT_FAILURE);
	}
	chmod(scratch_path, 01777); /* tests become other users */
	setenv("TMPDIR", scratch_path, 1);
	return true;
}

/* Whether one of the tests could not run here; they say so from processes of
 * their own. */
static inline bool scratch_skipped(bool say)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/skipped", getenv("TMPDIR"));
	fd = open(path, say ? O_RDWR | O_CREAT : O_RDWR, 0666);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static inline void scratch_end(void)
{
	nftw(scratch_path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif

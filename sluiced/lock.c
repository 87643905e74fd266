/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sluiced for one database: an flock(2) beside it, which the kernel gives
 * back however the process ends. */
#include "sluiced/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "common/str.h"

static int taken(int fd, const char *path, struct slu_err *err)
{
	char pid[16] = "";
	ssize_t n;

	if (errno != EWOULDBLOCK)
		return slu_errno(err, SLU_IO, "%s", path);
	n = pread(fd, pid, sizeof(pid) - 1, 0);
	pid[n > 0 ? n : 0] = '\0';
	pid[strcspn(pid, "\n")] = '\0';
	return slu_err(err, SLU_BUSY, "%s: another sluiced runs (pid %s)", path,
		       pid);
}

int slu_lock_take(const char *database, struct slu_err *err)
{
	char *path = slu_asprintf("%s.lock", database);
	int fd;

	if (!path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		slu_errno(err, SLU_IO, "%s", path);
	} else if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		taken(fd, path, err);
		close(fd);
		fd = -1;
	} else if (ftruncate(fd, 0) < 0 ||
		   dprintf(fd, "%d\n", (int)getpid()) < 0) {
		slu_errno(err, SLU_IO, "%s", path);
		close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ensures that there is one sluiced for each database: by an flock(2) on a file
 * beside it, which the kernel releases however the process ends.
 */
#include "sluiced/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/str.h"

/* File systems shared between hosts: neither the lock nor SQLite's shared
 * memory (WAL) works there. */
static const struct {
	unsigned magic;
	const char *name;
} shared[] = {
	{0x6969, "NFS"},	{0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
	{0x19830326, "BeeGFS"}, {0x00c36400, "Ceph"},	{0xff534d42, "CIFS"},
	{0xfe534d42, "SMB"},
};

static int check_local(int fd, const char *path, struct slu_err *err)
{
	struct statfs st;

	if (fstatfs(fd, &st) < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++)
		if ((unsigned)st.f_type == shared[i].magic)
			return slu_err(err, SLU_INVALID,
				       "%s: the database must be on a local "
				       "disk, not on %s",
				       path, shared[i].name);
	return 0;
}

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

static int lock(int fd, const char *path, struct slu_err *err)
{
	if (check_local(fd, path, err) < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return taken(fd, path, err);
	if (ftruncate(fd, 0) < 0 || dprintf(fd, "%d\n", (int)getpid()) < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	return 0;
}

int slu_lock_take(const char *database, struct slu_err *err)
{
	char *path = slu_asprintf("%s.lock", database);
	int fd;

	if (!path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		slu_errno(err, SLU_IO, "%s", path);
	if (fd >= 0 && lock(fd, path, err) < 0) {
		close(fd);
		fd = -1;
	}
	free(path);
	return fd;
}

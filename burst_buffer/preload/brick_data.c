/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps a read from returning half of a write, in a server (brick) of
 * GlusterFS. Its threads read and write one file at the same time, but read(2)
 * of ext4 and others may return a part of what a concurrent write(2) writes:
 * half of a record that is appended or replaced. So a write here excludes all
 * other accesses of this server to the file.
 *
 * GlusterFS 9 to 11 read by pread(2) and write by pwrite(2), what a client has
 * sent in one call by one; their symbols are pread64 and pwrite64.
 */
#include "config.h"
#include "burst_buffer/preload/glusterfs_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCKS 256 /* several files may share a lock */

/* Writers first: a stream of reads must not hold up a write for ever. */
static pthread_rwlock_t locks[LOCKS] = {
	[0 ... LOCKS - 1] = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP};
static bool serving; /* this is a server, not a client */

static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);

/* NULL: no lock is needed: this is a client, or no regular file. */
static pthread_rwlock_t *lock_of(int fd)
{
	struct stat st;

	if (!serving || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	return &locks[st.st_ino % LOCKS];
}

__attribute__((visibility("default"))) ssize_t pread64(int fd, void *to,
						       size_t n, off64_t at)
{
	pthread_rwlock_t *lock = lock_of(fd);
	ssize_t rc;

	if (lock)
		pthread_rwlock_rdlock(lock);
	rc = real_pread(fd, to, n, at);
	if (lock)
		pthread_rwlock_unlock(lock);
	return rc;
}

__attribute__((visibility("default"))) ssize_t
pwrite64(int fd, const void *from, size_t n, off64_t at)
{
	pthread_rwlock_t *lock = lock_of(fd);
	ssize_t rc;

	if (lock)
		pthread_rwlock_wrlock(lock);
	rc = real_pwrite(fd, from, n, at);
	if (lock)
		pthread_rwlock_unlock(lock);
	return rc;
}

void slu_wrap_data(bool server)
{
	serving = server;
	*(void **)&real_pread = dlsym(RTLD_NEXT, "pread64");
	*(void **)&real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
}

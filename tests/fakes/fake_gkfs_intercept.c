/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates libgkfs_intercept.so: a library for LD_PRELOAD that maps paths
 * below the mount directory to the store of fake_gkfs_daemon. Its rules are the
 * real client's: if the hosts file is missing or has other lines than hosts, or
 * a daemon does not answer, the program ends with exit code 1. There are no
 * links, renames, changes of modes, or times; system calls made without libc do
 * not know its descriptors.
 */
#include "config.h"
#include "tests/fakes/fake_gkfs_client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int refuse(int error)
{
	errno = error;
	return -1;
}

/* Calls fake_enter() if the path is ours; true: it refused the call. */
static bool waits(long number, int dir, const char *path)
{
	return fake_ours_at(dir, path) && fake_enter(number, dir, (long)path);
}

static bool wrong_flags(int flags)
{
	return flags & O_PATH;
}

/* The argument of open() that is only there when it creates a file. */
#define GET_MODE(mode, flags)                                                  \
	do {                                                                   \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, flags);                                           \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0; \
		va_end(ap);                                                    \
	} while (0)

int openat(int dir, const char *path, int flags, ...)
{
	char out[PATH_MAX];
	mode_t mode;

	GET_MODE(mode, flags);
	if (waits(SYS_openat, dir, path))
		return -1;
	if (fake_ours_at(dir, path) && wrong_flags(flags))
		return refuse(ENOTSUP);
	if (fake_ours_at(dir, path) && flags & O_CREAT)
		fake_share_chunks(dir, path);
	return REAL(openat)(dir, fake_led(path, out), flags, mode);
}

int openat64(int dir, const char *path, int flags, ...)
{
	mode_t mode;

	GET_MODE(mode, flags);
	return openat(dir, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	mode_t mode;

	GET_MODE(mode, flags);
	return openat(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode;

	GET_MODE(mode, flags);
	return openat(AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	char out[PATH_MAX];

	if (waits(SYS_openat, AT_FDCWD, path))
		return NULL;
	return REAL(fopen)(fake_led(path, out), mode);
}

/* Times are those of 1970. */
static int timeless(int rc, struct stat *st, bool is_ours)
{
	if (!rc && is_ours) {
		st->st_mtim = st->st_atim = st->st_ctim =
			(struct timespec){0, 0};
	}
	return rc;
}

int fstatat(int dir, const char *restrict path, struct stat *restrict st,
	    int flags)
{
	char out[PATH_MAX];

	if (waits(SYS_newfstatat, dir, path))
		return -1;
	return timeless(REAL(fstatat)(dir, fake_led(path, out), st, flags), st,
			fake_ours_at(dir, path));
}

int fstat(int fd, struct stat *st)
{
	return timeless(REAL(fstat)(fd, st), st, fake_ours(fd));
}

int stat(const char *restrict path, struct stat *restrict st)
{
	return fstatat(AT_FDCWD, path, st, 0);
}

int lstat(const char *restrict path, struct stat *restrict st)
{
	return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int statx(int dir, const char *restrict path, int flags, unsigned mask,
	  struct statx *restrict st)
{
	char out[PATH_MAX];

	if (waits(SYS_statx, dir, path))
		return -1;
	return REAL(statx)(dir, fake_led(path, out), flags, mask, st);
}

int access(const char *path, int mode)
{
	char out[PATH_MAX];

	if (waits(SYS_openat, AT_FDCWD, path))
		return -1;
	return REAL(access)(fake_led(path, out), mode);
}

int mkdir(const char *path, mode_t mode)
{
	char out[PATH_MAX];

	if (waits(SYS_openat, AT_FDCWD, path))
		return -1;
	return REAL(mkdir)(fake_led(path, out), mode);
}

int unlink(const char *path)
{
	char out[PATH_MAX];

	if (waits(SYS_openat, AT_FDCWD, path))
		return -1;
	return REAL(unlink)(fake_led(path, out));
}

int rmdir(const char *path)
{
	char out[PATH_MAX];

	if (waits(SYS_openat, AT_FDCWD, path))
		return -1;
	return REAL(rmdir)(fake_led(path, out));
}

DIR *opendir(const char *path)
{
	char out[PATH_MAX];

	if (waits(SYS_openat, AT_FDCWD, path))
		return NULL;
	return REAL(opendir)(fake_led(path, out));
}

int chdir(const char *path)
{
	char out[PATH_MAX];

	if (waits(SYS_openat, AT_FDCWD, path))
		return -1;
	return REAL(chdir)(fake_led(path, out));
}

/* Reading and writing */

ssize_t pread(int fd, void *data, size_t len, off_t offset)
{
	if (!fake_ours(fd))
		return REAL(pread)(fd, data, len, offset);
	return fake_enter(SYS_pread64, fd, 0)
		       ? -1
		       : fake_read_chunks(fd, data, len, offset);
}

ssize_t pread64(int fd, void *data, size_t len, off64_t offset)
{
	return pread(fd, data, len, offset);
}

ssize_t read(int fd, void *data, size_t len)
{
	ssize_t n;

	if (!fake_ours(fd))
		return REAL(read)(fd, data, len);
	n = pread(fd, data, len, lseek(fd, 0, SEEK_CUR));
	if (n > 0)
		lseek(fd, n, SEEK_CUR);
	return n;
}

ssize_t write(int fd, const void *data, size_t len)
{
	return fake_ours(fd) && fake_enter(SYS_write, fd, 0)
		       ? -1
		       : REAL(write)(fd, data, len);
}

/* What GekkoFS does not do */

void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	if (!(flags & MAP_ANONYMOUS) && fake_ours(fd)) {
		errno = EBADF;
		return MAP_FAILED;
	}
	return REAL(mmap)(at, len, prot, flags, fd, offset);
}

/* By readlinkat(2), which the real one refuses. */
char *realpath(const char *restrict path, char *restrict resolved)
{
	if (!fake_ours_path(path))
		return REAL(realpath)(path, resolved);
	errno = ENOTSUP;
	return NULL;
}

int rename(const char *from, const char *to)
{
	return fake_ours_path(from) || fake_ours_path(to)
		       ? refuse(ENOTSUP)
		       : REAL(rename)(from, to);
}

int symlink(const char *target, const char *path)
{
	return fake_ours_path(path) ? refuse(ENOTSUP)
				    : REAL(symlink)(target, path);
}

int symlinkat(const char *target, int dir, const char *path)
{
	return fake_ours_at(dir, path) ? refuse(ENOTSUP)
				       : REAL(symlinkat)(target, dir, path);
}

int chmod(const char *path, mode_t mode)
{
	return fake_ours_path(path) ? refuse(ENOTSUP) : REAL(chmod)(path, mode);
}

int fchmod(int fd, mode_t mode)
{
	return fake_ours(fd) ? refuse(ENOTSUP) : REAL(fchmod)(fd, mode);
}

int fchown(int fd, uid_t uid, gid_t gid)
{
	return fake_ours(fd) ? refuse(EBADF) : REAL(fchown)(fd, uid, gid);
}

int futimens(int fd, const struct timespec times[2])
{
	return fake_ours(fd) ? refuse(EBADF) : REAL(futimens)(fd, times);
}

int utimensat(int dir, const char *path, const struct timespec times[2],
	      int flags)
{
	return fake_ours_at(dir, path)
		       ? refuse(ENOENT)
		       : REAL(utimensat)(dir, path, times, flags);
}

ssize_t copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t len,
			unsigned flags)
{
	return fake_ours(in) || fake_ours(out)
		       ? refuse(EBADF)
		       : REAL(copy_file_range)(in, from, out, to, len, flags);
}

/* The kernel does not know our descriptors. */
long syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_openat2 && fake_ours((int)a[0]))
		return refuse(EBADF);
	return ((long (*)(long, ...))fake_real("syscall"))(
		number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates a client of Lustre for one program, by LD_PRELOAD: paths below
 * FAKE_LUSTRE are in Lustre. It imitates how files get their layout, to test
 * programs that set it. Creations and layouts are logged to FAKE_LUSTRE_LOG, a
 * line each: "made PATH", "list PATH 3,1", "default PATH".
 *
 * FAKE_REFUSES=yes: no layout can be set (EPERM). FAKE_TORN: a directory that
 * cannot be listed (EIO). FAKE_CLOSED: digits of targets on which the MDS
 * creates no objects (ENOBUFS; ENOSPC when it may choose and none is left).
 * FAKE_PLACE: the program to execute as
 * sluice-place(1). Files without a name (O_TMPFILE) are not supported.
 */
#undef _FORTIFY_SOURCE
#include "config.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define DELAY (O_NOCTTY | O_ASYNC)
#define FDS   1024

#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (!next)                     \
	next = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

/*
 * A file created with O_LOV_DELAY_CREATE has no layout, and cannot be written
 * (EBADF), until the attribute "lustre.lov" sets one, once (EEXIST). The
 * attribute must have the length that it declares, and targets from 0 to 7
 * (EINVAL). When the file is opened again for writing, it gets the default
 * layout, if there are targets for it; else the open succeeds all the same.
 */

/* By descriptor: the file has no layout. */
static bool bare[FDS];

/* A file with bytes got its layout when it was opened again for writing. */
static bool is_bare(int fd)
{
	struct stat st;

	return fd >= 0 && fd < FDS && bare[fd] &&
	       (fstat(fd, &st) || st.st_size == 0);
}

static bool name_of(int fd, char path[PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return n > 0;
}

static bool is_ours(const char *path)
{
	const char *root = getenv("FAKE_LUSTRE");

	return root && !strncmp(path, root, strlen(root)) &&
	       path[strlen(root)] == '/';
}

static void note(const char *what, const char *path, const char *list)
{
	const char *log = getenv("FAKE_LUSTRE_LOG");
	char line[PATH_MAX + 100];
	int n = snprintf(line, sizeof(line), "%s %s%s%s\n", what, path,
			 *list ? " " : "", list);
	long fd = log ? syscall(SYS_openat, AT_FDCWD, log,
				O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
		      : -1;

	if (fd >= 0) {
		(void)!write((int)fd, line, (size_t)n);
		syscall(SYS_close, fd);
	}
}

static int fail(int error)
{
	errno = error;
	return -1;
}

static bool is_closed(uint32_t target)
{
	const char *closed = getenv("FAKE_CLOSED");

	return closed && strchr(closed, '0' + (int)target);
}

static bool none_is_left(void)
{
	for (uint32_t target = 0; target < 8; target++)
		if (!is_closed(target))
			return false;
	return true;
}

/* open(2), where files without a name are not supported, as in 2.17. */
static int open_real(int dir, const char *path, int flags, mode_t mode)
{
	char real[PATH_MAX];
	long fd = syscall(SYS_openat, dir, path, flags, mode);

	if (fd < 0 || (flags & O_TMPFILE) != O_TMPFILE ||
	    !name_of((int)fd, real) || !is_ours(real))
		return (int)fd;
	syscall(SYS_close, fd);
	return fail(EOPNOTSUPP);
}

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_real(AT_FDCWD, path, flags, mode_of(flags, ap));
	va_end(ap);
	return fd;
}

int open64(const char *path, int flags, ...)
{
	va_list ap;
	int fd;

	va_start(ap, flags);
	fd = open_real(AT_FDCWD, path, flags | O_LARGEFILE, mode_of(flags, ap));
	va_end(ap);
	return fd;
}

int openat(int dir, const char *path, int flags, ...)
{
	char real[PATH_MAX];
	va_list ap;
	int fd, of;

	va_start(ap, flags);
	fd = open_real(dir, path, flags, mode_of(flags, ap));
	va_end(ap);
	if (fd >= 0 && fd < FDS)
		bare[fd] = false;
	if (fd >= 0 && fd < FDS && flags & O_ACCMODE &&
	    sscanf(path, "/proc/self/fd/%d", &of) == 1 && is_bare(of) &&
	    name_of(fd, real)) {
		bare[fd] = bare[of];
		if (none_is_left())
			return fd;
		bare[of] = bare[fd] = false;
		note("default", real, "");
	}
	if (fd >= 0 && fd < FDS &&
	    (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) &&
	    name_of(fd, real) && is_ours(real)) {
		bare[fd] = (flags & DELAY) == DELAY;
		note(bare[fd] ? "made" : "default", real, "");
	}
	return fd;
}

int fstatfs(int fd, struct statfs *fs)
{
	char path[PATH_MAX];
	long rc = syscall(SYS_fstatfs, fd, fs);

	if (!rc && name_of(fd, path) && is_ours(path))
		fs->f_type = 0x0bd00bd0;
	return (int)rc;
}

struct lov {
	uint32_t magic, pattern;
	uint64_t object[2];
	uint32_t size;
	uint16_t count, first;
};

/* The targets of a struct lov_user_md_v3, after a pool's name of 16 bytes. */
static int take_list(const struct lov *l, const char *value, size_t size,
		     char *list)
{
	uint32_t target;

	if (size != 48 + 24u * l->count || l->count == 0 || l->count > 8)
		return fail(EINVAL);
	for (uint16_t i = 0; i < l->count; i++) {
		memcpy(&target, value + 48 + 24 * i + 20, sizeof(target));
		if (target >= 8)
			return fail(EINVAL);
		if (is_closed(target))
			return fail(ENOBUFS);
		list += sprintf(list, "%s%u", i ? "," : "", target);
	}
	return 0;
}

int fsetxattr(int fd, const char *name, const void *value, size_t size,
	      int flags)
{
	char path[PATH_MAX], list[100] = "";
	struct lov l;

	NEXT(fsetxattr);
	if (strcmp(name, "lustre.lov") || !name_of(fd, path) || !is_ours(path))
		return next(fd, name, value, size, flags);
	if (getenv("FAKE_REFUSES"))
		return fail(EPERM);
	if (fd >= FDS || !is_bare(fd))
		return fail(EEXIST);
	if (size < sizeof(l))
		return fail(EINVAL);
	memcpy(&l, value, sizeof(l));
	if (l.pattern != 1 || l.first != 0xffff || l.size != 0)
		return fail(EINVAL);
	if (l.magic == 0x0bd50bd0 ? take_list(&l, value, size, list)
	    : l.magic != 0x0bd10bd0 || size != 32 || l.count ? fail(EINVAL)
							     : 0)
		return -1;
	if (!*list && none_is_left())
		return fail(ENOSPC);
	bare[fd] = false;
	note(*list ? "list" : "default", path, list);
	return 0;
}

ssize_t fgetxattr(int fd, const char *name, void *value, size_t size)
{
	char path[PATH_MAX];

	NEXT(fgetxattr);
	if (strcmp(name, "lustre.lov") || !name_of(fd, path) || !is_ours(path))
		return next(fd, name, value, size);
	return is_bare(fd) ? fail(ENODATA) : 32;
}

ssize_t write(int fd, const void *data, size_t n)
{
	if (is_bare(fd))
		return fail(EBADF);
	return syscall(SYS_write, fd, data, n);
}

int execve(const char *path, char *const *argv, char *const *env)
{
	const char *name = strrchr(path, '/'), *fake = getenv("FAKE_PLACE");

	if (fake && name && !strcmp(name, "/sluice-place"))
		path = fake;
	return (int)syscall(SYS_execve, path, argv, env);
}

struct dirent *readdir(DIR *dir)
{
	const char *torn = getenv("FAKE_TORN");
	char path[PATH_MAX];

	NEXT(readdir);
	if (!torn || !name_of(dirfd(dir), path) || strcmp(path, torn) != 0)
		return next(dir);
	errno = EIO;
	return NULL;
}

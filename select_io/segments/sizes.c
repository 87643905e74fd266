/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libsluice_segments.so: replaces the stat calls of unmodified programs, so
 * that they get the size of a file in segments instead of its index's. A file
 * larger than any index cannot be an index, so other files cost no extra read.
 *
 * Also replaces the calls that copy within the kernel: these fail as if they
 * were unsupported, and programs then fall back to read(2).
 */
#include "config.h"
#include "select_io/segments/descriptors.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name)                     \
	static __typeof__(&name) next; \
	if (!next)                     \
	next = (__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name)

static bool may_be(mode_t mode, int64_t size)
{
	return slu_real.pread && S_ISREG(mode) &&
	       size > (int64_t)sizeof(SLU_SEGMENTS_MAGIC) &&
	       size <= SLU_SEGMENTS_TEXT;
}

/* The size of the whole file in segments; -1: it is an ordinary file. */
static int64_t size_at(int dir, const char *path, int flags)
{
	int keep = errno, fd;
	int64_t size = -1;

	fd = slu_descriptor_probe(dir, path,
				  flags & AT_SYMLINK_NOFOLLOW ? O_NOFOLLOW : 0);
	if (fd >= 0) {
		size = slu_descriptor_peek(fd);
		slu_real.close(fd);
	}
	errno = keep;
	return size;
}

static int64_t size_of(int fd)
{
	struct slu_descriptor *j = slu_descriptor_get(fd);
	int64_t size = j ? (int64_t)slu_descriptor_segments(j)->size : -1;

	slu_descriptor_put(j);
	return size;
}

/* An empty path with AT_EMPTY_PATH means the descriptor. */
static int64_t whole(int dir, const char *path, int flags)
{
	return path && *path ? size_at(dir, path, flags) : size_of(dir);
}

#define SET(st, dir, path, flags)                                    \
	do {                                                         \
		int64_t size_ = may_be((st)->st_mode, (st)->st_size) \
					? whole(dir, path, flags)    \
					: -1;                        \
                                                                     \
		if (size_ >= 0) {                                    \
			(st)->st_size = size_;                       \
			(st)->st_blocks = (size_ + 511) / 512;       \
		}                                                    \
	} while (0)

#define STAT(name, type, flags)                            \
	EXPORT int name(const char *path, struct type *st) \
	{                                                  \
		int rc;                                    \
                                                           \
		NEXT(name);                                \
		rc = next(path, st);                       \
		if (rc == 0)                               \
			SET(st, AT_FDCWD, path, flags);    \
		return rc;                                 \
	}
#define FSTAT(name, type)                        \
	EXPORT int name(int fd, struct type *st) \
	{                                        \
		int rc;                          \
                                                 \
		NEXT(name);                      \
		rc = next(fd, st);               \
		if (rc == 0)                     \
			SET(st, fd, NULL, 0);    \
		return rc;                       \
	}
#define FSTATAT(name, type)                                                    \
	EXPORT int name(int dir, const char *path, struct type *st, int flags) \
	{                                                                      \
		int rc;                                                        \
                                                                               \
		NEXT(name);                                                    \
		rc = next(dir, path, st, flags);                               \
		if (rc == 0)                                                   \
			SET(st, dir, path, flags);                             \
		return rc;                                                     \
	}
STAT(stat, stat, 0)
STAT(stat64, stat64, 0)
STAT(lstat, stat, AT_SYMLINK_NOFOLLOW)
STAT(lstat64, stat64, AT_SYMLINK_NOFOLLOW)
FSTAT(fstat, stat)
FSTAT(fstat64, stat64)
FSTATAT(fstatat, stat)
FSTATAT(fstatat64, stat64)

/* Called by programs that were linked with glibc before 2.33. */
#define XSTAT(name, plain, type)                                  \
	EXPORT int name(int version, const char *path, type *st); \
	int name(int version, const char *path, type *st)         \
	{                                                         \
		(void)version;                                    \
		return plain(path, st);                           \
	}
#define FXSTAT(name, plain, type)                       \
	EXPORT int name(int version, int fd, type *st); \
	int name(int version, int fd, type *st)         \
	{                                               \
		(void)version;                          \
		return plain(fd, st);                   \
	}
#define FXSTATAT(name, plain, type)                                           \
	EXPORT int name(int version, int dir, const char *path, type *st,     \
			int flags);                                           \
	int name(int version, int dir, const char *path, type *st, int flags) \
	{                                                                     \
		(void)version;                                                \
		return plain(dir, path, st, flags);                           \
	}
XSTAT(__xstat, stat, struct stat)
XSTAT(__xstat64, stat64, struct stat64)
XSTAT(__lxstat, lstat, struct stat)
XSTAT(__lxstat64, lstat64, struct stat64)
FXSTAT(__fxstat, fstat, struct stat)
FXSTAT(__fxstat64, fstat64, struct stat64)
FXSTATAT(__fxstatat, fstatat, struct stat)
FXSTATAT(__fxstatat64, fstatat64, struct stat64)

EXPORT int statx(int dir, const char *path, int flags, unsigned mask,
		 struct statx *st)
{
	int64_t size;
	int rc;

	NEXT(statx);
	rc = next(dir, path, flags, mask, st);
	if (rc || !may_be(st->stx_mode, (int64_t)st->stx_size))
		return rc;
	size = whole(dir, path, flags);
	if (size >= 0) {
		st->stx_size = (uint64_t)size;
		st->stx_blocks = ((uint64_t)size + 511) / 512;
	}
	return rc;
}

/* Copies in the kernel, which would copy the index */

EXPORT ssize_t copy_file_range(int in, off_t *in_at, int out, off_t *out_at,
			       size_t n, unsigned flags)
{
	NEXT(copy_file_range);
	if (!slu_descriptor_is_segmented(in))
		return next(in, in_at, out, out_at, n, flags);
	errno = EXDEV;
	return -1;
}

#define SENDFILE(name)                                             \
	EXPORT ssize_t name(int out, int in, off_t *at, size_t n); \
	ssize_t name(int out, int in, off_t *at, size_t n)         \
	{                                                          \
		NEXT(name);                                        \
		if (!slu_descriptor_is_segmented(in))              \
			return next(out, in, at, n);               \
		errno = EINVAL;                                    \
		return -1;                                         \
	}
SENDFILE(sendfile)
SENDFILE(sendfile64)

EXPORT ssize_t splice(int in, off_t *in_at, int out, off_t *out_at, size_t n,
		      unsigned flags)
{
	NEXT(splice);
	if (!slu_descriptor_is_segmented(in))
		return next(in, in_at, out, out_at, n, flags);
	errno = EINVAL;
	return -1;
}

/* FIONREAD: the bytes left to read. */
static int bytes_left(int fd, int *n)
{
	int64_t left = size_of(fd) - slu_real.lseek(fd, 0, SEEK_CUR);

	*n = left < 0 ? 0 : left < INT_MAX ? (int)left : INT_MAX;
	return 0;
}

/* The descriptor whose content would be cloned or compared: the argument of
 * FICLONE and FICLONERANGE, the file itself for FIDEDUPERANGE. */
static int cloned(int fd, unsigned long request, const void *arg)
{
	if (request == FICLONE)
		return (int)(intptr_t)arg;
	if (request == FICLONERANGE && arg)
		return (int)((const struct file_clone_range *)arg)->src_fd;
	return request == FIDEDUPERANGE ? fd : -1;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;

	NEXT(ioctl);
	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (request == FIONREAD && slu_descriptor_is_segmented(fd))
		return bytes_left(fd, arg);
	if (!slu_descriptor_is_segmented(cloned(fd, request, arg)))
		return next(fd, request, arg);
	errno = EXDEV;
	return -1;
}

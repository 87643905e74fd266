/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libsluice_segments.so: replaces the C library's calls that open and read
 * files (LD_PRELOAD), so that programs see a file in segments as one file. Only
 * calls through the C library are seen: not those of static programs, nor
 * io_uring and io_submit. Of the functions with a FILE, fopen, fdopen, freopen
 * and stdin are supported. Opening for writing fails with EROFS.
 */
#include "select_io/preload.h"
#include "select_io/segments/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void find_real(void)
{
	if (slu_real.pread)
		return;
	slu_real.openat = (int (*)(int, const char *, int, ...))(
		uintptr_t)dlsym(RTLD_NEXT, "openat");
	slu_real.close = (int (*)(int))(uintptr_t)dlsym(RTLD_NEXT, "close");
	slu_real.fcntl =
		(int (*)(int, int, ...))(uintptr_t)dlsym(RTLD_NEXT, "fcntl");
	slu_real.fstat = (int (*)(int, struct stat *))(uintptr_t)dlsym(
		RTLD_NEXT, "fstat");
	slu_real.lseek =
		(off_t(*)(int, off_t, int))(uintptr_t)dlsym(RTLD_NEXT, "lseek");
	slu_real.pread = (ssize_t(*)(int, void *, size_t, off_t))(
		uintptr_t)dlsym(RTLD_NEXT, "pread");
}

/* Opening */

static bool is_index_at(int dir, const char *path)
{
	int keep = errno, fd;
	bool is;

	fd = slu_descriptor_probe(dir, path, 0);
	is = fd >= 0 && slu_descriptor_peek(fd) >= 0;
	if (fd >= 0)
		slu_real.close(fd);
	errno = keep;
	return is;
}

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	int fd, keep = errno;
	struct stat st;

	find_real();
	if ((flags & O_ACCMODE) != O_RDONLY || flags & O_TRUNC) {
		if (!(flags & O_EXCL) && !fstatat(dir, path, &st, 0) &&
		    S_ISREG(st.st_mode) && is_index_at(dir, path)) {
			errno = EROFS;
			return -1;
		}
		errno = keep;
		return slu_real.openat(dir, path, flags, mode);
	}
	fd = slu_real.openat(dir, path, flags, mode);
	if (fd < 0 || flags & (O_PATH | O_DIRECTORY))
		return fd;
	keep = errno;
	if (slu_descriptor_opened(fd) || slu_descriptor_ready(fd)) {
		keep = errno;
		close(fd);
		fd = -1;
	}
	errno = keep;
	return fd;
}

OPEN(open)
OPEN(open64)
OPEN(__open_2)
OPEN(__open64_2)
OPENAT(openat)
OPENAT(openat64)
OPENAT(__openat_2)
OPENAT(__openat64_2)

CREAT(creat)
CREAT(creat64)

/* Reading */

static ssize_t read_on(struct slu_descriptor *j, int fd, void *buf, size_t n)
{
	off_t at;
	ssize_t want = slu_descriptor_advance(j, fd, n, &at);
	ssize_t got =
		want > 0 ? slu_descriptor_read(j, buf, (size_t)want, at) : want;

	if (got < want) { /* end of file or error */
		int keep = errno;

		slu_real.lseek(fd, at + (got > 0 ? got : 0), SEEK_SET);
		errno = keep;
	}
	slu_descriptor_put(j);
	return got;
}

EXPORT ssize_t read(int fd, void *buf, size_t n)
{
	struct slu_descriptor *j = slu_descriptor_get(fd);

	NEXT(read);
	return j ? read_on(j, fd, buf, n) : next(fd, buf, n);
}

EXPORT ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	if (n > room)
		abort();
	return read(fd, buf, n);
}

#define PREAD(name)                                                 \
	EXPORT ssize_t name(int fd, void *buf, size_t n, off_t at); \
	ssize_t name(int fd, void *buf, size_t n, off_t at)         \
	{                                                           \
		struct slu_descriptor *j = slu_descriptor_get(fd);  \
		ssize_t got;                                        \
                                                                    \
		find_real();                                        \
		if (!j)                                             \
			return slu_real.pread(fd, buf, n, at);      \
		got = slu_descriptor_read(j, buf, n, at);           \
		slu_descriptor_put(j);                              \
		return got;                                         \
	}
PREAD(pread)
PREAD(pread64)

#define PREAD_CHK(name)                                                  \
	EXPORT ssize_t name(int fd, void *buf, size_t n, off_t at,       \
			    size_t room);                                \
	ssize_t name(int fd, void *buf, size_t n, off_t at, size_t room) \
	{                                                                \
		if (n > room)                                            \
			abort();                                         \
		return pread(fd, buf, n, at);                            \
	}
PREAD_CHK(__pread_chk)
PREAD_CHK(__pread64_chk)

/* at -1: from the descriptor's offset, which advances. */
static ssize_t read_vector(int fd, const struct iovec *v, int n, off_t at)
{
	ssize_t all = 0, got;

	if (at < -1 || n < 0) {
		errno = EINVAL;
		return -1;
	}
	for (int i = 0; i < n; i++) {
		got = at < 0 ? read(fd, v[i].iov_base, v[i].iov_len)
			     : pread(fd, v[i].iov_base, v[i].iov_len, at + all);
		if (got < 0)
			return all ? all : -1;
		all += got;
		if ((size_t)got < v[i].iov_len)
			break;
	}
	return all;
}

EXPORT ssize_t readv(int fd, const struct iovec *v, int n)
{
	NEXT(readv);
	return slu_descriptor_is_segmented(fd) ? read_vector(fd, v, n, -1)
					       : next(fd, v, n);
}

#define PREADV(name)                                                        \
	EXPORT ssize_t name(int fd, const struct iovec *v, int n, off_t at) \
	{                                                                   \
		NEXT(name);                                                 \
		return slu_descriptor_is_segmented(fd)                      \
			       ? read_vector(fd, v, n, at < 0 ? -2 : at)    \
			       : next(fd, v, n, at);                        \
	}
PREADV(preadv)
PREADV(preadv64)

/* Offset -1: the descriptor's own. */
#define PREADV2(name)                                                       \
	EXPORT ssize_t name(int fd, const struct iovec *v, int n, off_t at, \
			    int flags)                                      \
	{                                                                   \
		NEXT(name);                                                 \
		return slu_descriptor_is_segmented(fd)                      \
			       ? read_vector(fd, v, n, at)                  \
			       : next(fd, v, n, at, flags);                 \
	}
PREADV2(preadv2)
PREADV2(preadv64v2)

static off_t seek(struct slu_descriptor *j, int fd, off_t at, int whence)
{
	off_t end = (off_t)slu_descriptor_segments(j)->size;

	slu_descriptor_put(j);
	if (whence == SEEK_END) {
		if (__builtin_add_overflow(end, at, &at)) {
			errno = EOVERFLOW;
			return -1;
		}
		return slu_real.lseek(fd, at, SEEK_SET);
	}
	if (whence == SEEK_DATA || whence == SEEK_HOLE) {
		if (at < 0 || at >= end) {
			errno = ENXIO;
			return -1;
		}
		return slu_real.lseek(fd, whence == SEEK_DATA ? at : end,
				      SEEK_SET);
	}
	return slu_real.lseek(fd, at, whence);
}

#define LSEEK(name)                                                \
	EXPORT off_t name(int fd, off_t at, int whence)            \
	{                                                          \
		struct slu_descriptor *j = slu_descriptor_get(fd); \
                                                                   \
		find_real();                                       \
		return j ? seek(j, fd, at, whence)                 \
			 : slu_real.lseek(fd, at, whence);         \
	}
LSEEK(lseek)
LSEEK(lseek64)

/* Descriptors */

EXPORT int close(int fd)
{
	find_real();
	slu_descriptor_drop(fd);
	return slu_real.close(fd);
}

EXPORT int dup(int fd)
{
	NEXT(dup);
	return slu_descriptor_dup(fd, next(fd));
}

EXPORT int dup2(int fd, int to)
{
	NEXT(dup2);
	return slu_descriptor_dup(fd, next(fd, to));
}

EXPORT int dup3(int fd, int to, int flags)
{
	NEXT(dup3);
	return slu_descriptor_dup(fd, next(fd, to, flags));
}

#define FCNTL(name)                                           \
	EXPORT int name(int fd, int cmd, ...)                 \
	{                                                     \
		va_list ap;                                   \
		void *arg;                                    \
		int got;                                      \
                                                              \
		NEXT(name);                                   \
		va_start(ap, cmd);                            \
		arg = va_arg(ap, void *);                     \
		va_end(ap);                                   \
		got = next(fd, cmd, arg);                     \
		if (cmd == F_DUPFD || cmd == F_DUPFD_CLOEXEC) \
			got = slu_descriptor_dup(fd, got);    \
		return got;                                   \
	}
FCNTL(fcntl)
FCNTL(fcntl64)

/* FILEs: the C library reads them without calling our wrappers. */

static ssize_t cookie_read(void *cookie, char *buf, size_t n)
{
	return read((int)(intptr_t)cookie, buf, n);
}

static int cookie_seek(void *cookie, off64_t *at, int whence)
{
	off_t got = lseek((int)(intptr_t)cookie, *at, whence);

	*at = got;
	return got < 0 ? -1 : 0;
}

static int cookie_close(void *cookie)
{
	return close((int)(intptr_t)cookie);
}

static FILE *stream(int fd)
{
	static const cookie_io_functions_t calls = {cookie_read, NULL,
						    cookie_seek, cookie_close};

	FILE *f = fopencookie((void *)(intptr_t)fd, "r", calls);

	if (f) /* for fileno(): the stream has no descriptor */
		f->_fileno = fd;
	return f;
}

static FILE *open_file(const char *path, const char *mode)
{
	FILE *f;
	int fd;

	if (mode[0] != 'r' || strchr(mode, '+')) {
		errno = EROFS;
		return NULL;
	}
	fd = open_at(AT_FDCWD, path,
		     strchr(mode, 'e') ? O_RDONLY | O_CLOEXEC : O_RDONLY, 0);
	if (fd < 0)
		return NULL;
	f = stream(fd);
	if (!f)
		close(fd);
	return f;
}

static bool is_index(const char *path)
{
	int keep = errno;
	struct stat st;
	bool is;

	find_real();
	is = !fstatat(AT_FDCWD, path, &st, 0) && S_ISREG(st.st_mode) &&
	     is_index_at(AT_FDCWD, path);
	errno = keep;
	return is;
}

/* Refused, since parts could then neither be found nor removed. */
#define TRUNCATE(name)                                \
	EXPORT int name(const char *path, off_t size) \
	{                                             \
		NEXT(name);                           \
		if (!is_index(path))                  \
			return next(path, size);      \
		errno = EROFS;                        \
		return -1;                            \
	}
TRUNCATE(truncate)
TRUNCATE(truncate64)

#define FOPEN(name)                                           \
	EXPORT FILE *name(const char *path, const char *mode) \
	{                                                     \
		NEXT(name);                                   \
		return is_index(path) ? open_file(path, mode) \
				      : next(path, mode);     \
	}
FOPEN(fopen)
FOPEN(fopen64)

/* A stream cannot be replaced by another one, except stdin, which is a
 * variable, and for which programs ignore the result. Others are refused. */
static FILE *reopen(const char *path, const char *mode, FILE *f)
{
	int fd, old = fileno(f);

	if (f != stdin || mode[0] != 'r' || strchr(mode, '+')) {
		fclose(f);
		errno = f == stdin ? EROFS : ENOTSUP;
		return NULL;
	}
	fd = open_at(AT_FDCWD, path, O_RDONLY, 0);
	if (fd >= 0 && old >= 0 && fd != old) {
		int to = dup2(fd, old);

		close(fd);
		fd = to;
	}
	f = fd < 0 ? NULL : stream(fd);
	if (f)
		stdin = f;
	else if (fd >= 0)
		close(fd);
	else
		fclose(stdin);
	return f;
}

#define FREOPEN(name)                                                  \
	EXPORT FILE *name(const char *path, const char *mode, FILE *f) \
	{                                                              \
		NEXT(name);                                            \
		return path && is_index(path) ? reopen(path, mode, f)  \
					      : next(path, mode, f);   \
	}
FREOPEN(freopen)
FREOPEN(freopen64)

EXPORT FILE *fdopen(int fd, const char *mode)
{
	NEXT(fdopen);
	return slu_descriptor_is_segmented(fd) ? stream(fd) : next(fd, mode);
}

/* Descriptors inherited over exec: "program <file". They are accepted even if
 * the parts cannot be opened now. */
static void adopt_inherited(int fd)
{
	int flags = slu_real.fcntl(fd, F_GETFL);
	struct stat st;

	if (flags >= 0 && (flags & (O_ACCMODE | O_PATH)) == O_RDONLY &&
	    !slu_real.fstat(fd, &st) && S_ISREG(st.st_mode))
		slu_descriptor_opened(fd);
}

__attribute__((constructor)) static void adopt_all(void)
{
	struct dirent *e;
	DIR *d;

	find_real();
	d = opendir("/proc/self/fd");
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
			adopt_inherited(atoi(e->d_name));
	if (d)
		closedir(d);
	else /* no descriptor is free: a low limit, or inherited ones */
		for (int fd = 0; fd < sysconf(_SC_OPEN_MAX) && fd < 1024; fd++)
			adopt_inherited(fd);
	if (slu_descriptor_is_segmented(0))
		stdin = stream(0);
}

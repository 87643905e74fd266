/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes whole files. A written file is complete or absent: the new
 * content is written under another name, with its final mode, and renamed. Mode
 * arguments are exact, whatever the umask.
 */
#include "config.h"
#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static enum slu_kind kind_of_errno(void)
{
	switch (errno) {
	case ENOENT:
	case ENOTDIR:
		return SLU_NOTFOUND;
	case EACCES:
	case EPERM:
		return SLU_DENIED;
	default:
		return SLU_IO;
	}
}

static int read_all(int fd, size_t max, struct slu_buf *buf, const char *path,
		    struct slu_err *err)
{
	char chunk[16384];
	ssize_t n;

	do {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return slu_errno(err, kind_of_errno(), "read %s", path);
		if ((size_t)n > max - buf->len)
			return slu_err(err, SLU_NOMEM,
				       "%s is longer than %zu bytes", path,
				       max);
		slu_buf_add(buf, chunk, (size_t)n);
	} while (n != 0);
	if (buf->failed)
		return slu_err(err, SLU_NOMEM, "no memory to read %s", path);
	return 0;
}

int slu_fd_read(int fd, const char *path, size_t max, struct slu_buf *out,
		struct slu_err *err)
{
	struct slu_buf buf = {.max = max};

	if (read_all(fd, max, &buf, path, err) < 0) {
		slu_buf_free(&buf);
		return -1;
	}
	buf.max = out->max;
	slu_buf_free(out);
	*out = buf;
	return 0;
}

int slu_file_read(int dirfd, const char *path, size_t max, struct slu_buf *out,
		  struct slu_err *err)
{
	struct stat st;
	int ret = -1;
	/* O_NONBLOCK: opening a FIFO must not wait for its writer */
	int fd = openat(dirfd, path,
			O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return slu_errno(err, kind_of_errno(), "open %s", path);
	if (fstat(fd, &st) < 0)
		slu_errno(err, SLU_IO, "stat %s", path);
	else if (!S_ISREG(st.st_mode))
		slu_err(err, SLU_INVALID, "%s is not a regular file", path);
	else
		ret = slu_fd_read(fd, path, max, out, err);
	close(fd);
	return ret;
}

int slu_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len > 0) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

ssize_t slu_read_up_to(int fd, void *data, size_t len, off_t offset)
{
	char *p = data;
	size_t done = 0;

	while (done < len) {
		ssize_t n = offset < 0 ? read(fd, p + done, len - done)
				       : pread(fd, p + done, len - done,
					       offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Creates a file beside path under an unused name; *temp is that name. */
static int create_beside(int dirfd, const char *path, char **temp)
{
	for (int tries = 0; tries < 100; tries++) {
		unsigned number;
		int fd;

		if (getrandom(&number, sizeof(number), 0) != sizeof(number))
			return -1;
		*temp = slu_asprintf("%s.%08x", path, number);
		if (!*temp)
			return -1;
		fd = openat(dirfd, *temp,
			    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0)
			return fd;
		free(*temp);
		*temp = NULL;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

size_t slu_file_leftover_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	if (!dot || strlen(dot) != 9 ||
	    strspn(dot + 1, "0123456789abcdef") != 8)
		return 0;
	return (size_t)(dot - name);
}

static int sync_parent(int dirfd, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir =
		slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = dir ? openat(dirfd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
		     : -1;
	int ret = fd < 0 ? -1 : fsync(fd);

	if (fd >= 0)
		close(fd);
	free(dir);
	return ret;
}

static int fill(int fd, const void *data, size_t len, mode_t mode, bool sync)
{
	if (slu_write_all(fd, data, len) < 0 || fchmod(fd, mode) < 0)
		return -1;
	return sync ? fsync(fd) : 0;
}

/* Exchanges the two and removes the old one, if there is one and the file
 * system can do that; else renames over it. */
static int swap(int dirfd, const char *temp, const char *path)
{
	if (renameat2(dirfd, temp, dirfd, path, RENAME_EXCHANGE) < 0)
		return renameat(dirfd, temp, dirfd, path);
	if (unlinkat(dirfd, temp, 0) == 0)
		return 0;
	/* A directory: no file may take its place. */
	renameat2(dirfd, temp, dirfd, path, RENAME_EXCHANGE);
	errno = EISDIR;
	return -1;
}

int slu_file_swap(int dirfd, const char *path, const void *data, size_t len,
		  mode_t mode, struct slu_err *err)
{
	char *temp = NULL;
	int fd = create_beside(dirfd, path, &temp), ret = 0;

	if (fd < 0)
		return slu_errno(err, kind_of_errno(), "create %s", path);
	if (fill(fd, data, len, mode, false) < 0 ||
	    swap(dirfd, temp, path) < 0) {
		ret = slu_errno(err, kind_of_errno(), "write %s", path);
		unlinkat(dirfd, temp, 0);
	}
	close(fd);
	free(temp);
	return ret;
}

int slu_file_write(int dirfd, const char *path, const void *data, size_t len,
		   mode_t mode, bool sync, struct slu_err *err)
{
	char *temp = NULL;
	int fd = create_beside(dirfd, path, &temp), ret = -1;

	if (fd < 0)
		return slu_errno(err, kind_of_errno(), "create %s", path);
	if (fill(fd, data, len, mode, sync) < 0 ||
	    renameat(dirfd, temp, dirfd, path) < 0) {
		slu_errno(err, kind_of_errno(), "write %s", path);
		unlinkat(dirfd, temp, 0);
		goto out;
	}
	if (sync && sync_parent(dirfd, path) < 0) {
		slu_errno(err, SLU_IO, "sync the directory of %s", path);
		goto out;
	}
	ret = 0;
out:
	close(fd);
	free(temp);
	return ret;
}

static int make_directory(const char *path, mode_t mode)
{
	if (mkdir(path, mode) < 0)
		return errno == EEXIST ? 0 : -1;
	return chmod(path, mode);
}

int slu_mkdirs(const char *path, mode_t mode, struct slu_err *err)
{
	char *copy = strdup(path);
	struct stat st;
	int ret = copy ? 0 : -1;

	for (char *p = copy; ret == 0 && *p && (p = strchr(p + 1, '/'));) {
		*p = '\0';
		ret = make_directory(copy, mode);
		*p = '/';
	}
	if (ret == 0)
		ret = make_directory(path, mode);
	if (ret == 0)
		ret = stat(path, &st);
	if (ret < 0)
		slu_errno(err, kind_of_errno(), "cannot make %s", path);
	else if (!S_ISDIR(st.st_mode))
		ret = slu_err(err, SLU_NOTFOUND, "%s is not a directory", path);
	free(copy);
	return ret;
}

rlim_t slu_most_files(void)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

void slu_close_from(int from)
{
	struct rlimit limit = {.rlim_cur = 1024};

	if (close_range((unsigned)from, ~0u, 0) == 0)
		return;
	getrlimit(RLIMIT_NOFILE, &limit);
	for (int fd = from; (rlim_t)fd < limit.rlim_cur && fd < 1 << 20; fd++)
		close(fd);
}

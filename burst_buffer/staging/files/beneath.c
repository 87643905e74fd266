/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens paths with openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS), in pieces if
 * a path is longer than the kernel accepts; creates files without writing to a
 * link, a pipe or a file with other names.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "burst_buffer/staging/files/beneath.h"
#include "common/str.h"

static int open_piece(int dir, const char *path, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS,
	};
	int fd, tries = 100;

	/* EBADF: the directory is not the kernel's, but in a file system that
	 * is reached by interposition, and that has no links. EAGAIN: a rename
	 * on the way made the kernel unsure; EINTR: a slow file system and a
	 * signal. */
	do
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	while (fd < 0 && (errno == EINTR || (errno == EAGAIN && --tries)));
	if (fd < 0 && errno == EBADF)
		fd = openat(dir, path,
			    (flags & ~O_PATH) | O_NOFOLLOW | O_CLOEXEC, mode);
	return fd;
}

/* The longest run of whole components that fits into PATH_MAX. */
static size_t piece_length(const char *path)
{
	size_t n = strlen(path);

	if (n < PATH_MAX)
		return n;
	for (n = PATH_MAX - 1; n > 0 && path[n] != '/'; n--)
		;
	return n;
}

bool slu_plain_path(const char *path)
{
	for (;;) {
		size_t n = strcspn(path, "/");

		if (!n || (n == 1 && path[0] == '.') ||
		    (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		if (!path[n])
			return true;
		path += n + 1;
	}
}

int slu_open_beneath(int root, const char *path, int flags, mode_t mode)
{
	char piece[PATH_MAX];
	int dir = root, fd;

	if (!*path)
		path = ".";
	for (;;) {
		size_t n = piece_length(path);
		bool last = !path[n];

		if (!n) {
			errno = ENAMETOOLONG;
			fd = -1;
		} else {
			memcpy(piece, path, n);
			piece[n] = '\0';
			fd = open_piece(dir, piece,
					last ? flags : O_PATH | O_DIRECTORY,
					mode);
		}
		if (dir != root)
			close(dir);
		if (fd < 0 || last)
			return fd;
		dir = fd;
		path += n + 1;
	}
}

int slu_open_parent(int root, const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char dir[SHRT_MAX * 2 + 2];
	size_t n = slash ? (size_t)(slash - path) : 0;

	if (n >= sizeof(dir)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(dir, path, n);
	dir[n] = '\0';
	*name = slash ? slash + 1 : *path ? path : ".";
	return slu_open_beneath(root, dir, O_PATH | O_DIRECTORY, 0);
}

void slu_parent_cache_free(struct slu_parent_cache *near)
{
	if (near->fd >= 0)
		close(near->fd);
	near->fd = -1;
	slu_buf_free(&near->dir);
}

int slu_parent_cache_open(struct slu_parent_cache *near, const char *path,
			  const char **name)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	*name = slash ? slash + 1 : *path ? path : ".";
	if (!slash)
		return near->root;
	if (near->fd >= 0 && near->dir.len == n &&
	    !memcmp(near->dir.data, path, n))
		return near->fd;
	if (near->fd >= 0)
		close(near->fd);
	near->fd = -1;
	slu_buf_reset(&near->dir);
	slu_buf_add(&near->dir, path, n);
	if (near->dir.failed) {
		errno = ENOMEM;
		return -1;
	}
	near->fd = slu_open_beneath(near->root, near->dir.data,
				    O_PATH | O_DIRECTORY, 0);
	return near->fd;
}

bool slu_same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Empties an opened file. Not by O_TRUNC, as its type has to be checked first,
 * and a file with other hard links must not be changed. The mode is narrowed
 * before new content is written, so that no other user can read it. */
static int empty(int fd, mode_t mode, const struct stat *source)
{
	struct stat st;
	int why = 0;

	if (fstat(fd, &st))
		why = errno;
	else if (slu_same_inode(&st, source))
		why = SLU_SAME_FILE;
	else if (st.st_nlink > 1 || S_ISFIFO(st.st_mode))
		why = EACCES;
	else if (st.st_mode & 0777 & ~mode && fchmod(fd, mode))
		why = EACCES;
	else if (st.st_size && ftruncate(fd, 0))
		why = errno;
	if (!why)
		return fd;
	close(fd);
	errno = why;
	return -1;
}

static int replace(int dir, const char *name, int flags, mode_t mode,
		   const struct stat *source)
{
	struct stat st;

	if (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	    slu_same_inode(&st, source)) {
		errno = SLU_SAME_FILE;
		return -1;
	}
	return unlinkat(dir, name, 0) && errno != ENOENT
		       ? -1
		       : slu_open_beneath(dir, name, flags | O_EXCL, mode);
}

int slu_create_beneath(int root, const char *path, mode_t mode,
		       const struct stat *source)
{
	const int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
	int fd = slu_open_beneath(root, path, flags, mode);
	const char *name;
	int dir;

	if (fd >= 0)
		fd = empty(fd, mode, source);
	if (fd >= 0)
		return fd;
	if (errno != EACCES && errno != ELOOP && errno != ETXTBSY &&
	    errno != ENXIO) /* a pipe without a reader, or a socket */
		return -1;
	dir = slu_open_parent(root, path, &name);
	if (dir < 0)
		return -1;
	fd = replace(dir, name, flags, mode, source);
	close(dir);
	return fd;
}

int slu_say_inodes(int dir, int why, struct slu_err *err)
{
	struct statvfs st;

	if (why != ENOSPC || fstatvfs(dir, &st) || !st.f_files || st.f_favail ||
	    !st.f_bavail)
		return -1;
	return slu_err(err, err->kind, "%s for more files (inodes)", err->text);
}

const char *slu_path_text(const char *path, char out[SLU_PATH_TEXT])
{
	size_t len = strlen(path), keep = SLU_PATH_TEXT - 8;

	if (len > keep)
		snprintf(out, SLU_PATH_TEXT, "...%s", path + len - keep);
	else
		snprintf(out, SLU_PATH_TEXT, "%s", path);
	return slu_printable(out);
}

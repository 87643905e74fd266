/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether a file is below one of the directories of SLUICE_PLACE, by
 * whatever path: compares devices and inodes of its parent directories. A
 * directory of SLUICE_PLACE that does not exist yet is looked up at each call.
 */
#include "config.h"
#include "select_io/client/placed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOTS 16

static char root[ROOTS][PATH_MAX]; /* as named, without a '/' at the end */
static size_t roots;

static bool is_named(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (!path[len] || path[len] == '/');
}

/* The directory in which the file will be. Threads may have small stacks, so
 * the buffer is only as long as the path. */
static int open_parent(int dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) + 1 : 0;

	if (len >= PATH_MAX)
		return -1;
	char above[len + 1];
	memcpy(above, path, len);
	above[len] = '\0';
	return slu_placed_real_open(dir, len ? above : ".",
				    O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
}

struct place {
	dev_t dev;
	ino_t ino;
};

/* Those of the directories that exist now; returns their number. */
static size_t look(struct place there[ROOTS])
{
	struct stat st;
	size_t n = 0;

	for (size_t i = 0; i < roots; i++)
		if (!stat(root[i], &st))
			there[n++] = (struct place){st.st_dev, st.st_ino};
	return n;
}

/* 1: it is one of them; 0: it may be below one; -1: it is on another device */
static int compare(const struct stat *st, const struct place *there, size_t n)
{
	int is = -1;

	for (size_t i = 0; i < n && is < 1; i++)
		if (there[i].dev == st->st_dev)
			is = there[i].ino == st->st_ino;
	return is;
}

/* Walks up from the open directory. */
static bool leads_below(int dir, const char *path)
{
	struct place there[ROOTS], last = {0};
	size_t n = look(there);
	int fd = n ? open_parent(dir, path) : -1, is = -1, up;
	struct stat st;

	while (fd >= 0 && !fstat(fd, &st) &&
	       (is = compare(&st, there, n)) == 0 &&
	       (st.st_dev != last.dev || st.st_ino != last.ino)) {
		last = (struct place){st.st_dev, st.st_ino};
		up = slu_placed_real_open(fd, "..",
					  O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
		close(fd);
		fd = up;
	}
	if (fd >= 0)
		close(fd);
	return is == 1;
}

bool slu_placed_is_below(int dir, const char *path)
{
	int keep = errno;
	bool is;

	if (!roots || !path)
		return false;
	if (*path == '/' && !strstr(path, "/../"))
		for (size_t i = 0; i < roots; i++)
			if (is_named(path, root[i]))
				return true;
	is = leads_below(dir, path);
	errno = keep;
	return is;
}

__attribute__((constructor)) static void begin(void)
{
	const char *list = getenv("SLUICE_PLACE");
	size_t len;

	for (; list && *list && roots < ROOTS;
	     list += list[len] ? len + 1 : len) {
		len = strcspn(list, ":");
		if (*list != '/' || len >= PATH_MAX)
			continue;
		memcpy(root[roots], list, len);
		for (size_t n = len; n > 1 && root[roots][n - 1] == '/'; n--)
			root[roots][n - 1] = '\0';
		roots++;
	}
}

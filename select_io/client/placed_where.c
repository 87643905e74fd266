/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directories of SLUICE_PLACE, and what lies below them, by whichever way
 * a path goes there. One that is not there yet is looked for at each call. */
#include "config.h"
#include "select_io/client/placed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOTS 16

static char root[ROOTS][PATH_MAX]; /* as they were named, without a '/' last */
static size_t roots;

static bool is_named(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (!path[len] || path[len] == '/');
}

/* The path of what is open there, without links. */
static bool name_of(int fd, char real[PATH_MAX])
{
	char link[32];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, PATH_MAX - 1);
	real[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The directory that the file is to be in. */
static int open_parent(int dir, const char *path)
{
	char above[PATH_MAX] = ".";
	const char *slash = strrchr(path, '/');

	if (slash)
		snprintf(above, sizeof(above), "%.*s", (int)(slash - path) + 1,
			 path);
	return slu_placed_real_open(dir, above,
				    O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
}

static bool is_root(int parent, const struct stat *there, const char *dir)
{
	char real[PATH_MAX], ours[PATH_MAX];
	struct stat st;
	bool is = false;
	int fd;

	if (stat(dir, &st) || st.st_dev != there->st_dev ||
	    !name_of(parent, real))
		return false;
	fd = slu_placed_real_open(AT_FDCWD, dir, O_PATH | O_CLOEXEC, 0);
	if (fd < 0)
		return false;
	is = name_of(fd, ours) && is_named(real, ours);
	close(fd);
	return is;
}

static bool leads_below(int dir, const char *path)
{
	int parent = open_parent(dir, path);
	struct stat there;
	bool is = false;

	if (parent < 0)
		return false;
	if (!fstat(parent, &there))
		for (size_t i = 0; i < roots && !is; i++)
			is = is_root(parent, &there, root[i]);
	close(parent);
	return is;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds colliding paths by trying the other separator at each ':' and '/' of a
 * path, as deep as the parts before it are directories. */
#include "burst_buffer/staging/walk/colliding_paths.h"
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "common/str.h"

#define SEPARATORS ":/"

/* Joins root/dir/path, without doubled slashes and "."; returns where its part
 * below root begins, or NULL: too long. */
static char *join(const char *root, const char *dir, const char *path,
		  char out[PATH_MAX])
{
	const char *below = slu_is_below(dir, root) ? dir + strlen(root) : "";
	const char *parts[] = {below, path};
	size_t len = (size_t)snprintf(out, PATH_MAX, "%s", root), begin = len;

	for (int i = 0; i < 2; i++)
		for (const char *p = parts[i]; *(p += strspn(p, "/"));) {
			size_t n = strcspn(p, "/");

			if (len + n + 2 > PATH_MAX)
				return NULL;
			if (n > 1 || *p != '.') {
				out[len++] = '/';
				memcpy(out + len, p, n);
				len += n;
				out[len] = '\0';
			}
			p += n;
		}
	return out[begin] ? out + begin + 1 : NULL;
}

static bool is(const char *path, mode_t kind)
{
	struct stat st;

	return !lstat(path, &st) && (st.st_mode & S_IFMT) == kind;
}

static bool names_directory(const char *path, const char *name)
{
	return *name && strcmp(name, ".") && strcmp(name, "..") &&
	       is(path, S_IFDIR);
}

/* Looks for collisions from the component `name` on. A separator in it either
 * separates, if what is before it is a directory, or belongs to the name. */
static bool find(char *path, char *name, const char *self)
{
	for (char *at = name; *(at += strcspn(at, SEPARATORS)); at++) {
		bool ends;

		*at = '\0';
		ends = names_directory(path, name);
		*at = '/';
		if (ends && find(path, at + 1, self))
			return true;
		*at = ':';
	}
	return strcmp(path, self) && is(path, S_IFREG);
}

bool slu_colliding_path(const char *root, const char *dir, const char *path,
			char self[PATH_MAX], char other[PATH_MAX])
{
	char *below = join(root, dir, path, self);

	if (!below)
		return false;
	memcpy(other, self, PATH_MAX);
	if (!find(other, other + (below - self), self))
		return false;
	memmove(other, other + (below - self), strlen(below) + 1);
	memmove(self, below, strlen(below) + 1);
	return true;
}

static bool begins_with(const char *dir, const char *name, size_t len)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = !strncmp(e->d_name, name, len) && e->d_name[len] == ':';
	if (d)
		closedir(d);
	return found;
}

bool slu_may_collide_outside(const char *root, const char *dir)
{
	char path[PATH_MAX], *name = join(root, dir, "", path);
	bool found = false;

	while (name && *name && !found) {
		size_t len = strcspn(name, "/");

		name[-1] = '\0';
		found = begins_with(path, name, len);
		name[-1] = '/';
		name += len + (name[len] == '/');
	}
	return found;
}

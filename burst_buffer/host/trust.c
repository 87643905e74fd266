/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks that only root can change what a path leads to: walks the path from
 * the root directory, each component after the ones before it are known to be
 * safe, so that the result stays true. The target of a link is walked from the
 * root directory, too.
 */
#include "config.h"
#include "burst_buffer/host/trust.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/str.h"

#define LINKS_MAX 40 /* as in the kernel */

enum { LINK = 1, MISSING };

static bool others_write(const struct stat *st)
{
	return st->st_mode & S_IWOTH || (st->st_mode & S_IWGRP && st->st_gid);
}

/* Checks one component. 0: safe; LINK: safe, a link; MISSING; -1: not safe. */
static int judge(const char *path, bool last, struct slu_err *err)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT ? MISSING
				       : slu_errno(err, SLU_IO, "%s", path);
	if (st.st_uid)
		return slu_err(err, SLU_DENIED, "%s does not belong to root",
			       path);
	if (S_ISLNK(st.st_mode))
		return LINK;
	if (!S_ISDIR(st.st_mode))
		return slu_err(err, SLU_DENIED, "%s is not a directory", path);
	if (others_write(&st) && (last || !(st.st_mode & S_ISVTX)))
		return slu_err(err, SLU_DENIED,
			       "users other than root can "
			       "write to %s",
			       path);
	return 0;
}

/* Replaces, in the path, the link at its first `len` bytes, whose name begins
 * at `name`, by its target. */
static int follow(char path[PATH_MAX], size_t name, size_t len,
		  struct slu_err *err)
{
	char target[PATH_MAX], link[PATH_MAX], to[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "%.*s", (int)len, path);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return slu_errno(err, SLU_IO, "%s", link);
	target[n] = '\0';
	if (snprintf(to, sizeof(to), "%.*s%s%s", *target == '/' ? 0 : (int)name,
		     path, target, path + len) >= (int)sizeof(to))
		return slu_err(err, SLU_INVALID, "%s: path too long", link);
	strcpy(path, to);
	return 0;
}

/* LINK: a link was replaced, start again. */
static int walk(char path[PATH_MAX], struct slu_err *err)
{
	char upto[PATH_MAX];
	size_t name = 1, len;
	int rc = judge("/", !path[strspn(path, "/")], err);

	while (!rc) {
		name += strspn(path + name, "/");
		len = name + strcspn(path + name, "/");
		if (len == name)
			return 0;
		snprintf(upto, sizeof(upto), "%.*s", (int)len, path);
		rc = judge(upto, !path[len + strspn(path + len, "/")], err);
		if (rc == LINK && follow(path, name, len, err))
			return -1;
		name = len;
	}
	return rc;
}

int slu_trust_dir(const char *path, struct slu_err *err)
{
	char at[PATH_MAX];
	int rc = LINK;

	if (*path != '/')
		return slu_err(err, SLU_INVALID, "%s is not an absolute path",
			       path);
	if (strlen(path) >= sizeof(at))
		return slu_err(err, SLU_INVALID, "path too long: %s", path);
	strcpy(at, path);
	for (int i = 0; rc == LINK && i < LINKS_MAX; i++)
		rc = walk(at, err);
	if (rc == LINK)
		return slu_err(err, SLU_DENIED, "%s: too many links", path);
	return rc < 0 ? -1 : 0;
}

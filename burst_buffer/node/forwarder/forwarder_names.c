/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps the file names that a forwarding daemon stores in DIR/PID/metadata over
 * its restarts, by a symbolic link from the next daemon's directory. */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "common/str.h"

#define NAMES "names"

static bool is_number(const char *name)
{
	return *name && name[strspn(name, "0123456789")] == '\0';
}

/* Removes a link that was made for an earlier daemon; notes the newest of the
 * directories that daemons have left. */
static int look_at(int dir, const char *name, char newest[NAME_MAX + 1],
		   struct timespec *when, struct slu_err *err)
{
	struct stat st;

	if (!is_number(name) || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (S_ISLNK(st.st_mode) && unlinkat(dir, name, 0) < 0)
		return slu_errno(err, SLU_IO, "removing %s", name);
	if (!S_ISDIR(st.st_mode) ||
	    (*newest && (st.st_mtim.tv_sec < when->tv_sec ||
			 (st.st_mtim.tv_sec == when->tv_sec &&
			  st.st_mtim.tv_nsec <= when->tv_nsec))))
		return 0;
	snprintf(newest, NAME_MAX + 1, "%s", name);
	*when = st.st_mtim;
	return 0;
}

static int look(int dir, char newest[NAME_MAX + 1], struct slu_err *err)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = copy < 0 ? NULL : fdopendir(copy);
	struct timespec when = {0};
	struct dirent *entry;
	int rc = 0;

	if (!list) {
		if (copy >= 0)
			close(copy);
		return slu_errno(err, SLU_IO, "reading it");
	}
	while (rc == 0 && (entry = readdir(list)))
		rc = look_at(dir, entry->d_name, newest, &when, err);
	closedir(list);
	return rc;
}

/* Makes DIR/names, if it is missing, and lets DIR/PID point to it. */
static int keep(int dir, pid_t pid, struct slu_err *err)
{
	char newest[NAME_MAX + 1] = "", link[32];
	struct stat st;

	if (look(dir, newest, err) < 0)
		return -1;
	if (fstatat(dir, NAMES, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT)
			return slu_errno(err, SLU_IO, NAMES);
		if (*newest ? renameat(dir, newest, dir, NAMES)
			    : mkdirat(dir, NAMES, 0700))
			return slu_errno(err, SLU_IO, NAMES);
	}
	snprintf(link, sizeof(link), "%d", (int)pid);
	if (symlinkat(NAMES, dir, link) < 0)
		return slu_errno(err, SLU_IO, "%s", link);
	return 0;
}

int slu_fwd_keep_names(const char *path, pid_t pid, struct slu_err *err)
{
	int dir, rc;

	if (slu_mkdirs(path, 0700, err) < 0)
		return -1;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	rc = keep(dir, pid, err);
	close(dir);
	return rc < 0 ? slu_err_prefix(err, "%s", path) : 0;
}

/* GekkoFS by default keeps no write-ahead log: its files exist and are
 * empty. */
bool slu_fwd_names_unsaved(const char *path)
{
	char *of_names = slu_asprintf("%s/" NAMES "/metadata/rocksdb", path);
	DIR *list = of_names ? opendir(of_names) : NULL;
	const struct dirent *entry;
	bool any = false, written = false;
	struct stat st;

	while (list && (entry = readdir(list))) {
		const char *end = strrchr(entry->d_name, '.');

		if (!end || strcmp(end, ".log") != 0 ||
		    fstatat(dirfd(list), entry->d_name, &st, 0) < 0)
			continue;
		any = true;
		written = written || st.st_size > 0;
	}
	if (list)
		closedir(list);
	free(of_names);
	return any && !written;
}

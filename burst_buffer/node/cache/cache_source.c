/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identifies a source for the stage cache by file system, inode, size, owner
 * and times. Device numbers of network file systems change with each mount, so
 * a file system is identified by its kind and by what is mounted. Entries are
 * only served to jobs of the same user, so a forged identity deceives no other
 * user.
 */
#include "config.h"
#include "burst_buffer/node/cache/cache_source.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "burst_buffer/staging/files/fresh.h"

/* Change times have a resolution (a second, on old file systems), and servers'
 * clocks differ slightly from ours. */
#define SETTLED 10 /* seconds */

/* The mount id in /proc/self/fdinfo; -1: not known. */
static int mount_of(int fd)
{
	char path[40], line[128];
	FILE *file;
	int id = -1;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && id < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "mnt_id: %d", &id) != 1)
			id = -1;
	if (file)
		fclose(file);
	return id;
}

/* File systems whose ctime does not have to change with the data: in memory,
 * where a mapping that was kept changes a file without a trace, and FUSE, whose
 * server may report anything, or never answer. */
static bool is_doubtful(const char *kind)
{
	return strcmp(kind, "tmpfs") == 0 || strcmp(kind, "ramfs") == 0 ||
	       strncmp(kind, "fuse", 4) == 0;
}

/* Parses a line of /proc/self/mountinfo (proc(5)): ID PARENT DEV ROOT POINT
 * OPTIONS [TAG...] - KIND SOURCE OPTIONS. NULL: it is of another mount. */
static char *fs_of(char *line, int id)
{
	char *dash = strstr(line, " - "), kind[64], root[4096], source[4096];
	int is;

	if (!dash || sscanf(line, "%d %*d %*s %4095s", &is, root) != 2 ||
	    is != id || sscanf(dash + 3, "%63s %4095s", kind, source) != 2 ||
	    is_doubtful(kind))
		return NULL;
	return slu_asprintf("%s %s %s", kind, source, root);
}

static char *find_fs(int id)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *fs = NULL;
	size_t size = 0;

	while (file && !fs && getline(&line, &size, file) > 0)
		fs = fs_of(line, id);
	free(line);
	if (file)
		fclose(file);
	return fs;
}

static const char *fs_name(struct slu_cache_mounts *m, int fd)
{
	int id = mount_of(fd);

	if (id < 0 || (m->fs && m->id == id))
		return id < 0 ? NULL : m->fs;
	free(m->fs);
	m->id = id;
	m->fs = find_fs(id);
	return m->fs;
}

void slu_cache_mounts_free(struct slu_cache_mounts *m)
{
	free(m->fs);
	*m = (struct slu_cache_mounts){0};
}

/* Adds the number of a disk's file system, as another one may be made on the
 * disk. */
static char *full_name(struct slu_cache_mounts *m, int fd,
		       const struct stat *st)
{
	const char *fs = fs_name(m, fd);
	struct statfs of;

	if (!fs || major(st->st_dev) == 0)
		return fs ? strdup(fs) : NULL;
	return fstatfs(fd, &of) ? NULL
				: slu_asprintf("%s %08x%08x", fs,
					       (unsigned)of.f_fsid.__val[0],
					       (unsigned)of.f_fsid.__val[1]);
}

/* The path of the source. NULL: it has none, or one that is too long. */
static char *path_of(int fd, const struct stat *st)
{
	char link[40], path[PATH_MAX + 1];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX);
	if (n <= 0 || n == PATH_MAX || path[0] != '/' || !st->st_nlink)
		return NULL;
	path[n] = '\0';
	return strdup(path);
}

static bool can_be_kept(int in, uint64_t offset, uint64_t length, dev_t own,
			int64_t now, struct stat *st)
{
	int flags = fcntl(in, F_GETFL);

	return flags >= 0 && !(flags & O_PATH) &&
	       (flags & O_ACCMODE) != O_WRONLY && !slu_fstat_fresh(in, st) &&
	       S_ISREG(st->st_mode) && length &&
	       length <= (uint64_t)st->st_size &&
	       offset <= (uint64_t)st->st_size - length && st->st_dev != own &&
	       st->st_ctim.tv_sec > 0 && st->st_ctim.tv_sec + SETTLED <= now;
}

bool slu_cache_source(struct slu_cache_mounts *mounts, int in, uint64_t offset,
		      uint64_t length, dev_t own, int64_t now,
		      struct slu_cache_record *out)
{
	struct stat st;

	/* nothing is asked of a doubtful file system: its server may never
	 * answer */
	if (!fs_name(mounts, in) ||
	    !can_be_kept(in, offset, length, own, now, &st))
		return false;
	*out = (struct slu_cache_record){
		.fs = full_name(mounts, in, &st),
		.path = path_of(in, &st),
		.inode = st.st_ino,
		.size = (uint64_t)st.st_size,
		.offset = offset,
		.length = length,
		.owner = st.st_uid,
		.mtime = st.st_mtim,
		.ctime = st.st_ctim,
	};
	if (out->fs && out->path)
		return true;
	slu_cache_record_free(out);
	return false;
}

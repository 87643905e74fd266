/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes a directory tree whose content may be hostile: no link is followed,
 * no mount point crossed, and no depth exhausts descriptors or stack. A
 * directory below DEPTH_MAX levels is moved up to the top under an unused name,
 * where a later pass removes it. What is left after the first pass may still
 * grow, by processes that have it open, also on other hosts: from then on other
 * users' access to directories is removed before they are read.
 */
#include "config.h"
#include "common/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH_MAX  32
#define PASSES_MAX 65536 /* then a tree that keeps growing stays */

struct removal {
	struct slu_buf path; /* of what is being removed, for the messages */
	int top;	     /* the directory where deep ones are moved to */
	unsigned moved;
	bool again;    /* this is not the first pass */
	bool progress; /* something was removed or moved in this pass */
	bool failed;   /* and err says why */
	struct slu_err *err;
};

/* Note the first failure only; its text names the path. */
static void fail(struct removal *rm, const char *name)
{
	if (rm->failed)
		return;
	rm->failed = true;
	if (errno == EXDEV)
		slu_err(rm->err, SLU_BUSY,
			"cannot remove %s/%s: it is a mount point",
			rm->path.data, name);
	else
		slu_errno(rm->err, errno == EBUSY ? SLU_BUSY : SLU_IO,
			  "cannot remove %s/%s", rm->path.data, name);
}

/* Open a directory that is really below parent, in the same mount. */
static int open_inside(int parent, const char *name)
{
	struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS,
	};

	return (int)syscall(SYS_openat2, parent, name, &how, sizeof(how));
}

/* Not every file system supports the flag; names on those above are root's. */
static int rename_to_new(int from, const char *name, int to, const char *fresh)
{
	struct stat st;
	int ret = renameat2(from, name, to, fresh, RENAME_NOREPLACE);

	if (ret == 0 || errno != EINVAL)
		return ret;
	if (fstatat(to, fresh, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		errno = EEXIST;
		return -1;
	}
	return errno == ENOENT ? renameat(from, name, to, fresh) : -1;
}

/* Too deep: moves a directory up to the top, under an unused name. */
static int move_up(struct removal *rm, int parent, const char *name)
{
	char fresh[32];
	int ret;

	do {
		snprintf(fresh, sizeof(fresh), ".removed.%u", rm->moved++);
		ret = rename_to_new(parent, name, rm->top, fresh);
	} while (ret < 0 && errno == EEXIST);
	return ret;
}

static void remove_directory(struct removal *rm, int parent, const char *name,
			     int depth);

static void remove_entry(struct removal *rm, int parent, const char *name,
			 int depth)
{
	if (unlinkat(parent, name, 0) == 0)
		rm->progress = true;
	else if (errno == EISDIR && depth < DEPTH_MAX)
		remove_directory(rm, parent, name, depth + 1);
	else if (errno == EISDIR && move_up(rm, parent, name) == 0)
		rm->progress = true;
	else if (errno != ENOENT)
		fail(rm, name);
}

static void remove_content(struct removal *rm, DIR *dir, const char *name,
			   int depth)
{
	size_t len = rm->path.len;
	struct dirent *entry;

	slu_buf_printf(&rm->path, "/%s", name);
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			remove_entry(rm, dirfd(dir), entry->d_name, depth);
	slu_buf_cut(&rm->path, len);
}

/* Takes the directory into our own possession, so that no other user has any
 * access to it. */
static void take(int dir)
{
	(void)!fchown(dir, geteuid(), getegid());
	(void)!fchmod(dir, 0700);
}

static void remove_directory(struct removal *rm, int parent, const char *name,
			     int depth)
{
	int fd = open_inside(parent, name);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir) {
		if (errno != ENOENT)
			fail(rm, name);
		if (fd >= 0)
			close(fd);
		return;
	}
	if (rm->again)
		take(fd);
	remove_content(rm, dir, name, depth);
	closedir(dir);
	if (unlinkat(parent, name, AT_REMOVEDIR) == 0)
		rm->progress = true;
	else if (errno != ENOTEMPTY && errno != ENOENT)
		fail(rm, name); /* not empty, by an error or a new entry */
}

/* Passes over the directory `name` until it is gone or nothing changes. */
static int remove_tree(struct removal *rm, int parent, const char *name)
{
	int ret = -1;

	rm->top = open_inside(parent, name);
	if (rm->top < 0) {
		fail(rm, name);
		return -1;
	}
	for (int i = 0; i < PASSES_MAX; i++) {
		rm->progress = false;
		remove_directory(rm, parent, name, 0);
		if (faccessat(parent, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
			ret = 0;
			break;
		}
		if (!rm->progress)
			break;
		rm->again = true;
	}
	if (ret < 0 && !rm->failed)
		slu_err(rm->err, SLU_BUSY, "cannot remove %s/%s: it grows",
			rm->path.data, name);
	close(rm->top);
	return ret;
}

static int remove_path(struct removal *rm, int parent, const char *name)
{
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno == EISDIR)
		return remove_tree(rm, parent, name);
	fail(rm, name);
	return -1;
}

int slu_rmtree(int dirfd, const char *path, struct slu_err *err)
{
	struct slu_err why = {.kind = SLU_NOMEM};
	struct removal rm = {.err = &why};
	int parent = -1, ret = -1;
	char *name = strdup(path), *slash;

	if (!name)
		return slu_err(err, SLU_NOMEM, "no memory to remove %s", path);
	for (size_t n = strlen(name); n > 1 && name[n - 1] == '/'; n--)
		name[n - 1] = '\0';
	slash = strrchr(name, '/');
	if (slash)
		slu_buf_add(&rm.path, name, (size_t)(slash - name));
	else
		slu_buf_puts(&rm.path, ".");
	if (rm.path.failed)
		goto out;
	const char *base = slash ? slash + 1 : name;

	if (!*base || !strcmp(base, ".") || !strcmp(base, "..")) {
		slu_err(&why, SLU_INVALID, "will not remove \"%s\"", path);
		goto out;
	}
	parent = openat(dirfd, slash == name ? "/" : rm.path.data,
			O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0)
		ret = remove_path(&rm, parent, base);
	else if (errno == ENOENT)
		ret = 0;
	else
		slu_errno(&why, SLU_IO, "open %s", rm.path.data);
out:
	if (ret < 0 && err)
		*err = why;
	if (parent >= 0)
		close(parent);
	slu_buf_free(&rm.path);
	free(name);
	return ret;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks only selected names of a source (selection.h), or a single file, with
 * the directories that lead there. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/files/fresh.h"
#include "burst_buffer/staging/walk/level.h"

/* Goes one directory further down on both sides, and makes it where it is
 * missing. The descriptors are replaced. `begun`: the last name led through it.
 */
static int descend(struct slu_level *lv, int fd[2], const char *name,
		   bool begun, struct slu_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int from = openat(fd[0], name, flags), to = -1, rc = 0;
	bool made;
	struct stat st;

	if (from < 0 || fstat(from, &st))
		rc = slu_walk_fail_src(lv, "open the directory", err);
	else if ((to = slu_walk_make_dir(lv, fd[1], name, &made, err)) < 0)
		rc = -1;
	else {
		made = slu_walk_open_up(lv->walk, to, &st) || made;
		slu_walk_show_early(lv, from, to, &st, made);
		if (made && !begun)
			rc = slu_walk_add(lv, 'd', &st, "", err) ||
			     slu_walk_add(lv, 'D', &st, "", err);
	}
	close(fd[0]);
	close(fd[1]);
	fd[0] = from;
	fd[1] = to;
	return rc ? -1 : 0;
}

static bool leads_through(const char *path, const struct slu_level *lv)
{
	return path && !strncmp(path, lv->path, lv->len) &&
	       path[lv->len] == '/';
}

/* `last` is the name before, in their order, or NULL. */
static int walk_name(struct slu_level *lv, const char *path, const char *last,
		     struct slu_err *err)
{
	int fd[2] = {fcntl(lv->walk->src, F_DUPFD_CLOEXEC, 0),
		     fcntl(lv->walk->dst, F_DUPFD_CLOEXEC, 0)};
	char name[NAME_MAX + 1];
	int rc = 0;

	while (!rc) {
		size_t n = strcspn(path, "/");

		if (n > NAME_MAX) {
			errno = ENAMETOOLONG;
			rc = slu_walk_fail_src(lv, "go below", err);
			break;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		rc = slu_walk_push(lv, name, err);
		if (rc || !path[n])
			break;
		rc = descend(lv, fd, name, leads_through(last, lv), err);
		path += n + 1;
	}
	if (!rc)
		rc = slu_walk_entry(lv, fd[0], fd[1], name, err);
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	slu_walk_cut(lv, 0);
	return rc;
}

int slu_walk_names(struct slu_walk *w, const struct slu_names *names,
		   struct slu_err *err)
{
	struct slu_level lv = {.walk = w};
	struct stat src;
	int rc;

	lv.path = calloc(1, SLU_STAGE_PATH_MAX + 2);
	if (!lv.path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (fstat(w->dst, &lv.dst_root) || fstat(w->src, &src))
		rc = slu_errno(err, SLU_IO,
			       "cannot look at source and destination");
	else if (slu_same_inode(&src, &lv.dst_root))
		rc = slu_err(err, SLU_INVALID,
			     "source and destination are the same directory");
	else
		rc = slu_manifest_begin(&w->manifest, err);
	for (size_t i = 0; !rc && i < names->n; i++)
		rc = walk_name(&lv, names->path[i],
			       i ? names->path[i - 1] : NULL, err);
	if (!rc)
		rc = slu_manifest_end(&w->manifest, err);
	free(lv.path);
	return rc;
}

int slu_walk_file(struct slu_walk *w, const char *name, const char *as,
		  struct slu_err *err)
{
	char none[] = "";
	struct slu_level lv = {.walk = w, .path = none};
	struct stat st, there;

	if (slu_stat_fresh(w->src, name, &st))
		return slu_walk_fail_src(&lv, "look at", err);
	if (!S_ISREG(st.st_mode))
		return slu_err(err, SLU_INVALID, "%s is not a regular file",
			       w->src_path);
	if (!fstatat(w->dst, as, &there, AT_SYMLINK_NOFOLLOW) &&
	    slu_same_inode(&st, &there))
		return slu_walk_same_file(&lv, err);
	if (slu_walk_check_kind(&lv, w->src, name, &st, err) ||
	    slu_manifest_begin(&w->manifest, err) ||
	    slu_walk_regular(&lv, w->src, name, w->dst, as, &st, err))
		return -1;
	return slu_manifest_end(&w->manifest, err);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks the source's tree, file by file. It goes down by descriptors on both
 * sides at once and opens every directory by one name without following a link,
 * so it cannot be led out of the two trees, whatever is renamed meanwhile.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/files/directory_batch.h"
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/files/temporary_file.h"
#include "burst_buffer/staging/files/fresh.h"
#include "burst_buffer/staging/walk/level.h"
#include "common/str.h"

#define LEVELS_MAX 4096 /* each takes 1 KB of the stack */

static void skip(struct slu_level *lv)
{
	if (!lv->walk->skipped++)
		slu_path_text(lv->path, lv->walk->first_skipped);
}

/* Takes over src. */
static int walk_dir(struct slu_level *lv, int src, int dst, bool made,
		    struct slu_err *err);

/* Owner rights until all is copied; the real mode comes with the D record. */
static int walk_subdir(struct slu_level *lv, int src, int dst, const char *name,
		       const struct stat *st, struct slu_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int from, to, rc;
	bool made;

	if (lv->depth == LEVELS_MAX)
		return slu_err(err, SLU_INVALID, "%s has more than %d levels",
			       lv->walk->src_path, LEVELS_MAX);
	from = openat(src, name, flags);
	if (from < 0)
		return slu_walk_fail_src(lv, "open the directory", err);
	to = slu_walk_make_dir(lv, dst, name, &made, err);
	if (to < 0) {
		close(from);
		return -1;
	}
	made = slu_walk_open_up(lv->walk, to, st) || made;
	lv->depth++;
	rc = walk_dir(lv, from, to, made, err);
	lv->depth--;
	close(to);
	return rc;
}

/* DHT marks a file that lies on another brick by an empty one, mode 1000. */
static bool only_brick(const struct slu_walk *w, const struct stat *st)
{
	return w->bricks && S_ISREG(st->st_mode) && st->st_size == 0 &&
	       (st->st_mode & 07777) == S_ISVTX;
}

/* Files that the kernel generates have no size to copy them by. */
int slu_walk_check_kind(struct slu_level *lv, int dir, const char *name,
			const struct stat *st, struct slu_err *err)
{
	char text[SLU_PATH_TEXT], under[SLU_PATH_TEXT];

	if (lv->walk->plain_source || lv->looked_at == st->st_dev)
		return 0;
	if (!slu_is_generated(dir, name)) {
		lv->looked_at = st->st_dev;
		return 0;
	}
	return slu_err(err, SLU_INVALID,
		       "%s%s%s cannot be staged: the kernel makes it when it "
		       "is read, as all in /proc and /sys; copy it in the job",
		       slu_path_text(lv->walk->src_path, under),
		       *lv->path ? "/" : "", slu_path_text(lv->path, text));
}

static int walk_looked(struct slu_level *lv, int src, int dst, const char *name,
		       const struct stat *st, struct slu_err *err)
{
	if (only_brick(lv->walk, st))
		return 0;
	if (lv->walk->beside && slu_temporary_file_is(name, lv->walk->beside)) {
		skip(lv);
		return 0;
	}
	if (slu_walk_check_kind(lv, src, name, st, err))
		return -1;
	switch (st->st_mode & S_IFMT) {
	case S_IFDIR:
		return walk_subdir(lv, src, dst, name, st, err);
	case S_IFREG:
		return slu_walk_regular(lv, src, name, dst, name, st, err);
	case S_IFLNK:
		return slu_walk_link(lv, src, dst, name, st, err);
	default:
		skip(lv);
		return 0;
	}
}

int slu_walk_entry(struct slu_level *lv, int src, int dst, const char *name,
		   struct slu_err *err)
{
	struct stat st;

	if (slu_stat_fresh(src, name, &st))
		return slu_walk_fail_src(lv, "look at", err);
	return walk_looked(lv, src, dst, name, &st, err);
}

static int walk_batch(struct slu_level *lv, const struct slu_directory_batch *b,
		      int dst, struct slu_err *err)
{
	size_t len = lv->len;
	int rc = 0;

	for (size_t i = 0; !rc && i < b->n; i++) {
		const struct slu_looked *e = &b->item[i];
		const char *name = b->names.data + e->at;

		rc = slu_walk_push(lv, name, err);
		errno = e->errno_of;
		if (!rc)
			rc = errno ? slu_walk_fail_src(lv, "look at", err)
				   : walk_looked(lv, b->src, dst, name, &e->st,
						 err);
		slu_walk_cut(lv, len);
	}
	return rc;
}

static int walk_list(struct slu_level *lv, DIR *dir, int src, int dst,
		     struct slu_err *err)
{
	struct slu_directory_batch *b = calloc(1, sizeof(*b));
	int rc;

	if (!b)
		return slu_err(err, SLU_NOMEM, "out of memory");
	b->src = src;
	do
		rc = slu_directory_batch_next(b, dir, lv->walk->one_thread)
			     ? slu_walk_fail_src(lv, "read the directory", err)
			     : walk_batch(lv, b, dst, err);
	while (!rc && b->n == SLU_BATCH);
	slu_buf_free(&b->names);
	free(b);
	return rc ? -1 : 0;
}

static int walk_dir(struct slu_level *lv, int src, int dst, bool made,
		    struct slu_err *err)
{
	struct stat st;
	DIR *dir = fdopendir(src);
	int rc;

	if (!dir || fstat(src, &st))
		rc = slu_walk_fail_src(lv, "read the directory", err);
	else if (slu_same_inode(&st, &lv->dst_root))
		rc = slu_err(err, SLU_INVALID,
			     "the destination lies inside the source");
	else {
		slu_walk_show_early(lv, src, dst, &st, made);
		if (lv->walk->beside)
			slu_temporary_file_remove_all(dst, lv->walk->beside);
		rc = slu_walk_add(lv, 'd', &st, "", err) ||
				     walk_list(lv, dir, src, dst, err)
			     ? -1
			     : 0;
		if (!rc && made)
			rc = slu_walk_add(lv, 'D', &st, "", err);
	}
	if (dir)
		closedir(dir);
	else
		close(src);
	return rc;
}

int slu_walk(struct slu_walk *w, struct slu_err *err)
{
	struct slu_level lv = {.walk = w};
	int rc = -1, src;
	struct stat st;

	lv.path = calloc(1, SLU_STAGE_PATH_MAX + 2);
	if (!lv.path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	src = openat(w->src, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (src < 0)
		slu_walk_fail_src(&lv, "open", err);
	else if (fstat(w->dst, &lv.dst_root)) {
		slu_walk_fail_dst(&lv, "look at", err);
		close(src);
	} else if (slu_manifest_begin(&w->manifest, err))
		close(src);
	else {
		if (w->made && !fstat(src, &st))
			(void)slu_walk_open_up(w, w->dst, &st);
		if (!walk_dir(&lv, src, w->dst, w->made, err))
			rc = slu_manifest_end(&w->manifest, err);
	}
	free(lv.path);
	return rc;
}

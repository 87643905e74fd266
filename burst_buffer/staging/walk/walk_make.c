/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates during the walk what the destination needs before COPY: symbolic
 * links, the empty files that several nodes will write, and directories with
 * the modes that they have until FINISH. Also makes the walk's error texts.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/staging/files/attrs.h"
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/files/temporary_file.h"
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/walk/level.h"
#include "burst_buffer/staging/walk/colliding_paths.h"

/* "cannot WHAT ROOT/PATH: ", and errno's text. */
static int fail(const struct slu_level *lv, const char *what, const char *root,
		struct slu_err *err)
{
	char text[SLU_PATH_TEXT], under[SLU_PATH_TEXT];

	return slu_errno(err, SLU_IO, "cannot %s %s%s%s", what,
			 slu_path_text(root, under),
			 *lv->path && strcmp(root, "/") ? "/" : "",
			 slu_path_text(lv->path, text));
}

int slu_walk_fail_src(const struct slu_level *lv, const char *what,
		      struct slu_err *err)
{
	return fail(lv, what, lv->walk->src_path, err);
}

int slu_walk_fail_dst(const struct slu_level *lv, const char *what,
		      struct slu_err *err)
{
	int why = errno;

	fail(lv, what, lv->walk->dst_path, err);
	return slu_say_inodes(lv->walk->dst, why, err);
}

static struct slu_entry entry_of(const struct slu_level *lv, char kind,
				 const struct stat *st, const char *link)
{
	bool is_dir = kind == 'd' || kind == 'D';

	return (struct slu_entry){
		.kind = kind,
		.mode = st->st_mode &
			(is_dir ? 0777 | S_ISVTX | S_ISGID : 0777),
		.size = kind == 'f' ? (uint64_t)st->st_size : 0,
		.mtime = st->st_mtim,
		.ctime = st->st_ctim,
		.path = lv->path,
		.link = link,
	};
}

int slu_walk_add(struct slu_level *lv, char kind, const struct stat *st,
		 const char *link, struct slu_err *err)
{
	const struct slu_entry e = entry_of(lv, kind, st, link);

	lv->walk->links += kind == 'l';
	if (kind == 'f' && lv->walk->known)
		slu_copied_see(lv->walk->known, lv->path);
	if (slu_manifest_add(&lv->walk->manifest, &e, err))
		return -1;
	if (lv->walk->progress && lv->walk->progress(lv->walk->arg, 0))
		return slu_err(err, SLU_BUSY, "stopped");
	return 0;
}

/* Adds "/name" to the path; slu_manifest_add refuses paths that are too long,
 * this only checks the array's bound. */
int slu_walk_push(struct slu_level *lv, const char *name, struct slu_err *err)
{
	size_t n = strlen(name);

	if (lv->len + n + 1 > SLU_STAGE_PATH_MAX) {
		errno = ENAMETOOLONG;
		return slu_walk_fail_src(lv, "go below", err);
	}
	if (lv->len)
		lv->path[lv->len++] = '/';
	memcpy(lv->path + lv->len, name, n + 1);
	lv->len += n;
	return 0;
}

void slu_walk_cut(struct slu_level *lv, size_t len)
{
	lv->len = len;
	lv->path[len] = '\0';
}

/* Removes what is at the destination's place and is no directory. */
static int make_room(int dst, const char *name)
{
	return unlinkat(dst, name, 0) && errno != ENOENT ? -1 : 0;
}

int slu_walk_link(struct slu_level *lv, int src, int dst, const char *name,
		  const struct stat *st, struct slu_err *err)
{
	char target[PATH_MAX + 1];
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, st->st_mtim};
	ssize_t n = readlinkat(src, name, target, PATH_MAX);

	if (n < 0)
		return slu_walk_fail_src(lv, "read the link", err);
	target[n] = '\0';
	if (make_room(dst, name) || symlinkat(target, dst, name))
		return slu_walk_fail_dst(lv, "make the link", err);
	/* Not every file system has times for links. */
	(void)utimensat(dst, name, times, AT_SYMLINK_NOFOLLOW);
	return slu_walk_add(lv, 'l', st, target, err);
}

int slu_walk_same_file(const struct slu_level *lv, struct slu_err *err)
{
	char text[SLU_PATH_TEXT], under[SLU_PATH_TEXT];

	return slu_err(err, SLU_INVALID,
		       "%s%s%s: source and destination are the same file",
		       slu_path_text(lv->walk->src_path, under),
		       *lv->path ? "/" : "", slu_path_text(lv->path, text));
}

static int make_file(struct slu_level *lv, int dst, const char *as, mode_t mode,
		     const struct stat *st, struct slu_err *err)
{
	struct slu_walk *w = lv->walk;
	bool in_place;
	int fd = slu_temporary_file_or_in_place(dst, as, w->beside, mode, st,
						&in_place),
	    why = errno;

	if (fd < 0 && why == SLU_SAME_FILE)
		return slu_walk_same_file(lv, err);
	if (fd < 0) {
		slu_walk_fail_dst(lv, "create", err);
		return slu_temporary_file_err(dst, as, w->beside, why, err);
	}
	close(fd);
	if (in_place && !w->in_place++)
		slu_path_text(*lv->path ? lv->path : as, w->first_in_place);
	return 0;
}

static int refuse_collision(const struct slu_level *lv, struct slu_err *err)
{
	const struct slu_walk *w = lv->walk;
	char self[PATH_MAX], other_path[PATH_MAX];
	char text[SLU_PATH_TEXT], other[SLU_PATH_TEXT];

	if (!w->collisions_below ||
	    (!w->check_all_paths && !strchr(lv->path, ':') &&
	     !strchr(w->src_path + strlen(w->collisions_below), ':')) ||
	    !slu_colliding_path(w->collisions_below, w->src_path, lv->path,
				self, other_path))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "%s and %s share their content, as this file system "
		       "takes a ':' in a name for a '/', and one of them is "
		       "lost: use other names, or another type=",
		       slu_path_text(self, text),
		       slu_path_text(other_path, other));
}

/* A file of several ranges has several writers: it is made here, empty. */
int slu_walk_regular(struct slu_level *lv, int src, const char *name, int dst,
		     const char *as, const struct stat *st, struct slu_err *err)
{
	const struct slu_entry e = entry_of(lv, 'f', st, "");
	const struct slu_walk *w = lv->walk;

	if (refuse_collision(lv, err))
		return -1;
	if (slu_share_ranges(e.size) == 1)
		return slu_walk_add(lv, 'f', st, "", err);
	if (w->quick && slu_copied_trusts(w->known, w->moved, lv->path, st) &&
	    slu_has_arrived(dst, as, &e, src, name)) {
		if (w->beside) /* a leftover would be continued */
			slu_temporary_file_remove(dst, as, w->beside);
	} else if (make_file(lv, dst, as,
			     slu_first_mode(src, name, e.mode, w->plain_source,
					    w->plain),
			     st, err))
		return -1;
	return slu_walk_add(lv, 'f', st, "", err);
}

static bool makes_way(const struct slu_walk *w, int dst, const char *name,
		      const char *path)
{
	return errno == ENOTDIR && w->known && slu_copied_has(w->known, path) &&
	       !unlinkat(dst, name, 0) &&
	       !mkdirat(dst, name, slu_walk_first_mode(w));
}

int slu_walk_make_dir(struct slu_level *lv, int dst, const char *name,
		      bool *made, struct slu_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct slu_walk *w = lv->walk;
	int to;

	*made = !mkdirat(dst, name, slu_walk_first_mode(w));
	if (!*made && errno != EEXIST)
		return slu_walk_fail_dst(lv, "make the directory", err);
	to = openat(dst, name, flags);
	if (to < 0 && makes_way(w, dst, name, lv->path)) {
		*made = true;
		to = openat(dst, name, flags);
	}
	if (to >= 0)
		return to;
	if (errno != ENOTDIR)
		return slu_walk_fail_dst(lv, "open", err);
	slu_walk_fail_dst(lv, "make the directory", err);
	return slu_err(err, SLU_IO, "%s: a file of that name is in its place",
		       err->text);
}

static bool in_work(const struct stat *dir)
{
	return dir->st_uid == geteuid() &&
	       (dir->st_mode & SLU_SHOWN ||
		(dir->st_mode & 07777 & ~(mode_t)S_ISGID) == SLU_IN_WORK);
}

bool slu_in_work(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && in_work(&st);
}

mode_t slu_walk_first_mode(const struct slu_walk *w)
{
	return w->plain ? 0700 : SLU_IN_WORK;
}

/* Does this directory get its mode and time like a new one? Yes if an earlier
 * staging did not finish it, or left it read-only like its source. Any other
 * directory that is read-only stays so. */
bool slu_walk_open_up(const struct slu_walk *w, int dir,
		      const struct stat *from)
{
	struct stat st;

	if (fstat(dir, &st) || st.st_uid != geteuid())
		return false;
	if ((st.st_mode & 0300) == 0300)
		return in_work(&st);
	return (in_work(&st) || !((st.st_mode ^ from->st_mode) & 0700)) &&
	       !fchmod(dir, slu_walk_first_mode(w) | (st.st_mode & S_ISGID));
}

/* Makes a new directory of an early copy accessible at once: an interrupted
 * early copy must not leave a directory that only its owner can enter. Its
 * files are hidden until they are complete. */
void slu_walk_show_early(const struct slu_level *lv, int from, int dir,
			 const struct stat *st, bool made)
{
	struct slu_err later; /* if it stays so, the D record reports why */

	if (made && lv->walk->quick)
		(void)slu_show_directory(from, dir, st->st_mode, &later);
}

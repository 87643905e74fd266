/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk goes down by descriptors on both sides at once and opens every
 * directory by one name without following a link, so it cannot be led out of
 * the two trees, whatever is renamed meanwhile.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/attrs.h"
#include "burst_buffer/staging/batch.h"
#include "burst_buffer/staging/beneath.h"
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/fresh.h"
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/walk.h"
#include "common/str.h"

#define LEVELS_MAX 4096 /* each takes 1 KB of the stack */

struct level { /* one directory, on both sides */
	struct slu_walk *walk;
	char *path; /* of the whole walk, extended and cut at each level */
	size_t len;
	unsigned depth;
	struct stat dst_root; /* a source that holds it has no end */
	dev_t looked_at;      /* the file system whose kind is known */
};

/* "cannot WHAT ROOT/PATH: ", and errno's text. */
static int fail(const struct level *lv, const char *what, const char *root,
		struct slu_err *err)
{
	char text[SLU_PATH_TEXT], under[SLU_PATH_TEXT];

	return slu_errno(err, SLU_IO, "cannot %s %s%s%s", what,
			 slu_path_text(root, under),
			 *lv->path && strcmp(root, "/") ? "/" : "",
			 slu_path_text(lv->path, text));
}

static int fail_src(const struct level *lv, const char *what,
		    struct slu_err *err)
{
	return fail(lv, what, lv->walk->src_path, err);
}

static int fail_dst(const struct level *lv, const char *what,
		    struct slu_err *err)
{
	int why = errno;

	fail(lv, what, lv->walk->dst_path, err);
	return slu_say_inodes(lv->walk->dst, why, err);
}

static struct slu_entry entry_of(const struct level *lv, char kind,
				 const struct stat *st, const char *link)
{
	bool is_dir = kind == 'd' || kind == 'D';

	return (struct slu_entry){
		.kind = kind,
		.mode = st->st_mode &
			(is_dir ? 0777 | S_ISVTX | S_ISGID : 0777),
		.size = kind == 'f' ? (uint64_t)st->st_size : 0,
		.mtime = st->st_mtim,
		.path = lv->path,
		.link = link,
	};
}

static int add(struct level *lv, char kind, const struct stat *st,
	       const char *link, struct slu_err *err)
{
	const struct slu_entry e = entry_of(lv, kind, st, link);

	lv->walk->links += kind == 'l';
	if (slu_manifest_add(&lv->walk->manifest, &e, err))
		return -1;
	if (lv->walk->progress && lv->walk->progress(lv->walk->arg, 0))
		return slu_err(err, SLU_BUSY, "stopped");
	return 0;
}

/* What stands at the destination's place, when it is no directory, goes. */
static int make_room(int dst, const char *name)
{
	return unlinkat(dst, name, 0) && errno != ENOENT ? -1 : 0;
}

static int walk_link(struct level *lv, int src, int dst, const char *name,
		     const struct stat *st, struct slu_err *err)
{
	char target[PATH_MAX + 1];
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, st->st_mtim};
	ssize_t n = readlinkat(src, name, target, PATH_MAX);

	if (n < 0)
		return fail_src(lv, "read the link", err);
	target[n] = '\0';
	if (make_room(dst, name) || symlinkat(target, dst, name))
		return fail_dst(lv, "make the link", err);
	/* Not every file system has times for links. */
	(void)utimensat(dst, name, times, AT_SYMLINK_NOFOLLOW);
	return add(lv, 'l', st, target, err);
}

static int same_file(const struct level *lv, struct slu_err *err)
{
	char text[SLU_PATH_TEXT], under[SLU_PATH_TEXT];

	return slu_err(err, SLU_INVALID,
		       "%s%s%s: source and destination are the same file",
		       slu_path_text(lv->walk->src_path, under),
		       *lv->path ? "/" : "", slu_path_text(lv->path, text));
}

/* A file of several ranges has several writers: it is made here, empty. */
static int walk_regular(struct level *lv, int src, const char *name, int dst,
			const char *as, const struct stat *st,
			struct slu_err *err)
{
	const struct slu_entry e = entry_of(lv, 'f', st, "");
	int fd;

	if (slu_share_ranges(e.size) > 1 &&
	    !(lv->walk->quick && slu_has_arrived(dst, as, &e, src, name))) {
		fd = slu_create_beneath(dst, as,
					slu_first_mode(src, name, e.mode,
						       lv->walk->plain_source,
						       lv->walk->plain),
					st);
		if (fd < 0 && errno == SLU_SAME_FILE)
			return same_file(lv, err);
		if (fd < 0)
			return fail_dst(lv, "create", err);
		close(fd);
	}
	return add(lv, 'f', st, "", err);
}

static void skip(struct level *lv)
{
	if (!lv->walk->skipped++)
		slu_path_text(lv->path, lv->walk->first_skipped);
}

/* Takes over src. */
static int walk_dir(struct level *lv, int src, int dst, bool made,
		    struct slu_err *err);

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

static mode_t first_mode(const struct slu_walk *w)
{
	return w->plain ? 0700 : SLU_IN_WORK;
}

/* A directory that an earlier staging did not bring to its end, and one of the
 * user's that is read-only like its source, as an earlier staging left it, gets
 * its mode and time like a new one. Another one that is read-only stays so. */
static bool open_up(const struct slu_walk *w, int dir, const struct stat *from)
{
	struct stat st;

	if (fstat(dir, &st) || st.st_uid != geteuid())
		return false;
	if ((st.st_mode & 0300) == 0300)
		return in_work(&st);
	return (in_work(&st) || !((st.st_mode ^ from->st_mode) & 0700)) &&
	       !fchmod(dir, first_mode(w) | (st.st_mode & S_ISGID));
}

/* An early copy that is cut short leaves no directory that only its owner can
 * enter; its files are hidden until they are whole. */
static void show_early(const struct level *lv, int from, int dir,
		       const struct stat *st, bool made)
{
	struct slu_err later; /* if it stays so, the D record says why */

	if (made && lv->walk->quick)
		(void)slu_show_directory(from, dir, st->st_mode, &later);
}

/* Owner rights until all is copied; the real mode comes with the D record. */
static int walk_subdir(struct level *lv, int src, int dst, const char *name,
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
		return fail_src(lv, "open the directory", err);
	made = mkdirat(dst, name, first_mode(lv->walk)) == 0;
	if (!made && errno != EEXIST)
		rc = fail_dst(lv, "make the directory", err);
	else if ((to = openat(dst, name, flags)) < 0)
		rc = fail_dst(lv, "open", err);
	else {
		made = open_up(lv->walk, to, st) || made;
		lv->depth++;
		rc = walk_dir(lv, from, to, made, err);
		lv->depth--;
		close(to);
		return rc;
	}
	close(from);
	return rc;
}

/* DHT marks a file that lies on another brick by an empty one, mode 1000. */
static bool only_brick(const struct slu_walk *w, const struct stat *st)
{
	return w->bricks && S_ISREG(st->st_mode) && st->st_size == 0 &&
	       (st->st_mode & 07777) == S_ISVTX;
}

/* What the kernel makes when it is read has no size to copy it by. */
static int refuse_generated(struct level *lv, int dir, const char *name,
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

static int walk_looked(struct level *lv, int src, int dst, const char *name,
		       const struct stat *st, struct slu_err *err)
{
	if (only_brick(lv->walk, st))
		return 0;
	if (refuse_generated(lv, src, name, st, err))
		return -1;
	switch (st->st_mode & S_IFMT) {
	case S_IFDIR:
		return walk_subdir(lv, src, dst, name, st, err);
	case S_IFREG:
		return walk_regular(lv, src, name, dst, name, st, err);
	case S_IFLNK:
		return walk_link(lv, src, dst, name, st, err);
	default:
		skip(lv);
		return 0;
	}
}

static int walk_entry(struct level *lv, int src, int dst, const char *name,
		      struct slu_err *err)
{
	struct stat st;

	if (slu_stat_fresh(src, name, &st))
		return fail_src(lv, "look at", err);
	return walk_looked(lv, src, dst, name, &st, err);
}

/* Add "/name" to the path; slu_manifest_add refuses what is too long, this
 * only keeps it inside its memory. */
static int push(struct level *lv, const char *name, struct slu_err *err)
{
	size_t n = strlen(name);

	if (lv->len + n + 1 > SLU_STAGE_PATH_MAX) {
		errno = ENAMETOOLONG;
		return fail_src(lv, "go below", err);
	}
	if (lv->len)
		lv->path[lv->len++] = '/';
	memcpy(lv->path + lv->len, name, n + 1);
	lv->len += n;
	return 0;
}

static void cut(struct level *lv, size_t len)
{
	lv->len = len;
	lv->path[len] = '\0';
}

static int walk_batch(struct level *lv, const struct slu_batch *b, int dst,
		      struct slu_err *err)
{
	size_t len = lv->len;
	int rc = 0;

	for (size_t i = 0; !rc && i < b->n; i++) {
		const struct slu_looked *e = &b->item[i];
		const char *name = b->names.data + e->at;

		rc = push(lv, name, err);
		errno = e->errno_of;
		if (!rc)
			rc = errno ? fail_src(lv, "look at", err)
				   : walk_looked(lv, b->src, dst, name, &e->st,
						 err);
		cut(lv, len);
	}
	return rc;
}

static int walk_list(struct level *lv, DIR *dir, int src, int dst,
		     struct slu_err *err)
{
	struct slu_batch *b = calloc(1, sizeof(*b));
	int rc;

	if (!b)
		return slu_err(err, SLU_NOMEM, "out of memory");
	b->src = src;
	do
		rc = slu_batch_next(b, dir, lv->walk->one_thread)
			     ? fail_src(lv, "read the directory", err)
			     : walk_batch(lv, b, dst, err);
	while (!rc && b->n == SLU_BATCH);
	slu_buf_free(&b->names);
	free(b);
	return rc ? -1 : 0;
}

static int walk_dir(struct level *lv, int src, int dst, bool made,
		    struct slu_err *err)
{
	struct stat st;
	DIR *dir = fdopendir(src);
	int rc;

	if (!dir || fstat(src, &st))
		rc = fail_src(lv, "read the directory", err);
	else if (slu_same_inode(&st, &lv->dst_root))
		rc = slu_err(err, SLU_INVALID,
			     "the destination lies inside the source");
	else {
		show_early(lv, src, dst, &st, made);
		rc = add(lv, 'd', &st, "", err) ||
				     walk_list(lv, dir, src, dst, err)
			     ? -1
			     : 0;
		if (!rc && made)
			rc = add(lv, 'D', &st, "", err);
	}
	if (dir)
		closedir(dir);
	else
		close(src);
	return rc;
}

int slu_walk(struct slu_walk *w, struct slu_err *err)
{
	struct level lv = {.walk = w};
	int rc = -1, src;
	struct stat st;

	lv.path = calloc(1, SLU_STAGE_PATH_MAX + 2);
	if (!lv.path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	src = openat(w->src, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (src < 0)
		fail_src(&lv, "open", err);
	else if (fstat(w->dst, &lv.dst_root)) {
		fail_dst(&lv, "look at", err);
		close(src);
	} else if (slu_manifest_begin(&w->manifest, err))
		close(src);
	else {
		if (w->made && !fstat(src, &st))
			(void)open_up(w, w->dst, &st);
		if (!walk_dir(&lv, src, w->dst, w->made, err))
			rc = slu_manifest_end(&w->manifest, err);
	}
	free(lv.path);
	return rc;
}

/* One directory further down on both sides; it is made where it is missing.
 * The descriptors are replaced. `begun`: the last name led through it. */
static int descend(struct level *lv, int fd[2], const char *name, bool begun,
		   struct slu_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int from = openat(fd[0], name, flags), to = -1, rc = 0;
	bool made;
	struct stat st;

	if (from < 0 || fstat(from, &st))
		rc = fail_src(lv, "open the directory", err);
	else if (!(made = !mkdirat(fd[1], name, first_mode(lv->walk))) &&
		 errno != EEXIST)
		rc = fail_dst(lv, "make the directory", err);
	else if ((to = openat(fd[1], name, flags)) < 0)
		rc = fail_dst(lv, "open", err);
	else {
		made = open_up(lv->walk, to, &st) || made;
		show_early(lv, from, to, &st, made);
		if (made && !begun)
			rc = add(lv, 'd', &st, "", err) ||
			     add(lv, 'D', &st, "", err);
	}
	close(fd[0]);
	close(fd[1]);
	fd[0] = from;
	fd[1] = to;
	return rc ? -1 : 0;
}

static bool leads_through(const char *path, const struct level *lv)
{
	return path && !strncmp(path, lv->path, lv->len) &&
	       path[lv->len] == '/';
}

/* `last` is the name before, in their order, or NULL. */
static int walk_name(struct level *lv, const char *path, const char *last,
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
			rc = fail_src(lv, "go below", err);
			break;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		rc = push(lv, name, err);
		if (rc || !path[n])
			break;
		rc = descend(lv, fd, name, leads_through(last, lv), err);
		path += n + 1;
	}
	if (!rc)
		rc = walk_entry(lv, fd[0], fd[1], name, err);
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
	cut(lv, 0);
	return rc;
}

int slu_walk_names(struct slu_walk *w, const struct slu_names *names,
		   struct slu_err *err)
{
	struct level lv = {.walk = w};
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
	struct level lv = {.walk = w, .path = none};
	struct stat st, there;

	if (slu_stat_fresh(w->src, name, &st))
		return fail_src(&lv, "look at", err);
	if (!S_ISREG(st.st_mode))
		return slu_err(err, SLU_INVALID, "%s is not a regular file",
			       w->src_path);
	if (!fstatat(w->dst, as, &there, AT_SYMLINK_NOFOLLOW) &&
	    slu_same_inode(&st, &there))
		return same_file(&lv, err);
	if (refuse_generated(&lv, w->src, name, &st, err) ||
	    slu_manifest_begin(&w->manifest, err) ||
	    walk_regular(&lv, w->src, name, w->dst, as, &st, err))
		return -1;
	return slu_manifest_end(&w->manifest, err);
}

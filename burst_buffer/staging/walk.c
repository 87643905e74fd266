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
#include <pthread.h>
#include <stdbool.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/attrs.h"
#include "burst_buffer/staging/beneath.h"
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/walk.h"
#include "common/str.h"

#define BATCH	1024 /* names of a directory at a time */
#define LOOKERS 8    /* threads that look at them, */
#define EACH	32   /* so many each time */

struct level { /* one directory, on both sides */
	struct slu_walk *walk;
	char *path; /* of the whole walk, extended and cut at each level */
	size_t len;
	struct stat dst_root; /* a source that holds it has no end */
};

static int fail(const struct level *lv, const char *what, struct slu_err *err)
{
	char text[SLU_PATH_TEXT];

	return slu_errno(err, SLU_IO, "cannot %s %s", what,
			 slu_path_text(*lv->path ? lv->path : ".", text));
}

static struct slu_entry entry_of(const struct level *lv, char kind,
				 const struct stat *st, const char *link)
{
	return (struct slu_entry){
		.kind = kind,
		.mode = st->st_mode & 0777,
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
		return fail(lv, "read the link", err);
	target[n] = '\0';
	if (make_room(dst, name) || symlinkat(target, dst, name))
		return fail(lv, "make the link", err);
	/* Not every file system has times for links. */
	(void)utimensat(dst, name, times, AT_SYMLINK_NOFOLLOW);
	return add(lv, 'l', st, target, err);
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
						       lv->walk->plain));
		if (fd < 0)
			return fail(lv, "create", err);
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

/* A directory of the user's that the user may not write (a copy that was cut
 * short left it so) is opened up, and gets its mode back like a new one. */
static bool open_up(int dir)
{
	struct stat st;

	return !fstat(dir, &st) && st.st_uid == geteuid() &&
	       (st.st_mode & 0300) != 0300 && !fchmod(dir, st.st_mode | 0700);
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
		       struct slu_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int from, to, rc;
	struct stat st;
	bool made;

	from = openat(src, name, flags);
	if (from < 0)
		return fail(lv, "open the directory", err);
	made = mkdirat(dst, name, 0700) == 0;
	if (!made && errno != EEXIST)
		rc = fail(lv, "make the directory", err);
	else if (fstat(from, &st))
		rc = fail(lv, "look at", err);
	else if ((to = openat(dst, name, flags)) < 0)
		rc = fail(lv, "open in the destination", err);
	else {
		show_early(lv, from, to, &st, made);
		made = open_up(to) || made;
		rc = walk_dir(lv, from, to, made, err);
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

static int walk_looked(struct level *lv, int src, int dst, const char *name,
		       const struct stat *st, struct slu_err *err)
{
	if (only_brick(lv->walk, st))
		return 0;
	switch (st->st_mode & S_IFMT) {
	case S_IFDIR:
		return walk_subdir(lv, src, dst, name, err);
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

	if (fstatat(src, name, &st, AT_SYMLINK_NOFOLLOW))
		return fail(lv, "look at", err);
	return walk_looked(lv, src, dst, name, &st, err);
}

/* Add "/name" to the path; slu_manifest_add refuses what is too long, this
 * only keeps it inside its memory. */
static int push(struct level *lv, const char *name, struct slu_err *err)
{
	size_t n = strlen(name);

	if (lv->len + n + 1 > SLU_STAGE_PATH_MAX) {
		errno = ENAMETOOLONG;
		return fail(lv, "go below", err);
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

/* Names of a directory, in the order of their inodes: disks like to be asked
 * in that order, now and when the files are read. */
struct batch {
	struct slu_buf names;
	struct item {
		ino_t ino;
		size_t at;    /* in names */
		int errno_of; /* of the look at it */
		struct stat st;
	} item[BATCH];
	size_t n;
	int src;
	_Atomic size_t looked_at;
};

static int by_inode(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int read_batch(struct level *lv, DIR *dir, struct batch *b,
		      struct slu_err *err)
{
	struct dirent *d = NULL;

	slu_buf_reset(&b->names);
	for (b->n = 0; b->n < BATCH && (errno = 0, d = readdir(dir));) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		b->item[b->n].ino = d->d_ino;
		b->item[b->n++].at = b->names.len;
		slu_buf_add(&b->names, d->d_name, strlen(d->d_name) + 1);
	}
	if (b->n < BATCH && errno)
		return fail(lv, "read the directory", err);
	if (b->names.failed)
		return slu_err(err, SLU_NOMEM, "out of memory");
	qsort(b->item, b->n, sizeof(b->item[0]), by_inode);
	return 0;
}

static void *look(void *arg)
{
	struct batch *b = arg;
	size_t from;

	while ((from = atomic_fetch_add(&b->looked_at, EACH)) < b->n)
		for (size_t i = from; i < from + EACH && i < b->n; i++) {
			struct item *e = &b->item[i];

			e->errno_of = fstatat(b->src, b->names.data + e->at,
					      &e->st, AT_SYMLINK_NOFOLLOW)
					      ? errno
					      : 0;
		}
	return NULL;
}

/* Storage that is far away answers many questions in the time of one. */
static void look_at_all(const struct level *lv, struct batch *b, int src)
{
	pthread_t thread[LOOKERS];
	unsigned n = 0, want = lv->walk->one_thread ? 0 : (unsigned)b->n / EACH;

	b->src = src;
	b->looked_at = 0;
	while (n < want && n + 1 < LOOKERS &&
	       !pthread_create(&thread[n], NULL, look, b))
		n++;
	look(b);
	while (n)
		pthread_join(thread[--n], NULL);
}

static int walk_batch(struct level *lv, const struct batch *b, int src, int dst,
		      struct slu_err *err)
{
	size_t len = lv->len;
	int rc = 0;

	for (size_t i = 0; !rc && i < b->n; i++) {
		const struct item *e = &b->item[i];
		const char *name = b->names.data + e->at;

		rc = push(lv, name, err);
		errno = e->errno_of;
		if (!rc)
			rc = errno ? fail(lv, "look at", err)
				   : walk_looked(lv, src, dst, name, &e->st,
						 err);
		cut(lv, len);
	}
	return rc;
}

static int walk_list(struct level *lv, DIR *dir, int src, int dst,
		     struct slu_err *err)
{
	struct batch *b = calloc(1, sizeof(*b));
	int rc;

	if (!b)
		return slu_err(err, SLU_NOMEM, "out of memory");
	do
		if (!(rc = read_batch(lv, dir, b, err))) {
			look_at_all(lv, b, src);
			rc = walk_batch(lv, b, src, dst, err);
		}
	while (!rc && b->n == BATCH);
	slu_buf_free(&b->names);
	free(b);
	return rc ? -1 : 0;
}

static int walk_dir(struct level *lv, int src, int dst, bool made,
		    struct slu_err *err)
{
	struct stat st;
	DIR *dir = fdopendir(src);
	int rc = -1;

	if (!dir || fstat(src, &st))
		fail(lv, "read the directory", err);
	else if (st.st_dev == lv->dst_root.st_dev &&
		 st.st_ino == lv->dst_root.st_ino)
		slu_err(err, SLU_INVALID,
			"the destination lies inside the source");
	else if (!add(lv, 'd', &st, "", err) &&
		 !walk_list(lv, dir, src, dst, err))
		rc = made ? add(lv, 'D', &st, "", err) : 0;
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

	lv.path = calloc(1, SLU_STAGE_PATH_MAX + 2);
	if (!lv.path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	src = openat(w->src, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (src < 0)
		fail(&lv, "open the source", err);
	else if (fstat(w->dst, &lv.dst_root)) {
		fail(&lv, "look at the destination", err);
		close(src);
	} else if (slu_manifest_begin(&w->manifest, err))
		close(src);
	else if (!walk_dir(&lv, src, w->dst, w->made, err))
		rc = slu_manifest_end(&w->manifest, err);
	free(lv.path);
	return rc;
}

/* One directory further down on both sides; it is made where it is missing.
 * The descriptors are replaced. */
static int descend(struct level *lv, int fd[2], const char *name,
		   struct slu_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int from = openat(fd[0], name, flags), to = -1, rc = 0;
	bool made;
	struct stat st;

	if (from < 0 || fstat(from, &st))
		rc = fail(lv, "open the directory", err);
	else if (!(made = !mkdirat(fd[1], name, 0700)) && errno != EEXIST)
		rc = fail(lv, "make the directory", err);
	else if ((to = openat(fd[1], name, flags)) < 0)
		rc = fail(lv, "open in the destination", err);
	else {
		show_early(lv, from, to, &st, made);
		if (open_up(to) || made)
			rc = add(lv, 'd', &st, "", err) ||
			     add(lv, 'D', &st, "", err);
	}
	close(fd[0]);
	close(fd[1]);
	fd[0] = from;
	fd[1] = to;
	return rc ? -1 : 0;
}

static int walk_name(struct level *lv, const char *path, struct slu_err *err)
{
	int fd[2] = {fcntl(lv->walk->src, F_DUPFD_CLOEXEC, 0),
		     fcntl(lv->walk->dst, F_DUPFD_CLOEXEC, 0)};
	char name[NAME_MAX + 1];
	int rc = 0;

	while (!rc) {
		size_t n = strcspn(path, "/");

		if (n > NAME_MAX) {
			errno = ENAMETOOLONG;
			rc = fail(lv, "go below", err);
			break;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		rc = push(lv, name, err);
		if (rc || !path[n])
			break;
		rc = descend(lv, fd, name, err);
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
	int rc;

	lv.path = calloc(1, SLU_STAGE_PATH_MAX + 2);
	if (!lv.path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = fstat(w->dst, &lv.dst_root)
		     ? fail(&lv, "look at the destination", err)
		     : slu_manifest_begin(&w->manifest, err);
	for (size_t i = 0; !rc && i < names->n; i++)
		rc = walk_name(&lv, names->path[i], err);
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
	struct stat st;

	if (fstatat(w->src, name, &st, AT_SYMLINK_NOFOLLOW))
		return slu_errno(err, SLU_IO, "cannot look at %s", name);
	if (!S_ISREG(st.st_mode))
		return slu_err(err, SLU_INVALID, "%s is not a regular file",
			       name);
	if (slu_manifest_begin(&w->manifest, err) ||
	    walk_regular(&lv, w->src, name, w->dst, as, &st, err))
		return -1;
	return slu_manifest_end(&w->manifest, err);
}

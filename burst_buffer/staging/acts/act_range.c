/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies one range of one file during COPY: opens or makes the file at the
 * destination, copies the data from the source or the stage cache, and checks
 * that the source has not changed meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/staging/files/attrs.h"
#include "burst_buffer/staging/files/temporary_file.h"
#include "burst_buffer/staging/files/fresh.h"
#include "burst_buffer/staging/acts/scan.h"
#include "burst_buffer/staging/share.h"

#define TELL_BYTES (1u << 20) /* bytes copied between two reports */
#define LUSTRE	   0x0bd00bd0 /* as statfs(2) says */
#define WRITE_AND_WAIT                                         \
	(SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | \
	 SYNC_FILE_RANGE_WAIT_AFTER)

void slu_target_look(struct slu_target *t, int dst)
{
	struct statfs fs;
	struct stat st;

	t->dev = fstat(dst, &st) ? 0 : st.st_dev;
	t->fuse = fstatfs(dst, &fs) || fs.f_type == FUSE_SUPER_MAGIC;
	t->lustre = !t->fuse && fs.f_type == LUSTRE;
}

static bool same(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Is the source as it was in PREPARE? A program can reset the time of a write,
 * but not the time of change. The latter is not compared while the job runs, as
 * a new link or owner changes it as well. */
static bool unchanged(const struct slu_act *a, const struct slu_entry *e,
		      const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || (uint64_t)st->st_size != e->size)
		return false;
	return a->part->own_times_source ||
	       (same(&st->st_mtim, &e->mtime) &&
		(!a->part->ended || !e->ctime.tv_sec ||
		 same(&st->st_ctim, &e->ctime)));
}

/* Looks up which process has it open, by the path that processes use. */
static void put_who(const struct slu_act *a, int fd, struct slu_buf *out)
{
	char link[40], path[PATH_MAX + 1];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = a->part->who ? readlink(link, path, PATH_MAX) : -1;
	if (n > 0) {
		path[n] = '\0';
		a->part->who(path, out);
	}
}

static int say_changed(struct slu_act *a, int fd, const struct slu_entry *e,
		       struct slu_err *err)
{
	struct slu_buf who = {0};
	char saying[400];

	put_who(a, fd, &who);
	snprintf(saying, sizeof(saying),
		 "was changed while it was being copied%s%s",
		 who.data ? "; it is open in " : "", who.data ? who.data : "");
	slu_buf_free(&who);
	return slu_act_err(err, a->places.src_path, e, saying);
}

int slu_act_check_source(struct slu_act *a, int fd, const struct slu_entry *e,
			 struct stat *st, struct slu_err *err)
{
	if (slu_fstat_fresh(fd, st))
		return slu_act_errno(err, "look at", a->places.src_path, e);
	return unchanged(a, e, st) ? 0 : say_changed(a, fd, e, err);
}

static int open_source(struct slu_worker *t, const struct slu_entry *e,
		       struct slu_err *err)
{
	const struct slu_act *a = t->act;
	const char *name;
	int dir = slu_parent_cache_open(&t->src,
					slu_act_path(a->places.from, e), &name);
	int fd = dir < 0 ? -1
			 : slu_open_beneath(dir, name,
					    O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
					    0);

	return fd < 0 ? slu_act_errno(err, "read", a->places.src_path, e) : fd;
}

/* Opens a file that several nodes write, which exists already; a mover may have
 * made it read-only. */
static int open_there(int dir, const char *name)
{
	const int flags = O_NOFOLLOW | O_NONBLOCK;
	int fd = slu_open_beneath(dir, name, O_WRONLY | flags, 0), own;
	struct stat st;

	if (fd >= 0 || errno != EACCES)
		return fd;
	own = slu_open_beneath(dir, name, O_RDONLY | flags, 0);
	if (own < 0)
		return -1;
	if (!fstat(own, &st) && !fchmod(own, (st.st_mode & 0777) | 0600))
		fd = slu_open_beneath(dir, name, O_WRONLY | flags, 0);
	close(own);
	return fd;
}

/* Opens what the walk has made; if that is gone, an older file of that name is
 * not written to. */
static int open_made(const struct slu_act *a, int dir, const char *name)
{
	char beside[NAME_MAX + 1];
	const char *is = slu_act_name(a, dir, name, beside);

	if (is == name && a->part->beside &&
	    slu_temporary_file_can(dir, name)) {
		errno = ENOENT;
		return -1;
	}
	return open_there(dir, is);
}

/* `st` is the source's; it may be the same file by another name. */
static int open_target(struct slu_worker *t, int in, const struct stat *st,
		       const struct slu_entry *e, struct slu_err *err)
{
	struct slu_act *a = t->act;
	const char *name;
	int dir = slu_parent_cache_open(&t->dst, slu_act_path(a->places.to, e),
					&name),
	    fd;

	if (dir >= 0 && slu_share_ranges(e->size) == 1)
		return slu_act_create(
			a, dir, name, e,
			slu_first_mode(in, NULL, e->mode, a->part->plain_source,
				       a->part->plain_destination),
			st, err);
	fd = dir < 0 ? -1 : open_made(a, dir, name);
	return fd < 0 ? slu_act_errno(err, "write", a->places.dst_path, e) : fd;
}

static int add_progress(void *arg, uint64_t bytes)
{
	struct slu_worker *t = arg;

	t->bytes += bytes;
	return t->bytes < TELL_BYTES ? 0 : slu_worker_progress(t, NULL);
}

static int finish_target(struct slu_act *a, int out, const struct slu_unit *w,
			 mode_t mode, bool sparse, struct slu_err *err)
{
	const struct slu_entry *e = &w->entry;
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, e->mtime};
	bool finish =
		slu_act_copier_finishes(a, e) && !a->part->plain_destination;

	/* A hole at the end was not written. */
	if ((sparse && w->range == slu_share_ranges(e->size) - 1 &&
	     ftruncate(out, (off_t)e->size)) ||
	    (finish && (fchmod(out, mode) ||
			(!a->part->plain_source && futimens(out, times)))))
		return slu_act_errno(err, "write", a->places.dst_path, e);
	return 0;
}

/* Writes dirty pages: changing a page that is mapped and dirty does not change
 * the file's time, and the last check would miss it. */
static int settle(const struct slu_act *a, int in, const struct slu_entry *e,
		  uint64_t offset, uint64_t len, struct slu_err *err)
{
	return sync_file_range(in, (off_t)offset, (off_t)len, WRITE_AND_WAIT)
		       ? slu_act_errno(err, "read", a->places.src_path, e)
		       : 0;
}

static int say_room(struct slu_worker *t, const struct slu_entry *e, int why,
		    struct slu_err *err)
{
	const struct slu_act *a = t->act;
	const char *name;
	int dir = slu_parent_cache_open(&t->dst, slu_act_path(a->places.to, e),
					&name);

	return dir < 0 ? -1
		       : slu_temporary_file_err(dir, name, a->part->beside, why,
						err);
}

static int fail_copy(struct slu_worker *t, const struct slu_entry *e,
		     const struct slu_err *reason, struct slu_err *err)
{
	const struct slu_stage_places *at = &t->act->places;
	const bool wrote = !strncmp(reason->text, "write", 5);
	int why = errno;

	if (reason->kind == SLU_BUSY)
		return slu_err(err, SLU_BUSY, "%s", reason->text);
	slu_act_err(err, wrote ? at->dst_path : at->src_path, e, reason->text);
	return say_room(t, e, why, err);
}

static int fail_write(struct slu_worker *t, const struct slu_entry *e,
		      struct slu_err *err)
{
	int why = errno;

	slu_act_errno(err, "write", t->act->places.dst_path, e);
	return say_room(t, e, why, err);
}

/* Records the copy, unless a later change might not show: where each node sees
 * times of its own; and where a program has mapped pages of it here, as these
 * may differ from what other nodes have written. */
static void note_copy(const struct slu_act *a, int in, const struct slu_unit *w,
		      const struct stat *st, uint64_t offset, uint64_t len)
{
	if (a->part->own_times_source || slu_holds_cache(in, st, offset, len))
		slu_copied_copy(&a->known, w->entry.path, NULL);
	else if (w->range == 0)
		slu_copied_copy(&a->known, w->entry.path, st);
}

/* Copies from the stage cache; ranges that are not there, or cannot be read
 * there, from the source itself. */
static int copy_data(struct slu_worker *t, int in, int out,
		     const struct stat *st, uint64_t offset, uint64_t len,
		     bool sparse, struct slu_err *err)
{
	int from = slu_act_cached(t, in, st, offset, len), rc;

	if (from == in)
		return slu_copy_part(&t->copier, in, out, offset, len, sparse,
				     err);
	rc = slu_copy_part(&t->cached, from, out, offset, len, true, err);
	close(from);
	if (rc == 0)
		return add_progress(t, len) ? slu_err(err, SLU_BUSY, "stopped")
					    : 0;
	return strncmp(err->text, "write", 5) == 0
		       ? -1
		       : slu_copy_part(&t->copier, in, out, offset, len, false,
				       err);
}

/* `st` is the source's, from before the copy. */
static int copy_between(struct slu_worker *t, const struct slu_unit *w, int in,
			int out, struct stat *st, struct slu_err *err)
{
	struct slu_act *a = t->act;
	uint64_t size = w->entry.size, offset;
	uint64_t len = slu_share_range(size, w->range, &offset);
	struct slu_err reason = {0};
	mode_t mode = w->entry.mode;
	/* Where a hole cannot be read, none is made. */
	bool sparse = !a->part->plain_destination &&
		      (uint64_t)st->st_blocks * 512 < size;

	if ((a->part->early || a->part->mapped) &&
	    settle(a, in, &w->entry, offset, len, err))
		return -1;
	slu_drop_cache(in, st, offset, offset + len < size ? len : 0);
	if (a->part->early && a->known.fd)
		note_copy(a, in, w, st, offset, len);
	if (copy_data(t, in, out, st, offset, len, sparse, &reason))
		return fail_copy(t, &w->entry, &reason, err);
	if (slu_act_check_source(a, in, &w->entry, st, err))
		return -1;
	if (slu_act_copier_finishes(a, &w->entry) &&
	    slu_act_attrs(a, in, out, &w->entry, &mode, err))
		return -1;
	return finish_target(a, out, w, mode, sparse || a->part->plain_source,
			     err);
}

/* Does the syncfs() at the end not reach this file? */
static bool is_apart(const struct slu_target *target, int out)
{
	struct stat st;

	return target->fuse || fstat(out, &st) || st.st_dev != target->dev;
}

/* Some versions of Lustre report write errors not to syncfs(), but to the
 * process that closes the file afterwards. */
static int write_out(const struct slu_target *target, int out)
{
	if (is_apart(target, out))
		return fsync(out);
	return target->lustre ? sync_file_range(out, 0, 0, WRITE_AND_WAIT) : 0;
}

/* Reads a range only into the stage cache. A source that differs from the
 * manifest fails the prefetch; the job's own stage-in will report it. */
int slu_act_warm_range(struct slu_worker *t, const struct slu_unit *w,
		       struct slu_err *err)
{
	int in = open_source(t, &w->entry, err), fd;
	uint64_t offset,
		len = slu_share_range(w->entry.size, w->range, &offset);
	struct stat st;

	if (in < 0)
		return -1;
	t->copier.arg = t;
	if (slu_act_check_source(t->act, in, &w->entry, &st, err)) {
		close(in);
		return -1;
	}
	slu_drop_cache(in, &st, offset, offset + len < w->entry.size ? len : 0);
	fd = slu_act_cached(t, in, &st, offset, len);
	if (fd != in)
		close(fd);
	close(in);
	t->bytes += len;
	return 0;
}

int slu_act_copy_range(const struct slu_target *target, struct slu_worker *t,
		       const struct slu_unit *w, struct slu_err *err)
{
	int in = open_source(t, &w->entry, err), out, rc;
	struct stat st;

	t->copier.progress = add_progress;
	t->copier.arg = t;
	t->copier.flush = t->act->part->durable;
	t->copier.by_size = t->act->part->plain_source;
	if (in < 0)
		return -1;
	out = slu_act_check_source(t->act, in, &w->entry, &st, err)
		      ? -1
		      : open_target(t, in, &st, &w->entry, err);
	if (out < 0) {
		close(in);
		return -1;
	}
	rc = copy_between(t, w, in, out, &st, err);
	if (!rc && t->act->part->durable && write_out(target, out))
		rc = fail_write(t, &w->entry, err);
	if (close(out) && !rc) /* some file systems say "full" only here */
		rc = fail_write(t, &w->entry, err);
	close(in);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * COPY: a node does its own chunks from the first to the last, and then the
 * last ones of whoever has most left, until nobody has any; what it had done
 * before a crash stands in its journal.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>
#include "burst_buffer/staging/attrs.h"
#include "burst_buffer/staging/fresh.h"
#include "burst_buffer/staging/scan.h"
#include "burst_buffer/staging/share.h"

#define TELL_BYTES (1u << 20) /* copied before it is told */
#define LUSTRE	   0x0bd00bd0 /* as statfs(2) says */
#define WRITE_AND_WAIT                                         \
	(SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | \
	 SYNC_FILE_RANGE_WAIT_AFTER)

struct copying {
	struct slu_act *act;
	const struct slu_claims *claims; /* NULL: there are own ones only */
	unsigned per;			 /* chunks of each node */
	struct slu_journal journal;
	bool begun;	 /* `owner` says whose was what then */
	unsigned *owner; /* of each chunk; last known */
	bool *had;	 /* chunks we have had, or were refused */
	bool *ours;	 /* chunks we have had */
	unsigned own;	 /* the next of our own, from 0 */
	bool suspect;	 /* something could not be written there */
	unsigned synced; /* the next chunk to be looked at for that */
	dev_t dev;	 /* of the destination */
	bool fuse;	 /* a process serves it, whom no syncfs() reaches */
	bool lustre;
};

static bool unchanged(const struct slu_entry *e, const struct stat *st)
{
	return S_ISREG(st->st_mode) && (uint64_t)st->st_size == e->size &&
	       st->st_mtim.tv_sec == e->mtime.tv_sec &&
	       st->st_mtim.tv_nsec == e->mtime.tv_nsec;
}

static int check_source(struct slu_act *a, int fd, const struct slu_entry *e,
			struct stat *st, struct slu_err *err)
{
	if (slu_fstat_fresh(fd, st))
		return slu_act_errno(err, "look at", a->places.src_path, e);
	if (!unchanged(e, st))
		return slu_act_err(err, a->places.src_path, e,
				   "was changed while it was being copied");
	return 0;
}

static int open_source(struct slu_worker *t, const struct slu_entry *e,
		       struct slu_err *err)
{
	const struct slu_act *a = t->act;
	const char *name;
	int dir = slu_near(&t->src, slu_act_path(a->places.from, e), &name);
	int fd = dir < 0 ? -1
			 : slu_open_beneath(dir, name,
					    O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
					    0);

	return fd < 0 ? slu_act_errno(err, "read", a->places.src_path, e) : fd;
}

/* What several write is there already; a mover may have made it read-only. */
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

/* `st` is the source's; it may be the same file by another name. */
static int open_target(struct slu_worker *t, int in, const struct stat *st,
		       const struct slu_entry *e, struct slu_err *err)
{
	const struct slu_act *a = t->act;
	const char *name;
	int dir = slu_near(&t->dst, slu_act_path(a->places.to, e), &name);
	int fd = -1, why;

	if (dir >= 0 && slu_share_ranges(e->size) > 1)
		fd = open_there(dir, name);
	else if (dir >= 0)
		fd = slu_create_beneath(
			dir, name,
			slu_first_mode(in, NULL, e->mode, a->part->plain_source,
				       a->part->plain_destination),
			st);
	if (fd < 0 && errno == SLU_SAME_FILE)
		return slu_act_err(err, a->places.src_path, e,
				   "and its destination are the same file");
	if (fd >= 0)
		return fd;
	why = errno;
	slu_act_errno(err, "write", a->places.dst_path, e);
	return slu_say_inodes(t->dst.root, why, err);
}

static int told(void *arg, uint64_t bytes)
{
	struct slu_worker *t = arg;

	t->bytes += bytes;
	return t->bytes < TELL_BYTES ? 0 : slu_worker_tell(t, NULL);
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

/* What tasks have mapped gets no other time by a change while it is dirty: the
 * last look would not see what is written from now on. */
static int settle(const struct slu_act *a, int in, const struct slu_entry *e,
		  uint64_t offset, uint64_t len, struct slu_err *err)
{
	return sync_file_range(in, (off_t)offset, (off_t)len, WRITE_AND_WAIT)
		       ? slu_act_errno(err, "read", a->places.src_path, e)
		       : 0;
}

/* `st` is the source's, before. */
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

	if (a->part->early && settle(a, in, &w->entry, offset, len, err))
		return -1;
	slu_drop_cache(in, st, offset, offset + len < size ? len : 0);
	if (slu_copy_part(&t->copier, in, out, offset, len, sparse, &reason)) {
		return reason.kind == SLU_BUSY
			       ? slu_err(err, SLU_BUSY, "%s", reason.text)
			       : slu_act_err(err, a->places.src_path, &w->entry,
					     reason.text);
	}
	if (check_source(a, in, &w->entry, st, err))
		return -1;
	if (slu_act_copier_finishes(a, &w->entry) &&
	    slu_act_attrs(a, in, out, &w->entry, &mode, err))
		return -1;
	return finish_target(a, out, w, mode, sparse || a->part->plain_source,
			     err);
}

/* Does the syncfs() at the end not reach this file? */
static bool is_apart(const struct copying *c, int out)
{
	struct stat st;

	return c->fuse || fstat(out, &st) || st.st_dev != c->dev;
}

/* Not every Lustre tells it of what could not be written, but who closes the
 * file after that. */
static int write_out(const struct copying *c, int out)
{
	if (is_apart(c, out))
		return fsync(out);
	return c->lustre ? sync_file_range(out, 0, 0, WRITE_AND_WAIT) : 0;
}

static int copy_range(const struct copying *c, struct slu_worker *t,
		      const struct slu_unit *w, struct slu_err *err)
{
	int in = open_source(t, &w->entry, err), out, rc;
	struct stat st;

	if (in < 0)
		return -1;
	out = check_source(t->act, in, &w->entry, &st, err)
		      ? -1
		      : open_target(t, in, &st, &w->entry, err);
	if (out < 0) {
		close(in);
		return -1;
	}
	rc = copy_between(t, w, in, out, &st, err);
	if (!rc && t->act->part->durable && write_out(c, out))
		rc = slu_act_errno(err, "write", t->act->places.dst_path,
				   &w->entry);
	if (close(out) && !rc) /* some file systems say "full" only here */
		rc = slu_act_errno(err, "write", t->act->places.dst_path,
				   &w->entry);
	close(in);
	return rc;
}

/* What has but its attributes to get gets them with its first range. */
static bool arrived(struct slu_worker *t, const struct slu_unit *w)
{
	const struct slu_entry *e = &w->entry;
	const struct slu_stage_part *part = t->act->part;
	const char *name;
	const struct slu_places *at = &t->act->places;
	int dir = slu_near(&t->dst, slu_act_path(at->to, e), &name);

	if (dir < 0)
		return false;
	if (part->plain_source || part->plain_destination)
		return slu_has_arrived(dir, name, e, at->src,
				       slu_act_path(at->from, e));
	return slu_completes(dir, name, e, at->src, slu_act_path(at->from, e),
			     w->range == 0);
}

static int copy_unit(void *arg, struct slu_worker *t, const struct slu_unit *w,
		     struct slu_err *err)
{
	struct copying *c = arg;

	if (c->act->part->quick && arrived(t, w)) {
		uint64_t offset;

		t->bytes += slu_share_range(w->entry.size, w->range, &offset);
		t->files += w->range == 0;
		c->act->kept += w->range == 0;
		return 0;
	}
	t->copier.progress = told;
	t->copier.arg = t;
	t->copier.flush = c->act->part->durable;
	t->copier.by_size = c->act->part->plain_source;
	if (copy_range(c, t, w, err))
		return -1;
	t->files += w->range == 0;
	slu_journal_note(&c->journal, &t->record,
			 slu_share_begin(w->at, w->range),
			 slu_share_end(w->at, w->entry.size, w->range));
	return 0;
}

static bool was_done(const struct copying *c, const struct slu_unit *w)
{
	return slu_journal_has(&c->journal, slu_share_begin(w->at, w->range),
			       slu_share_end(w->at, w->entry.size, w->range));
}

/* What was done before a crash counts, and is not done again. */
static bool is_to_do(void *arg, const struct slu_unit *w)
{
	struct copying *c = arg;
	uint64_t offset;

	if (!was_done(c, w))
		return true;
	slu_act_count(c->act, slu_share_range(w->entry.size, w->range, &offset),
		      w->range == 0, NULL);
	c->act->kept += w->range == 0;
	return false;
}

/* Which chunk is next */

static int have(struct copying *c, unsigned chunk, unsigned *out)
{
	c->had[chunk] = c->ours[chunk] = true;
	*out = chunk;
	return 1;
}

/* Chunks that were ours before a crash. */
static bool take_again(struct copying *c, unsigned n, unsigned *chunk)
{
	for (unsigned i = 0; i < n; i++)
		if (c->owner[i] == c->act->part->self && !c->had[i])
			return have(c, i, chunk);
	return false;
}

static bool is_free(const struct copying *c, unsigned chunk)
{
	return c->owner[chunk] == SLU_NOBODY && !c->had[chunk];
}

/* The node that has most chunks left, n of none; the nearest behind us, so that
 * not all go to the same one. */
static unsigned busiest(const struct copying *c)
{
	unsigned n = c->act->part->n, most = 0, found = n;

	for (unsigned j = 1; j <= n; j++) {
		unsigned node = (c->act->part->self + j) % n, left = 0;

		for (unsigned i = 0; i < c->per; i++)
			left += is_free(c, node * c->per + i);
		if (left > most) {
			most = left;
			found = node;
		}
	}
	return found;
}

/* The last chunk of another that nobody has taken: 1, 0 there is none, -1. */
static int steal(struct copying *c, unsigned *chunk, struct slu_err *err)
{
	unsigned n = c->act->part->n, node, i;
	int rc;

	for (;;) {
		if (c->claims->look(c->claims->arg, false, c->owner, n * c->per,
				    err))
			return -1;
		node = busiest(c);
		if (node == n)
			return 0;
		for (i = (node + 1) * c->per - 1; !is_free(c, i);)
			i--;
		rc = c->claims->take(c->claims->arg, i, err);
		if (rc)
			return rc < 0 ? -1 : have(c, i, chunk);
		c->had[i] = true; /* it may not be seen in the next look yet */
	}
}

static int next_chunk(void *arg, unsigned *chunk, struct slu_err *err)
{
	struct copying *c = arg;
	const struct slu_stage_part *part = c->act->part;

	if (!c->claims)
		return c->own++ ? 0 : have(c, part->self, chunk);
	if (c->journal.resumed && !c->begun &&
	    c->claims->look(c->claims->arg, true, c->owner, part->n * c->per,
			    err))
		return -1;
	c->begun = true;
	if (c->journal.resumed && take_again(c, part->n * c->per, chunk))
		return 1;
	c->journal.resumed = false; /* no more of that */
	while (c->own < c->per) {
		unsigned i = part->self * c->per + c->own++;
		int rc =
			c->had[i] ? 0 : c->claims->take(c->claims->arg, i, err);

		if (rc)
			return rc < 0 ? -1 : have(c, i, chunk);
	}
	return steal(c, chunk, err);
}

/* Is it on disk? syncfs() tells of whatever could not be written there, by
 * whomever, and but once. So when it does, each of our files is asked, and
 * read, as one that has left the memory has forgotten its error; and those from
 * before a crash are asked anyway: others may have been told of them; and,
 * where syncfs() tells nothing, those that somebody else has brought. */

static void look_at_destination(struct copying *c)
{
	int dst = c->act->places.dst;
	struct statfs fs;
	struct stat st;

	c->dev = fstat(dst, &st) ? 0 : st.st_dev;
	c->fuse = fstatfs(dst, &fs) || fs.f_type == FUSE_SUPER_MAGIC;
	c->lustre = !c->fuse && fs.f_type == LUSTRE;
}

static int next_of_ours(void *arg, unsigned *chunk, struct slu_err *err)
{
	struct copying *c = arg;
	unsigned n = c->act->part->n * c->per;

	(void)err;
	while (c->synced < n && !c->ours[c->synced])
		c->synced++;
	*chunk = c->synced++;
	return *chunk < n;
}

static bool is_to_ask(void *arg, const struct slu_unit *w)
{
	const struct copying *c = arg;

	return c->suspect || c->fuse || was_done(c, w);
}

static int ask(void *arg, struct slu_worker *t, const struct slu_unit *w,
	       struct slu_err *err)
{
	const struct copying *c = arg;
	const struct slu_places *at = &c->act->places;
	const char *name;
	int dir = slu_near(&t->dst, slu_act_path(at->to, &w->entry), &name);
	int fd = dir < 0 ? -1
			 : slu_open_beneath(dir, name,
					    O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
					    0);
	int rc = 0;

	if (fd < 0 || fsync(fd))
		rc = slu_act_errno(err, "write", at->dst_path, &w->entry);
	if (fd >= 0)
		close(fd);
	return rc || !c->suspect ? rc : slu_act_compare(c->act, t, w, err);
}

static int make_durable(struct copying *c, bool resumed, struct slu_err *err)
{
	const struct slu_scan scan = {
		.act = c->act,
		.files = true,
		.chunks = c->act->part->n * c->per,
		.next = next_of_ours,
		.wanted = is_to_ask,
		.unit = ask,
		.arg = c,
	};

	c->suspect = syncfs(c->act->places.dst);
	return c->suspect || resumed || (c->fuse && c->act->part->quick)
		       ? slu_scan(&scan, c->act->part->threads, err)
		       : 0;
}

static int copy_all(struct copying *c, struct slu_err *err)
{
	const struct slu_stage_part *part = c->act->part;
	const struct slu_scan scan = {
		.act = c->act,
		.files = true,
		.chunks = part->n * c->per,
		.next = next_chunk,
		.wanted = is_to_do,
		.unit = copy_unit,
		.arg = c,
	};
	bool resumed;
	int rc;

	if (slu_journal_open(&c->journal, part->journal, part->tell,
			     &c->act->totals, err))
		return -1;
	resumed = c->journal.resumed;
	look_at_destination(c);
	c->owner = calloc(scan.chunks, sizeof(*c->owner));
	c->had = calloc(scan.chunks, sizeof(*c->had));
	c->ours = calloc(scan.chunks, sizeof(*c->ours));
	rc = c->owner && c->had && c->ours
		     ? slu_scan(&scan, part->threads, err)
		     : slu_err(err, SLU_NOMEM, "out of memory");
	if (!rc && part->durable)
		rc = make_durable(c, resumed, err);
	free(c->owner);
	free(c->had);
	free(c->ours);
	slu_journal_close(&c->journal);
	return rc;
}

int slu_act_copy(struct slu_act *a, struct slu_err *err)
{
	struct copying c = {.act = a, .claims = a->part->claims};

	c.per = slu_act_chunks(a);
	if (c.per == 1)
		c.claims = NULL;
	return copy_all(&c, err);
}

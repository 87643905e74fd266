/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * COPY: threads share a cursor over the manifest; whoever is free takes what
 * is next of this node's: a range of a large file, or a batch of small ones,
 * so that threads seldom meet at the cursor. The first error stops all. A file
 * of one range is finished here, mode and time included; one of several has
 * several writers and gets them from the node that verifies it.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/act.h"
#include "burst_buffer/staging/beneath.h"
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/share.h"
#include "common/str.h"

#define THREADS	    4
#define THREADS_MAX 64
#define BATCH	    64	       /* ranges taken at once, */
#define BATCH_BYTES (4u << 20) /* or as many as have this together */
#define TELL_BYTES  (1u << 20) /* copied before it is told */

struct work { /* one range of one file */
	struct slu_entry entry;
	uint64_t at; /* where the file begins on the line of cost */
	uint64_t range;
};

struct batch {
	struct work work[BATCH];
	size_t path[BATCH]; /* of each, in `paths` */
	size_t n;
	struct slu_buf paths;
};

struct thread {
	struct slu_act *act;
	struct slu_copier copier;
	struct slu_near src, dst;
	uint64_t bytes, files; /* done and not yet told */
};

struct copying {
	struct slu_act *act;
	pthread_mutex_t lock; /* guards what follows and the manifest */
	struct work next;     /* its entry is borrowed from the manifest */
	bool started, over, failed;
	struct slu_err err; /* of the first thread that failed */
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
	if (fstat(fd, st))
		return slu_act_errno(err, "look at", a->part->source, e);
	if (!unchanged(e, st))
		return slu_act_err(err, a->part->source, e,
				   "was changed while it was being copied");
	return 0;
}

static int open_source(struct thread *t, const struct slu_entry *e,
		       struct slu_err *err)
{
	const struct slu_act *a = t->act;
	const char *name;
	int dir = slu_near(&t->src, slu_act_path(a->places.from, e), &name);
	int fd = dir < 0 ? -1
			 : slu_open_beneath(dir, name,
					    O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
					    0);

	return fd < 0 ? slu_act_errno(err, "read", a->part->source, e) : fd;
}

static int open_target(struct thread *t, const struct slu_entry *e,
		       struct slu_err *err)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK;
	const struct slu_act *a = t->act;
	const char *name;
	int dir = slu_near(&t->dst, slu_act_path(a->places.to, e), &name);
	int fd = -1;

	if (dir >= 0)
		fd = slu_share_ranges(e->size) == 1
			     ? slu_create_beneath(dir, name, slu_act_mode(a, e))
			     : slu_open_beneath(dir, name, flags, 0);
	return fd < 0 ? slu_act_errno(err, "write", a->part->destination, e)
		      : fd;
}

static int tell(struct thread *t, struct slu_err *err)
{
	uint64_t bytes = t->bytes, files = t->files;

	t->bytes = t->files = 0;
	return slu_act_count(t->act, bytes, files, err);
}

static int told(void *arg, uint64_t bytes)
{
	struct thread *t = arg;

	t->bytes += bytes;
	return t->bytes < TELL_BYTES ? 0 : tell(t, NULL);
}

static int finish_target(struct slu_act *a, int out, const struct work *w,
			 bool sparse, struct slu_err *err)
{
	const struct slu_entry *e = &w->entry;
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, e->mtime};
	uint64_t ranges = slu_share_ranges(e->size);
	bool finish = ranges == 1 && !a->part->plain_destination;

	/* A hole at the end was not written. */
	if ((sparse && w->range == ranges - 1 &&
	     ftruncate(out, (off_t)e->size)) ||
	    (finish && (fchmod(out, e->mode) ||
			(!a->part->plain_source && futimens(out, times)))))
		return slu_act_errno(err, "write", a->part->destination, e);
	return 0;
}

static int copy_between(struct thread *t, const struct work *w, int in, int out,
			struct slu_err *err)
{
	struct slu_act *a = t->act;
	uint64_t size = w->entry.size, offset;
	uint64_t len = slu_share_range(size, w->range, &offset);
	struct slu_err reason = {0};
	struct stat st;
	bool sparse;

	if (check_source(a, in, &w->entry, &st, err))
		return -1;
	sparse = (uint64_t)st.st_blocks * 512 < size;
	if (slu_copy_part(&t->copier, in, out, offset, len, sparse, &reason)) {
		slu_act_err(err, a->part->source, &w->entry, reason.text);
		return -1;
	}
	if (check_source(a, in, &w->entry, &st, err))
		return -1;
	if (slu_share_ranges(size) == 1 &&
	    slu_act_xattrs(a, in, out, &w->entry, err))
		return -1;
	return finish_target(a, out, w, sparse, err);
}

static int copy_range(struct thread *t, const struct work *w,
		      struct slu_err *err)
{
	int in = open_source(t, &w->entry, err), out, rc;

	if (in < 0)
		return -1;
	out = open_target(t, &w->entry, err);
	if (out < 0) {
		close(in);
		return -1;
	}
	rc = copy_between(t, w, in, out, err);
	if (close(out) && !rc) /* some file systems say "full" only here */
		rc = slu_act_errno(err, "write", t->act->part->destination,
				   &w->entry);
	close(in);
	return rc;
}

/* The next range, whosever it is: 1, 0 at the end, -1. */
static int advance(struct copying *c, struct slu_err *err)
{
	struct work *w = &c->next;
	int rc;

	if (c->started && ++w->range < slu_share_ranges(w->entry.size))
		return 1;
	if (c->started)
		w->at += slu_share_cost(w->entry.size);
	c->started = false;
	do
		rc = slu_manifest_next(c->act->manifest, &w->entry, err);
	while (rc == 1 && w->entry.kind != 'f');
	w->range = 0;
	c->started = rc == 1;
	return rc;
}

/* The next ranges of this node; none are left when the batch stays empty. */
static int fill(struct copying *c, struct batch *b, struct slu_err *err)
{
	const struct slu_act *a = c->act;
	uint64_t bytes = 0, offset;
	int rc = 1;

	while (b->n < BATCH && bytes < BATCH_BYTES) {
		struct work *w = &c->next;

		rc = advance(c, err);
		if (rc != 1)
			break;
		if (slu_share_owner(w->at, w->range, a->totals.cost,
				    a->part->n) != a->part->self)
			continue;
		b->path[b->n] = b->paths.len;
		slu_buf_add(&b->paths, w->entry.path,
			    strlen(w->entry.path) + 1);
		b->work[b->n++] = *w;
		bytes += slu_share_range(w->entry.size, w->range, &offset);
	}
	return rc < 0 ? -1 : 0;
}

static int take(struct copying *c, struct batch *b, struct slu_err *err)
{
	int rc = 0;

	b->n = 0;
	slu_buf_reset(&b->paths);
	pthread_mutex_lock(&c->lock);
	if (!c->failed && !c->over) {
		rc = fill(c, b, err);
		c->over = b->n == 0;
	}
	pthread_mutex_unlock(&c->lock);
	if (!rc && b->paths.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; !rc && i < b->n; i++)
		b->work[i].entry.path = b->paths.data + b->path[i];
	return rc;
}

static void give_up(struct copying *c, const struct slu_err *err)
{
	pthread_mutex_lock(&c->lock);
	if (!c->failed)
		c->err = *err;
	c->failed = true;
	pthread_mutex_unlock(&c->lock);
}

static int copy_batch(struct thread *t, const struct batch *b,
		      struct slu_err *err)
{
	for (size_t i = 0; i < b->n; i++) {
		if (copy_range(t, &b->work[i], err))
			return -1;
		t->files += b->work[i].range == 0;
	}
	return tell(t, err);
}

static void *copy_thread(void *arg)
{
	struct copying *c = arg;
	struct thread t = {
		.act = c->act,
		.copier = {.progress = told, .arg = &t},
		.src = {.root = c->act->places.src, .fd = -1},
		.dst = {.root = c->act->places.dst, .fd = -1},
	};
	struct batch *b = calloc(1, sizeof(*b));
	struct slu_err err;
	int rc = b ? 0 : slu_err(&err, SLU_NOMEM, "out of memory");

	while (!rc && !(rc = take(c, b, &err)) && b->n)
		rc = copy_batch(&t, b, &err);
	if (rc)
		give_up(c, &err);
	if (b)
		slu_buf_free(&b->paths);
	free(b);
	slu_near_end(&t.src);
	slu_near_end(&t.dst);
	free(t.copier.buffer);
	return NULL;
}

int slu_act_copy(struct slu_act *a, struct slu_err *err)
{
	struct copying c = {.act = a, .lock = PTHREAD_MUTEX_INITIALIZER};
	unsigned n = a->part->threads ? a->part->threads : THREADS;
	pthread_t thread[THREADS_MAX];
	unsigned started = 0;

	while (started + 1 < n && started < THREADS_MAX &&
	       !pthread_create(&thread[started], NULL, copy_thread, &c))
		started++; /* fewer would do it too */
	copy_thread(&c);
	while (started)
		pthread_join(thread[--started], NULL);
	if (c.failed) {
		*err = c.err;
		return -1;
	}
	if (a->part->durable && syncfs(a->places.dst))
		return slu_errno(err, SLU_IO, "cannot write to %s",
				 a->part->destination);
	return 0;
}

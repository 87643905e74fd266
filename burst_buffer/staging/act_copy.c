/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * COPY: threads share a cursor over the manifest; whoever is free takes the
 * next range that is this node's. The first error stops all. A file of one
 * range is finished here, mode and time included; one of several has several
 * writers and gets them from the node that verifies it.
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

#define THREADS	    4
#define THREADS_MAX 64

struct work { /* one range of one file */
	struct slu_entry entry;
	uint64_t at; /* where the file begins on the line of cost */
	uint64_t range;
};

struct copying {
	struct slu_act *act;
	pthread_mutex_t lock; /* guards what follows and the manifest */
	struct work next;     /* its entry is borrowed from the manifest */
	bool started, failed;
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

static int open_source(struct slu_act *a, const struct slu_entry *e,
		       struct slu_err *err)
{
	int fd =
		slu_open_beneath(a->places.src, slu_act_path(a->places.from, e),
				 O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);

	return fd < 0 ? slu_act_errno(err, "read", a->part->source, e) : fd;
}

static int open_target(struct slu_act *a, const struct slu_entry *e,
		       struct slu_err *err)
{
	const char *path = slu_act_path(a->places.to, e);
	int fd;

	if (slu_share_ranges(e->size) == 1)
		fd = slu_create_beneath(a->places.dst, path,
					slu_act_mode(a, e));
	else
		fd = slu_open_beneath(a->places.dst, path,
				      O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	return fd < 0 ? slu_act_errno(err, "write", a->part->destination, e)
		      : fd;
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
	return slu_act_count(a, 0, w->range == 0, err);
}

static int copy_between(struct slu_act *a, const struct work *w, int in,
			int out, struct slu_copier *c, struct slu_err *err)
{
	uint64_t size = w->entry.size, offset;
	uint64_t len = slu_share_range(size, w->range, &offset);
	struct slu_err reason = {0};
	struct stat st;
	bool sparse;

	if (check_source(a, in, &w->entry, &st, err))
		return -1;
	sparse = (uint64_t)st.st_blocks * 512 < size;
	if (slu_copy_part(c, in, out, offset, len, sparse, &reason)) {
		slu_act_err(err, a->part->source, &w->entry, reason.text);
		return -1;
	}
	if (check_source(a, in, &w->entry, &st, err))
		return -1;
	return finish_target(a, out, w, sparse, err);
}

static int copy_range(struct slu_act *a, const struct work *w,
		      struct slu_copier *c, struct slu_err *err)
{
	int in = open_source(a, &w->entry, err), out, rc;

	if (in < 0)
		return -1;
	out = open_target(a, &w->entry, err);
	if (out < 0) {
		close(in);
		return -1;
	}
	rc = copy_between(a, w, in, out, c, err);
	if (close(out) && !rc) /* some file systems say "full" only here */
		rc = slu_act_errno(err, "write", a->part->destination,
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

/* The next range of this node, with a path of its own: the caller frees it. */
static int take(struct copying *c, struct work *out, char **path,
		struct slu_err *err)
{
	const struct slu_act *a = c->act;
	int rc;

	pthread_mutex_lock(&c->lock);
	do
		rc = c->failed ? 0 : advance(c, err);
	while (rc == 1 &&
	       slu_share_owner(c->next.at, c->next.range, a->totals.cost,
			       a->part->n) != a->part->self);
	if (rc == 1) {
		*out = c->next;
		*path = strdup(out->entry.path);
		out->entry.path = *path;
		if (!*path)
			rc = slu_err(err, SLU_NOMEM, "out of memory");
	}
	pthread_mutex_unlock(&c->lock);
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

static int told(void *arg, uint64_t bytes)
{
	return slu_act_count(arg, bytes, 0, NULL);
}

static void *copy_thread(void *arg)
{
	struct copying *c = arg;
	struct slu_copier copier = {.progress = told, .arg = c->act};
	struct work w;
	struct slu_err err;
	char *path;
	int rc;

	while ((rc = take(c, &w, &path, &err)) == 1) {
		rc = copy_range(c->act, &w, &copier, &err);
		free(path);
		if (rc)
			break;
	}
	if (rc < 0)
		give_up(c, &err);
	free(copier.buffer);
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

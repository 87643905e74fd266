/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs threads over chunks (shares of the work) of a manifest, the list of
 * files to be staged. The threads share one cursor, behind a lock; a batch
 * copies the names of its entries, as an entry is borrowed from the manifest
 * only while the lock is held.
 */
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/staging/acts/scan.h"
#include "burst_buffer/staging/share.h"
#include "common/str.h"

#define THREADS	    16 /* storage answers late rather than slowly */
#define THREADS_MAX 64
#define BATCH	    64	       /* units taken at once, at most, */
#define BATCH_BYTES (4u << 20) /* or as many as have this together */
#define TURNS	    4	       /* batches for each thread, at least */

struct batch {
	struct slu_unit unit[BATCH];
	size_t path[BATCH], link[BATCH]; /* of each, in `names` */
	size_t n;
	struct slu_buf names;
};

struct cursor {
	const struct slu_scan *scan;
	size_t batch;	      /* units taken at once */
	pthread_mutex_t lock; /* guards what follows and the manifest */
	struct slu_unit unit; /* its entry is borrowed from the manifest */
	unsigned chunk;
	bool in_chunk, in_entry, over, failed;
	struct slu_err err; /* of the first thread that failed */
};

static uint64_t ranges(const struct slu_entry *e)
{
	return e->kind == 'f' ? slu_share_ranges(e->size) : 1;
}

/* Moves the cursor to the beginning of the next chunk: 1; 0: there is none; -1.
 */
static int open_chunk(struct cursor *c, struct slu_err *err)
{
	const struct slu_scan *s = c->scan;
	unsigned __int128 total = s->act->totals.cost;
	int rc = s->next(s->arg, &c->chunk, err);

	if (rc != 1)
		return rc;
	c->in_chunk = true;
	c->in_entry = false;
	c->unit.at = 0;
	return slu_manifest_seek(s->act->manifest,
				 (uint64_t)(total * c->chunk / s->chunks),
				 &c->unit.at, err)
		       ? -1
		       : 1;
}

/* Moves to the next unit of the manifest, whichever node it belongs to: 1; 0:
 * at the end; -1. */
static int advance(struct cursor *c, struct slu_err *err)
{
	struct slu_unit *u = &c->unit;
	int rc;

	if (c->in_entry && ++u->range < ranges(&u->entry))
		return 1;
	if (c->in_entry && u->entry.kind == 'f')
		u->at += slu_share_cost(u->entry.size);
	u->range = 0;
	rc = slu_manifest_next(c->scan->act->manifest, &u->entry, err);
	c->in_entry = rc == 1;
	return rc;
}

/* Moves to the next unit of the act's chunks: 1; 0: none is left; -1. */
static int next_unit(struct cursor *c, struct slu_err *err)
{
	const struct slu_scan *s = c->scan;

	for (;;) {
		unsigned owner;
		int rc = c->in_chunk ? 1 : open_chunk(c, err);

		if (rc != 1)
			return rc;
		rc = advance(c, err);
		if (rc < 0)
			return -1;
		owner = rc ? slu_share_owner(
				     slu_share_begin(c->unit.at, c->unit.range),
				     s->act->totals.cost, s->chunks)
			   : s->chunks;
		if (owner > c->chunk)
			c->in_chunk = false;
		else if (owner == c->chunk &&
			 (!s->files || c->unit.entry.kind == 'f') &&
			 (!s->wanted || s->wanted(s->arg, &c->unit)))
			return 1;
	}
}

static void add(struct batch *b, const struct slu_unit *u)
{
	b->path[b->n] = b->names.len;
	slu_buf_add(&b->names, u->entry.path, strlen(u->entry.path) + 1);
	b->link[b->n] = b->names.len;
	slu_buf_add(&b->names, u->entry.link, strlen(u->entry.link) + 1);
	b->unit[b->n++] = *u;
}

/* A batch that stays empty is the last one. */
static int fill(struct cursor *c, struct batch *b, struct slu_err *err)
{
	uint64_t bytes = 0, offset;

	while (b->n < c->batch && bytes < BATCH_BYTES) {
		int rc = next_unit(c, err);

		if (rc != 1)
			return rc;
		add(b, &c->unit);
		if (c->unit.entry.kind == 'f')
			bytes += slu_share_range(c->unit.entry.size,
						 c->unit.range, &offset);
	}
	return 0;
}

static int take(struct cursor *c, struct batch *b, struct slu_err *err)
{
	int rc = 0;

	b->n = 0;
	slu_buf_reset(&b->names);
	pthread_mutex_lock(&c->lock);
	if (!c->failed && !c->over) {
		rc = fill(c, b, err);
		c->over = rc || b->n == 0;
	}
	pthread_mutex_unlock(&c->lock);
	if (!rc && b->names.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; !rc && i < b->n; i++) {
		b->unit[i].entry.path = b->names.data + b->path[i];
		b->unit[i].entry.link = b->names.data + b->link[i];
	}
	return rc;
}

static void give_up(struct cursor *c, const struct slu_err *err)
{
	pthread_mutex_lock(&c->lock);
	if (!c->failed)
		c->err = *err;
	c->failed = true;
	pthread_mutex_unlock(&c->lock);
}

int slu_worker_progress(struct slu_worker *w, struct slu_err *err)
{
	uint64_t bytes = w->bytes, files = w->files;

	w->bytes = w->files = 0;
	return slu_act_count(w->act, bytes, files, err);
}

static int do_batch(const struct slu_scan *s, struct slu_worker *w,
		    const struct batch *b, struct slu_err *err)
{
	for (size_t i = 0; i < b->n; i++)
		if (s->unit(s->arg, w, &b->unit[i], err))
			return -1;
	return slu_worker_progress(w, err);
}

static void *work(void *arg)
{
	struct cursor *c = arg;
	const struct slu_act *a = c->scan->act;
	struct slu_worker w = {
		.act = c->scan->act,
		.src = {.root = a->places.src, .fd = -1},
		.dst = {.root = a->places.dst, .fd = -1},
		.held = {.root = a->held.dir, .fd = -1},
	};
	struct batch *b = calloc(1, sizeof(*b));
	struct slu_err err;
	int rc = b ? 0 : slu_err(&err, SLU_NOMEM, "out of memory");

	while (!rc && !(rc = take(c, b, &err)) && b->n)
		rc = do_batch(c->scan, &w, b, &err);
	if (rc)
		give_up(c, &err);
	if (b)
		slu_buf_free(&b->names);
	free(b);
	slu_parent_cache_free(&w.src);
	slu_parent_cache_free(&w.dst);
	slu_parent_cache_free(&w.held);
	free(w.copier.buffer);
	free(w.cached.buffer);
	free(w.buffer);
	return NULL;
}

/* Units in a batch: few enough that a small tree keeps all threads of all nodes
 * busy. */
static size_t batch_of(const struct slu_scan *s, unsigned threads)
{
	uint64_t n = s->act->totals.files / s->act->part->n / threads / TURNS;

	return n < 1 ? 1 : n < BATCH ? (size_t)n : BATCH;
}

int slu_scan(const struct slu_scan *scan, unsigned threads, struct slu_err *err)
{
	struct cursor c = {.scan = scan, .lock = PTHREAD_MUTEX_INITIALIZER};
	unsigned n = threads ? threads : THREADS, started = 0;
	pthread_t thread[THREADS_MAX];

	c.batch = batch_of(scan, n);

	while (started + 1 < n && started < THREADS_MAX &&
	       !pthread_create(&thread[started], NULL, work, &c))
		started++; /* if a thread cannot be started, fewer do the work
			    */
	work(&c);
	while (started)
		pthread_join(thread[--started], NULL);
	if (!c.failed)
		return 0;
	*err = c.err;
	return -1;
}

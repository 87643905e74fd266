/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the act COPY: chooses which chunks of the manifest this node copies, and
 * copies them with several threads. A node takes its own chunks from the first
 * to the last, and then the last free chunk of the node that has most left,
 * until none is left. Work that the journal has from before a crash is not
 * repeated.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/files/temporary_file.h"
#include "burst_buffer/staging/files/fresh.h"
#include "burst_buffer/staging/acts/scan.h"
#include "burst_buffer/staging/share.h"

struct copying {
	struct slu_act *act;
	const struct slu_claims *claims; /* NULL: each node copies its own */
	unsigned per;			 /* chunks of each node */
	struct slu_journal journal;
	bool begun;	 /* `owner` has the chunks' owners at that time */
	unsigned *owner; /* of each chunk; last known */
	bool *had;	 /* own chunks that were taken, or refused */
	bool *ours;	 /* chunks that this node has had */
	unsigned own;	 /* the next of our own, from 0 */
	bool suspect;	 /* something could not be written there */
	unsigned synced; /* the next chunk to be checked for that */
	struct slu_target target;
};

static bool is_trusted(struct slu_worker *t, const struct slu_entry *e)
{
	const struct slu_act *a = t->act;
	const char *name;
	int dir = slu_parent_cache_open(&t->src,
					slu_act_path(a->places.from, e), &name);
	struct stat st;

	return !a->known.fd ||
	       (dir >= 0 && !slu_stat_fresh(dir, name, &st) &&
		slu_copied_trusts(&a->known, a->part->moved, e->path, &st));
}

/* An entry that only needs attributes gets them with its first range. */
static bool arrived(struct slu_worker *t, const struct slu_unit *w)
{
	const struct slu_entry *e = &w->entry;
	const struct slu_stage_part *part = t->act->part;
	char beside[NAME_MAX + 1];
	const char *name;
	const struct slu_stage_places *at = &t->act->places;
	int dir =
		slu_parent_cache_open(&t->dst, slu_act_path(at->to, e), &name);

	if (dir < 0 || slu_act_name(t->act, dir, name, beside) == beside ||
	    !is_trusted(t, e))
		return false;
	if (part->plain_source || part->plain_destination)
		return slu_has_arrived(dir, name, e, at->src,
				       slu_act_path(at->from, e));
	return slu_completes(dir, name, e, at->src, slu_act_path(at->from, e),
			     w->range == 0);
}

static int copy_range(struct copying *c, struct slu_worker *t,
		      const struct slu_unit *w, struct slu_err *err)
{
	if (c->act->part->only_cache)
		return slu_act_warm_range(t, w, err);
	if (c->act->part->quick && arrived(t, w)) {
		uint64_t offset;

		t->bytes += slu_share_range(w->entry.size, w->range, &offset);
		t->files += w->range == 0;
		c->act->kept += w->range == 0;
		return 0;
	}
	if (slu_act_copy_range(&c->target, t, w, err))
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

/* Work that was done before a crash is not repeated. */
static bool is_left(const struct copying *c, const struct slu_unit *w)
{
	uint64_t offset;

	if (!was_done(c, w))
		return true;
	slu_act_count(c->act, slu_share_range(w->entry.size, w->range, &offset),
		      w->range == 0, NULL);
	c->act->kept += w->range == 0;
	return false;
}

/* Does the node that copies the first range of a file copy the others too? */
static bool has_one_writer(const struct copying *c)
{
	return c->act->part->own_times_destination;
}

static bool is_to_do(void *arg, const struct slu_unit *w)
{
	return has_one_writer(arg) ? w->range == 0 : is_left(arg, w);
}

static int copy_unit(void *arg, struct slu_worker *t, const struct slu_unit *w,
		     struct slu_err *err)
{
	struct copying *c = arg;
	struct slu_unit part = *w;
	const uint64_t n = slu_share_ranges(w->entry.size);
	int rc = 0;

	if (!has_one_writer(c))
		return copy_range(c, t, w, err);
	for (; !rc && part.range < n; part.range++)
		if (is_left(c, &part))
			rc = copy_range(c, t, &part, err);
	return rc;
}

/* Choosing the next chunk */

static int have(struct copying *c, unsigned chunk, unsigned *out)
{
	c->had[chunk] = c->ours[chunk] = true;
	*out = chunk;
	return 1;
}

/* Takes one of the n chunks that this node had before a crash, if one is left.
 */
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

/* Returns the node that has most chunks left, n if none has any; of several the
 * next after this one, so that not all nodes take from the same one. */
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

/* Takes the last free chunk of another node: 1; 0: there is none; -1. */
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
	c->journal.resumed = false; /* none of those are left */
	while (c->own < c->per) {
		unsigned i = part->self * c->per + c->own++;
		int rc =
			c->had[i] ? 0 : c->claims->take(c->claims->arg, i, err);

		if (rc)
			return rc < 0 ? -1 : have(c, i, chunk);
	}
	return steal(c, chunk, err);
}

/* Is the copy on disk? syncfs() reports write errors of any file there, of any
 * process, but only once. So after an error we fsync each of our files, and
 * read it, as the kernel forgets the error with an evicted inode. Files from
 * before a crash are always checked, as their error may have been reported to
 * another process; and, where syncfs() reports nothing, so are files that the
 * mover has copied. */

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

	return c->suspect || c->target.fuse || was_done(c, w);
}

static int ask(void *arg, struct slu_worker *t, const struct slu_unit *w,
	       struct slu_err *err)
{
	const struct copying *c = arg;
	const struct slu_stage_places *at = &c->act->places;
	const char *name;
	char beside[NAME_MAX + 1];
	int dir = slu_parent_cache_open(&t->dst,
					slu_act_path(at->to, &w->entry), &name);
	int fd = dir < 0 ? -1
			 : slu_open_beneath(
				   dir, slu_act_name(c->act, dir, name, beside),
				   O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
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
	return c->suspect || resumed || (c->target.fuse && c->act->part->quick)
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

	if (part->early && c->act->known.fd &&
	    slu_copied_begin(&c->act->known, err))
		return -1;
	if (slu_journal_open(&c->journal, part->journal, part->tell,
			     &c->act->totals, err))
		return -1;
	resumed = c->journal.resumed;
	slu_target_look(&c->target, c->act->places.dst);
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

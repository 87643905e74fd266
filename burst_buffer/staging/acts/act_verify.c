/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the act VERIFY: compares what was copied with the manifest, and with
 * verify=content also with the source. A node does not verify what it has
 * written itself, unless it is the only one: a chunk is verified by the
 * neighbour of the node to which it belongs, or by that node if the neighbour
 * has copied it. Exception: if files are compared by content and lie whole on
 * nodes' disks, each node verifies those on its own disk (held_source.h).
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/acts/scan.h"
#include "burst_buffer/staging/share.h"

struct verifying {
	struct slu_act *act;
	unsigned per;	   /* chunks of each node */
	unsigned *claimer; /* of our chunks and those of the node before us;
			    * NULL: each did its own */
	unsigned next;	   /* chunk to be looked at */
	struct slu_parent_cache held;
};

static int wrong(struct slu_act *a, const struct slu_entry *e,
		 const char *saying, struct slu_err *err)
{
	return slu_act_err(err, a->places.dst_path, e, saying);
}

/* The mode comes last. The file may be read-only already, if an earlier
 * staging, or a verifier that was killed, has finished it. */
static bool is_finished(const struct slu_act *a, int dir, const char *name,
			const struct slu_entry *e)
{
	return !a->part->plain_source &&
	       slu_has_arrived(dir, name, e, a->places.src,
			       slu_act_path(a->places.from, e));
}

/* Gives a file that its copier did not finish its attributes, time and mode.
 * Only the attributes need write permission: a read-only file is made writable
 * for that. */
static int finish_file(struct slu_act *a, int dir, const char *name,
		       const struct slu_entry *e, struct stat *st,
		       struct slu_err *err)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, e->mtime};
	const struct slu_stage_part *part = a->part;
	int fd = slu_open_beneath(dir, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW,
				  0);
	mode_t mode;
	int rc = 0;

	if (fd < 0)
		return slu_act_errno(err, "open", a->places.dst_path, e);
	if (!(st->st_mode & 0200) && fchmod(fd, (st->st_mode & 0777) | 0600))
		rc = slu_act_errno(err, "open", a->places.dst_path, e);
	else if (slu_act_bring_attrs(a, fd, e, 0, &mode, err))
		rc = -1;
	else if ((!part->plain_source && futimens(fd, times)) ||
		 fchmod(fd, mode) || fstat(fd, st))
		rc = slu_act_errno(err, "set mode and time of",
				   a->places.dst_path, e);
	close(fd);
	return rc;
}

/* A file that several nodes have written is opened first: that makes NFS ask
 * its server, which otherwise may return the size from before another node's
 * last range. */
static int look_at(int dir, const char *name, const struct slu_entry *e,
		   struct stat *st)
{
	int fd = -1, rc;

	if (slu_share_ranges(e->size) > 1)
		fd = slu_open_beneath(dir, name,
				      O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	if (fd < 0) /* nor may all be read */
		return fstatat(dir, name, st, AT_SYMLINK_NOFOLLOW);
	rc = fstat(fd, st);
	close(fd);
	return rc;
}

static int verify_file(struct slu_act *a, struct slu_parent_cache *near,
		       const struct slu_entry *e, struct slu_err *err)
{
	const struct slu_stage_part *part = a->part;
	char beside[NAME_MAX + 1];
	const char *name;
	int dir = slu_parent_cache_open(near, slu_act_path(a->places.to, e),
					&name);
	struct stat st;

	if (dir >= 0)
		name = slu_act_name(a, dir, name, beside);
	if (dir < 0 || look_at(dir, name, e, &st))
		return slu_act_errno(err, "find", a->places.dst_path, e);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != e->size)
		return wrong(a, e, "did not arrive whole: its size differs",
			     err);
	if (part->plain_destination)
		return 0;
	if (!slu_act_copier_finishes(a, e) && !is_finished(a, dir, name, e) &&
	    finish_file(a, dir, name, e, &st, err))
		return -1;
	if (!part->plain_source && !part->own_times_destination &&
	    !slu_same_time(&e->mtime, &st.st_mtim))
		return wrong(a, e, "did not arrive whole: its time differs",
			     err);
	return 0;
}

/* Checks that the source is still as in the manifest: processes that still run
 * may have written to it after it was copied. */
static int verify_source(struct slu_act *a, struct slu_parent_cache *near,
			 const struct slu_entry *e, struct slu_err *err)
{
	const char *name;
	int dir = slu_parent_cache_open(near, slu_act_path(a->places.from, e),
					&name);
	int fd = dir < 0 ? -1
			 : slu_open_beneath(dir, name,
					    O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
					    0);
	struct stat st;
	int rc;

	if (fd < 0)
		return slu_act_errno(err, "read", a->places.src_path, e);
	rc = slu_act_check_source(a, fd, e, &st, err);
	close(fd);
	return rc;
}

static int verify_dir(struct slu_act *a, const struct slu_entry *e,
		      struct slu_err *err)
{
	int fd = slu_open_beneath(a->places.dst, e->path, O_PATH | O_DIRECTORY,
				  0);

	if (fd < 0)
		return slu_act_errno(err, "find", a->places.dst_path, e);
	close(fd);
	return 0;
}

static int verify_link(struct slu_act *a, struct slu_parent_cache *near,
		       const struct slu_entry *e, struct slu_err *err)
{
	char target[PATH_MAX + 1];
	const char *name;
	int dir = slu_parent_cache_open(near, e->path, &name);
	ssize_t n;

	if (dir < 0)
		return slu_act_errno(err, "find", a->places.dst_path, e);
	n = readlinkat(dir, name, target, PATH_MAX);
	if (n < 0)
		return slu_act_errno(err, "read the link", a->places.dst_path,
				     e);
	target[n] = '\0';
	if (strcmp(target, e->link))
		return wrong(a, e, "points elsewhere than its source", err);
	return 0;
}

static int verify_unit(void *arg, struct slu_worker *w,
		       const struct slu_unit *u, struct slu_err *err)
{
	struct verifying *v = arg;
	struct slu_act *a = v->act;
	const struct slu_entry *e = &u->entry;
	int rc = 0;

	switch (e->kind) {
	case 'f':
		if (u->range == 0)
			rc = verify_file(a, &w->dst, e, err);
		if (!rc && a->part->content)
			rc = slu_act_compare(a, w, u, err);
		if (!rc && a->part->ended && u->range == 0)
			rc = verify_source(a, &w->src, e, err);
		if (!rc && u->range == 0 && !slu_act_lands_last(a, e))
			rc = slu_act_land(a, w, e, err);
		break;
	case 'd':
		rc = verify_dir(a, e, err);
		break;
	case 'l':
		rc = verify_link(a, &w->dst, e, err);
		break;
	}
	/* as the totals do */
	w->files += (e->kind == 'f' || e->kind == 'l') && u->range == 0;
	return rc;
}

/* Verifies only the first range of a large file, unless contents are compared.
 */
static bool is_to_verify(void *arg, const struct slu_unit *u)
{
	struct verifying *v = arg;

	if (slu_held_source_has(&v->act->held, &u->entry))
		return false;
	return v->act->part->content || u->range == 0;
}

/* Is the file's data on this node, and not only a pointer to another node? */
static bool is_held(void *arg, const struct slu_unit *u)
{
	struct verifying *v = arg;
	const char *name;
	struct stat st;
	int dir;

	if (u->range || !slu_held_source_has(&v->act->held, &u->entry))
		return false;
	dir = slu_parent_cache_open(&v->held,
				    slu_act_path(v->act->held.source
							 ? v->act->places.from
							 : v->act->places.to,
						 &u->entry),
				    &name);
	return dir >= 0 && !fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode) && st.st_size;
}

static bool is_ours(const struct verifying *v, unsigned chunk)
{
	const struct slu_stage_part *part = v->act->part;
	unsigned of = chunk / v->per, behind = (of + 1) % part->n;

	if (of != part->self && behind != part->self)
		return false;
	if (v->claimer && v->claimer[chunk] == behind)
		return of == part->self;
	return behind == part->self;
}

/* Finds out which nodes have copied the chunks that this node may have to
 * verify. */
static int ask_who(struct verifying *v, struct slu_err *err)
{
	const struct slu_stage_part *part = v->act->part;
	const struct slu_claims *c = part->claims;
	unsigned before = (part->self + part->n - 1) % part->n;

	v->claimer = calloc((size_t)part->n * v->per, sizeof(*v->claimer));
	if (!v->claimer)
		return slu_err(err, SLU_NOMEM, "out of memory");
	return c->whose(c->arg, part->self * v->per,
			v->claimer + part->self * v->per, v->per, err) ||
			       c->whose(c->arg, before * v->per,
					v->claimer + before * v->per, v->per,
					err)
		       ? -1
		       : 0;
}

static int next_chunk(void *arg, unsigned *chunk, struct slu_err *err)
{
	struct verifying *v = arg;

	(void)err;
	while (v->next < v->act->part->n * v->per)
		if (is_ours(v, v->next++)) {
			*chunk = v->next - 1;
			return 1;
		}
	return 0;
}

/* Gives the whole manifest as one chunk. */
static int next_whole(void *arg, unsigned *chunk, struct slu_err *err)
{
	struct verifying *v = arg;

	(void)err;
	*chunk = 0;
	return v->next++ == 0;
}

static int verify_held(struct slu_act *a, struct slu_err *err)
{
	struct verifying v = {.act = a,
			      .held = {.root = a->held.dir, .fd = -1}};
	const struct slu_scan scan = {
		.act = a,
		.files = true,
		.chunks = 1,
		.next = next_whole,
		.wanted = is_held,
		.unit = verify_unit,
		.arg = &v,
	};
	int rc = slu_scan(&scan, a->part->threads, err);

	slu_parent_cache_free(&v.held);
	return rc;
}

int slu_act_verify(struct slu_act *a, struct slu_err *err)
{
	struct verifying v = {.act = a, .per = slu_act_chunks(a)};
	const struct slu_scan scan = {
		.act = a,
		.chunks = a->part->n * v.per,
		.next = next_chunk,
		.wanted = is_to_verify,
		.unit = verify_unit,
		.arg = &v,
	};
	int rc = 0;

	if (v.per > 1)
		rc = ask_who(&v, err);
	if (!rc)
		rc = slu_scan(&scan, a->part->threads, err);
	free(v.claimer);
	if (!rc && a->held.dir >= 0 && a->held.is)
		rc = verify_held(a, err);
	/* A node that is alone does FINISH as well. */
	return rc || a->part->n == 1 ? rc : slu_act_sync(a, err);
}

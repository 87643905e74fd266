/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares source and copy byte by byte during VERIFY (verify=content). Each
 * range is read on both sides by the node that verifies it; a checksum would
 * have to read as much and would prove less. If a node holds the file, it reads
 * that side from its own disk (held_source.h).
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/staging/acts/scan.h"
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/files/fresh.h"
#include "burst_buffer/staging/share.h"

#define PIECE (1u << 20)

/* A read that finds only a hole counts as complete: VERIFY has compared the
 * file's size with the manifest. */
static ssize_t read_range(int fd, char *data, size_t n, uint64_t offset,
			  bool plain)
{
	ssize_t is = slu_read_range(fd, data, n, offset, plain);

	return plain && is == 0 ? (ssize_t)n : is;
}

static int compare_range(struct slu_act *a, const struct slu_entry *e,
			 const int fd[2], uint64_t range, char *buffer,
			 struct slu_err *err)
{
	uint64_t offset, len = slu_share_range(e->size, range, &offset);

	while (len) {
		size_t n = len < PIECE ? len : PIECE;
		ssize_t x = read_range(fd[0], buffer, n, offset,
				       a->part->plain_source);
		ssize_t y = x < 0 ? -1
				  : read_range(fd[1], buffer + PIECE, n, offset,
					       a->part->plain_destination);

		if (x < 0)
			return slu_act_errno(err, "read", a->places.src_path,
					     e);
		if (y < 0)
			return slu_act_errno(err, "read", a->places.dst_path,
					     e);
		if (x != (ssize_t)n || y != x ||
		    memcmp(buffer, buffer + PIECE, n))
			return slu_act_err(err, a->places.dst_path, e,
					   "did not arrive whole: its content "
					   "differs");
		if (slu_act_count(a, 0, 0, err))
			return -1;
		offset += n;
		len -= n;
	}
	return 0;
}

/* Drops what this node has cached of either side, except of the job's file
 * system on its own disk, where the server's cache is right. */
static int open_side(const struct slu_act *a, struct slu_worker *w, bool dst,
		     const struct slu_unit *u)
{
	const char *path =
		slu_act_path(dst ? a->places.to : a->places.from, &u->entry);
	bool held = slu_held_source_has(&a->held, &u->entry) &&
		    dst != a->held.source;
	struct slu_parent_cache *near = held  ? &w->held
					: dst ? &w->dst
					      : &w->src;
	uint64_t size = u->entry.size, offset;
	uint64_t len = slu_share_range(size, u->range, &offset);
	char beside[NAME_MAX + 1];
	const char *name;
	int dir = slu_parent_cache_open(near, path, &name);
	int fd = dir < 0 ? -1
			 : slu_open_beneath(
				   dir,
				   dst ? slu_act_name(a, dir, name, beside)
				       : name,
				   O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	struct stat st;

	if (fd < 0 || held)
		return fd;
	if (!slu_fstat_fresh(fd, &st))
		slu_drop_cache(fd, &st, offset, offset + len < size ? len : 0);
	if (dst) /* read what is on disk, not what is cached */
		(void)posix_fadvise(fd, (off_t)offset, (off_t)len,
				    POSIX_FADV_DONTNEED);
	return fd;
}

static int compare(struct slu_act *a, struct slu_worker *w,
		   const struct slu_unit *u, struct slu_err *err)
{
	const struct slu_entry *e = &u->entry;
	int fd[2], rc;

	fd[0] = open_side(a, w, false, u);
	if (fd[0] < 0)
		return slu_act_errno(err, "read", a->places.src_path, e);
	fd[1] = open_side(a, w, true, u);
	if (fd[1] < 0)
		rc = slu_act_errno(err, "read", a->places.dst_path, e);
	else
		rc = compare_range(a, e, fd, u->range, w->buffer, err);
	close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
	return rc;
}

int slu_act_compare(struct slu_act *a, struct slu_worker *w,
		    const struct slu_unit *u, struct slu_err *err)
{
	bool whole = slu_held_source_has(&a->held, &u->entry);
	uint64_t end = whole ? slu_share_ranges(u->entry.size) : u->range + 1;
	struct slu_unit part = *u;
	int rc = 0;

	if (!w->buffer && !(w->buffer = malloc(2 * PIECE)))
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (; !rc && part.range < end; part.range++)
		rc = compare(a, w, &part, err);
	return rc;
}

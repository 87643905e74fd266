/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VERIFY by content (verify=content): every range is read on both sides by the
 * neighbour of the node that wrote it, and compared byte by byte. A checksum
 * would read as much and could only say less.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/staging/act.h"
#include "burst_buffer/staging/beneath.h"
#include "burst_buffer/staging/share.h"
#include "common/file.h"

#define PIECE (1u << 20)

static int compare_range(struct slu_act *a, const struct slu_entry *e,
			 const int fd[2], uint64_t range, char *buffer,
			 struct slu_err *err)
{
	uint64_t offset, len = slu_share_range(e->size, range, &offset);

	while (len) {
		size_t n = len < PIECE ? len : PIECE;
		ssize_t x = slu_read_up_to(fd[0], buffer, n, (off_t)offset);
		ssize_t y = x < 0 ? -1
				  : slu_read_up_to(fd[1], buffer + PIECE, n,
						   (off_t)offset);

		if (x < 0)
			return slu_act_errno(err, "read", a->part->source, e);
		if (y < 0)
			return slu_act_errno(err, "read", a->part->destination,
					     e);
		if (x != (ssize_t)n || y != x ||
		    memcmp(buffer, buffer + PIECE, n))
			return slu_act_err(err, a->part->destination, e,
					   "did not arrive whole: its content "
					   "differs");
		if (slu_act_count(a, 0, 0, err))
			return -1;
		offset += n;
		len -= n;
	}
	return 0;
}

static bool is_mine(const struct slu_act *a, uint64_t at, uint64_t range)
{
	unsigned n = a->part->n;

	return (slu_share_owner(at, range, a->totals.cost, n) + 1) % n ==
	       a->part->self;
}

static int open_side(struct slu_near *near, const char *path)
{
	const char *name;
	int dir = slu_near(near, path, &name);

	return dir < 0 ? -1
		       : slu_open_beneath(dir, name,
					  O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
					  0);
}

static int compare_open(struct slu_act *a, const struct slu_entry *e,
			uint64_t at, const int fd[2], struct slu_err *err)
{
	uint64_t ranges = slu_share_ranges(e->size), i;
	char *buffer = malloc(2 * PIECE);
	int rc = 0;

	if (!buffer)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (i = 0; !rc && i < ranges; i++)
		if (is_mine(a, at, i))
			rc = compare_range(a, e, fd, i, buffer, err);
	free(buffer);
	return rc;
}

int slu_act_compare(struct slu_act *a, struct slu_near *src,
		    struct slu_near *dst, const struct slu_entry *e,
		    uint64_t at, struct slu_err *err)
{
	uint64_t ranges = slu_share_ranges(e->size), i = 0;
	int fd[2], rc;

	while (i < ranges && !is_mine(a, at, i))
		i++;
	if (i == ranges)
		return 0;
	fd[0] = open_side(src, slu_act_path(a->places.from, e));
	if (fd[0] < 0)
		return slu_act_errno(err, "read", a->part->source, e);
	fd[1] = open_side(dst, slu_act_path(a->places.to, e));
	if (fd[1] < 0)
		rc = slu_act_errno(err, "read", a->part->destination, e);
	else
		rc = compare_open(a, e, at, fd, err);
	close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
	return rc;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VERIFY and FINISH: what arrived is what the manifest says. Nobody verifies
 * what it wrote itself, unless it is alone.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/act.h"
#include "burst_buffer/staging/beneath.h"
#include "burst_buffer/staging/share.h"

/* File systems keep times to 1 s, 1 us, 100 ns or exactly. */
static bool same_time(const struct timespec *want, const struct timespec *is)
{
	long diff = want->tv_nsec - is->tv_nsec;

	return want->tv_sec == is->tv_sec &&
	       (is->tv_nsec == 0 || (diff > -1000 && diff < 1000));
}

static int wrong(struct slu_act *a, const struct slu_entry *e,
		 const char *saying, struct slu_err *err)
{
	return slu_act_err(err, a->part->destination, e, saying);
}

/* Attributes of what has no copier that could bring them along. */
static int bring_xattrs(struct slu_act *a, int out, const struct slu_entry *e,
			int flags, struct slu_err *err)
{
	int in =
		slu_open_beneath(a->places.src, slu_act_path(a->places.from, e),
				 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags, 0);
	int rc;

	if (in < 0)
		return slu_act_errno(err, "read", a->part->source, e);
	rc = slu_act_xattrs(a, in, out, e, err);
	close(in);
	return rc;
}

/* What has had several writers gets its mode and time now. */
static int finish_file(struct slu_act *a, int dir, const char *name,
		       const struct slu_entry *e, struct stat *st,
		       struct slu_err *err)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, e->mtime};
	const struct slu_stage_part *part = a->part;
	int fd = slu_open_beneath(dir, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW,
				  0);
	int rc = 0;

	if (fd < 0)
		return slu_act_errno(err, "find", part->destination, e);
	if (bring_xattrs(a, fd, e, 0, err))
		rc = -1;
	else if (fchmod(fd, e->mode) ||
		 (!part->plain_source && futimens(fd, times)) || fstat(fd, st))
		rc = slu_act_errno(err, "set mode and time of",
				   part->destination, e);
	close(fd);
	return rc;
}

static int verify_file(struct slu_act *a, struct slu_near *near,
		       const struct slu_entry *e, struct slu_err *err)
{
	const struct slu_stage_part *part = a->part;
	const char *name;
	int dir = slu_near(near, slu_act_path(a->places.to, e), &name);
	struct stat st;

	if (dir < 0 || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return slu_act_errno(err, "find", part->destination, e);
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size != e->size)
		return wrong(a, e, "did not arrive whole: its size differs",
			     err);
	if (part->plain_destination)
		return 0;
	if (slu_share_ranges(e->size) > 1 &&
	    finish_file(a, dir, name, e, &st, err))
		return -1;
	if (!part->plain_source && !same_time(&e->mtime, &st.st_mtim))
		return wrong(a, e, "did not arrive whole: its time differs",
			     err);
	return 0;
}

static int verify_dir(struct slu_act *a, const struct slu_entry *e,
		      struct slu_err *err)
{
	int fd = slu_open_beneath(a->places.dst, e->path, O_PATH | O_DIRECTORY,
				  0);

	if (fd < 0)
		return slu_act_errno(err, "find", a->part->destination, e);
	close(fd);
	return 0;
}

static int verify_link(struct slu_act *a, struct slu_near *near,
		       const struct slu_entry *e, struct slu_err *err)
{
	char target[PATH_MAX + 1];
	const char *name;
	int dir = slu_near(near, e->path, &name);
	ssize_t n;

	if (dir < 0)
		return slu_act_errno(err, "find", a->part->destination, e);
	n = readlinkat(dir, name, target, PATH_MAX);
	if (n < 0)
		return slu_act_errno(err, "read the link", a->part->destination,
				     e);
	target[n] = '\0';
	if (strcmp(target, e->link))
		return wrong(a, e, "points elsewhere than its source", err);
	return 0;
}

/* A file is looked at by the neighbour of who wrote its beginning, the rest by
 * the neighbour of the first node, which made it. */
static int verify_entry(struct slu_act *a, struct slu_near *near,
			const struct slu_entry *e, uint64_t at,
			struct slu_err *err)
{
	unsigned n = a->part->n, maker = 0;
	int rc = 0;

	if (e->kind == 'f')
		maker = slu_share_owner(at, 0, a->totals.cost, n);
	if ((maker + 1) % n != a->part->self)
		return 0;
	switch (e->kind) {
	case 'f':
		rc = verify_file(a, near, e, err);
		break;
	case 'd':
		rc = verify_dir(a, e, err);
		break;
	case 'l':
		rc = verify_link(a, near, e, err);
		break;
	}
	return rc ? -1 : slu_act_count(a, 0, 1, err);
}

int slu_act_verify(struct slu_act *a, struct slu_err *err)
{
	struct slu_near near = {.root = a->places.dst, .fd = -1};
	struct slu_near src = {.root = a->places.src, .fd = -1};
	struct slu_entry e;
	uint64_t at = 0;
	int rc;

	while ((rc = slu_manifest_next(a->manifest, &e, err)) == 1) {
		if (verify_entry(a, &near, &e, at, err) ||
		    (a->part->content && e.kind == 'f' &&
		     slu_act_compare(a, &src, &near, &e, at, err))) {
			rc = -1;
			break;
		}
		if (e.kind == 'f')
			at += slu_share_cost(e.size);
	}
	slu_near_end(&near);
	slu_near_end(&src);
	return rc;
}

/* A set-group-id bit that the destination inherited stays. */
static int finish_dir(struct slu_act *a, const struct slu_entry *e,
		      struct slu_err *err)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, e->mtime};
	int fd = slu_open_beneath(a->places.dst, e->path,
				  O_RDONLY | O_DIRECTORY, 0);
	struct stat st;
	int rc = 0;

	if (fd < 0)
		return slu_act_errno(err, "open", a->part->destination, e);
	if (bring_xattrs(a, fd, e, O_DIRECTORY, err))
		rc = -1;
	else if (fstat(fd, &st) ||
		 (!a->part->plain_source && futimens(fd, times)) ||
		 fchmod(fd, e->mode | (st.st_mode & S_ISGID)))
		rc = slu_act_errno(err, "set mode and time of",
				   a->part->destination, e);
	close(fd);
	return rc;
}

int slu_act_finish(struct slu_act *a, struct slu_err *err)
{
	struct slu_entry e;
	int rc;

	if (a->part->plain_destination)
		return 0;
	while ((rc = slu_manifest_next(a->manifest, &e, err)) == 1)
		if (e.kind == 'D' && finish_dir(a, &e, err))
			return -1;
	return rc;
}

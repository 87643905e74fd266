/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies a range of a file with copy_file_range(2), and with pread/pwrite where
 * that does not work: across file systems, on most FUSE ones (EXDEV), and for
 * files that the kernel generates (it returns 0 before their end); and for
 * small files, where it costs more than it saves. Also decides whether a copy
 * is complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/files/attrs.h"
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/share.h"
#include "common/file.h"

#define SMALL (256u << 10)
#define STEP  (16u << 20) /* of one copy_file_range, so that a stop is seen */

/* Makes the disk write while we read on: the kernel starts by itself only when
 * much memory is dirty. A hint. */
static void write_behind(const struct slu_copier *c, int out, uint64_t offset,
			 uint64_t len)
{
	if (c->flush && len > SMALL)
		(void)sync_file_range(out, (off_t)offset, (off_t)len,
				      SYNC_FILE_RANGE_WRITE);
}

static int report_progress(struct slu_copier *c, uint64_t bytes,
			   struct slu_err *err)
{
	if (c->progress && c->progress(c->arg, bytes))
		return slu_err(err, SLU_BUSY, "stopped");
	return 0;
}

static int write_at(int fd, const char *data, size_t len, uint64_t offset,
		    struct slu_err *err)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return slu_errno(err, SLU_IO, "write");
		data += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

ssize_t slu_read_range(int fd, char *data, size_t len, uint64_t offset,
		       bool by_size)
{
	ssize_t n;

	if (!by_size)
		return slu_read_up_to(fd, data, len, (off_t)offset);
	memset(data, 0, len);
	do
		n = pread(fd, data, len, (off_t)offset);
	while (n < 0 && errno == EINTR);
	return n > 0 ? (ssize_t)len : n;
}

static int copy_by_buffer(struct slu_copier *c, int in, int out,
			  uint64_t offset, uint64_t len, struct slu_err *err)
{
	if (!c->buffer && !(c->buffer = malloc(SLU_COPY_BUFFER)))
		return slu_err(err, SLU_NOMEM, "out of memory");
	while (len) {
		size_t want = len < SLU_COPY_BUFFER ? len : SLU_COPY_BUFFER;
		ssize_t n =
			slu_read_range(in, c->buffer, want, offset, c->by_size);

		if (n < 0)
			return slu_errno(err, SLU_IO, "read");
		if (!n && !c->by_size)
			return slu_err(err, SLU_IO,
				       "it became shorter while being copied");
		if (write_at(out, c->buffer, (size_t)n, offset, err))
			return -1;
		if (!n) /* there is a hole already */
			n = (ssize_t)want;
		write_behind(c, out, offset, (uint64_t)n);
		if (report_progress(c, (uint64_t)n, err))
			return -1;
		offset += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

static int copy_data(struct slu_copier *c, int in, int out, uint64_t offset,
		     uint64_t len, struct slu_err *err)
{
	while (len > SMALL && !c->no_kernel && !c->by_size) {
		off_t from = (off_t)offset, to = (off_t)offset;
		ssize_t n = copy_file_range(in, &from, out, &to,
					    len < STEP ? len : STEP, 0);
		if (n < 0 &&
		    (errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
			return slu_errno(err, SLU_IO, "write");
		if (n <= 0) { /* try pread/pwrite, which works or gives a clear
				 error */
			c->no_kernel = n < 0 && errno != EIO && errno != EINTR;
			break;
		}
		write_behind(c, out, offset, (uint64_t)n);
		if (report_progress(c, (uint64_t)n, err))
			return -1;
		offset += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return copy_by_buffer(c, in, out, offset, len, err);
}

int slu_copy_part(struct slu_copier *c, int in, int out, uint64_t offset,
		  uint64_t len, bool sparse, struct slu_err *err)
{
	uint64_t end = offset + len;

	while (sparse && offset < end) {
		off_t data = lseek(in, (off_t)offset, SEEK_DATA), hole;

		if (data < 0 && errno == ENXIO) /* a hole to the end */
			return report_progress(c, end - offset, err);
		if (data < 0)
			break; /* not supported: all is data */
		if ((uint64_t)data >= end)
			return report_progress(c, end - offset, err);
		if (report_progress(c, (uint64_t)data - offset, err))
			return -1;
		hole = lseek(in, data, SEEK_HOLE);
		if (hole < 0 || (uint64_t)hole > end)
			hole = (off_t)end;
		if (copy_data(c, in, out, (uint64_t)data,
			      (uint64_t)(hole - data), err))
			return -1;
		offset = (uint64_t)hole;
	}
	return copy_data(c, in, out, offset, end - offset, err);
}

/* A time that a file system cannot hold becomes its first or last second: of 32
 * bits with a sign (XFS, ext3) or without (NFS), of 34 (ext4), of XFS's
 * bigtime. */
static bool is_nearest(const struct timespec *want, const struct timespec *is)
{
	static const int64_t first[] = {INT32_MIN, 0};
	static const int64_t last[] = {INT32_MAX, UINT32_MAX, 0x37fffffff,
				       16299260424};
	bool nearest = false;

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		nearest |= is->tv_sec == first[i] && want->tv_sec < first[i];
	for (size_t i = 0; i < sizeof(last) / sizeof(*last); i++)
		nearest |= is->tv_sec == last[i] && want->tv_sec > last[i];
	return nearest && is->tv_nsec == 0;
}

/* File systems keep times to 1 s, 1 us, 100 ns or exactly. */
bool slu_same_time(const struct timespec *want, const struct timespec *is)
{
	long diff = want->tv_nsec - is->tv_nsec;

	if (want->tv_sec != is->tv_sec)
		return is_nearest(want, is);
	return is->tv_nsec == 0 || (diff > -1000 && diff < 1000);
}

static bool same_attrs(int dir, const char *name, int src, const char *path)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
	int in = slu_open_beneath(src, path, flags, 0);
	int out = slu_open_beneath(dir, name, flags, 0);
	bool same = in >= 0 && out >= 0 && slu_same_attrs(in, out);

	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return same;
}

bool slu_has_arrived(int dir, const char *name, const struct slu_entry *e,
		     int src, const char *path)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode) || (uint64_t)st.st_size != e->size ||
	    !slu_same_time(&e->mtime, &st.st_mtim))
		return false;
	if ((st.st_mode & 0777) != e->mode &&
	    (slu_can_have_list(dir, name) ||
	     (st.st_mode & 0777) != slu_mode_alone_at(src, path, e->mode)))
		return false;
	return same_attrs(dir, name, src, path);
}

/* The user may need write permission for the attributes. */
static bool bring_attrs(int dir, const char *name, mode_t is, int src,
			const char *path, mode_t mode)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
	int in = slu_open_beneath(src, path, flags, 0);
	int out = slu_open_beneath(dir, name, flags, 0);
	bool done = in >= 0 && out >= 0 && !fchmod(out, (is & 0777) | 0200) &&
		    !slu_copy_attrs(in, out, &mode, NULL) && !fchmod(out, mode);

	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return done;
}

/* May another node be writing it? A file that is being written has the present
 * time, which equals the source's if that was made in this second and times
 * have no fractions; once its time is set the inode changes later than that. */
static bool is_being_written(const struct stat *st)
{
	return slu_share_ranges((uint64_t)st->st_size) > 1 &&
	       st->st_mtim.tv_nsec == 0 &&
	       st->st_mtim.tv_sec == st->st_ctim.tv_sec;
}

bool slu_completes(int dir, const char *name, const struct slu_entry *e,
		   int src, const char *path, bool attrs)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode) || (uint64_t)st.st_size != e->size ||
	    !slu_same_time(&e->mtime, &st.st_mtim) || is_being_written(&st))
		return false;
	return !attrs || slu_has_arrived(dir, name, e, src, path) ||
	       bring_attrs(dir, name, st.st_mode, src, path, e->mode);
}

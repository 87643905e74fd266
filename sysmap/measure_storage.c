/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the speed of a node's storage (sysmap --measure): write, sequential
 * read and random read; each part ends with its bytes or after a third of the
 * time. Blocks have different contents, so that compression or deduplication in
 * the device does not help.
 */
#include "config.h"
#include "sysmap/measure_storage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "common/jsonx.h"

#define PARTS	     3
#define SMALL_READS  2048
#define FREE_PORTION 10 /* uses 1 / this of the free space */

struct trial {
	int fd;
	char *block;
	uint64_t size; /* of the file, a multiple of the block size */
	uint64_t seed;
	double part; /* most seconds of each part */
	slu_clock_f *now;
};

/* xorshift64 */
static uint64_t next(struct trial *t)
{
	t->seed ^= t->seed << 13;
	t->seed ^= t->seed >> 7;
	t->seed ^= t->seed << 17;
	return t->seed;
}

static void fill(struct trial *t)
{
	uint64_t word;

	for (size_t at = 0; at < SLU_MEASURE_BLOCK; at += sizeof(word)) {
		word = next(t);
		memcpy(t->block + at, &word, sizeof(word));
	}
}

static int open_file(int dir, struct slu_err *err)
{
	int fd = openat(dir, ".", O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC,
			0600);

	if (fd >= 0)
		return fd;
	if (errno == EINVAL || errno == EOPNOTSUPP || errno == EISDIR)
		return slu_err(err, SLU_INVALID,
			       "this file system does no direct I/O");
	return slu_errno(
		err, errno == EACCES || errno == EROFS ? SLU_DENIED : SLU_IO,
		"cannot make a file");
}

/* The size of the file. */
static int find_size(int dir, uint64_t limit, uint64_t *out,
		     struct slu_err *err)
{
	struct statvfs st;
	uint64_t size;

	if (fstatvfs(dir, &st))
		return slu_errno(err, SLU_IO, "cannot ask for free space");
	size = (uint64_t)st.f_frsize * st.f_bavail / FREE_PORTION;
	if (size > limit)
		size = limit;
	size -= size % SLU_MEASURE_BLOCK;
	if (size == 0)
		return slu_err(err, SLU_NOMEM, "too little space is free");
	*out = size;
	return 0;
}

/* Did a call transfer this many bytes? If fewer, errno is unchanged. */
static bool is_done(ssize_t moved, size_t want)
{
	if (moved >= 0)
		errno = EIO;
	return moved == (ssize_t)want;
}

/* Includes the sync: data in a cache does not count. */
static int write_part(struct trial *t, struct slu_measured *out)
{
	double start = t->now(), end = start;
	uint64_t at = 0;

	for (; at < t->size && end - start < t->part;
	     at += SLU_MEASURE_BLOCK, end = t->now()) {
		memcpy(t->block, &at, sizeof(at));
		if (!is_done(pwrite(t->fd, t->block, SLU_MEASURE_BLOCK,
				    (off_t)at),
			     SLU_MEASURE_BLOCK))
			return -1;
	}
	if (fdatasync(t->fd))
		return -1;
	end = t->now();
	t->size = at;
	out->bytes = at;
	out->write = end > start ? (double)at / (end - start) : 0;
	return 0;
}

static int read_part(struct trial *t, struct slu_measured *out)
{
	double start = t->now(), end = start;
	uint64_t at = 0;

	for (; at < t->size && end - start < t->part;
	     at += SLU_MEASURE_BLOCK, end = t->now())
		if (!is_done(pread(t->fd, t->block, SLU_MEASURE_BLOCK,
				   (off_t)at),
			     SLU_MEASURE_BLOCK))
			return -1;
	out->read = end > start ? (double)at / (end - start) : 0;
	return 0;
}

static int small_part(struct trial *t, struct slu_measured *out)
{
	double start = t->now(), end = start;
	uint64_t at;
	int n = 0;

	for (; n < SMALL_READS && end - start < t->part; n++, end = t->now()) {
		at = next(t) % (t->size / SLU_MEASURE_SMALL);
		if (!is_done(pread(t->fd, t->block, SLU_MEASURE_SMALL,
				   (off_t)(at * SLU_MEASURE_SMALL)),
			     SLU_MEASURE_SMALL))
			return -1;
	}
	out->small_reads = end > start ? n / (end - start) : 0;
	return 0;
}

int slu_measure(int dir, const struct slu_measure_limits *limits,
		slu_clock_f *now, struct slu_measured *out, struct slu_err *err)
{
	struct trial t = {.fd = -1,
			  .seed = 0x9e3779b97f4a7c15u,
			  .part = limits->seconds / PARTS,
			  .now = now};
	struct slu_measured measured = {0};
	double start = now();
	int ret = -1;

	if (posix_memalign((void **)&t.block, SLU_MEASURE_SMALL,
			   SLU_MEASURE_BLOCK))
		return slu_err(err, SLU_NOMEM, "out of memory");
	fill(&t);
	if (find_size(dir, limits->bytes, &t.size, err))
		goto out;
	t.fd = open_file(dir, err);
	if (t.fd < 0)
		goto out;
	if (write_part(&t, &measured) || read_part(&t, &measured) ||
	    small_part(&t, &measured)) {
		slu_errno(err, SLU_IO, "measuring");
		goto out;
	}
	measured.seconds = now() - start;
	*out = measured;
	ret = 0;
out:
	if (t.fd >= 0)
		close(t.fd);
	free(t.block);
	return ret;
}

struct json_object *slu_measured_json(const char *path,
				      const struct slu_measure_limits *limits,
				      const struct slu_measured *measured)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "path", path);
	slu_json_set_u64(obj, "write_bytes_per_s", (uint64_t)measured->write);
	slu_json_set_u64(obj, "read_bytes_per_s", (uint64_t)measured->read);
	slu_json_set_u64(obj, "small_reads_per_s",
			 (uint64_t)measured->small_reads);
	slu_json_set_u64(obj, "bytes", measured->bytes);
	slu_json_set_double(obj, "seconds",
			    (double)(int64_t)(measured->seconds * 1000) / 1000);
	slu_json_set_u64(obj, "limit_bytes", limits->bytes);
	slu_json_set_double(obj, "limit_seconds", limits->seconds);
	return obj;
}

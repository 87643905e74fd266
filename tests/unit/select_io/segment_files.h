/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TEST_SEGMENT_FILES_H
#define TEST_SEGMENT_FILES_H

/* Creates files in three segments, for the tests of the programs that write and
 * read them. */

#include "tests/unit/harness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "common/file.h"
#include "select_io/segments/write_segments.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"

#define KIB 1024u

static struct slu_err err;

static const struct slu_stripe_layout layout = {
	.part = {{64 * KIB, 4, KIB *KIB, ""},
		 {192 * KIB, 8, 2 * KIB *KIB, ""},
		 {0, 16, 4 * KIB *KIB, ""}},
	.n = 3};
static const struct slu_segment_options plain = {0};

static inline void make_random(const char *path, size_t size)
{
	char *data = malloc(size + 1);
	uint64_t seed = size;

	for (size_t i = 0; i < size; i++)
		data[i] = (char)slu_random(&seed, 256);
	expect_ok(slu_file_write(AT_FDCWD, path, data, size, 0644, false, &err),
		  err);
	free(data);
}

static inline int cut(const char *from, const char *to,
		      const struct slu_segment_options *how)
{
	int fd = open(from, O_RDONLY), rc;

	ck_assert_int_ge(fd, 0);
	rc = slu_segments_write(fd, to, &layout, how, &err);
	close(fd);
	return rc;
}

static inline char *path(const char *name)
{
	return slu_asprintf("%s/%s", tmpdir(), name);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that files are restored from the chunks that the nodes of a GekkoFS
 * have kept. */
#include "config.h"
#include "tests/unit/harness.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/drivers/gekkofs.h"
#include "common/file.h"
#include "tests/unit/burst_buffer/node/tree.h"

#define CHUNK 1000
#define NODES 3

static char *dir;
static uint64_t seed;

static unsigned roll(unsigned n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % n;
}

/* NODE/gekkofs/root.I[/dI]/chunks/NAME */
static const char *chunks(unsigned node, const char *name)
{
	static char path[PATH_MAX];
	unsigned daemon = roll(2);

	snprintf(path, sizeof(path), "%s/%u/gekkofs/root.%u%s/chunks/%s", dir,
		 node, daemon, daemon ? "/d1" : "", name);
	ck_assert(!slu_mkdirs(path, 0700, NULL));
	return path;
}

static void put(const char *at, unsigned number, const char *data, size_t n)
{
	char path[PATH_MAX + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/%u", at, number);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(write(fd, data, n), (ssize_t)n);
	close(fd);
}

static int join(unsigned node, struct slu_err *err)
{
	struct slu_joined sum = {0};
	char path[PATH_MAX];
	int to = open(in(dir, "to"), O_RDONLY | O_DIRECTORY), rc;

	snprintf(path, sizeof(path), "%s/%u", dir, node);
	rc = slu_gkfs_join(path, "gekkofs 1000", to, &sum, err);
	close(to);
	return rc;
}

static void setup(uint64_t with)
{
	seed = with;
	dir = tree_new();
	ck_assert(!mkdir(in(dir, "to"), 0755));
}

/* Any file, with holes, its chunks on any nodes, which join them in any order
 * and twice, is what it was up to its last byte that was written. */
static void any_file(unsigned with)
{
	unsigned n = 1 + roll(9);
	char is[10 * CHUNK] = "", got[10 * CHUNK + 1] = "";
	size_t size = 0;
	struct slu_err err = {0};
	int fd;

	setup(with);
	for (unsigned i = 0; i < n; i++) {
		size_t len = i == n - 1 ? 1 + roll(CHUNK) : CHUNK;

		if (i < n - 1 && roll(4) == 0)
			continue; /* a hole */
		for (size_t k = 0; k < len; k++)
			is[i * CHUNK + k] = (char)roll(256);
		put(chunks(roll(NODES), "data:a:b:file"), i, is + i * CHUNK,
		    len);
		size = i * CHUNK + len;
	}
	for (unsigned i = 0, first = roll(NODES); i < 2 * NODES; i++)
		expect(!join((first + i) % NODES, &err), "%s", err.text);
	fd = open(in(dir, "to/a/b/file"), O_RDONLY);
	expect(read(fd, got, sizeof(got)) == (ssize_t)size &&
		       !memcmp(is, got, size),
	       "seed %u", with);
	close(fd);
	tree_remove(dir);
}

START_TEST(test_random_files_are_joined)
{
	for (unsigned i = 0; i < 50; i++)
		any_file(i);
}
END_TEST

/* The job has written their names: nothing leads out of the directory, and what
 * is not the user's, or no chunk, is left. */
START_TEST(test_hostile_chunk_names)
{
	struct slu_err err = {0};

	setup(1);
	put(chunks(0, "data:..:..:out"), 0, "x", 1);
	put(chunks(0, "data::abs"), 0, "x", 1);
	put(chunks(0, ".sluice:mine"), 0, "x", 1);
	put(chunks(0, "other:file"), 0, "x", 1);
	put(chunks(0, "data:good"), 0, "x", 1);
	ck_assert(!symlink("/etc/passwd", in(chunks(0, "data:good"), "x")));
	expect(!join(0, &err), "%s", err.text);
	ck_assert(access(in(dir, "out"), F_OK));
	ck_assert(access(in(dir, "to/abs"), F_OK));
	ck_assert(access(in(dir, "to/file"), F_OK));
	ck_assert(access(in(dir, "to/mine"), F_OK));
	ck_assert(!access(in(dir, "to/good"), F_OK));
	ck_assert(!symlink("/etc/passwd", in(chunks(0, "data:link"), "0")));
	ck_assert_int_eq(join(0, &err), -1);
	tree_remove(dir);
	setup(2);
	ck_assert(!symlink("..", in(dir, "to/d")));
	put(chunks(0, "data:d:f"), 0, "x", 1);
	ck_assert_int_eq(join(0, &err), -1);
	ck_assert(access(in(dir, "f"), F_OK));
	tree_remove(dir);
}
END_TEST

START_TEST(test_mark)
{
	struct slu_joined sum = {0};
	struct slu_err err;

	setup(1);
	ck_assert_int_eq(slu_gkfs_join(dir, "gekkofs", 0, &sum, &err), -1);
	ck_assert_int_eq(slu_gkfs_join(dir, "gekkofs 0", 0, &sum, &err), -1);
	tree_remove(dir);
}
END_TEST

TEST_MAIN("gekkofs_join", test_random_files_are_joined,
	  test_hostile_chunk_names, test_mark)

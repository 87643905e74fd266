/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the report of how full a node's storage is: now, by the kernel, and at
 * most. */
#include "config.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "burst_buffer/node/node.h"
#include "common/file.h"
#include "tests/unit/burst_buffer/node/storage_top.h"

#include <fcntl.h>
#include <unistd.h>

static struct slu_node n;

/* A node of a job with storage of 20 MiB. */
static void begin(bool persistent)
{
	struct slu_storage_want w;

	setup();
	w = want(20 * MIB);
	n = (struct slu_node){.plan = {.persistent = persistent}};
	slu_copy(n.dir, sizeof(n.dir), in(top, "run"));
	ck_assert(!mkdir(n.dir, 0711));
	expect_ok(slu_storage_make(&w, &s, &err), err);
	n.storage = s;
}

static void end(void)
{
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	teardown();
}

static void put_file(const char *name, size_t mib)
{
	static char block[1 << 20];
	char path[4200];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", s.fs, name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	for (size_t i = 0; i < mib; i++)
		expect_ok(slu_write_all(fd, block, sizeof(block)), err);
	close(fd);
}

static void remove_file(const char *name)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", s.fs, name);
	ck_assert(!unlink(path));
	sync();
}

/* Within a tenth of a MiB: a directory's block, an index of extents. */
static void expect_used(uint64_t now, uint64_t most)
{
	struct slu_used used = slu_peak_used_sample(&n);

	ck_assert(used.known);
	expect(used.now >= now * MIB && used.now < now * MIB + MIB / 10,
	       "%ju of %ju MiB", used.now, now);
	expect(used.most >= most * MIB && used.most < most * MIB + MIB / 10,
	       "%ju of %ju MiB", used.most, most);
}

START_TEST(test_used)
{
	begin(false);
	put_file("ours", 2); /* what is there before the first byte of data */
	slu_peak_used_begin(&n);
	expect_used(0, 0);
	put_file("a", 3);
	expect_used(3, 3);
	put_file("b", 5);
	slu_peak_used_begin(&n); /* `up` is run again */
	expect_used(8, 8);
	remove_file("b");
	expect_used(3, 8);
	/* another process knows it, too */
	n = (struct slu_node){.storage = s};
	slu_copy(n.dir, sizeof(n.dir), in(top, "run"));
	expect_used(3, 8);
	end();
}
END_TEST

/* One that is found full is full. */
START_TEST(test_persistent)
{
	struct slu_used used;

	begin(true);
	put_file("a", 4);
	slu_peak_used_begin(&n);
	used = slu_peak_used_sample(&n);
	ck_assert(used.known);
	ck_assert_uint_ge(used.now, 4 * MIB);
	end();
}
END_TEST

/* What is not there, or not mounted any more, is not known: the disk below is
 * not the job's. */
START_TEST(test_unmounted_is_unknown)
{
	begin(false);
	slu_peak_used_begin(&n);
	ck_assert(slu_peak_used_sample(&n).known);
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	ck_assert(!slu_peak_used_sample(&n).known);
	ck_assert(!mkdir(s.dir, 0711) && !mkdir(s.fs, 0755));
	ck_assert(!slu_peak_used_sample(&n).known);
	n.storage = (struct slu_storage){0}; /* a client */
	ck_assert(!slu_peak_used_sample(&n).known);
	end();
}
END_TEST

ROOT_TEST_MAIN("node used", test_used, test_persistent,
	       test_unmounted_is_unknown)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the copying of a file's range, in the kernel and through a buffer:
 * equal bytes, holes, short sources, full disks, requests to stop. */
#include "config.h"
#include "tests/unit/harness.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/share.h"
#include "tests/unit/burst_buffer/node/tree.h"

#define SIZE (9u << 20)

static char *dir;
static int a, b;

static void setup(void)
{
	dir = tree_new();
	make_file(in(dir, "a"), SIZE, 1);
	a = open(in(dir, "a"), O_RDONLY);
	b = open(in(dir, "b"), O_RDWR | O_CREAT, 0600);
}

static void teardown(void)
{
	close(a);
	close(b);
	tree_remove(dir);
}

static char *map(int fd, size_t len)
{
	char *p = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);

	ck_assert_ptr_ne(p, MAP_FAILED);
	return p;
}

/* In the kernel and through the buffer, the whole and a middle part. */
static void check_same_bytes(int _i)
{
	struct slu_copier c = {.no_kernel = _i & 1};
	uint64_t from = _i & 2 ? 12345 : 0;
	uint64_t len = _i & 2 ? SIZE - 23456 : SIZE;
	struct slu_err err = {0};
	char *x = map(a, SIZE), *y;

	ck_assert_msg(!slu_copy_part(&c, a, b, from, len, false, &err), "%s",
		      err.text);
	y = map(b, from + len);
	ck_assert(!memcmp(x + from, y + from, len));
	for (uint64_t i = 0; i < from; i++)
		ck_assert(!y[i]);
	munmap(x, SIZE);
	munmap(y, from + len);
	free(c.buffer);
}

START_TEST(test_same_bytes)
{
	for (int i = 0; i < 4; i++) {
		setup();
		check_same_bytes(i);
		teardown();
	}
}
END_TEST

static int adds(void *arg, uint64_t bytes)
{
	*(uint64_t *)arg += bytes;
	return 0;
}

/* Holes are reported as done and stay holes. */
static void check_sparse(int _i)
{
	uint64_t told = 0;
	struct slu_copier c = {.no_kernel = _i, .progress = adds, .arg = &told};
	struct slu_err err = {0};
	struct stat st;
	int s = open(in(dir, "s"), O_RDWR | O_CREAT, 0600);
	char *x, *y;

	ck_assert(pwrite(s, "one", 3, 1 << 20) == 3);
	ck_assert(pwrite(s, "two", 3, 6 << 20) == 3);
	ck_assert(!ftruncate(s, SIZE) && !ftruncate(b, SIZE));
	ck_assert_msg(!slu_copy_part(&c, s, b, 0, SIZE, true, &err), "%s",
		      err.text);
	ck_assert_uint_eq(told, SIZE);
	x = map(s, SIZE);
	y = map(b, SIZE);
	ck_assert(!memcmp(x, y, SIZE));
	fsync(b);
	ck_assert(!fstat(b, &st));
	ck_assert_int_lt(st.st_blocks * 512, 1 << 20);
	munmap(x, SIZE);
	munmap(y, SIZE);
	close(s);
	free(c.buffer);
}

START_TEST(test_sparse)
{
	for (int i = 0; i < 2; i++) {
		setup();
		check_sparse(i);
		teardown();
	}
}
END_TEST

static void check_source_too_short(int _i)
{
	struct slu_copier c = {.no_kernel = _i};
	struct slu_err err = {0};

	ck_assert_int_eq(slu_copy_part(&c, a, b, 0, SIZE + 1, false, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "shorter"));
	free(c.buffer);
}

START_TEST(test_source_too_short)
{
	for (int i = 0; i < 2; i++) {
		setup();
		check_source_too_short(i);
		teardown();
	}
}
END_TEST

/* /proc files: copy_file_range moves nothing, reading does. */
START_TEST(test_no_size)
{
	struct slu_copier c = {0};
	struct slu_err err = {0};
	int p = open("/proc/self/maps", O_RDONLY);
	char text[100];

	setup();
	ck_assert_msg(!slu_copy_part(&c, p, b, 0, 100, false, &err), "%s",
		      err.text);
	ck_assert_int_eq(pread(b, text, 100, 0), 100);
	ck_assert_ptr_nonnull(memchr(text, '-', 100));
	close(p);
	free(c.buffer);
	teardown();
}
END_TEST

START_TEST(test_full_disk_is_an_error)
{
	struct slu_copier c = {0};
	struct slu_err err = {0};
	int f = open("/dev/full", O_WRONLY);

	setup();
	ck_assert_int_eq(slu_copy_part(&c, a, f, 0, SIZE, false, &err), -1);
	ck_assert_str_eq(err.text, "write: No space left on device");
	close(f);
	free(c.buffer);
	teardown();
}
END_TEST

static int refuses(void *arg, uint64_t bytes)
{
	(void)arg;
	(void)bytes;
	return 1;
}

static void check_stops(int _i)
{
	struct slu_copier c = {.no_kernel = _i, .progress = refuses};
	struct slu_err err = {0};

	ck_assert_int_eq(slu_copy_part(&c, a, b, 0, SIZE, false, &err), -1);
	ck_assert_int_eq(err.kind, SLU_BUSY);
	free(c.buffer);
}

START_TEST(test_copy_stops_on_request)
{
	for (int i = 0; i < 2; i++) {
		setup();
		check_stops(i);
		teardown();
	}
}
END_TEST

/* Where times have no fractions, what others are writing has the time of a
 * source that was made in the same second. */
START_TEST(test_being_written)
{
	struct slu_entry e = {.kind = 'f', .mode = 0600, .path = "a"};
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	int root;
	struct stat st;

	setup();
	root = open(dir, O_RDONLY | O_DIRECTORY);
	e.size = SLU_STAGE_RANGE + 1;
	ck_assert(!ftruncate(b, (off_t)e.size));
	do { /* until it is the same second still */
		times[1].tv_sec = time(NULL);
		ck_assert(!futimens(b, times) && !fstat(b, &st));
	} while (st.st_ctim.tv_sec != st.st_mtim.tv_sec);
	e.mtime = (struct timespec){times[1].tv_sec, 5000};
	ck_assert(!slu_completes(root, "b", &e, root, "a", false));
	times[1].tv_sec -= 10;
	e.mtime.tv_sec -= 10;
	ck_assert(!futimens(b, times));
	ck_assert(slu_completes(root, "b", &e, root, "a", false));
	close(root);
	teardown();
}
END_TEST

/* What a file system cannot hold becomes the first or last second it can. */
START_TEST(test_times)
{
	static const struct {
		struct timespec want, is;
		bool same;
	} cases[] = {
		{{1000, 123456789}, {1000, 123456789}, true},
		{{1000, 123456789}, {1000, 0}, true},
		{{1000, 123456789}, {1000, 5000}, false},
		{{1000, 0}, {1001, 0}, false},
		{{-11644473600, 5}, {INT32_MIN, 0}, true},
		{{-11644473600, 5}, {0, 0}, true},
		{{-11644473600, 5}, {INT32_MIN, 5}, false},
		{{-11644473600, 0}, {INT32_MAX, 0}, false},
		{{-1, 0}, {INT32_MIN, 0}, false},
		{{16725225600, 0}, {INT32_MAX, 0}, true},
		{{16725225600, 0}, {0x37fffffff, 0}, true},
		{{16725225600, 0}, {1000, 0}, false},
		{{1000, 0}, {INT32_MAX, 0}, false},
	};

	each(c, cases) ck_assert_msg(slu_same_time(&c->want, &c->is) == c->same,
				     "case %d", (int)(c - cases));
}
END_TEST

TEST_MAIN("copy", test_times, test_being_written, test_same_bytes, test_sparse,
	  test_source_too_short, test_no_size, test_full_disk_is_an_error,
	  test_copy_stops_on_request)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the file functions: atomic replacement of files, bounded reading,
 * directories, and their errors. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[80];
static int dirfd_;

static void setup(void)
{
	snprintf(dir, sizeof(dir), "%s/XXXXXX", getenv("TMPDIR"));
	ck_assert_ptr_nonnull(mkdtemp(dir));
	dirfd_ = open(dir, O_RDONLY | O_DIRECTORY);
	ck_assert_int_ge(dirfd_, 0);
}

static void teardown(void)
{
	ck_assert_int_eq(slu_rmtree(AT_FDCWD, dir, NULL), 0);
	close(dirfd_);
}

START_TEST(test_write_read)
{
	struct slu_buf buf = {0};
	struct slu_err err;
	struct stat st;

	setup();
	umask(077);
	expect_ok(slu_file_write(dirfd_, "f", "one", 3, 0644, true, &err), err);
	expect_ok(slu_file_write(dirfd_, "f", "a\0b", 3, 0640, false, &err),
		  err);
	ck_assert_int_eq(fstatat(dirfd_, "f", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0640);
	slu_buf_puts(&buf, "what was there");
	expect_ok(slu_file_read(dirfd_, "f", 3, &buf, &err), err);
	ck_assert_uint_eq(buf.len, 3);
	ck_assert_int_eq(memcmp(buf.data, "a\0b", 4), 0);
	slu_buf_free(&buf);
	teardown();
}
END_TEST

/* New, over an old one, never over a directory; nothing is left beside it. */
START_TEST(test_swap)
{
	struct slu_buf buf = {0};
	struct slu_err err;
	struct stat st;

	setup();
	umask(077);
	for (int i = 0; i < 2; i++) {
		const char *text = i ? "second" : "first";

		expect_ok(slu_file_swap(dirfd_, "f", text, strlen(text),
					i ? 0604 : 0640, &err),
			  err);
		expect_ok(slu_file_read(dirfd_, "f", 9, &buf, &err), err);
		ck_assert_str_eq(buf.data, text);
		ck_assert_int_eq(fstatat(dirfd_, "f", &st, 0), 0);
		ck_assert_uint_eq(st.st_mode & 07777, i ? 0604 : 0640);
		ck_assert_uint_eq(st.st_nlink, 1);
	}
	slu_buf_free(&buf);
	ck_assert_int_eq(mkdirat(dirfd_, "d", 0755), 0);
	expect_fail(slu_file_swap(dirfd_, "d", "x", 1, 0600, &err), err, SLU_IO,
		    "write d");
	ck_assert_int_eq(fstatat(dirfd_, "d", &st, 0), 0);
	ck_assert(S_ISDIR(st.st_mode));
	expect_fail(slu_file_swap(dirfd_, "none/f", "x", 1, 0600, &err), err,
		    SLU_NOTFOUND, "create none/f");
	ck_assert_int_eq(unlinkat(dirfd_, "d", AT_REMOVEDIR), 0);
	ck_assert_int_eq(unlinkat(dirfd_, "f", 0), 0);
	ck_assert_int_eq(rmdir(dir), 0); /* nothing else was there */
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	teardown();
}
END_TEST

START_TEST(test_read_empty_and_proc)
{
	struct slu_buf buf = {0};
	struct slu_err err;

	setup();
	expect_ok(slu_file_write(dirfd_, "f", "", 0, 0600, false, &err), err);
	expect_ok(slu_file_read(dirfd_, "f", 0, &buf, &err), err);
	ck_assert_str_eq(buf.data, "");
	expect_ok(
		slu_file_read(AT_FDCWD, "/proc/self/status", 65536, &buf, &err),
		err);
	ck_assert_uint_gt(buf.len, 0);
	slu_buf_free(&buf);
	teardown();
}
END_TEST

START_TEST(test_read_failures)
{
	struct slu_buf buf = {0};
	struct slu_err err;

	setup();
	slu_buf_puts(&buf, "kept");
	ck_assert_int_eq(mkfifoat(dirfd_, "fifo", 0600), 0);
	ck_assert_int_eq(
		slu_file_write(dirfd_, "f", "1234", 4, 0600, false, NULL), 0);
	expect_fail(slu_file_read(dirfd_, "f", 3, &buf, &err), err, SLU_NOMEM,
		    "f is longer than 3 bytes");
	expect_fail(slu_file_read(dirfd_, "none", 3, &buf, &err), err,
		    SLU_NOTFOUND, "open none: No such");
	expect_fail(slu_file_read(dirfd_, "f/x", 3, &buf, &err), err,
		    SLU_NOTFOUND, "f/x");
	expect_fail(slu_file_read(dirfd_, "fifo", 3, &buf, &err), err,
		    SLU_INVALID, "not a regular file");
	expect_fail(slu_file_read(AT_FDCWD, "/dev/zero", 3, &buf, &err), err,
		    SLU_INVALID, "not a regular file");
	expect_fail(slu_file_read(AT_FDCWD, dir, 3, &buf, &err), err,
		    SLU_INVALID, "not a regular file");
	ck_assert_str_eq(buf.data, "kept");
	slu_buf_free(&buf);
	teardown();
}
END_TEST

/* A write that fails leaves the old content and no other file. */
START_TEST(test_write_failures)
{
	struct slu_buf buf = {0};
	struct slu_err err;

	setup();
	ck_assert_int_eq(mkdirat(dirfd_, "d", 0700), 0);
	expect_fail(slu_file_write(dirfd_, "d", "x", 1, 0600, true, &err), err,
		    SLU_IO, "write d");
	expect_fail(slu_file_write(dirfd_, "none/f", "x", 1, 0600, true, &err),
		    err, SLU_NOTFOUND, "create none/f");
	ck_assert_int_eq(unlinkat(dirfd_, "d", AT_REMOVEDIR), 0);
	ck_assert_int_eq(rmdir(dir), 0); /* so it is empty */
	slu_buf_free(&buf);
	close(dirfd_);
}
END_TEST

START_TEST(test_write_all)
{
	int fd[2];

	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(slu_write_all(fd[1], "abc", 3), 0);
	ck_assert_int_eq(slu_write_all(fd[1], NULL, 0), 0);
	close(fd[0]);
	ck_assert_int_eq(slu_write_all(fd[1], "abc", 3), -1);
	ck_assert_int_eq(errno, EPIPE);
	close(fd[1]);
}
END_TEST

START_TEST(test_read_up_to)
{
	char text[8] = "";
	struct slu_err err;
	int fd[2];

	setup();
	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(slu_write_all(fd[1], "abc", 3), 0);
	ck_assert_int_eq(slu_read_up_to(fd[0], text, 2, -1), 2);
	ck_assert_str_eq(text, "ab");
	ck_assert_int_eq(slu_read_up_to(fd[0], text, 2, 0), -1);
	ck_assert_int_eq(errno, ESPIPE);
	close(fd[1]);
	ck_assert_int_eq(slu_read_up_to(fd[0], text, 2, -1), 1);
	close(fd[0]);
	expect_ok(slu_file_write(dirfd_, "f", "abcdef", 6, 0600, false, &err),
		  err);
	fd[0] = openat(dirfd_, "f", O_RDONLY);
	ck_assert_int_eq(slu_read_up_to(fd[0], text, 2, 3), 2);
	ck_assert_str_eq(text, "de");
	ck_assert_int_eq(slu_read_up_to(fd[0], text, 8, 3), 3);
	ck_assert_int_eq(slu_read_up_to(fd[0], text, 8, 9), 0);
	ck_assert_int_eq(slu_read_up_to(fd[0], text, 6, -1), 6);
	close(fd[0]);
	teardown();
}
END_TEST

START_TEST(test_mkdirs)
{
	struct slu_err err;
	struct stat st;
	char path[256];

	setup();
	umask(077);
	snprintf(path, sizeof(path), "%s/a/b//c/", dir);
	expect_ok(slu_mkdirs(path, 0751, &err), err);
	expect_ok(slu_mkdirs(path, 0700, &err), err);
	ck_assert_int_eq(fstatat(dirfd_, "a", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode, S_IFDIR | 0751);
	ck_assert_int_eq(fstatat(dirfd_, "a/b/c", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode, S_IFDIR | 0751);
	ck_assert_int_eq(slu_file_write(dirfd_, "f", "", 0, 0600, false, NULL),
			 0);
	snprintf(path, sizeof(path), "%s/f", dir);
	expect_fail(slu_mkdirs(path, 0700, &err), err, SLU_NOTFOUND,
		    "is not a directory");
	snprintf(path, sizeof(path), "%s/f/d", dir);
	expect_fail(slu_mkdirs(path, 0700, &err), err, SLU_NOTFOUND,
		    "Not a directory");
	expect_fail(slu_mkdirs("", 0700, &err), err, SLU_NOTFOUND, "");
	teardown();
}
END_TEST

START_TEST(test_close_from)
{
	int fd = open("/dev/null", O_RDONLY), high = fcntl(fd, F_DUPFD, 500);

	ck_assert_int_eq(high, 500);
	slu_close_from(fd + 1);
	ck_assert_int_eq(fcntl(high, F_GETFD), -1);
	ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
	close(fd);
}
END_TEST

TEST_MAIN("file", test_write_read, test_swap, test_read_empty_and_proc,
	  test_read_failures, test_write_failures, test_write_all,
	  test_read_up_to, test_mkdirs, test_close_from)

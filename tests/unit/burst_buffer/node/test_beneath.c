/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests opening and creating files below a directory without following links
 * out of it, also for paths longer than the kernel accepts. */
#include "config.h"
#include "tests/unit/harness.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/files/beneath.h"
#include "tests/unit/burst_buffer/node/tree.h"

static char *dir;
static int root;

static void setup(void)
{
	dir = tree_new();
	make_dir(in(dir, "a"), 0755);
	make_dir(in(dir, "a/b"), 0755);
	make_text(in(dir, "a/b/f"), "x");
	make_link(in(dir, "a/out"), "/etc");
	make_link(in(dir, "a/here"), "b");
	make_link(in(dir, "a/self"), "b/f");
	root = open(dir, O_PATH | O_DIRECTORY);
}

static void teardown(void)
{
	close(root);
	tree_remove(dir);
}

static const struct {
	const char *path;
	int flags, error;
} cases[] = {
	{"a/b/f", O_RDONLY, 0},
	{"a/b", O_RDONLY | O_DIRECTORY, 0},
	{"", O_RDONLY | O_DIRECTORY, 0},
	{"a/out/passwd", O_RDONLY, ELOOP},
	{"a/here/f", O_RDONLY, ELOOP},
	{"a/self", O_RDONLY, ELOOP},
	{"a/self", O_PATH | O_NOFOLLOW, 0},
	{"..", O_RDONLY, EXDEV},
	{"a/../../x", O_RDONLY, EXDEV},
	{"/etc/passwd", O_RDONLY, EXDEV},
	{"a/none", O_RDONLY, ENOENT},
};

static void check_opens(size_t _i)
{
	int fd = slu_open_beneath(root, cases[_i].path, cases[_i].flags, 0);

	if (cases[_i].error) {
		ck_assert_int_eq(fd, -1);
		ck_assert_int_eq(errno, cases[_i].error);
	} else {
		ck_assert_int_ge(fd, 0);
		close(fd);
	}
}

START_TEST(test_opens)
{
	setup();
	each(c, cases) check_opens((size_t)(c - cases));
	teardown();
}
END_TEST

/* 200 levels of 100 letters: five times what the kernel takes in one path. */
START_TEST(test_long_paths)
{
	char path[200 * 101 + 10] = "", name[101];
	const char *last;
	int at, fd;

	setup();
	at = openat(root, ".", O_RDONLY);
	memset(name, 'n', 100);
	name[100] = '\0';
	for (int i = 0; i < 200; i++) {
		ck_assert(!mkdirat(at, name, 0755));
		fd = openat(at, name, O_RDONLY);
		close(at);
		at = fd;
		strcat(strcat(path, i ? "/" : ""), name);
	}
	close(at);
	strcat(path, "/file");
	fd = slu_open_beneath(root, path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	fd = slu_open_parent(root, path, &last);
	ck_assert_int_ge(fd, 0);
	ck_assert_str_eq(last, "file");
	ck_assert(!faccessat(fd, last, F_OK, 0));
	close(fd);
	/* A name longer than a piece cannot be cut. */
	memset(path, 'x', 5000);
	path[5000] = '\0';
	ck_assert_int_eq(slu_open_beneath(root, path, O_RDONLY, 0), -1);
	ck_assert_int_eq(errno, ENAMETOOLONG);
	teardown();
}
END_TEST

START_TEST(test_creates)
{
	struct stat st, source;
	int fd;

	setup();
	ck_assert(!stat(in(dir, "a"), &source));
	/* In place of a link, not through it. */
	fd = slu_create_beneath(root, "a/self", 0640, &source);
	ck_assert_int_ge(fd, 0);
	ck_assert(!fstat(fd, &st) && S_ISREG(st.st_mode));
	close(fd);
	ck_assert(!lstat(in(dir, "a/b/f"), &st) && st.st_size == 1);
	/* An existing file is emptied, and what its readers may not read of
	 * the new content is not theirs from the beginning. */
	ck_assert(!chmod(in(dir, "a/b/f"), 0664));
	fd = slu_create_beneath(root, "a/b/f", 0640, &source);
	ck_assert_int_ge(fd, 0);
	ck_assert(!fstat(fd, &st) && st.st_size == 0);
	ck_assert_int_eq(st.st_mode & 0777, 0640);
	close(fd);
	/* In place of a pipe, whether a process reads it or not. */
	for (int reads = 0; reads < 2; reads++) {
		int end = -1;

		ck_assert(!mkfifo(in(dir, "a/pipe"), 0640));
		if (reads)
			end = open(in(dir, "a/pipe"), O_RDONLY | O_NONBLOCK);
		fd = slu_create_beneath(root, "a/pipe", 0640, &source);
		ck_assert_int_ge(fd, 0);
		ck_assert(!fstat(fd, &st) && S_ISREG(st.st_mode));
		close(fd);
		if (reads)
			close(end);
		ck_assert(!unlink(in(dir, "a/pipe")));
	}
	/* Not below a link, and no directory. */
	ck_assert_int_eq(slu_create_beneath(root, "a/out/x", 0600, &source),
			 -1);
	ck_assert_int_eq(slu_create_beneath(root, "a/b", 0600, &source), -1);
	ck_assert_int_eq(errno, EISDIR);
	teardown();
}
END_TEST

START_TEST(test_texts)
{
	char out[SLU_PATH_TEXT], path[600];

	setup();
	ck_assert_str_eq(slu_path_text("a\nb\x1b[2J", out), "a?b?[2J");
	memset(path, 'a', sizeof(path));
	strcpy(path + 590, "/the-end");
	slu_path_text(path, out);
	ck_assert_uint_lt(strlen(out), SLU_PATH_TEXT);
	ck_assert_int_eq(strncmp(out, "...a", 4), 0);
	ck_assert_ptr_nonnull(strstr(out, "/the-end"));
	teardown();
}
END_TEST

TEST_MAIN("beneath", test_opens, test_long_paths, test_creates, test_texts)

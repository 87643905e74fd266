/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the copying of modes and access control lists: where the destination
 * has no such lists, no user gets more rights than at the source. */
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "burst_buffer/staging/files/attrs.h"

#define ENTRY(tag, perm) tag, 0, perm, 0, 0xff, 0xff, 0xff, 0xff

static const struct {
	const char *name;
	unsigned char list[60];
	size_t len;
	mode_t mode, alone; /* of the file, and of a copy without it */
} cases[] = {
	{"its mask is wider than its group",
	 {2, 0, 0, 0, ENTRY(1, 6), 2, 0, 6, 0, 7, 0, 0, 0, ENTRY(4, 4),
	  ENTRY(16, 6), ENTRY(32, 0)},
	 44,
	 0660,
	 0640},
	{"its mask is narrower",
	 {2, 0, 0, 0, ENTRY(1, 6), 2, 0, 6, 0, 7, 0, 0, 0, ENTRY(4, 7),
	  ENTRY(16, 4), ENTRY(32, 4)},
	 44,
	 0644,
	 0644},
	{"its group has nothing",
	 {2, 0, 0, 0, ENTRY(1, 7), ENTRY(4, 0), 8, 0, 7, 0, 7, 0, 0, 0,
	  ENTRY(16, 7), ENTRY(32, 5)},
	 44,
	 0775,
	 0705},
	{"it denies a user",
	 {2, 0, 0, 0, ENTRY(1, 6), 2, 0, 0, 0, 7, 0, 0, 0, ENTRY(4, 4),
	  ENTRY(16, 4), ENTRY(32, 4)},
	 44,
	 0644,
	 0600},
	{"it denies a group to write",
	 {2, 0, 0, 0, ENTRY(1, 7), ENTRY(4, 7), 8, 0, 5, 0, 7, 0, 0, 0,
	  ENTRY(16, 7), ENTRY(32, 7)},
	 44,
	 0777,
	 0755},
	{"no more than a mode", /* is none */
	 {2, 0, 0, 0, ENTRY(1, 6), ENTRY(4, 6), ENTRY(32, 0)},
	 28,
	 0660,
	 0660},
};

START_TEST(test_lists)
{
	char *from = strdup(tmpfile_path("from")), got[64];
	char *to = strdup(tmpfile_path("to"));
	int in, out, none[2];
	struct slu_err err;
	struct stat st;
	mode_t mode;

	ck_assert(!pipe(none)); /* it has no attributes at all */
	each(c, cases)
	{
		unlink(from);
		unlink(to);
		in = open(from, O_RDWR | O_CREAT, 0600);
		out = open(to, O_RDWR | O_CREAT, 0600);
		if (fsetxattr(in, "system.posix_acl_access", c->list, c->len,
			      0)) {
			expect(errno == ENOTSUP || errno == EINVAL, "%s: %m",
			       c->name);
			skip("no lists here");
			close(in);
			close(out);
			break;
		}
		ck_assert(!fstat(in, &st));
		ck_assert_int_eq(st.st_mode & 0777, c->mode);
		mode = c->mode;
		expect_ok(slu_copy_attrs(in, none[1], &mode, &err), err);
		expect(mode == c->alone, "%s: %o", c->name, mode);
		expect(slu_mode_alone(in, c->mode) == c->alone, "%s", c->name);
		mode = c->mode;
		expect_ok(slu_copy_attrs(in, out, &mode, &err), err);
		ck_assert_int_eq(mode, c->mode);
		ck_assert(!fchmod(out, mode));
		if (c->mode != c->alone) {
			ck_assert_int_eq(fgetxattr(out,
						   "system.posix_acl_access",
						   got, sizeof(got)),
					 (int)c->len);
			ck_assert(!memcmp(got, c->list, c->len));
		}
		close(in);
		close(out);
	}
	ck_assert_int_eq(slu_mode_alone(none[1], 0664), 0664);
	free(from);
	free(to);
}
END_TEST

static int is_there(int fd, const char *name)
{
	return fgetxattr(fd, name, NULL, 0) >= 0;
}

/* What the source does not have does not stay, nor what was inherited. */
START_TEST(test_no_lists)
{
	const char *dir = tmpfile_path("dir");
	struct slu_err err;
	mode_t mode = 0750;
	int in, out, fd;

	ck_assert(!mkdir(dir, 0700));
	in = open(tmpdir(), O_RDONLY | O_DIRECTORY);
	out = open(dir, O_RDONLY | O_DIRECTORY);
	if (fsetxattr(out, "system.posix_acl_default", cases[0].list,
		      cases[0].len, 0)) {
		expect(errno == ENOTSUP || errno == EINVAL, "%m");
		skip("no lists here");
		close(in);
		close(out);
		return;
	}
	ck_assert(!fsetxattr(out, "system.posix_acl_access", cases[0].list,
			     cases[0].len, 0));
	for (int i = 0; i < 2; i++) { /* the other side can have none at all */
		fd = openat(out, i ? "b" : "a", O_RDWR | O_CREAT, 0600);
		ck_assert(is_there(fd, "system.posix_acl_access"));
		expect_ok(slu_copy_attrs(i ? -1 : in, fd, &mode, &err), err);
		ck_assert(!is_there(fd, "system.posix_acl_access"));
		close(fd);
	}
	expect_ok(slu_copy_attrs(in, out, &mode, &err), err);
	ck_assert_int_eq(mode, 0750);
	ck_assert(!is_there(out, "system.posix_acl_access"));
	ck_assert(!is_there(out, "system.posix_acl_default"));
	close(in);
	close(out);
}
END_TEST

/* What cannot be asked may have a list. */
START_TEST(test_cannot_ask)
{
	int fd[2], gone;
	struct slu_err err;
	mode_t mode = 0664;

	ck_assert(!pipe(fd));
	gone = dup(fd[0]);
	close(gone);
	ck_assert_int_eq(slu_copy_attrs(gone, fd[1], &mode, &err), -1);
	expect(strstr(err.text, "read the attributes: "), "%s", err.text);
	ck_assert_int_eq(slu_mode_alone(gone, 0664), 0600);
	ck_assert_int_eq(slu_mode_alone(fd[0], 0664), 0664);
	close(fd[0]);
	close(fd[1]);
}
END_TEST

/* A user reads the log of the job, and can do no more with it. */
START_TEST(test_let_read)
{
	char got[64];
	int fd = open(tmpfile_path("log"), O_RDWR | O_CREAT | O_TRUNC, 0400);
	struct stat st;

	ck_assert_int_ge(fd, 0);
	slu_let_read(fd, 7);
	ck_assert(!fstat(fd, &st));
	ck_assert_int_eq(st.st_uid, geteuid());
	if (fgetxattr(fd, "system.posix_acl_access", got, sizeof(got)) < 0) {
		skip("no lists here");
	} else {
		ck_assert_int_eq(st.st_mode & 0777, 0440);
		ck_assert_int_eq(slu_mode_alone(fd, st.st_mode) & 0777, 0400);
	}
	close(fd);
}
END_TEST

TEST_MAIN("attrs", test_lists, test_no_lists, test_cannot_ask, test_let_read)

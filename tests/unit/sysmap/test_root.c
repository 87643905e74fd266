/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the reading of files below a root directory, also of hostile trees. */
#include "config.h"
#include "sysmap/root.h"
#include "tests/unit/sysmap/machine.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

static struct slu_err err;
static struct slu_root root;

static void open_root(const char *name)
{
	mkdir(tmpfile_path(name), 0755);
	expect_ok(slu_root_open(&root, tmpfile_path(name), &err), err);
	ck_assert(!root.live);
}

static const char *attr(const char *path)
{
	static char out[64];

	slu_root_attr(&root, out, sizeof(out), "%s", path);
	return out;
}

START_TEST(test_attr)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", ""},
		{"\n", ""},
		{"  plain text \n", "plain text"},
		{"first\nsecond\n", "first"},
		{"caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		 "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"\xff\xc3(\x1b[0m\x7f", "?"
					 "?"
					 "(?[0m?"},
		{"\xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82",
		 "?? ??? ???? ??"},
	};
	char many[200];

	open_root("m");
	each(c, cases)
	{
		machine_file(tmpfile_path("m"), "a/b", c->text,
			     strlen(c->text));
		ck_assert_str_eq(attr("a/b"), c->want);
		ck_assert_str_eq(attr("/a//b"), c->want);
	}
	ck_assert_str_eq(attr("a"), "");
	ck_assert_str_eq(attr("a/missing"), "");
	memset(many, 'x', sizeof(many));
	machine_file(tmpfile_path("m"), "a/b", many, sizeof(many));
	ck_assert_uint_eq(strlen(attr("a/b")), 63); /* cut, not refused */
	slu_root_close(&root);
}
END_TEST

START_TEST(test_number)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t want;
	} cases[] = {
		{"0\n", true, 0},
		{"18446744073709551615\n", true, UINT64_MAX},
		{"18446744073709551616\n", false, 0},
		{"-1\n", false, 0},
		{"12x\n", false, 0},
		{"0x10\n", false, 0},
		{"", false, 0},
	};

	open_root("m");
	each(c, cases)
	{
		uint64_t got = 77;

		machine_file(tmpfile_path("m"), "n", c->text, strlen(c->text));
		expect(slu_root_number(&root, &got, "n") == c->ok, "%s",
		       c->text);
		expect(got == (c->ok ? c->want : 77), "%s", c->text);
	}
	slu_root_close(&root);
}
END_TEST

START_TEST(test_read)
{
	struct slu_buf out = {0};

	open_root("m");
	machine_file(tmpfile_path("m"), "f", "a\0b", 3);
	expect_ok(slu_root_read(&root, "f", 3, &out, &err), err);
	ck_assert_uint_eq(out.len, 3);
	ck_assert_mem_eq(out.data, "a\0b", 4);
	expect_fail(slu_root_read(&root, "f", 2, &out, &err), err, SLU_NOMEM,
		    "longer than 2");
	expect_fail(slu_root_read(&root, "g", 2, &out, &err), err, SLU_NOTFOUND,
		    "/g");
	machine_file(tmpfile_path("m"), "empty", "", 0);
	expect_ok(slu_root_read(&root, "empty", 3, &out, &err), err);
	ck_assert_str_eq(out.data, "");
	slu_buf_free(&out);
	slu_root_close(&root);
}
END_TEST

/* Links lead nowhere but into the tree; what is no file is not opened. */
START_TEST(test_hostile)
{
	const char *m = tmpfile_path("m");
	struct slu_buf out = {0};
	char name[300], link[16];

	open_root("m");
	machine_file(m, "etc/passwd", "ours\n", 5);
	machine_link(m, "absolute", "/etc/passwd");
	machine_link(m, "upwards", "../../../../../../etc/passwd");
	machine_link(m, "d/up", "../../../../../../etc/passwd");
	machine_link(m, "loop1", "loop2");
	machine_link(m, "loop2", "loop1");
	machine_link(m, "self", "/proc/self/exe");
	ck_assert_str_eq(attr("absolute"), "ours");
	ck_assert_str_eq(attr("upwards"), "ours");
	ck_assert_str_eq(attr("d/up"), "ours");
	ck_assert_str_eq(attr("loop1"), "");
	ck_assert_str_eq(attr("self"), "");
	ck_assert_str_eq(attr("../../../../../../../../etc/passwd"), "ours");
	ck_assert(!slu_root_exists(&root, "loop1"));
	ck_assert(slu_root_link(&root, link, sizeof(link), "absolute"));
	ck_assert_str_eq(link, "passwd");
	ck_assert(!slu_root_link(&root, link, sizeof(link), "etc/passwd"));

	snprintf(name, sizeof(name), "%s/fifo", m);
	ck_assert_int_eq(mkfifo(name, 0644), 0);
	ck_assert_str_eq(attr("fifo"), "");
	snprintf(name, sizeof(name), "%s/device", m);
	if (mknod(name, S_IFCHR | 0666, makedev(1, 5)) == 0) /* zero */
		ck_assert_str_eq(attr("device"), "");
	snprintf(name, sizeof(name), "%s/huge", m);
	machine_file(m, "huge", "start", 5);
	ck_assert_int_eq(truncate(name, (off_t)1 << 40), 0);
	ck_assert_str_eq(attr("huge"), "start"); /* no more than it needs */
	expect_fail(slu_root_read(&root, "huge", SLU_TABLE_MAX, &out, &err),
		    err, SLU_NOMEM, "longer than");
	slu_buf_free(&out);
	slu_root_close(&root);
}
END_TEST

START_TEST(test_list)
{
	static const char *const want[] = {"sda", "sda1", "sda2", "sda10",
					   "sdb"};
	static const char *const made[] = {"d/sda10", "d/sdb",	   "d/sda1",
					   "d/sda2",  "d/.hidden", "d/sda"};
	char **names;

	open_root("m");
	each(name, made) machine_file(tmpfile_path("m"), *name, "", 0);
	names = slu_root_list(&root, "d", &err);
	ck_assert_uint_eq(slu_strv_len(names), 5);
	for (int i = 0; i < 5; i++)
		ck_assert_str_eq(names[i], want[i]);
	slu_strv_free(names);
	ck_assert_ptr_null(slu_root_list(&root, "none", &err));
	expect_err(err, SLU_NOTFOUND, "/none");
	ck_assert_ptr_null(slu_root_list(&root, "d/sda", &err));
	expect_err(err, SLU_IO, "/d/sda");
	slu_root_close(&root);
}
END_TEST

START_TEST(test_open)
{
	expect_fail(slu_root_open(&root, tmpfile_path("none"), &err), err,
		    SLU_NOTFOUND, "none");
	expect_ok(slu_root_open(&root, NULL, &err), err);
	ck_assert(root.live);
	ck_assert_str_ne(attr("proc/self/stat"), "");
	slu_root_close(&root);
	expect_ok(slu_root_open(&root, "/", &err), err);
	ck_assert(root.live);
	slu_root_close(&root);
}
END_TEST

TEST_MAIN("root", test_attr, test_number, test_read, test_hostile, test_list,
	  test_open)

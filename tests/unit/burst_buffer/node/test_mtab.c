/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parser of mountinfo and the search for the mount of a path. */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/host/mtab.h"

static const char table[] =
	"22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw\n"
	"30 22 0:28 / /run rw,nosuid - tmpfs tmpfs rw,mode=755\n"
	"95 30 7:8 / /run/a\\040b/fs rw - ext4 /dev/loop8 rw\n"
	"96 30 0:72 / /run/a\\040b/mnt rw shared:7 master:1 - fuse.glusterfs "
	"glusterfs:(null) rw\n"
	"97 30 0:73 /x /run/ab rw - tmpfs none rw\n";

START_TEST(test_parse)
{
	struct slu_mtab m;
	struct slu_err err;
	const struct slu_mtab_line *at;

	expect_ok(slu_mtab_parse(table, &m, &err), err);
	ck_assert_uint_eq(m.n, 5);
	at = slu_mtab_at(&m, "/run/a b/mnt");
	ck_assert_ptr_nonnull(at);
	ck_assert_str_eq(at->type, "fuse.glusterfs");
	ck_assert_str_eq(at->source, "glusterfs:(null)");
	ck_assert_uint_eq(at->minor, 72);
	ck_assert_ptr_null(slu_mtab_at(&m, "/run/a b"));
	/* The innermost one, and no sibling that begins the same. */
	ck_assert_str_eq(slu_mtab_below(&m, "/run/a b")->point, "/run/a b/mnt");
	ck_assert_str_eq(slu_mtab_below(&m, "/run/ab")->point, "/run/ab");
	ck_assert_ptr_null(slu_mtab_below(&m, "/run/a"));
	slu_mtab_free(&m);
	expect_ok(slu_mtab_parse("", &m, &err), err);
	ck_assert_uint_eq(m.n, 0);
	slu_mtab_free(&m);
}
END_TEST

START_TEST(test_refused)
{
	static const char *const bad[] = {"x\n", "22 1 254:0 / / rw\n",
					  "22 1 0 / / rw - ext4 /dev/x rw\n",
					  "22 1 1:2 - ext4\n"};
	struct slu_mtab m;
	struct slu_err err;

	each(b, bad) expect_fail(slu_mtab_parse(*b, &m, &err), err, SLU_INVALID,
				 "mount table");
}
END_TEST

START_TEST(test_mounts_of_this_machine)
{
	ck_assert(slu_mounted("/"));
	ck_assert(slu_mounted("/proc"));
	ck_assert(!slu_mounted("/nowhere"));
}
END_TEST

TEST_MAIN("mtab", test_parse, test_refused, test_mounts_of_this_machine)

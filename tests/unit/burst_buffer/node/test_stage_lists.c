/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that staging keeps modes, access control lists and extended attributes
 * as far as the user may set them. */
#include "config.h"
#include "tests/unit/burst_buffer/node/stage_trees.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "burst_buffer/staging/share.h"

#define ACCESS	"system.posix_acl_access"
#define DEFAULT "system.posix_acl_default"

/* linux/posix_acl_xattr.h: rw-, user 7 rw-, r--, mask rw-, --- */
static const unsigned char acl[44] = {
	2,  0, 0, 0,			     /* version */
	1,  0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* owner */
	2,  0, 6, 0, 7,	   0,	 0,    0,    /* user 7 */
	4,  0, 4, 0, 0xff, 0xff, 0xff, 0xff, /* group */
	16, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* mask */
	32, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* others */
};

/* Large, and copied at once. */
static void make_hole(const char *path)
{
	make_text(path, "");
	ck_assert(!truncate(path, SLU_STAGE_RANGE + 1));
}

static bool can_have_list(const char *path, const char *name)
{
	if (!setxattr(path, name, acl, sizeof(acl), 0))
		return true;
	expect(errno == ENOTSUP || errno == EINVAL, "%s: %m", path);
	skip("no lists here");
	return false;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert(!stat(path, &st));
	return st.st_mode & 0777;
}

/* A list that the destination had, or gave what was made below it, goes. */
START_TEST(test_other_lists)
{
	static const char *const names[] = {"old", "dir/new", "dir/large"};

	setup();
	make_file(in(src, "old"), 10, 1);
	make_dir(in(src, "dir"), 0750);
	make_file(in(src, "dir/new"), 10, 2);
	make_hole(in(src, "dir/large"));
	each(n, names) ck_assert(!chmod(in(src, *n), 0660));
	make_file(in(dst, "old"), 20, 4);
	if (!can_have_list(in(dst, "old"), ACCESS) ||
	    !can_have_list(dst, DEFAULT)) {
		teardown();
		return;
	}
	ck_assert(!stage(in(src, ""), dst, 2));
	each(n, names)
	{
		const char *to = in(dst, *n);

		expect(getxattr(to, ACCESS, NULL, 0) < 0 && errno == ENODATA,
		       "%s", *n);
		ck_assert_int_eq(mode_of(to), 0660);
	}
	ck_assert_int_lt(getxattr(in(dst, "dir"), DEFAULT, NULL, 0), 0);
	ck_assert_int_lt(getxattr(in(dst, "dir"), ACCESS, NULL, 0), 0);
	ck_assert_int_gt(getxattr(dst, DEFAULT, NULL, 0), 0); /* not ours */
	teardown();
}
END_TEST

/* Nor has a directory of an early copy what its place would give it, before it
 * is complete. */
START_TEST(test_early_lists)
{
	struct slu_stage_part part = {
		.source = src, .destination = dst, .quick = true, .n = 1};
	struct slu_stage_result r;

	setup();
	make_dir(in(src, "dir"), 0750);
	if (!can_have_list(dst, DEFAULT)) {
		teardown();
		return;
	}
	part.manifest = manifest();
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	close(part.manifest);
	ck_assert_int_eq(mode_of(in(dst, "src/dir")), 0750);
	ck_assert_int_lt(getxattr(in(dst, "src/dir"), ACCESS, NULL, 0), 0);
	teardown();
}
END_TEST

static void expect_mode(const char *name, mode_t want)
{
	struct stat st;

	ck_assert(!stat(in(dst, name), &st));
	expect((st.st_mode & 07777) == want, "%s: %o", name, st.st_mode);
}

static void early(struct slu_stage_part part, bool finished)
{
	struct slu_stage_result r;

	part.early = part.quick = true;
	part.n = 1;
	part.manifest = manifest();
	for (int act = SLU_PREPARE; act <= (finished ? SLU_FINISH : SLU_COPY);
	     act++) {
		ck_assert(!lseek(part.manifest, 0, SEEK_SET));
		expect_ok(slu_stage((enum slu_act_name)act, &part, &r, &err),
			  err);
	}
	close(part.manifest);
}

/* Whatever an early copy came to, in the end its directories have the modes and
 * times that their sources have then, and no others have. */
static void early_then_all(const char *only, bool finished)
{
	const struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 2, .only = only};

	setup();
	become_nobody();
	make_dir(in(dst, "src"), 0755);
	ck_assert(!chmod(in(dst, "src"), 02711));
	make_dir(in(dst, "src/own"), 0700);
	make_dir(in(src, "own"), 0755);
	make_dir(in(src, "d"), 0755);
	make_dir(in(src, "d/e"), 0755);
	make_file(in(src, "d/e/f"), 10, 1);
	ck_assert(!chmod(in(src, "d/e"), 0555));
	ck_assert(!utimensat(AT_FDCWD, in(src, "d/e"), past, 0));
	early(part, finished);
	expect_mode("src/d", 02755 | S_ISUID);
	expect_mode("src/d/e", 02000 | S_ISUID | (finished ? 0555 : 0755));
	ck_assert(!chmod(in(src, "d"), 0700));
	make_file(in(src, "d/g"), 10, 2);
	ck_assert(!utimensat(AT_FDCWD, in(src, "d"), past, 0));
	part.only = NULL;
	part.quick = true;
	expect_ok(stage_part(part, NULL), err);
	expect_mode("src/d", 02700);
	expect_mode("src/d/e", 02555);
	ck_assert(!chmod(in(dst, "src/d"), 0700));
	ck_assert(!chmod(in(dst, "src/d/e"), 0555));
	same(in(src, "d"), in(dst, "src/d"));
	expect_mode("src", 02711);
	expect_mode("src/own", 0700);
	ck_assert(!chmod(in(src, "d/e"), 0755));
	ck_assert(!chmod(in(dst, "src/d/e"), 0755));
	teardown();
}

START_TEST(test_early_directories)
{
	static const char *const parts[] = {NULL, "d", "d/e", "d/e/f"};

	each(only, parts) for (int finished = 0; finished < 2; finished++)
		early_then_all(*only, finished);
}
END_TEST

/* What the user has made read-only is the user's. */
START_TEST(test_kept_read_only)
{
	setup();
	become_nobody();
	make_dir(in(src, "d"), 0755);
	make_text(in(src, "d/f"), "new");
	make_dir(in(dst, "d"), 0755);
	make_text(in(dst, "d/g"), "old");
	ck_assert(!chmod(in(dst, "d"), 0555));
	failed_with(stage(in(src, ""), dst, 1), "Permission denied");
	expect_mode("d", 0555);
	ck_assert(!chmod(in(dst, "d"), 0755));
	teardown();
}
END_TEST

/* Where no list can be copied the group gets what its list gave it. */
START_TEST(test_plain_lists)
{
	static const char *const names[] = {"small", "large"};
	struct slu_stage_part part = {.source = src,
				      .destination = dst,
				      .plain_destination = true,
				      .n = 2};

	setup();
	make_file(in(src, "small"), 10, 1);
	make_hole(in(src, "large"));
	each(n, names) if (!can_have_list(in(src, *n), ACCESS))
	{
		teardown();
		return;
	}
	umask(0);
	expect_ok(stage_part(part, NULL), err);
	each(n, names)
	{
		char path[64];

		snprintf(path, sizeof(path), "src/%s", *n);
		ck_assert_int_eq(mode_of(in(src, *n)), 0660);
		ck_assert_int_eq(mode_of(in(dst, path)), 0640);
	}
	teardown();
}
END_TEST

/* What was changed after an early copy is not left as it was. */
START_TEST(test_mode_changed)
{
	static const char *const names[] = {"src/small", "src/large"};
	static const mode_t modes[] = {0640, 0660, 0600, 0444, 0644};
	struct slu_stage_part part = {
		.source = src, .destination = dst, .quick = true, .n = 2};

	setup();
	make_file(in(src, "small"), 10, 1);
	make_hole(in(src, "large"));
	each(m, modes)
	{
		each(n, names) ck_assert(!chmod(in(top, *n), *m));
		expect_ok(stage_part(part, NULL), err);
		each(n, names) ck_assert_int_eq(mode_of(in(dst, *n)), *m);
	}
	ck_assert(!chmod(in(src, "small"), 0640));
	ck_assert(!chmod(in(src, "large"), 0640));
	expect_ok(stage_part(part, NULL), err);
	each(n, names) if (!can_have_list(in(top, *n), ACCESS))
	{
		teardown();
		return;
	}
	expect_ok(stage_part(part, NULL), err);
	each(n, names)
		ck_assert_int_gt(getxattr(in(dst, *n), ACCESS, NULL, 0), 0);
	teardown();
}
END_TEST

/* Nor is what no mode or time tells of. */
START_TEST(test_list_changed)
{
	static const char *const names[] = {"src/small", "src/large"};
	struct slu_stage_part part = {
		.source = src, .destination = dst, .quick = true, .n = 2};
	unsigned char less[sizeof(acl)], got[100];

	setup();
	make_file(in(src, "small"), 10, 1);
	make_hole(in(src, "large"));
	each(n, names)
	{
		if (!can_have_list(in(top, *n), ACCESS)) {
			teardown();
			return;
		}
		ck_assert(!setxattr(in(top, *n), "user.a", "1", 1, 0));
	}
	expect_ok(stage_part(part, NULL), err);
	memcpy(less, acl, sizeof(acl));
	less[14] = 4; /* what user 7 may; the mask, and the mode, stay */
	each(n, names)
	{
		mode_t mode = mode_of(in(top, *n));

		ck_assert(
			!setxattr(in(top, *n), ACCESS, less, sizeof(less), 0));
		ck_assert(!setxattr(in(top, *n), "user.a", "2", 1, 0));
		ck_assert_int_eq(mode_of(in(top, *n)), mode);
	}
	expect_ok(stage_part(part, NULL), err);
	each(n, names)
	{
		ck_assert_int_eq(
			getxattr(in(dst, *n), ACCESS, got, sizeof(got)),
			sizeof(less));
		ck_assert(!memcmp(got, less, sizeof(less)));
		ck_assert_int_eq(
			getxattr(in(dst, *n), "user.a", got, sizeof(got)), 1);
		ck_assert_int_eq(got[0], '2');
	}
	teardown();
}
END_TEST

/* Attributes of files, large files and directories arrive. */
START_TEST(test_xattrs)
{
	static const char *const names[] = {"dir", "dir/small", "dir/large"};
	char big[3000], got[4000];

	setup();
	make_dir(in(src, "dir"), 0755);
	make_file(in(src, "dir/small"), 10, 1);
	make_file(in(src, "dir/large"), SLU_STAGE_RANGE + 1, 2);
	memset(big, 'x', sizeof(big));
	each(n, names)
	{
		if (setxattr(in(src, *n), "user.one", "1", 1, 0)) {
			skip("no attributes here");
			teardown();
			return;
		}
		ck_assert(!setxattr(in(src, *n), "user.big", big, 1000, 0));
		if (!can_have_list(in(src, *n), ACCESS)) {
			teardown();
			return;
		}
	}
	ck_assert(!stage(in(src, "dir"), dst, 2));
	each(n, names)
	{
		const char *to = in(dst, *n);

		expect(getxattr(to, "user.one", got, 4000) == 1, "%s: %m", *n);
		ck_assert_int_eq(getxattr(to, "user.big", got, 4000), 1000);
		ck_assert(!memcmp(got, big, 1000));
		ck_assert_int_eq(getxattr(to, ACCESS, got, 4000), sizeof(acl));
		ck_assert(!memcmp(got, acl, sizeof(acl)));
	}
	same(in(src, "dir"), in(dst, "dir"));
	teardown();
}
END_TEST

/* Nobody else sees a copy before all of it has its rights; nor, for ever, one
 * that has failed. */
START_TEST(test_private)
{
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 2};
	struct slu_stage_result r;

	setup();
	umask(0);
	ck_assert(!chmod(src, 0700));
	make_dir(in(src, "d"), 0700);
	make_file(in(src, "d/f"), 10, 1);
	make_file(in(src, "f"), 10, 2);
	part.manifest = manifest();
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	ck_assert_int_eq(mode_of(in(dst, "src")) & 077, 0);
	make_file(in(src, "f"), 20, 2);
	failed_with(all_nodes(SLU_COPY, part), "changed");
	close(part.manifest);
	ck_assert_int_eq(mode_of(in(dst, "src")) & 077, 0);
	ck_assert_int_eq(mode_of(in(dst, "src/d")) & 077, 0);
	ck_assert_int_eq(mode_of(dst), 0755); /* not ours */
	teardown();
}
END_TEST

/* Begin to stage, throw that away, and stage. */
static void stage_again(const char *source, bool copied)
{
	struct slu_stage_part part = {
		.source = source, .destination = dst, .n = 2};
	struct slu_stage_result r;

	part.manifest = manifest();
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	if (copied)
		expect_ok(all_nodes(SLU_COPY, part), err);
	close(part.manifest);
	expect_ok(stage_part(part, NULL), err);
}

static void setup_cut_short(void)
{
	const struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	setup();
	become_nobody();
	make_dir(in(src, "d"), 0755);
	make_dir(in(src, "d/e"), 0555);
	make_file(in(src, "d/f"), 10, 1);
	make_file(in(src, "d/g"), 10, 2);
	ck_assert(!chmod(in(src, "d"), 0750));
	make_dir(in(src, "own"), 0755);
	ck_assert(!utimensat(AT_FDCWD, in(src, "d"), past, 0));
	ck_assert(!chmod(src, 0775));
	ck_assert(!utimensat(AT_FDCWD, src, past, 0));
}

/* The next staging brings the directories of one that was cut short to their
 * end, and leaves alone what the user keeps private. */
START_TEST(test_interrupted_staging_is_completed)
{
	for (int copied = 0; copied < 2; copied++) {
		struct stat st;

		setup_cut_short();
		stage_again(src, copied);
		same(src, in(dst, "src"));
		stage_again(src,
			    copied); /* what only its owner may read, too */
		same(src, in(dst, "src"));
		teardown();

		setup_cut_short();
		make_dir(in(dst, "own"), 0700);
		stage_again(in(src, ""), copied);
		same(in(src, "d"), in(dst, "d"));
		ck_assert_int_eq(mode_of(in(dst, "own")), 0700);
		ck_assert_int_eq(mode_of(dst), 0755);
		teardown();

		setup_cut_short();
		stage_again(in(src, "*/[fg]"), copied);
		ck_assert_int_eq(mode_of(in(dst, "d")), 0750);
		ck_assert(!stat(in(dst, "d"), &st));
		ck_assert_int_eq(st.st_mtim.tv_sec, 1000);
		teardown();
	}
}
END_TEST

TEST_MAIN("stage lists", test_xattrs, test_other_lists, test_plain_lists,
	  test_early_lists, test_early_directories, test_kept_read_only,
	  test_mode_changed, test_list_changed, test_private,
	  test_interrupted_staging_is_completed)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the deletion of directory trees: deep ones, links, mounts, missing
 * permissions. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/file.h"
#include "common/str.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char dir[80];

/* Every test runs in a directory of its own, which must end up empty. */
static void setup(void)
{
	snprintf(dir, sizeof(dir), "%s/XXXXXX", getenv("TMPDIR"));
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(rmdir(dir), 0);
}

static void touch(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	ck_assert_int_ge(fd, 0);
	close(fd);
}

START_TEST(test_tree)
{
	struct slu_err err;
	char path[256];

	setup();
	ck_assert_int_eq(slu_mkdirs("t/a/b", 0700, NULL), 0);
	ck_assert_int_eq(slu_mkdirs("t/c", 0700, NULL), 0);
	for (int i = 0; i < 2000; i++) {
		snprintf(path, sizeof(path), "t/a/%d", i);
		touch(path);
	}
	touch("t/.hidden");
	touch("t/...");
	ck_assert_int_eq(mkfifo("t/fifo", 0600), 0);
	expect_ok(slu_rmtree(AT_FDCWD, "t///", &err), err);
	ck_assert_int_eq(access("t", F_OK), -1);
	teardown();
}
END_TEST

START_TEST(test_paths)
{
	static const char *const bad[] = {"", "/", ".", "..", "t/..", "t/."};
	struct slu_err err;
	char path[256];
	int fd;

	setup();
	expect_ok(slu_rmtree(AT_FDCWD, "none", &err), err);
	expect_ok(slu_rmtree(AT_FDCWD, "none/none", &err), err);
	touch("file");
	expect_ok(slu_rmtree(AT_FDCWD, "file", &err), err);
	snprintf(path, sizeof(path), "%s/abs", dir);
	ck_assert_int_eq(mkdir("abs", 0700), 0);
	expect_ok(slu_rmtree(AT_FDCWD, path, &err), err);
	ck_assert_int_eq(slu_mkdirs("t/u/v", 0700, NULL), 0);
	each(b, bad) expect_fail(slu_rmtree(AT_FDCWD, *b, &err), err,
				 SLU_INVALID, "will not remove");
	fd = open("t", O_PATH | O_DIRECTORY);
	expect_ok(slu_rmtree(fd, "u", &err), err);
	close(fd);
	ck_assert_int_eq(rmdir("t"), 0);
	teardown();
}
END_TEST

START_TEST(test_links)
{
	struct slu_err err;

	setup();
	ck_assert_int_eq(slu_mkdirs("kept/sub", 0700, NULL), 0);
	touch("kept/file");
	ck_assert_int_eq(mkdir("t", 0700), 0);
	ck_assert_int_eq(symlink("../kept", "t/link"), 0);
	ck_assert_int_eq(symlink("kept", "top"), 0);
	ck_assert_int_eq(symlink("nowhere", "t/dangling"), 0);
	expect_ok(slu_rmtree(AT_FDCWD, "t", &err), err);
	expect_ok(slu_rmtree(AT_FDCWD, "top", &err), err);
	ck_assert_int_eq(access("kept/file", F_OK), 0);
	expect_ok(slu_rmtree(AT_FDCWD, "kept", &err), err);
	teardown();
}
END_TEST

/* Deeper than descriptors, stack or PATH_MAX would allow. */
/* As on Lustre, which knows no flags of renameat2. */
static void forbid_renameat2(void)
{
	struct sock_filter filter[] = {
		{BPF_LD | BPF_W | BPF_ABS, 0, 0,
		 offsetof(struct seccomp_data, nr)},
		{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_renameat2},
		{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EINVAL},
		{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
	};
	struct sock_fprog program = {.len = 4, .filter = filter};

	ck_assert(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	ck_assert(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void remove_deep(void)
{
	struct slu_err err;
	int fd;

	setup();
	ck_assert_int_eq(mkdir("t", 0700), 0);
	fd = open("t", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 3000; i++) {
		int next;

		ck_assert_int_eq(mkdirat(fd, "deep", 0700), 0);
		next = openat(fd, "deep", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	close(fd);
	/* names that the removal would like to use for itself */
	touch("t/.removed.0");
	ck_assert_int_eq(mkdir("t/.removed.1", 0700), 0);
	expect_ok(slu_rmtree(AT_FDCWD, "t", &err), err);
	ck_assert_int_eq(access("t", F_OK), -1);
	teardown();
}

START_TEST(test_deep)
{
	remove_deep();
	forbid_renameat2();
	remove_deep();
}
END_TEST

static bool private_mounts(void)
{
	if (unshare(CLONE_NEWNS) == 0 &&
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
		return true;
	skip("mount namespaces need root");
	return false;
}

/* A mount stays as it is; everything around it is removed, and the error names
 * it. */
START_TEST(test_mounts)
{
	struct slu_err err;

	if (!private_mounts())
		return;
	setup();
	ck_assert_int_eq(slu_mkdirs("t/a/m", 0700, NULL), 0);
	ck_assert_int_eq(mkdir("src", 0700), 0);
	touch("src/file");
	touch("t/a/file");
	/* a bind mount of the same file system: the device tells nothing */
	ck_assert_int_eq(mount("src", "t/a/m", NULL, MS_BIND, NULL), 0);
	expect_fail(slu_rmtree(AT_FDCWD, "t", &err), err, SLU_BUSY,
		    "./t/a/m: it is a mount point");
	ck_assert_int_eq(access("src/file", F_OK), 0);
	ck_assert_int_eq(access("t/a/file", F_OK), -1);
	expect_fail(slu_rmtree(AT_FDCWD, "t/a/m", &err), err, SLU_BUSY,
		    "t/a/m: it is a mount point");
	ck_assert_int_eq(umount("t/a/m"), 0);
	expect_ok(slu_rmtree(AT_FDCWD, "t", &err), err);
	expect_ok(slu_rmtree(AT_FDCWD, "src", &err), err);
	teardown();
}
END_TEST

START_TEST(test_not_allowed)
{
	struct slu_err err;

	if (!private_mounts())
		return;
	setup();
	ck_assert_int_eq(mkdir("ro", 0700), 0);
	ck_assert_int_eq(mount("none", "ro", "tmpfs", 0, NULL), 0);
	ck_assert_int_eq(slu_mkdirs("ro/t/u", 0700, NULL), 0);
	ck_assert_int_eq(mount(NULL, "ro", NULL, MS_REMOUNT | MS_RDONLY, NULL),
			 0);
	expect_fail(slu_rmtree(AT_FDCWD, "ro/t", &err), err, SLU_IO,
		    "cannot remove ro/t");
	ck_assert_int_eq(umount("ro"), 0);
	ck_assert_int_eq(rmdir("ro"), 0);
	teardown();
}
END_TEST

TEST_MAIN("rmtree", test_tree, test_paths, test_links, test_deep, test_mounts,
	  test_not_allowed)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the storage of a job on a node (an image, a quota ...): users get the
 * capacity that they requested, no less and not much more. */
#include "config.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "burst_buffer/host/loop_device.h"
#include "burst_buffer/host/quota.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/host/file_users.h"
#include "burst_buffer/node/verbs.h"
#include "burst_buffer/drivers/driver.h"
#include "burst_buffer/storage/image.h"
#include "common/file.h"
#include "tests/unit/burst_buffer/node/storage_top.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <sys/wait.h>

/* The user gets what was asked: no less, and not much more. */
START_TEST(test_capacity)
{
	static const uint64_t sizes[] = {4 * MIB, 20 * MIB, 200 * MIB,
					 600 * MIB, 3000 * MIB};

	setup();
	each(size, sizes)
	{
		struct slu_storage_want w = want(*size);
		struct statvfs st;
		uint64_t usable;

		expect_ok(slu_storage_make(&w, &s, &err), err);
		ck_assert_str_eq(s.enforced, "loop");
		ck_assert(!statvfs(s.fs, &st));
		usable = st.f_bavail * st.f_frsize;
		expect(usable >= *size, "%ju of %ju", usable, *size);
		expect(usable <= *size + *size / 50 + MIB, "%ju of %ju", usable,
		       *size);
		expect(st.f_files >= *size / 16384, "%ju", st.f_files);
		ck_assert(st.f_flag & ST_NOSUID && st.f_flag & ST_NODEV);
		expect_ok(slu_storage_wipe(&s, 0, &err), err);
		nothing_left();
	}
	teardown();
}
END_TEST

/* The limit holds for the user, who cannot take root's share either. */
START_TEST(test_enforced)
{
	struct slu_storage_want w = want(10 * MIB);
	char path[4200];
	int status;

	setup();
	w.storage = in(top, "storage");
	w.own_fs = false;
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/data", s.fs);
	make_dir(path, 0777);
	if (!fork()) {
		static char block[1 << 16];
		uint64_t n = 0;
		int fd;

		if (setgid(65534) || setuid(65534))
			_exit(2);
		snprintf(path, sizeof(path), "%s/data/f", s.fs);
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		while (write(fd, block, sizeof(block)) == sizeof(block))
			n += sizeof(block);
		_exit(errno == ENOSPC && n >= 10 * MIB && n < 12 * MIB ? 0 : 1);
	}
	wait(&status);
	ck_assert_int_eq(status, 0);
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	teardown();
}
END_TEST

/* A quota limits files as an image does; to clear it takes both limits away. */
START_TEST(test_quota_limits)
{
	const uint64_t bytes = UINT64_C(64) << 30;
	const uint64_t inodes = slu_image_inodes(bytes);
	const int both = FS_DQ_BHARD | FS_DQ_BSOFT | FS_DQ_IHARD | FS_DQ_ISOFT;
	struct fs_disk_quota q = slu_quota_limits(7, bytes, inodes);

	ck_assert_uint_eq(inodes, bytes / 16384);
	ck_assert_uint_eq(q.d_id, 7);
	ck_assert_int_eq(q.d_fieldmask, both);
	ck_assert_uint_eq(q.d_blk_hardlimit, bytes / 512);
	ck_assert_uint_eq(q.d_ino_hardlimit, inodes);
	ck_assert_uint_eq(q.d_ino_softlimit, inodes);
	q = slu_quota_limits(7, 0, 0);
	ck_assert_int_eq(q.d_fieldmask, both);
	ck_assert_uint_eq(q.d_ino_hardlimit, 0);
}
END_TEST

/* Creating it twice changes nothing; an interrupted creation is repeated. */
START_TEST(test_making_twice_changes_nothing)
{
	struct slu_storage_want w = want(8 * MIB);
	char path[4200];
	struct stat st;

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_locate(w.storage, 17, 4, &s, &err), err);
	ck_assert(!mkdir(w.storage, 0700) && !mkdir(s.dir, 0700) &&
		  !mkdir(s.fs, 0));
	snprintf(path, sizeof(path), "%s/image", s.dir);
	make_text(path, "half an image");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/mark", s.fs);
	make_text(path, "x");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	ck_assert(!access(path, F_OK));
	/* Bare, it lets nobody in. */
	expect_ok(slu_unmount_below(s.fs, 0, 1, &err), err);
	ck_assert(!stat(s.fs, &st));
	ck_assert_int_eq(st.st_mode & 07777, 0);
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	teardown();
}
END_TEST

START_TEST(test_no_room)
{
	struct slu_storage_want w;

	setup();
	ck_assert(!mkdir(in(top, "small"), 0755));
	ck_assert(!mount("tmpfs", in(top, "small"), "tmpfs", 0, "size=16m"));
	w = want(32 * MIB);
	w.storage = in(top, "small/storage");
	expect_fail(slu_storage_make(&w, &s, &err), err, SLU_BUSY, "is free");
	ck_assert_int_eq(access(in(top, "small/storage/17.4"), F_OK), -1);
	ck_assert(!umount(in(top, "small")));
	teardown();
}
END_TEST

/* On a disk that has promised more than it has, as thin volumes do: nobody who
 * writes is told. */
START_TEST(test_stored)
{
	struct slu_storage_want w = want(24 * MIB);
	char path[4200], command[9000];

	setup();
	make_dir(in(top, "thin"), 0755);
	make_dir(in(top, "disk"), 0755);
	ck_assert(!mount("tmpfs", in(top, "thin"), "tmpfs", 0, "size=16m"));
	snprintf(command, sizeof(command),
		 "truncate -s 64M %s/image && mkfs.ext4 -q %s/image && "
		 "mount -o loop %s/image %s",
		 in(top, "thin"), in(top, "thin"), in(top, "thin"),
		 in(top, "disk"));
	ck_assert(!system(command));
	w.storage = in(top, "disk/storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	expect_ok(slu_storage_stored(&s, &err), err);
	snprintf(path, sizeof(path), "%s/file", s.fs);
	make_file(path, 20 * MIB, 1);
	expect_fail(slu_storage_stored(&s, &err), err, SLU_IO,
		    "did not reach the node's disk");
	expect_ok(slu_storage_stored(&(struct slu_storage){0}, &err), err);
	ck_assert(slu_storage_wipe(&s, 0, &err) >= 0);
	ck_assert(!umount(in(top, "disk")) && !umount(in(top, "thin")));
	teardown();
}
END_TEST

/* Devices are used again, so only differences mean something. */
START_TEST(test_counters)
{
	struct slu_storage_want w = want(20 * MIB);
	char name[SLU_LOOP_NAME], under[SLU_LOOP_NAME], path[4200];
	double before[2], after[2];
	int fd;

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/image", s.dir);
	expect_ok(slu_loop_find(path, name, &err), err);
	ck_assert(slu_loop_has(name, path));
	ck_assert(!slu_loop_has(name, s.dir));
	expect_ok(slu_loop_under(s.fs, path, under, &err), err);
	ck_assert_str_eq(under, name);
	expect_ok(slu_loop_counters(name, &before[0], &before[1], &err), err);
	snprintf(path, sizeof(path), "%s/f", s.fs);
	make_file(path, 10 * MIB, 1);
	fd = open(path, O_RDONLY);
	ck_assert(!fsync(fd));
	close(fd);
	expect_ok(slu_loop_counters(name, &after[0], &after[1], &err), err);
	after[1] -= before[1];
	expect(after[1] >= 10 * MIB && after[1] < 12 * MIB, "%g", after[1]);
	ck_assert(after[0] >= before[0]);
	/* A file of the same name elsewhere is another one. */
	snprintf(path, sizeof(path), "%s/image", s.dir);
	ck_assert(!mount("tmpfs", w.storage, "tmpfs", 0, NULL));
	ck_assert(!mkdir(s.dir, 0700));
	make_text(path, "x");
	ck_assert_int_eq(slu_loop_find(path, name, NULL), -1);
	ck_assert(!umount(w.storage));
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	expect_fail(slu_loop_find(path, name, &err), err, SLU_NOTFOUND, path);
	expect_fail(slu_loop_under(top, path, name, &err), err, SLU_NOTFOUND,
		    "no loop device");
	teardown();
}
END_TEST

START_TEST(test_paths)
{
	char longer[5000];

	expect_fail(slu_storage_locate("relative", 1, 1, &s, &err), err,
		    SLU_INVALID, "absolute");
	memset(longer, 'x', sizeof(longer));
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	expect_fail(slu_storage_locate(longer, 1, 1, &s, &err), err,
		    SLU_INVALID, "too long");
}
END_TEST

/* A crash of the node takes the mount away; what is to be kept stays. */
START_TEST(test_persists)
{
	struct slu_storage_want w = want(8 * MIB);
	char path[4200], image[4200];
	int fd;

	setup();
	w.storage = in(top, "storage");
	w.keep = true;
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/data", s.fs);
	snprintf(image, sizeof(image), "%s/image", s.dir);
	make_text(path, "precious");
	for (int i = 0; i < 2; i++) {
		expect_ok(slu_unmount_below(s.fs, 0, 5, &err), err);
		ck_assert(access(path, F_OK));
		expect_ok(slu_storage_make(&w, &s, &err), err);
		ck_assert_str_eq(s.enforced, "loop");
		ck_assert(!access(path, F_OK));
	}
	/* what cannot be mounted is an error, and nothing is made anew */
	expect_ok(slu_unmount_below(s.fs, 0, 5, &err), err);
	fd = open(image, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, "\0\0", 2, 1024 + 56), 2); /* s_magic */
	close(fd);
	ck_assert(slu_storage_make(&w, &s, &err));
	ck_assert(!slu_mounted(s.fs));
	fd = open(image, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, "\x53\xef", 2, 1024 + 56), 2);
	close(fd);
	expect_ok(slu_storage_make(&w, &s, &err), err);
	ck_assert(!access(path, F_OK));
	/* half-made, it holds nothing */
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	ck_assert(access(s.dir, F_OK));
	ck_assert(!mkdir(s.dir, 0700));
	make_text(image, "half an image");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	ck_assert(access(path, F_OK));
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	teardown();
}
END_TEST

/* Whose hands a path is in. */
START_TEST(test_trust)
{
	static const struct {
		mode_t mode; /* of d */
		uid_t uid;
		const char *path, *denied; /* NULL: it may be trusted */
	} cases[] = {
		{0755, 0, "d/s", NULL},
		{0711, 0, "d/s/", NULL},
		{01777, 0, "d/s", NULL},
		{01777, 0, "d", "can write"},
		{0777, 0, "d/s", "can write"},
		{0775, 0, "d/s", NULL}, /* root's group */
		{0755, 65534, "d/s", "not belong"},
		{0755, 0, "d/file", "not a directory"},
		{0755, 0, "d/root", NULL},
		{0755, 0, "d/root/below", NULL},
		{0755, 0, "d/user/below", "not belong"},
		{0755, 0, "d/users", "not belong"},
		{0755, 0, "d/chain", "not belong"},
		{0755, 0, "d/loop", "too many"},
		{0755, 0, "d/none/x", NULL},
	};

	setup();
	make_dir(in(top, "d"), 0755);
	make_dir(in(top, "d/s"), 0755);
	make_dir(in(top, "d/s/below"), 0755);
	make_dir(in(top, "d/theirs"), 0755);
	make_text(in(top, "d/file"), "x");
	make_link(in(top, "d/root"), "../d/./s");
	make_link(in(top, "d/user"), in(top, "d/s"));
	make_link(in(top, "d/users"), "theirs");
	make_link(in(top, "d/chain"), "user");
	make_link(in(top, "d/loop"), "loop");
	ck_assert(!lchown(in(top, "d/user"), 65534, 65534));
	ck_assert(!lchown(in(top, "d/theirs"), 65534, 65534));
	each(c, cases)
	{
		ck_assert(!chmod(in(top, "d"), c->mode));
		ck_assert(!chown(in(top, "d"), c->uid, 0));
		if (c->denied)
			expect_fail(slu_trust_dir(in(top, c->path), &err), err,
				    SLU_DENIED, c->denied);
		else
			expect_ok(slu_trust_dir(in(top, c->path), &err), err);
	}
	expect_fail(slu_trust_dir("relative", &err), err, SLU_INVALID,
		    "absolute");
	teardown();
}
END_TEST

/* What a user has put where ours would be is neither used nor removed. */
START_TEST(test_planted)
{
	struct slu_storage_want w = want(8 * MIB);

	setup();
	w.storage = in(top, "storage");
	make_dir(in(top, "storage"), 0755);
	make_dir(in(top, "storage/17.4"), 0755);
	make_dir(in(top, "storage/kept"), 0755);
	make_dir(in(top, "storage/kept/1.2"), 0755);
	make_text(in(top, "storage/kept/1.2/until"), "1");
	ck_assert(!chown(w.storage, 65534, 65534));
	expect_ok(slu_storage_locate(w.storage, 17, 4, &s, &err), err);
	expect_fail(slu_storage_make(&w, &s, &err), err, SLU_DENIED,
		    "belong to root");
	expect_fail(slu_storage_wipe(&s, 0, &err), err, SLU_DENIED,
		    "belong to root");
	expect_fail(slu_storage_expire(w.storage, 2, NULL, 0, &err), err,
		    SLU_DENIED, "belong to root");
	expect_fail(slu_storage_remount(in(top, "storage/kept/1.2"), &err), err,
		    SLU_DENIED, "belong to root");
	ck_assert(!access(s.dir, F_OK));
	ck_assert(!access(in(top, "storage/kept/1.2"), F_OK));
	/* Root's own, that all may write to, is as bad. */
	ck_assert(!chown(w.storage, 0, 0) && !chmod(w.storage, 01777));
	ck_assert(!rmdir(s.dir));
	expect_fail(slu_storage_make(&w, &s, &err), err, SLU_DENIED,
		    "users other than root can write");
	teardown();
}
END_TEST

static bool found_by(const struct slu_conf *conf, const char *path)
{
	char **list = slu_storages(conf, &err);
	bool found = false;

	ck_assert_ptr_nonnull(list);
	for (size_t i = 0; list[i]; i++)
		found |= !strcmp(list[i], path);
	slu_strv_free(list);
	return found;
}

static bool found_auto(const char *path)
{
	const struct slu_conf conf = {.node_storage = (char *)"auto",
				      .run_dir = (char *)"/run/sluice"};

	return found_by(&conf, path);
}

/* A sluice/ in memory is only looked for where it may have been chosen. */
START_TEST(test_tiers)
{
	struct slu_pool_conf pool[] = {{.tier = SLU_TIER_FLASH},
				       {.tier = SLU_TIER_RAM}};
	static const struct {
		const char *choice;
		size_t pools;
		bool found;
	} cases[] = {
		{"auto", 0, false},	    {"auto", 1, false},
		{"auto", 2, true},	    {"flash,ram", 0, true},
		{"/tmp/sl*,disk", 0, true}, {"/storage", 0, false},
		{"/storage", 2, true},
	};
	char path[4200];

	setup();
	make_dir(in(top, "storage"), 0755);
	ck_assert(!mount("tmpfs", in(top, "storage"), "tmpfs", 0,
			 "size=1m,mode=755"));
	snprintf(path, sizeof(path), "%s/sluice", in(top, "storage"));
	make_dir(path, 0711);
	each(c, cases)
	{
		struct slu_conf conf = {.node_storage = (char *)c->choice,
					.run_dir = (char *)"/run/sluice",
					.pool = pool,
					.n_pool = c->pools};

		expect(found_by(&conf, path) == c->found, "%s, %zu pools",
		       c->choice, c->pools);
		ck_assert(*c->choice != '/' || strchr(c->choice, '*') ||
			  found_by(&conf, "/storage"));
	}
	ck_assert(!umount(in(top, "storage")));
	teardown();
}
END_TEST

/* NodeStorage=auto: a sluice/ on a disk is ours when it is root's. */
START_TEST(test_storage_below_a_disk)
{
	struct slu_storage_want w = want(8 * MIB);
	char path[4200];

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/sluice", s.fs);
	ck_assert(!found_auto(path));
	make_dir(path, 0711);
	ck_assert(found_auto(path));
	ck_assert(!chmod(s.fs, 01777) && found_auto(path));
	ck_assert(!chown(path, 65534, 65534) && !found_auto(path));
	ck_assert(!rmdir(path));
	make_link(path, "/");
	ck_assert(!lchown(path, 65534, 65534) && !found_auto(path));
	expect_ok(slu_storage_wipe(&s, 0, &err), err);
	teardown();
}
END_TEST

/* A mount table with one more line. */
static void add_mount(const char *point, const char *type, const char *source)
{
	struct slu_buf text = {0};

	ck_assert(!unshare(CLONE_NEWNS) &&
		  !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	expect_ok(slu_file_read(AT_FDCWD, "/proc/self/mountinfo", 64 * MIB,
				&text, &err),
		  err);
	slu_buf_printf(&text, "9999 1 0:999 / %s rw - %s %s rw\n", point, type,
		       source);
	make_text(in(top, "mountinfo"), text.data);
	slu_buf_free(&text);
	ck_assert(!mount(in(top, "mountinfo"), "/proc/self/mountinfo", NULL,
			 MS_BIND, NULL));
}

/* ZFS names a dataset where others name a disk; FUSE may name what it likes. */
START_TEST(test_storage_below_a_dataset)
{
	static const struct {
		const char *type, *source;
		bool found;
	} cases[] = {
		{"zfs", "tank/jobs", true},
		{"zfs", "tank", true},
		{"fuse.zfs", "tank", false},
		{"nfs4", "server:/tank", false},
	};
	char path[4200];

	each(c, cases)
	{
		setup();
		snprintf(path, sizeof(path), "%s/sluice", in(top, "storage"));
		make_dir(in(top, "storage"), 0755);
		make_dir(path, 0711);
		add_mount(in(top, "storage"), c->type, c->source);
		expect(found_auto(path) == c->found, "%s %s", c->type,
		       c->source);
		ck_assert(!umount("/proc/self/mountinfo"));
		teardown();
	}
}
END_TEST

/* A daemon has ended, and its number is another's now. */
START_TEST(test_stale_pid)
{
	static const struct timespec long_ago[2] = {{.tv_sec = 1000},
						    {.tv_sec = 1000}};
	struct slu_pair server = {(char *)"server", (char *)"/bin/true"};
	struct slu_plan plan = {.option = &server, .n_option = 1};
	char work[4096], text[4300];
	const struct slu_instance one = {.plan = &plan, .work = work};
	pid_t child;

	setup();
	slu_copy(work, sizeof(work), in(top, "work"));
	make_dir(work, 0700);
	child = fork();
	if (!child) {
		execl("/bin/sleep", "sleep", "60", NULL);
		_exit(1);
	}
	snprintf(text, sizeof(text), "%d\n", (int)child);
	make_text(in(top, "pid"), text);
	ck_assert(!utimensat(AT_FDCWD, in(top, "pid"), long_ago, 0));
	snprintf(text, sizeof(text), "n1,beegfs-storage,/d,/l,%s\n",
		 in(top, "pid"));
	make_text(in(top, "work/status"), text);
	expect_ok(slu_driver_find("beeond")->stop(&one, &err), err);
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
	ck_assert(access(in(top, "pid"), F_OK)); /* for BeeOND to read */
	kill(child, SIGKILL);
	teardown();
}
END_TEST

/* A user's mount that is in use while we wait for it, and where he then puts a
 * link to somebody else's. */
static void stay_and_swap(void)
{
	char moved[4200];

	snprintf(moved, sizeof(moved), "%s", in(top, "b/moved"));
	if (chdir(in(top, "b/x/data")))
		_exit(1);
	usleep(300000);
	if (rename(in(top, "b/x"), moved) ||
	    symlink(in(top, "other"), in(top, "b/x")))
		_exit(1);
	usleep(500000);
	_exit(0);
}

START_TEST(test_swapped)
{
	pid_t pid;
	int status;

	setup();
	make_dir(in(top, "b"), 0777);
	make_dir(in(top, "b/x"), 0777);
	make_dir(in(top, "b/x/data"), 0777);
	make_dir(in(top, "other"), 0711);
	make_dir(in(top, "other/data"), 0711);
	ck_assert(!mount("tmpfs", in(top, "b/x/data"), "tmpfs", 0, NULL));
	ck_assert(!mount("tmpfs", in(top, "other/data"), "tmpfs", 0, NULL));
	pid = fork();
	if (!pid)
		stay_and_swap();
	usleep(100000);
	expect_ok(slu_unmount_below(in(top, "b"), 65534, 20, &err), err);
	ck_assert(slu_mounted(in(top, "other/data")));
	ck_assert(!slu_mounted(in(top, "b/moved/data")));
	waitpid(pid, &status, 0);
	ck_assert_int_eq(status, 0);
	expect_ok(slu_unmount_lazily(in(top, "other"), &err), err);
	teardown();
}
END_TEST

ROOT_TEST_MAIN("storage", test_trust, test_planted, test_storage_below_a_disk,
	       test_storage_below_a_dataset, test_tiers, test_swapped,
	       test_stale_pid, test_capacity, test_enforced, test_quota_limits,
	       test_making_twice_changes_nothing, test_persists, test_no_room,
	       test_stored, test_counters, test_paths)

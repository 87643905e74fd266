/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests data that is kept for its user, and its removal after its time. */
#include "config.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "burst_buffer/drivers/driver.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/node/devices.h"
#include "burst_buffer/node/teardown/kept_expiry.h"
#include "burst_buffer/node/setup/user_directories.h"
#include "burst_buffer/storage/image.h"
#include "common/file.h"
#include "tests/unit/burst_buffer/node/storage_top.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/* May users go there? */
static bool is_open(const char *path)
{
	int status;

	if (!fork())
		_exit(setgid(65534) || setuid(65534) || access(path, X_OK));
	wait(&status);
	return status == 0;
}

/* What s takes, which is kept; and with another device, which is not mounted:
 * what will be kept there is not known. */
static void expect_takes(uint64_t bytes)
{
	struct slu_storage more[] = {s, {.dir = "/nonexistent/17.4"}};
	struct slu_node n = {.storage = s, .more = more};

	ck_assert_uint_eq(slu_devices_kept_takes(&n), bytes);
	n.n_more = 1;
	ck_assert_uint_eq(slu_devices_kept_takes(&n), 2 * bytes);
	n.n_more = 2;
	ck_assert_uint_eq(slu_devices_kept_takes(&n), 0);
}

/* What servers of root's serve is out of users' reach until it is kept. */
START_TEST(test_kept_data_becomes_readable)
{
	struct slu_storage_want w = want(8 * MIB);
	char kept[4096], path[4200];
	struct stat st;

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "%s/precious", s.fs);
	make_text(path, "x");
	snprintf(path, sizeof(path), "%s/image", s.dir);
	ck_assert(!stat(path, &st));
	ck_assert_int_gt(st.st_blocks * 512, 8 << 20);
	ck_assert(!is_open(s.fs));
	ck_assert(!slu_storage_is_kept(&s));
	ck_assert(!slu_storage_is_kept(&(struct slu_storage){0})); /* client */
	ck_assert_uint_eq(slu_storage_kept_takes(&s), 0);
	ck_assert_uint_eq(slu_storage_kept_takes(&(struct slu_storage){0}), 0);
	for (int i = 0; i < 2; i++) { /* repeating it is harmless */
		expect_ok(slu_storage_keep(&s, 0, 1000, kept, &err), err);
		ck_assert_int_eq(access(s.dir, F_OK), -1);
		ck_assert(slu_storage_is_kept(&s));
		ck_assert(is_open(kept));
		snprintf(path, sizeof(path), "%s/precious", kept);
		ck_assert(!stat(path, &st));
		ck_assert_int_eq(open(path, O_WRONLY), -1);
		ck_assert_int_eq(errno, EROFS);
	}
	/* It takes no more space than it has to. */
	snprintf(path, sizeof(path), "%s/../image", kept);
	ck_assert(!stat(path, &st));
	expect(st.st_blocks * 512 < 3 << 20, "%jd", (intmax_t)st.st_blocks);
	ck_assert_uint_eq(slu_storage_kept_takes(&s),
			  (uint64_t)st.st_blocks * 512);
	expect_takes((uint64_t)st.st_blocks * 512);
	/* After a reboot. */
	expect_ok(slu_unmount_below(top, 0, 1, &err), err);
	snprintf(path, sizeof(path), "%s/kept/17.4", w.storage);
	expect_ok(slu_storage_remount(path, &err), err);
	ck_assert(!access(kept, F_OK));
	expect_ok(slu_storage_wipe(&s, 0, &err), err); /* touches it not */
	expect_ok(slu_storage_expire(w.storage, 1000, NULL, 0, &err), err);
	snprintf(path, sizeof(path), "%s/precious", kept);
	ck_assert(!access(path, F_OK));
	expect_ok(slu_storage_expire(w.storage, 1001, NULL, 0, &err), err);
	ck_assert_int_eq(access(path, F_OK), -1);
	teardown();
}
END_TEST

/* Of a storage on a disk that others have filled since. */
START_TEST(test_keep_full)
{
	struct slu_storage_want w = want(8 * MIB);
	char kept[4096], path[4200];
	struct slu_buf text = {0};

	setup();
	make_dir(in(top, "small"), 0755);
	ck_assert(!mount("tmpfs", in(top, "small"), "tmpfs", 0, "size=24m"));
	w.storage = in(top, "small/storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	snprintf(path, sizeof(path), "cat /dev/zero >%s 2>/dev/null",
		 in(top, "small/others"));
	ck_assert_int_ne(system(path), 0);
	expect_ok(slu_storage_mark(s.dir, "part", "0", &err), err);
	expect_ok(slu_storage_keep(&s, 0, 1000, kept, &err), err);
	ck_assert(slu_storage_is_kept(&s));
	snprintf(path, sizeof(path), "%s/../until", kept);
	expect_ok(slu_file_read(AT_FDCWD, path, 64, &text, &err), err);
	ck_assert_str_eq(text.data, "1000\n");
	slu_buf_free(&text);
	expect_ok(slu_storage_expire(w.storage, 1001, NULL, 0, &err), err);
	ck_assert_int_eq(access(kept, F_OK), -1);
	ck_assert(!umount(in(top, "small")));
	teardown();
}
END_TEST

static void run(const char *command)
{
	expect(!system(command), "%s", command);
}

/* The image as a power cut leaves it: what was on disk in the middle of the
 * writing of many files. */
static void cut_power(const struct slu_storage_want *w, const char *then)
{
	char name[4300], command[12000];

	expect_ok(slu_storage_make(w, &s, &err), err);
	snprintf(name, sizeof(name), "%s/precious", s.fs);
	make_text(name, "precious");
	snprintf(command, sizeof(command), "sync -f %s", s.fs);
	run(command);
	for (unsigned i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "%s/late%u", s.fs, i);
		make_file(name, 5000, i);
	}
	snprintf(command, sizeof(command), "cp %s/image %s", s.dir,
		 in(top, "cut"));
	run(command);
	expect_ok(slu_unmount_below(top, 0, 1, &err), err);
	snprintf(command, sizeof(command), "cp %s %s/image && %s %s/image",
		 in(top, "cut"), s.dir, then, s.dir);
	run(command);
	snprintf(name, sizeof(name), "%s/image", s.dir);
	ck_assert(!slu_image_is_clean(name));
}

static void check_cut(bool damaged)
{
	char kept[4096], path[4200], command[4400];
	struct slu_storage_want w;

	setup();
	w = want(8 * MIB);
	cut_power(&w, damaged ? "debugfs -w -R 'clri <2>'" : "true");
	expect_ok(slu_storage_keep(&s, 0, 1000, kept, &err), err);
	snprintf(path, sizeof(path), "%s/precious", kept);
	ck_assert_int_eq(access(path, F_OK), damaged ? -1 : 0);
	ck_assert(slu_mounted(kept) == !damaged);
	ck_assert(!access(in(top, "storage/kept/17.4/image"), F_OK));
	if (damaged) {
		expect_fail(
			slu_storage_remount(in(top, "storage/kept/17.4"), &err),
			err, SLU_INVALID, "damaged when the node went");
	} else {
		snprintf(command, sizeof(command), "e2fsck -fn %s >/dev/null",
			 in(top, "storage/kept/17.4/image"));
		run(command);
	}
	expect_ok(slu_storage_expire(w.storage, 1001, NULL, 0, &err), err);
	ck_assert(access(in(top, "storage/kept/17.4"), F_OK));
	teardown();
}

/* Kept data is checked before any user reads it; if e2fsck cannot repair it, it
 * stays, and is not shown as if it were whole. */
START_TEST(test_power_cut)
{
	check_cut(false);
	check_cut(true);
}
END_TEST

/* It goes before its time, mounted as it is. */
START_TEST(test_discard)
{
	struct slu_storage_want w = want(8 * MIB);
	char kept[4096];

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	expect_ok(slu_storage_keep(&s, 0, INT64_MAX, kept, &err), err);
	expect_ok(slu_storage_discard(in(top, "storage/kept/17.4"), &err), err);
	ck_assert(!slu_storage_is_kept(&s));
	ck_assert_int_eq(rmdir(in(top, "storage/kept")), 0);
	teardown();
}
END_TEST

/* One who stands in what he left keeps nothing else from its end, and what an
 * earlier removal left goes too. */
START_TEST(test_expire)
{
	struct slu_storage_want w = want(8 * MIB);
	char kept[4096];
	pid_t pid;

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &s, &err), err);
	expect_ok(slu_storage_keep(&s, 0, 1000, kept, &err), err);
	make_dir(in(top, "storage/kept/18.5"), 0711);
	make_text(in(top, "storage/kept/18.5/until"), "1000");
	make_dir(in(top, "storage/kept/19.6"), 0711);
	make_text(in(top, "storage/kept/19.6/until"), "2000");
	make_dir(in(top, "storage/kept/.gone.16.3"), 0711);
	make_text(in(top, "storage/kept/.gone.16.3/data"), "x");
	pid = fork();
	if (!pid) {
		if (chdir(kept))
			_exit(1);
		for (;;)
			pause();
	}
	usleep(100000);
	expect_ok(slu_storage_expire(w.storage, 1001, NULL, 0, &err), err);
	ck_assert(access(in(top, "storage/kept/17.4"), F_OK));
	ck_assert(access(in(top, "storage/kept/18.5"), F_OK));
	ck_assert(access(in(top, "storage/kept/.gone.16.3"), F_OK));
	ck_assert(!access(in(top, "storage/kept/19.6"), F_OK));
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	teardown();
}
END_TEST

/* On the parallel file system one node has kept or wiped it, and the others
 * have nothing to do; whoever hears late that it was wiped, too. */
START_TEST(test_shared_keep)
{
	const struct slu_driver *lustre = slu_driver_find("lustre");
	struct slu_pair root = {"root", NULL};
	struct slu_plan plan = {
		.job_id = 7, .buffer = 3, .option = &root, .n_option = 1};
	const struct slu_instance one = {.plan = &plan};
	const struct slu_instance other = {.plan = &plan, .self = 1};
	char kept[4096];

	setup();
	root.value = top;
	for (int i = 0; i < 2; i++) {
		make_dir(in(top, "7.3"), 0711);
		make_dir(in(top, "7.3/data"), 0700);
		if (i)
			expect_ok(lustre->wipe(&one, &err), err);
		else
			expect_ok(lustre->keep(&one, 1000, kept, &err), err);
		expect_ok(lustre->keep(&other, 1000, kept, &err), err);
		ck_assert_str_eq(kept, i ? "" : in(top, "kept/7.3/data"));
		ck_assert_int_eq(access(kept, F_OK), i ? -1 : 0);
		ck_assert(access(in(top, "7.3"), F_OK));
		slu_rmtree(AT_FDCWD, in(top, "kept/7.3"), &err);
	}
	teardown();
}
END_TEST

/* The node's clock alone ends nothing. */
START_TEST(test_clock)
{
	struct slu_conf conf = {0};
	struct slu_node n = {.conf = &conf};

	setup();
	conf.run_dir = (char *)in(top, "run");
	make_dir(conf.run_dir, 0755);
	make_dir(in(top, "storage"), 0711);
	make_dir(in(top, "storage/kept"), 0755);
	make_dir(in(top, "storage/kept/18.5"), 0711);
	make_text(in(top, "storage/kept/18.5/until"), "1000");
	slu_kept_expire(&n, true);
	ck_assert(access(in(top, "run/expire.pid"), F_OK));
	ck_assert(!access(in(top, "storage/kept/18.5"), F_OK));
	teardown();
}
END_TEST

/* Without a mount of its own, the disk below is not what is trimmed. */
START_TEST(test_trim)
{
	struct slu_storage_want w = want(20 * MIB);
	struct slu_storage disk;
	char path[4200], kept[4096];
	struct stat before, after;

	setup();
	w.storage = in(top, "storage");
	expect_ok(slu_storage_make(&w, &disk, &err), err);
	snprintf(path, sizeof(path), "%s/sluice", disk.fs);
	make_dir(path, 0711);
	expect_ok(slu_storage_locate(path, 18, 5, &s, &err), err);
	make_dir(s.dir, 0711);
	make_dir(s.fs, 0755);
	snprintf(path, sizeof(path), "%s/image", disk.dir);
	ck_assert(!stat(path, &before));
	expect_ok(slu_storage_keep(&s, 0, 1000, kept, &err), err);
	ck_assert(!stat(path, &after));
	expect(after.st_blocks >= before.st_blocks, "%jd",
	       (intmax_t)after.st_blocks);
	expect_ok(slu_storage_wipe(&disk, 0, &err), err);
	teardown();
}
END_TEST

static void note_left(const char *name, long age)
{
	const struct timespec then[2] = {{.tv_sec = time(NULL) - age},
					 {.tv_sec = time(NULL) - age}};
	char path[300];

	snprintf(path, sizeof(path), "run/left.%s", name);
	make_text(in(top, path), "");
	ck_assert(!utimensat(AT_FDCWD, in(top, path), then, 0));
}

/* In a persistent buffer: what no job uses for an hour goes. */
START_TEST(test_sweep)
{
	static const struct {
		const char *name;
		long age; /* since when it has had no user; -1: not noted */
		bool stays, noted;
	} cases[] = {
		{"7.12", 7200, true, false},   {"7.1", 7200, false, false},
		{"8.1", -1, true, true},       {"9.1", 60, true, true},
		{"77.12", 7200, false, false}, {"10.3", -1, true, false},
		{"data", 7200, true, true},
	};
	struct slu_node n = {0};
	char path[64];

	setup();
	make_dir(in(top, "top"), 0711);
	make_dir(in(top, "run"), 0711);
	slu_copy(n.dir, sizeof(n.dir), in(top, "run"));
	slu_copy(n.top, sizeof(n.top), in(top, "top"));
	slu_user_directories_sweep(
		&n, "7.12"); /* not mounted: nothing is touched */
	ck_assert(!mount("tmpfs", in(top, "top"), "tmpfs", 0, NULL));
	slu_user_directories_sweep(&n, "7.12"); /* nobody has been here */
	make_dir(in(top, "top/.use"), 0700);
	make_dir(in(top, "top/data"), 0700);
	each(c, cases)
	{
		snprintf(path, sizeof(path), "top/.use/%s", c->name);
		make_dir(in(top, path), 0700);
		snprintf(path, sizeof(path), "top/.use/%s/.sluice", c->name);
		make_dir(in(top, path), 0700);
		if (c->age >= 0)
			note_left(c->name, c->age);
	}
	slu_user_directories_sweep(&n,
				   NULL); /* by a sluiced that does not tell */
	slu_user_directories_sweep(&n, "10.3 7.12");
	each(c, cases)
	{
		snprintf(path, sizeof(path), "top/.use/%s", c->name);
		expect(!access(in(top, path), F_OK) == c->stays, "%s", c->name);
		snprintf(path, sizeof(path), "run/left.%s", c->name);
		expect(!access(in(top, path), F_OK) == c->noted, "note of %s",
		       c->name);
	}
	ck_assert(!access(in(top, "top/data"), F_OK));
	expect_ok(slu_unmount_below(top, 0, 1, &err), err);
	teardown();
}
END_TEST

ROOT_TEST_MAIN("storage_kept", test_kept_data_becomes_readable, test_keep_full,
	       test_power_cut, test_discard, test_expire, test_shared_keep,
	       test_clock, test_trim, test_sweep)

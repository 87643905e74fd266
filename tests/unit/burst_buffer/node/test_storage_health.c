/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that a failed device below storage in use is noticed and named: a loop
 * device whose file stands for the disk. */
#include "config.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "tests/unit/burst_buffer/node/storage_top.h"
#include "burst_buffer/storage/image.h"
#include "burst_buffer/storage/storage_health.h"
#include "common/str.h"
#include <limits.h>

static char disk[PATH_MAX], file[PATH_MAX];
static struct slu_storage_health *health;

static void begin(void)
{
	const struct slu_storage *all[] = {&s};
	struct slu_storage_want w;

	setup();
	w = want(10 * MIB);
	slu_copy(disk, sizeof(disk), in(top, "disk"));
	slu_copy(file, sizeof(file), in(top, "file"));
	w.storage = in(disk, "sluice");
	ck_assert(!mkdir(disk, 0755));
	expect_ok(slu_image_make(file, 64 * MIB, &err), err);
	expect_ok(slu_image_format(file, 60 * MIB, true, &err), err);
	expect_ok(slu_image_mount(file, disk, false, "", &err), err);
	expect_ok(slu_storage_make(&w, &s, &err), err);
	health = slu_storage_health_new(all, 1);
	ck_assert_ptr_nonnull(health);
	expect_ok(slu_storage_health_look(health, &err), err);
}

static void end(void)
{
	slu_storage_health_free(health);
	expect_ok(slu_unmount_lazily(top, &err), err);
	tree_remove(top);
}

/* What is found within 5 s of a probe. */
static int probe(void)
{
	int rc = 0;

	slu_storage_health_probe(health);
	for (int i = 0; i < 100 && !rc; i++) {
		usleep(50000);
		rc = slu_storage_health_look(health, &err);
	}
	return rc;
}

static void expect_named(void)
{
	expect(strstr(err.text, disk) && strstr(err.text, " (/dev/loop"), "%s",
	       err.text);
}

START_TEST(test_unmounted)
{
	begin();
	expect_ok(slu_storage_is_there(&s, &err), err);
	ck_assert(!umount2(disk, MNT_DETACH));
	expect_fail(slu_storage_health_look(health, &err), err, SLU_IO,
		    "is not mounted any more");
	expect_named();
	expect_fail(slu_storage_is_there(&s, &err), err, SLU_IO,
		    "is not mounted any more");
	end();
}
END_TEST

/* What is mounted there instead is not it. */
START_TEST(test_image_unmounted)
{
	begin();
	ck_assert(!umount2(s.fs, MNT_DETACH));
	expect_fail(slu_storage_health_look(health, &err), err, SLU_IO,
		    "/fs is not mounted any more");
	expect_fail(slu_storage_is_there(&s, &err), err, SLU_IO,
		    "/fs is not mounted any more");
	end();
}
END_TEST

START_TEST(test_read_only)
{
	begin();
	ck_assert(!mount(NULL, disk, NULL, MS_REMOUNT, "abort"));
	expect_fail(probe(), err, SLU_IO, "read-only");
	expect_named();
	end();
}
END_TEST

/* The disk has lost what lies behind its first MiB. */
START_TEST(test_errors)
{
	char name[SLU_LOOP_NAME];

	begin();
	sync();
	expect_ok(slu_loop_find(file, name, &err), err);
	ck_assert(!truncate(file, MIB));
	slu_loop_resize(name);
	expect_fail(probe(), err, SLU_IO, "");
	expect(strstr(err.text, "fails: ") || strstr(err.text, "read-only"),
	       "%s", err.text);
	expect_named();
	end();
}
END_TEST

/* A full disk is none that has failed. */
START_TEST(test_full)
{
	int fd;

	begin();
	fd = open(in(disk, "others"), O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	for (off_t step = 16 * MIB; step >= 4096; step /= 2)
		while (!fallocate(fd, 0, lseek(fd, 0, SEEK_END), step))
			;
	expect_ok(probe(), err);
	close(fd);
	end();
}
END_TEST

ROOT_TEST_MAIN("storage health", test_unmounted, test_image_unmounted,
	       test_read_only, test_errors, test_full)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that the space that processes still hold of a wiped storage is recorded
 * until they end. */
#include "config.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "tests/unit/burst_buffer/node/storage_top.h"
#include "burst_buffer/storage/held_storage.h"
#include <sys/mman.h>

static const char *storage(void)
{
	return in(top, "storage");
}

struct seen {
	size_t n;
	struct slu_held_storage last;
};

static void see(void *arg, const struct slu_held_storage *held)
{
	struct seen *seen = arg;

	seen->n++;
	seen->last = *held;
}

static struct seen look(void)
{
	struct slu_uptime up;
	struct seen seen = {0};

	expect_ok(slu_uptime_now(&up, &err), err);
	slu_held_storage_each(storage(), &up, see, &seen);
	return seen;
}

/* Somebody else has a file of `fs` open, or only mapped. */
static pid_t hold(const char *fs, bool map)
{
	static const char page[4096];
	char ready = 'n';
	int ends[2];
	pid_t pid;

	ck_assert(!pipe(ends) && !chmod(fs, 0777));
	pid = fork();
	if (!pid) {
		int fd = chdir(fs) || setgid(65533) || setuid(65533)
				 ? -1
				 : open("file", O_RDWR | O_CREAT, 0600);

		if (fd >= 0 && write(fd, page, 4096) == 4096 && !chdir("/") &&
		    (!map || (mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) !=
				      MAP_FAILED &&
			      !close(fd))))
			(void)!write(ends[1], "y", 1);
		for (;;)
			pause();
	}
	close(ends[1]);
	ck_assert(read(ends[0], &ready, 1) == 1 && ready == 'y');
	close(ends[0]);
	return pid;
}

/* He is told by name while he has it, and nothing of it stays. */
static void expect_noted(pid_t pid)
{
	struct seen seen = look();
	char name[40];

	ck_assert_uint_eq(seen.n, 1);
	ck_assert_str_eq(seen.last.name, strrchr(s.dir, '/') + 1);
	snprintf(name, sizeof(name), "(%d)", (int)pid);
	expect(strstr(seen.last.who, name), "%s", seen.last.who);
}

static void expect_ends(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (int i = 0; i < 500 && look().n; i++)
		usleep(10000);
	ck_assert_uint_eq(look().n, 0);
	ck_assert(access(in(storage(), "held"), F_OK));
}

START_TEST(test_device)
{
	struct slu_storage_want w = want(8 * MIB);
	pid_t pid;

	setup();
	w.storage = storage();
	expect_ok(slu_storage_make(&w, &s, &err), err);
	ck_assert(!chmod(s.dir, 0711));
	pid = hold(s.fs, false);
	ck_assert_int_eq(slu_storage_wipe(&s, 65534, &err), 1);
	expect_noted(pid);
	ck_assert_uint_eq(look().last.bytes, 0);
	expect_ends(pid);
	teardown();
}
END_TEST

/* With a quota his files keep their room until he closes them. Not every kernel
 * has one: it is counted by who has them. */
START_TEST(test_deleted_files_keep_their_space)
{
	pid_t pid;

	for (int map = 0; map < 2; map++) {
		setup();
		make_dir(storage(), 0711);
		expect_ok(slu_storage_locate(storage(), 17, 4, &s, &err), err);
		make_dir(s.dir, 0711);
		make_dir(s.fs, 0755);
		ck_assert(!slu_storage_mark(s.dir, "quota", "1358954500\n",
					    &err));
		pid = hold(s.fs, map);
		ck_assert_int_eq(slu_storage_wipe(&s, 65534, &err), 1);
		ck_assert(access(s.dir, F_OK));
		expect_noted(pid);
		ck_assert_uint_ge(look().last.bytes, 4096);
		expect_ends(pid);
		teardown();
	}
}
END_TEST

/* Only looked at, nothing changes. */
START_TEST(test_look)
{
	struct seen seen = {0};

	setup();
	make_dir(storage(), 0711);
	expect_ok(slu_held_storage_note(storage(), "7.1", "/dev/loop9999", 0,
					"bob", &err),
		  err);
	slu_held_storage_each(storage(), NULL, see, &seen);
	ck_assert_uint_eq(seen.n, 0);
	ck_assert(!access(in(storage(), "held/7.1/who"), F_OK));
	ck_assert_uint_eq(look().n, 0);
	ck_assert(access(in(storage(), "held"), F_OK));
	teardown();
}
END_TEST

ROOT_TEST_MAIN("held", test_device, test_deleted_files_keep_their_space,
	       test_look)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the search for processes that use a directory in any way, and their
 * termination. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/burst_buffer/node/in_flight.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/host/file_users.h"
#include "burst_buffer/host/kill_users.h"

#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define USER 65533

static int ready; /* written to when it is held */

static void hold(void)
{
	(void)!write(ready, "y", 1);
	for (;;)
		pause();
}

static const char *place;

/* It alone is there, the rest of its process is not. */
static void *in_thread(void *arg)
{
	const char *how = arg;

	if (!strcmp(how, "thread's file") &&
	    (unshare(CLONE_FILES) || open(place, O_RDONLY) < 0))
		_exit(1);
	if (!strcmp(how, "thread's directory") &&
	    (unshare(CLONE_FS) || chdir(place)))
		_exit(1);
	hold();
	return NULL;
}

static void by_thread(const char *how)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, in_thread, (void *)(uintptr_t)how))
		_exit(1);
	if (!strcmp(how, "leader gone"))
		pthread_exit(NULL);
	pthread_join(thread, NULL);
}

static void by_ring(int fd)
{
	struct io_uring_params p = {0};
	int ring = (int)syscall(SYS_io_uring_setup, 1, &p);

	if (ring < 0 ||
	    syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &fd, 1))
		_exit(2);
	close(fd);
}

static const struct way {
	const char *how;
	bool seen; /* and ended */
} ways[] = {
	{"directory", true},	 {"file", true},
	{"thread's file", true}, {"thread's directory", true},
	{"leader gone", true},	 {"in flight", false},
	{"io_uring", false},
};

static void use(const char *how, const char *dir)
{
	const bool thread = !strncmp(how, "thread's", 8);
	int fd;

	place = dir;
	if (chdir(dir) || setgid(USER) || setuid(USER))
		_exit(1);
	fd = open("file", O_RDONLY);
	if (!strcmp(how, "in flight") && put_in_flight(fd))
		_exit(1);
	if (!strcmp(how, "io_uring"))
		by_ring(fd);
	if (thread || !strcmp(how, "directory"))
		close(fd);
	if (strcmp(how, "directory") != 0 && chdir("/"))
		_exit(1);
	if (thread || !strcmp(how, "leader gone"))
		by_thread(how);
	hold();
}

static pid_t begin(const struct way *w, const char *dir)
{
	int ends[2];
	pid_t pid;
	char c;

	ck_assert(!pipe(ends));
	pid = fork();
	if (!pid) {
		close(ends[0]);
		ready = ends[1];
		use(w->how, dir);
	}
	close(ends[1]);
	expect(read(ends[0], &c, 1) == 1, "%s", w->how);
	close(ends[0]);
	return pid;
}

START_TEST(test_named)
{
	char dir[PATH_MAX], file[PATH_MAX + 8], name[32];

	ck_assert_ptr_nonnull(realpath(tmpdir(), dir));
	snprintf(file, sizeof(file), "%s/file", dir);
	close(open(file, O_WRONLY | O_CREAT, 0644));
	ck_assert(!chmod(dir, 0755));
	each(w, ways)
	{
		struct slu_buf who = {0};
		struct slu_err err;
		pid_t pid = begin(w, dir);
		int status;

		snprintf(name, sizeof(name), "(%d)", (int)pid);
		ck_assert_int_eq(slu_users_err(dir, &err), -1);
		expect(strstr(err.text, name), "%s: %s", w->how, err.text);
		expect(!strstr(err.text, "may have it") == w->seen, "%s: %s",
		       w->how, err.text);
		expect(slu_users_kill(dir, USER, &who) == w->seen, "%s",
		       w->how);
		expect(!who.data == !w->seen, "%s", w->how);
		expect(!who.data || strstr(who.data, name), "%s", who.data);
		slu_buf_free(&who);
		if (!w->seen)
			kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	}
}
END_TEST

/* Who asks does not look at himself. */
static bool maps(const char *dir)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(slu_users_map(dir));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

/* Only what is mapped so that writing changes the file. */
START_TEST(test_maps)
{
	static const struct {
		int open, protection, flags;
		bool is;
	} ways[] = {
		{O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED, true},
		{O_RDWR, PROT_WRITE, MAP_SHARED, true},
		{O_RDWR, PROT_READ | PROT_WRITE, MAP_PRIVATE, false},
		{O_RDONLY, PROT_READ, MAP_SHARED, false},
	};
	char dir[PATH_MAX];
	void *at;
	int fd;

	snprintf(dir, sizeof(dir), "%s/in", tmpdir());
	ck_assert(!mkdir(dir, 0755));
	ck_assert(!close(open(tmpfile_path("in/f"), O_CREAT | O_WRONLY, 0644)));
	each(w, ways)
	{
		fd = open(tmpfile_path("in/f"), w->open);
		at = mmap(NULL, 4096, w->protection, w->flags, fd, 0);
		ck_assert_ptr_ne(at, MAP_FAILED);
		close(fd);
		ck_assert(maps(dir) == w->is);
		munmap(at, 4096);
		ck_assert(!maps(dir));
	}
}
END_TEST

TEST_MAIN("users", test_named, test_maps)

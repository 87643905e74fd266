/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the search for processes that use a file system without a link in /proc
 * that shows it (a bound socket, another mount namespace ...): they are named,
 * too.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/host/file_users.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void bind_there(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "bound"};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)))
		_exit(1);
}

static void leave_namespace(void)
{
	if (unshare(CLONE_NEWNS))
		_exit(1);
}

/* /proc/PID/mountinfo shows what is below its root. */
static void hide_in_root(void)
{
	leave_namespace();
	if (chroot("/usr"))
		_exit(1);
}

static void keep_namespace(void)
{
	int own = open("/proc/self/ns/mnt", O_RDONLY);

	leave_namespace();
	if (open("/proc/self/ns/mnt", O_RDONLY) < 0 || setns(own, CLONE_NEWNS))
		_exit(1);
	close(own);
}

static void mount_his_own_proc(void)
{
	leave_namespace();
	if (mount("none", "/proc", "tmpfs", 0, NULL))
		_exit(1);
}

static const struct {
	const char *name;
	void (*hold)(void);
} ways[] = {
	{"a socket", bind_there},
	{"a namespace", leave_namespace},
	{"another root", hide_in_root},
	{"a descriptor", keep_namespace},
	{"another /proc", mount_his_own_proc},
};

static pid_t begin(void (*hold)(void), const char *dir)
{
	int ends[2];
	pid_t pid;
	char c;

	ck_assert(!pipe(ends));
	pid = fork();
	if (!pid) {
		close(ends[0]);
		if (chdir(dir))
			_exit(1);
		unlink("bound");
		hold();
		(void)!chdir("/");
		(void)!write(ends[1], "y", 1);
		for (;;)
			pause();
	}
	close(ends[1]);
	ck_assert_int_eq(read(ends[0], &c, 1), 1);
	close(ends[0]);
	return pid;
}

START_TEST(test_indirect_users_are_named)
{
	ck_assert(!unshare(CLONE_NEWNS) &&
		  !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
	each(w, ways)
	{
		const char *dir = tmpdir();
		struct slu_err err;
		struct stat st;
		char name[32];
		pid_t pid;

		ck_assert(!mount("none", dir, "tmpfs", 0, NULL));
		ck_assert(!stat(dir, &st));
		pid = begin(w->hold, dir);
		snprintf(name, sizeof(name), "(%d)", (int)pid);
		ck_assert(!umount2(dir, MNT_DETACH));
		slu_users_device_err("it", major(st.st_dev), minor(st.st_dev),
				     &err);
		expect(strstr(err.text, name), "%s: %s", w->name, err.text);
		expect(!strchr(err.text, ','), "%s: %s", w->name, err.text);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		slu_users_device_err("it", major(st.st_dev), minor(st.st_dev),
				     &err);
		expect(!strstr(err.text, name), "%s: %s", w->name, err.text);
	}
}
END_TEST

ROOT_TEST_MAIN("indirect_users", test_indirect_users_are_named)

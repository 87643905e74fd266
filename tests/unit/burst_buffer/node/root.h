/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_ROOT_H
#define SLU_TESTS_ROOT_H

/*
 * Runs tests that need root as on their own host: with private mounts,
 * processes and network (127.0.0.1 alone), so that nothing they mount, start or
 * listen on is visible outside, disturbs another test, or remains, even if they
 * are killed. Without root, loop devices or namespaces the program is skipped
 * with a message.
 */

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/unit/harness.h"

/* Be the parent of this child, and of all orphans, until it ends. Returns what
 * to exit with. */
static inline int wait_for_child(pid_t child)
{
	int status = 1 << 8;
	pid_t pid;

	do
		pid = wait(&status);
	while (pid != child && (pid > 0 || errno == EINTR));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static pid_t whole_host;

static inline void end_host(int signal)
{
	(void)signal;
	kill(whole_host, SIGKILL);
}

/* Outside of it all: see the host end, by itself or because we are told to,
 * and remove what it leaves. */
static inline void watch_host(pid_t pid)
{
	int rc;

	whole_host = pid;
	signal(SIGINT, end_host);
	signal(SIGTERM, end_host);
	rc = wait_for_child(pid);
	scratch_end();
	_exit(rc);
}

static inline void loopback_up(void)
{
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (ioctl(fd, SIOCSIFFLAGS, &lo))
		perror("lo");
	close(fd);
}

/*
 * The first process of the namespaces: when it ends, all others in them end.
 * Control groups belong to the machine and would remain: none can be created
 * here, unless the test removes its own.
 */
static inline int become_host(void)
{
	pid_t pid;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL))
		return -1;
#ifndef TEST_HAS_CGROUPS
	umount2("/sys/fs/cgroup", MNT_DETACH);
#endif
	loopback_up();
	pid = fork();
	if (pid)
		_exit(wait_for_child(pid));
	return 0;
}

static inline int enter_own_host(const char *name)
{
	pid_t pid;

	if (geteuid()) {
		printf("%s: skipped, needs root\n", name);
		return SKIPPED;
	}
	scratch_begin();
	pid = fork();
	if (pid)
		watch_host(pid);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (access("/dev/loop-control", R_OK | W_OK) ||
	    unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET)) {
		printf("%s: skipped, no namespaces or loop devices\n", name);
		return SKIPPED;
	}
	pid = fork();
	if (pid)
		_exit(wait_for_child(pid));
	if (!become_host())
		return 0;
	printf("%s: skipped, no mounts in a namespace\n", name);
	return SKIPPED;
}

#define ROOT_TEST_MAIN(name, ...)                                      \
	int main(void)                                                 \
	{                                                              \
		const TTest *const tests[] = {__VA_ARGS__};            \
		int rc = enter_own_host(name);                         \
		return rc ? rc                                         \
			  : run_tests(name, tests,                     \
				      sizeof(tests) / sizeof(*tests)); \
	}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the daemon sluice-tbfd: its messages to systemd, its lock, and its
 * writes to Lustre's files. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"
#include "select_io/tbfd/tbfd.h"

static struct slu_err err;

/* systemd's end. */
static int listen_for_news(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct timeval patience = {.tv_sec = 30};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	ck_assert(slu_copy(at.sun_path, sizeof(at.sun_path),
			   tmpfile_path("notify")));
	unlink(at.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setenv("NOTIFY_SOCKET", at.sun_path, 1);
	return fd;
}

static void hears(int fd)
{
	char text[100];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	ck_assert_msg(n > 0, "nothing: %s", strerror(errno));
	text[n] = '\0';
	ck_assert_str_eq(text, "READY=1\nWATCHDOG=1");
}

START_TEST(test_now_and_then)
{
	double last = -INFINITY;
	int fd = listen_for_news();
	char byte;

	slu_tbfd_alive(&last, 100);
	hears(fd);
	slu_tbfd_alive(&last, 104);
	ck_assert_int_lt(recv(fd, &byte, 1, MSG_DONTWAIT), 0);
	slu_tbfd_alive(&last, 105);
	hears(fd);
	close(fd);
}
END_TEST

static pid_t start(const char *a, const char *b, const char *c, const char *d)
{
	static const char program[] = "select_io/tbfd/sluice-tbfd";
	pid_t pid = fork();

	if (pid)
		return pid;
	execl(program, program, a, b, c, d, NULL);
	_exit(127);
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

/* Whatever it is started for: the unit waits for the word. */
START_TEST(test_programs)
{
	static const char conf[] = "SlurmUser=root\nDaemonAddr=localhost\n";
	int fd = listen_for_news();
	pid_t pid;

	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("conf"), conf,
				 strlen(conf), 0644, false, &err),
		  err);
	pid = start("--publish", tmpfile_path("conf"), "--root", tmpdir());
	hears(fd);
	end(pid);
	pid = start("--rate", "10", "--root", tmpdir());
	hears(fd);
	end(pid);
	close(fd);
}
END_TEST

/* Eight targets, each with the records of a thousand jobs. */
static void put_jobs(const char *root)
{
	struct slu_buf text = {0};
	char path[300];

	for (int i = 0; i < 1000; i++) {
		slu_buf_printf(&text, "- job_id:          %d\n", 100000 + i);
		for (int c = 0; c < 15; c++)
			slu_buf_printf(&text,
				       "  %-16s { samples: %11d, unit: bytes, "
				       "min: %8d, max: %8d, sum: %16d, sumsq: "
				       "%18d, hist: {  } }\n",
				       c ? "quotactl:" : "read_bytes:", i, 0, 0,
				       i, 0);
	}
	for (int t = 0; t < 8; t++) {
		snprintf(path, sizeof(path),
			 "%s/proc/fs/lustre/obdfilter/f-OST%04d", root, t);
		expect_ok(slu_mkdirs(path, 0755, &err), err);
		strcat(path, "/job_stats");
		expect_ok(slu_file_write(AT_FDCWD, path, text.data, text.len,
					 0644, false, &err),
			  err);
	}
	slu_buf_free(&text);
}

/* What is read is not held: 20 MiB at most. */
START_TEST(test_small)
{
	struct rusage use;
	const char *root = tmpfile_path("small");
	pid_t pid;
	int status;

	put_jobs(root);
	pid = start("--rate=10", "--once", "--root", root);
	ck_assert_int_eq(wait4(pid, &status, 0, &use), pid);
	ck_assert_int_eq(status, 0);
#ifndef __SANITIZE_ADDRESS__
	expect(use.ru_maxrss <= 20 << 10, "%ld KiB", use.ru_maxrss);
#endif
}
END_TEST

/* Who is whose child, and called so; 0: none. */
static pid_t child_of(pid_t parent, const char *name)
{
	pid_t found = 0;
	struct dirent *e;
	DIR *d = opendir("/proc");

	while (d && !found && (e = readdir(d))) {
		struct slu_buf text = {0};
		char path[300], comm[20];
		int pid, is;

		snprintf(path, sizeof(path), "/proc/%s/stat", e->d_name);
		if (*e->d_name >= '1' && *e->d_name <= '9' &&
		    !slu_file_read(AT_FDCWD, path, 4096, &text, NULL) &&
		    sscanf(text.data, "%d (%19[^)]) %*c %d", &pid, comm, &is) ==
			    3 &&
		    is == parent && (!name || !strcmp(comm, name)))
			found = pid;
		slu_buf_free(&text);
	}
	if (d)
		closedir(d);
	return found;
}

/* The publisher of this daemon, another one than `was`. */
static pid_t publisher(pid_t daemon, pid_t was)
{
	pid_t watcher, pid = 0;

	for (int i = 0; i < 3000 && !pid; i++) {
		watcher = child_of(daemon, NULL);
		pid = watcher ? child_of(watcher, "sluice-tbfd-pub") : 0;
		if (pid == was)
			pid = 0;
		if (!pid)
			usleep(20000);
	}
	return pid;
}

/* A publisher that was killed begins again, and ends with its daemon. */
START_TEST(test_publisher)
{
	static const char conf[] = "SlurmUser=root\nDaemonAddr=localhost\n";
	static const char program[] = "select_io/tbfd/sluice-tbfd";
	const char *path = tmpfile_path("conf"), *root = tmpdir();
	pid_t pid, first, second;

	expect_ok(slu_file_write(AT_FDCWD, path, conf, strlen(conf), 0644,
				 false, &err),
		  err);
	pid = fork();
	if (pid == 0) {
		execl(program, program, "--rate", "10", "--publish", path,
		      "--root", root, NULL);
		_exit(127);
	}
	first = publisher(pid, 0);
	ck_assert_int_gt(first, 0);
	kill(first, SIGKILL);
	second = publisher(pid, first);
	ck_assert_int_gt(second, 0);
	end(pid);
	for (int i = 0; i < 3000 && !kill(second, 0); i++) {
		char path[40];
		struct slu_buf text = {0};
		bool dead;

		snprintf(path, sizeof(path), "/proc/%d/stat", second);
		dead = slu_file_read(AT_FDCWD, path, 4096, &text, NULL) ||
		       strstr(text.data, ") Z ");
		slu_buf_free(&text);
		if (dead)
			return;
		usleep(20000);
	}
	expect(kill(second, 0), "the publisher outlives its daemon");
}
END_TEST

/* One daemon; who cleans up stands back for it, and it waits for them. */
START_TEST(test_lock)
{
	const char *state = tmpfile_path("state");
	int ready[2], fd, status;
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(slu_tbfd_running(state), 0);
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		fd = slu_tbfd_lock(state, &err);
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(fd);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_assert_int_eq(slu_tbfd_running(state), pid);
	expect_fail(slu_tbfd_lock(state, &err), err, SLU_BUSY, "runs here");
	expect_fail(slu_tbfd_lock_for_clean_up(state, &err), err, SLU_BUSY,
		    "runs here");
	end(pid);
	fd = slu_tbfd_lock_for_clean_up(state, &err);
	ck_assert_msg(fd >= 0, "%s", err.text);
	pid = fork();
	if (pid == 0) {
		bool busy = slu_tbfd_lock_for_clean_up(state, &err) < 0 &&
			    err.kind == SLU_BUSY;

		if (write(ready[1], &byte, 1) != 1)
			_exit(2);
		_exit(busy && slu_tbfd_lock(state, &err) >= 0 ? 0 : 1);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(fd);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	expect_fail(slu_tbfd_lock("/nowhere/state", &err), err, SLU_NOTFOUND,
		    "/nowhere/state.lock");
}
END_TEST

/* What write(2) of a rule answers: an errno, or -1: it takes a part. */
static int refuse;

ssize_t write(int fd, const void *data, size_t size)
{
	if (refuse && size > 6 && memcmp(data, "start ", 6) == 0) {
		errno = refuse;
		return refuse > 0 ? -1 : 6;
	}
	return syscall(SYS_write, fd, data, size);
}

static const char *put(const char *place, const char *name, const char *text)
{
	static char path[600];

	snprintf(path, sizeof(path), "%s/%s", tmpfile_path("oss"), place);
	expect_ok(slu_mkdirs(path, 0755, &err), err);
	snprintf(path, sizeof(path), "%s/%s/%s", tmpfile_path("oss"), place,
		 name);
	expect_ok(slu_file_write(AT_FDCWD, path, text, strlen(text), 0600,
				 false, &err),
		  err);
	return path;
}

/* Where versions have them; missing, refusing, and no files at all. */
START_TEST(test_files)
{
	static const char *const place[] = {
		"sys/kernel/debug/lustre/ost/OSS/ost_io",
		"proc/fs/lustre/ost/OSS/ost_io"}; /* 2.10 */
	static const struct {
		int refuse;
		const char *words;
	} cases[] = {
		{EINVAL, "start a jobid={a} rate=9\": Invalid argument"},
		{EAGAIN, "Resource temporarily unavailable"},
		{ENODEV, "No such device"},
		{-1, "cut off"},
	};
	static const char rule[] = "start a jobid={a} rate=9";
	struct slu_lustre *l = slu_lustre_files(
		tmpfile_path("oss"), slu_lustre_service("ost_io", NULL), &err);
	struct slu_jobstats stats = {0};
	struct slu_buf text = {0};
	const char *path;

	expect_fail(l->job_stats(l, &stats, &err), err, SLU_NOTFOUND, "server");
	expect_fail(l->policies(l, &text, &err), err, SLU_NOTFOUND,
		    "nrs_policies");
	expect_fail(l->set_rule(l, rule, &err), err, SLU_IO, "No such file");
	each(p, place)
	{
		put(*p, "nrs_policies", *p);
		expect_ok(l->policies(l, &text, &err), err);
		ck_assert_str_eq(text.data, *p);
		path = put(*p, "nrs_tbf_rule", "");
		expect_ok(l->set_rule(l, rule, &err), err);
		expect_ok(l->rules(l, &text, &err), err);
		ck_assert_str_eq(text.data, rule);
	}
	each(c, cases)
	{
		refuse = c->refuse;
		expect_fail(l->set_rule(l, rule, &err), err, SLU_IO, c->words);
		refuse = 0;
		expect_ok(l->set_rule(l, rule, &err), err);
	}
	ck_assert(unlink(path) == 0 && mkfifo(path, 0600) == 0);
	expect_fail(l->set_rule(l, rule, &err), err, SLU_IO, "nrs_tbf_rule");
	expect_ok(l->rules(l, &text, &err), err);
	ck_assert_str_eq(text.data, "");
	l->free(l);
	slu_jobstats_free(&stats);
	slu_buf_free(&text);
}
END_TEST

TEST_MAIN("tbfd_alive", test_now_and_then, test_programs, test_small,
	  test_publisher, test_lock, test_files)

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the running of programs and daemons: output, time limits, descriptors,
 * pid files. */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/file.h"
#include "common/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char dir[80];

static void setup(void)
{
	snprintf(dir, sizeof(dir), "%s/XXXXXX", getenv("TMPDIR"));
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
}

static void teardown(void)
{
	ck_assert_int_eq(slu_rmtree(AT_FDCWD, dir, NULL), 0);
}

static int run_shell(const char *script, double seconds, struct slu_buf *out,
		     struct slu_err *err)
{
	char *argv[] = {"sh", "-c", (char *)script, NULL};

	return slu_run(argv, seconds, out, err);
}

START_TEST(test_run)
{
	struct slu_buf out = {0};
	struct slu_err err;

	expect_ok(run_shell("echo one; echo two >&2; cat", 10, &out, &err),
		  err);
	ck_assert_str_eq(out.data, "one\ntwo\n");
	expect_ok(run_shell("echo more", 10, &out, &err), err);
	ck_assert_str_eq(out.data, "one\ntwo\nmore\n");
	expect_ok(run_shell("echo unheard", 10, NULL, &err), err);
	slu_buf_free(&out);
}
END_TEST

START_TEST(test_run_failures)
{
	static const struct {
		const char *script, *text;
	} cases[] = {
		{"exit 3", "sh ended with exit code 3"},
		{"echo a; echo 'no space'; echo; exit 1",
		 "sh ended with exit code 1: no space"},
		{"kill -TERM $$", "sh was killed by signal 15"},
	};
	char *none[] = {"/no/such/program", NULL};
	struct slu_err err;

	each(c, cases)
	{
		expect_fail(run_shell(c->script, 10, NULL, &err), err, SLU_IO,
			    c->text);
		ck_assert_str_eq(err.text, c->text);
	}
	expect_fail(slu_run(none, 10, NULL, &err), err, SLU_IO,
		    "cannot run /no/such/program: No such file");
}
END_TEST

/* The ceiling of the buffer holds, the last line is known all the same. */
START_TEST(test_run_much_output)
{
	struct slu_buf out = {.max = 1000};
	struct slu_err err;

	expect_fail(run_shell("yes | head -n 100000; echo last; exit 1", 20,
			      &out, &err),
		    err, SLU_IO, ": last");
	ck_assert(out.failed);
	ck_assert_uint_le(out.len, 1000);
	slu_buf_free(&out);
}
END_TEST

/* At the deadline the whole group dies, even in a flood of output. */
START_TEST(test_run_timeout)
{
	static const char *const scripts[] = {
		"sleep 1000 & echo $!; wait",
		"trap '' TERM INT; (sleep 0.1; exec yes) & echo $!; wait",
	};
	struct slu_err err;

	each(s, scripts)
	{
		struct slu_buf out = {.max = 64};
		struct slu_pid pid;

		expect_fail(run_shell(*s, 0.3, &out, &err), err, SLU_TIMEOUT,
			    "sh did not end within 0.3 seconds");
		pid.pid = atoi(out.data);
		ck_assert_int_gt(pid.pid, 1);
		for (int i = 0; i < 100 && !slu_pid_get(pid.pid, &pid, NULL);
		     i++)
			nanosleep(&(struct timespec){.tv_nsec = 10000000},
				  NULL);
		ck_assert_int_eq(slu_pid_get(pid.pid, &pid, NULL), -1);
		slu_buf_free(&out);
	}
}
END_TEST

/* A daemon that keeps the output open is not waited for, and lives. */
START_TEST(test_run_leaves_daemon)
{
	struct slu_buf out = {0};
	struct slu_pid pid;
	struct slu_err err;

	expect_ok(run_shell("sleep 1000 & echo $!", 10, &out, &err), err);
	expect_ok(slu_pid_get(atoi(out.data), &pid, &err), err);
	ck_assert_int_eq(slu_pid_kill(&pid, SIGKILL), 0);
	slu_buf_free(&out);
}
END_TEST

/* Blocked signals and open descriptors of ours do not reach the program. */
START_TEST(test_run_inherits_nothing)
{
	struct slu_buf out = {0};
	struct slu_err err;
	sigset_t all;
	int fd = open("/dev/null", O_RDONLY); /* without O_CLOEXEC */

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGPIPE, SIG_IGN);
	expect_ok(run_shell("sed -En 's/Sig(Blk|Ign):.*(.{7})$/\\1 \\2/p' "
			    "/proc/self/status; ls /proc/self/fd",
			    10, &out, &err),
		  err);
	ck_assert_str_eq(out.data, "Blk 0000000\nIgn 0000000\n0\n1\n2\n3\n");
	close(fd);
	slu_buf_free(&out);
}
END_TEST

START_TEST(test_run_closed_descriptors)
{
	struct slu_buf out = {0};
	struct slu_err err = {0};
	int ret;

	slu_close_from(0);
	ret = run_shell("echo x; echo y >&2; cat", 10, &out, &err);
	if (ret || strcmp(out.data, "x\ny\n"))
		_exit(1);
	slu_buf_free(&out);
	_exit(0);
}
END_TEST

/* A sleeping child; *pid says who it is. */
static pid_t child(struct slu_pid *pid)
{
	pid_t p = fork();

	if (p == 0) {
		pause();
		_exit(0);
	}
	ck_assert_int_eq(slu_pid_get(p, pid, NULL), 0);
	return p;
}

START_TEST(test_pid)
{
	struct slu_pid pid, other;
	struct slu_err err;
	pid_t p = child(&pid);

	ck_assert_int_eq(pid.pid, p);
	ck_assert(slu_pid_alive(&pid));
	expect_fail(slu_pid_wait(&pid, 0.05, &err), err, SLU_TIMEOUT,
		    "still runs");
	/* the same pid, but not the same process */
	other = (struct slu_pid){.pid = p, .start = pid.start - 1};
	ck_assert(!slu_pid_alive(&other));
	ck_assert_int_eq(slu_pid_kill(&other, SIGKILL), -1);
	ck_assert_int_eq(errno, ESRCH);
	expect_ok(slu_pid_wait(&other, 0, &err), err);
	ck_assert(slu_pid_alive(&pid));

	ck_assert_int_eq(slu_pid_kill(&pid, SIGKILL), 0);
	expect_ok(slu_pid_wait(&pid, 10, &err), err);
	/* it is a zombie until we wait for it */
	ck_assert_int_eq(kill(p, 0), 0);
	ck_assert(!slu_pid_alive(&pid));
	expect_fail(slu_pid_get(p, &other, &err), err, SLU_NOTFOUND, "ended");
	expect_ok(slu_pid_wait(&pid, 0, &err), err);
	ck_assert_int_eq(waitpid(p, NULL, 0), p);
	expect_fail(slu_pid_get(p, &other, &err), err, SLU_NOTFOUND,
		    "no process");
	ck_assert_int_eq(slu_pid_kill(&pid, SIGKILL), -1);
}
END_TEST

/* A command's name may look like the fields behind it. */
START_TEST(test_pid_strange_name)
{
	struct slu_pid plain, strange;
	struct slu_buf out = {0};
	struct slu_err err;

	setup();
	ck_assert_int_eq(slu_pid_get(getpid(), &plain, NULL), 0);
	ck_assert_int_eq(symlink("/bin/sleep", "a) Z 1 (b"), 0);
	expect_ok(run_shell("'./a) Z 1 (b' 1000 & echo $!; sleep 0.2", 10, &out,
			    &err),
		  err);
	expect_ok(slu_pid_get(atoi(out.data), &strange, &err), err);
	ck_assert_uint_ge(strange.start, plain.start);
	ck_assert_uint_lt(strange.start, plain.start + 3000);
	ck_assert_int_eq(slu_pid_kill(&strange, SIGKILL), 0);
	slu_buf_free(&out);
	teardown();
}
END_TEST

START_TEST(test_pid_files)
{
	static const char *const bad[] = {"",	    "12",	"12 34",
					  "x y\n",  "0 1\n",	"-5 1\n",
					  "12 -\n", "12 34 5\n"};
	struct slu_pid pid = {.pid = 12, .start = UINT64_MAX}, back = {0};
	struct slu_err err;

	setup();
	expect_ok(slu_pid_write("f", &pid, &err), err);
	expect_ok(slu_pid_read("f", &back, &err), err);
	ck_assert(back.pid == 12 && back.start == UINT64_MAX);
	expect_fail(slu_pid_read("none", &back, &err), err, SLU_NOTFOUND, "");
	each(b, bad)
	{
		ck_assert_int_eq(slu_file_write(AT_FDCWD, "f", *b, strlen(*b),
						0600, false, NULL),
				 0);
		expect_fail(slu_pid_read("f", &back, &err), err, SLU_INVALID,
			    "f is no pid file");
		ck_assert(back.pid == 12);
	}
	teardown();
}
END_TEST

/* Says in a file how it lives, and then stays. */
static int worker(void *arg)
{
	char cwd[256];
	int fds = 0;

	for (int fd = 3; fd < 1024; fd++)
		fds += fcntl(fd, F_GETFD) >= 0;
	printf("session %d, fds %d, in %s, %s\n", getsid(0) == getpid(), fds,
	       getcwd(cwd, sizeof(cwd)), (char *)arg);
	fflush(stdout);
	pause();
	return 0;
}

START_TEST(test_detach)
{
	char pid_path[256], log_path[256];
	struct slu_buf log = {0};
	struct slu_pid pid;
	struct slu_err err;

	setup();
	snprintf(pid_path, sizeof(pid_path), "%s/pid", dir);
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	expect_ok(slu_detach(worker, "hello", pid_path, log_path, &err), err);
	/* at once, and it is no child of ours */
	expect_ok(slu_pid_read(pid_path, &pid, &err), err);
	ck_assert(slu_pid_alive(&pid));
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	for (int i = 0; i < 500 && !log.len; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		slu_file_read(AT_FDCWD, log_path, 1000, &log, NULL);
	}
	/* a session has a leader, but it is not the worker: no terminal can
	 * become its own */
	ck_assert_str_eq(log.data, "session 0, fds 0, in /, hello\n");
	ck_assert_int_eq(slu_pid_kill(&pid, SIGTERM), 0);
	expect_ok(slu_pid_wait(&pid, 10, &err), err);
	slu_buf_free(&log);
	teardown();
}
END_TEST

/* Without a pid file or a log nothing runs; the caller knows why. */
START_TEST(test_detach_failures)
{
	struct slu_err err;

	expect_fail(slu_detach(worker, "x", "/none/pid", NULL, &err), err,
		    SLU_NOTFOUND, "create /none/pid: No such file");
	expect_fail(slu_detach(worker, "x", NULL, "/none/log", &err), err,
		    SLU_IO, "open /none/log: No such file");
}
END_TEST

struct question {
	int to; /* where it says who it is, or -1 */
	int ret;
};

static int answer(void *arg, void *out)
{
	struct question *q = arg;
	pid_t me = getpid();

	if (q->to >= 0) {
		if (fcntl(STDOUT_FILENO, F_GETFD) >= 0 ||
		    write(q->to, &me, sizeof(me)) != sizeof(me))
			return -1;
		for (;;)
			pause();
	}
	memset(out, 'x', 8);
	return q->ret;
}

/* Who hangs is given up, but neither killed nor waited for. */
START_TEST(test_ask)
{
	struct question q = {.to = -1};
	char out[8] = "";
	pid_t pid;
	int fd[2];

	ck_assert_int_eq(slu_ask_apart(answer, &q, out, 8, 60000), 0);
	ck_assert_mem_eq(out, "xxxxxxxx", 8);
	q.ret = -1;
	ck_assert_int_eq(slu_ask_apart(answer, &q, out, 8, 60000), -1);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);

	ck_assert_int_eq(pipe(fd), 0);
	q.to = fd[1];
	ck_assert_int_eq(slu_ask_apart(answer, &q, out, 8, 10), -1);
	ck_assert_int_eq(read(fd[0], &pid, sizeof(pid)), sizeof(pid));
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	close(fd[0]);
	close(fd[1]);
}
END_TEST

TEST_MAIN("proc", test_run, test_run_failures, test_run_much_output,
	  test_run_timeout, test_run_leaves_daemon, test_run_inherits_nothing,
	  test_run_closed_descriptors, test_pid, test_pid_strange_name,
	  test_pid_files, test_detach, test_detach_failures, test_ask)

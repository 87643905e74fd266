/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests calls that run in a child process with a time limit, because they may
 * hang (statfs on a dead server): answers, failures, and another user's rights.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/host/aside.h"
#include "common/proc.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int answers(struct slu_aside *a, void *arg, void *out,
		   struct slu_err *err)
{
	(void)a, (void)err;
	snprintf(out, SLU_ASIDE_OUT, "%s!", (char *)arg);
	return 0;
}

static int fails(struct slu_aside *a, void *arg, void *out, struct slu_err *err)
{
	(void)a, (void)arg, (void)out;
	return slu_err(err, SLU_DENIED, "no way");
}

static int hangs(struct slu_aside *a, void *arg, void *out, struct slu_err *err)
{
	(void)a, (void)arg, (void)out, (void)err;
	pause();
	return 0;
}

static int hangs_as_user(struct slu_aside *a, void *arg, void *out,
			 struct slu_err *err)
{
	slu_aside_become(a, 65534, 65534, err);
	return hangs(a, arg, out, err);
}

static int dies(struct slu_aside *a, void *arg, void *out, struct slu_err *err)
{
	(void)a, (void)arg, (void)out, (void)err;
	raise(SIGKILL);
	return 0;
}

static int nobody_reads(struct slu_aside *a, void *arg, void *out,
			struct slu_err *err)
{
	int fd[2];

	(void)a, (void)arg, (void)out;
	if (pipe(fd) || close(fd[0]) || write(fd[1], "x", 1) == 1)
		return 0;
	return slu_errno(err, SLU_IO, "cannot write");
}

static int tells(struct slu_aside *a, void *arg, void *out, struct slu_err *err)
{
	(void)arg, (void)out, (void)err;
	for (unsigned i = 1; i < 40; i++) {
		slu_aside_progress(a, i * 10, i);
		usleep(100000);
	}
	return 0;
}

static int who(struct slu_aside *a, void *arg, void *out, struct slu_err *err)
{
	(void)arg;
	if (slu_aside_become(a, 65534, 65534, err))
		return -1;
	if (!setuid(0) || !errno)
		return slu_err(err, SLU_INTERNAL, "could come back");
	snprintf(out, SLU_ASIDE_OUT, "%d %d %d", (int)geteuid(), (int)getegid(),
		 getgroups(0, NULL));
	return 0;
}

START_TEST(test_answers)
{
	struct slu_aside a = {.fn = answers, .arg = "hello", .seconds = 5};
	char out[SLU_ASIDE_OUT];
	struct slu_err err;

	expect_ok(slu_aside(&a, "x", out, &err), err);
	ck_assert_str_eq(out, "hello!");
	a.fn = fails;
	expect_fail(slu_aside(&a, "x", out, &err), err, SLU_DENIED, "no way");
	a.fn = dies;
	expect_fail(slu_aside(&a, "x", out, &err), err, SLU_INTERNAL, "x: ");
	a.fn = nobody_reads;
	expect_fail(slu_aside(&a, "x", out, &err), err, SLU_IO, "Broken pipe");
	a.fn = hangs;
	a.seconds = 0.3;
	expect_fail(slu_aside(&a, "mount", out, &err), err, SLU_TIMEOUT,
		    "mount: no answer within 0.3 s");
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* none is left */
}
END_TEST

static uint64_t seen_bytes;

static int tick(void *arg, uint64_t bytes, uint64_t files)
{
	ck_assert_uint_eq(bytes, files * 10);
	seen_bytes = bytes;
	return ++*(int *)arg == 3;
}

START_TEST(test_ticks)
{
	int n = 0;
	struct slu_aside a = {
		.fn = tells, .seconds = 10, .tick = tick, .tick_arg = &n};
	struct slu_err err;

	expect_fail(slu_aside(&a, "x", NULL, &err), err, SLU_BUSY, "stopped");
	ck_assert_int_eq(n, 3);
	ck_assert_uint_ge(seen_bytes, 100);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}
END_TEST

START_TEST(test_user)
{
	struct slu_aside a = {.fn = who, .seconds = 5};
	char out[SLU_ASIDE_OUT];
	struct slu_err err;

	if (geteuid()) {
		expect_fail(slu_aside(&a, "x", out, &err), err, SLU_IO,
			    "cannot become user 65534");
		return;
	}
	expect_ok(slu_aside(&a, "x", out, &err), err);
	ck_assert_str_eq(out, "65534 65534 1");
}
END_TEST

/* The child does not outlive its parent, as another user neither. */
START_TEST(test_orphan)
{
	int fd[2];
	pid_t parent;
	char c;

	ck_assert(!pipe(fd));
	parent = fork();
	if (!parent) {
		struct slu_aside a = {.fn = hangs_as_user, .seconds = 50};

		close(fd[0]);
		slu_aside(&a, "x", NULL, NULL);
		_exit(0);
	}
	close(fd[1]);
	usleep(300000);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	/* The end of file comes when the last holder of the pipe has gone. */
	alarm(5);
	ck_assert_int_eq(read(fd[0], &c, 1), 0);
}
END_TEST

TEST_MAIN("aside", test_answers, test_ticks, test_user, test_orphan)

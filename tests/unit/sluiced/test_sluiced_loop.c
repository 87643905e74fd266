/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluiced's event loop: timers, descriptors, and child processes that
 * answer, fail or hang. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"
#include "sluiced/child.h"
#include "sluiced/event_loop.h"
#include "tests/unit/harness.h"

static struct slu_loop *loop;
static struct slu_err err;

/* A log of what was called, in letters. */
static char calls[64];

static void note(const char *what)
{
	strncat(calls, what, sizeof(calls) - strlen(calls) - 1);
}

static void begin(void)
{
	loop = slu_loop_new(&err);
	calls[0] = '\0';
}

static void turn(int times)
{
	for (int i = 0; i < times; i++)
		expect_ok(slu_loop_turn(loop, 0.05, &err), err);
}

static void on_timer(void *arg)
{
	note(arg);
}

START_TEST(test_timers)
{
	struct slu_timer a = {.fn = on_timer, .arg = "a"};
	struct slu_timer b = {.fn = on_timer, .arg = "b"};
	struct slu_timer never = {.fn = on_timer, .arg = "X"};

	begin();
	slu_timer_set(loop, &b, 0.02);
	slu_timer_set(loop, &a, 0.01);
	slu_timer_set(loop, &never, 0.01);
	slu_timer_stop(loop, &never);
	slu_timer_stop(loop, &never);
	slu_timer_soon(loop, &b, 5);
	turn(4);
	ck_assert_str_eq(calls, "ab");
	slu_timer_set(loop, &a, 50);
	slu_timer_soon(loop, &a, 0);
	turn(1);
	ck_assert_str_eq(calls, "aba");
	slu_loop_free(loop);
}
END_TEST

static int pipe_fd[2];

static void on_readable(void *arg, short revents)
{
	char c;

	(void)revents;
	ck_assert_int_eq(read(pipe_fd[0], &c, 1), 1);
	note(arg);
	if (c == 'x')
		slu_loop_unwatch(loop, pipe_fd[0]);
}

START_TEST(test_descriptors)
{
	begin();
	ck_assert_int_eq(pipe(pipe_fd), 0);
	expect_ok(slu_loop_watch(loop, pipe_fd[0], POLLIN, on_readable, "r",
				 &err),
		  err);
	ck_assert_int_eq(write(pipe_fd[1], ".xy", 3), 3);
	turn(4);
	ck_assert_str_eq(calls, "rr");
	slu_loop_free(loop);
}
END_TEST

/* A timer that sets itself to 0 does not keep the loop from its turn. */
static void again(void *arg)
{
	note(".");
	slu_timer_set(loop, arg, 0);
}

START_TEST(test_timer_sets_itself)
{
	struct slu_timer t = {.fn = again, .arg = &t};

	begin();
	slu_timer_set(loop, &t, 0);
	turn(3);
	ck_assert_uint_le(strlen(calls), 3);
	slu_loop_free(loop);
}
END_TEST

/* ---- children ---- */

static struct slu_err said;
static char output[256];

static int run_good(void *arg, struct slu_buf *out, struct slu_err *e)
{
	(void)e;
	slu_buf_puts(out, arg);
	return 0;
}

static int run_bad(void *arg, struct slu_buf *out, struct slu_err *e)
{
	slu_buf_puts(out, "thrown away");
	return slu_err(e, SLU_INVALID, "%s is wrong", (char *)arg);
}

static int run_crash(void *arg, struct slu_buf *out, struct slu_err *e)
{
	(void)arg, (void)out, (void)e;
	kill(getpid(), SIGKILL);
	return 0;
}

static int run_hang(void *arg, struct slu_buf *out, struct slu_err *e)
{
	(void)arg, (void)out, (void)e;
	pause();
	return 0;
}

/* As one that ends, but cannot close a file of a file system that hangs. */
static int run_half_gone(void *arg, struct slu_buf *out, struct slu_err *e)
{
	(void)arg, (void)out, (void)e;
	slu_close_from(3);
	pause();
	return 0;
}

/* Nothing of the parent's may be open but what is needed. */
static int run_descriptors(void *arg, struct slu_buf *out, struct slu_err *e)
{
	int open_fds = 0;

	(void)arg, (void)e;
	for (int fd = 4; fd < 64; fd++)
		open_fds += fcntl(fd, F_GETFD) >= 0;
	slu_buf_printf(out, "%d", open_fds);
	return 0;
}

static void done(void *arg, struct slu_buf *out, const struct slu_err *e)
{
	(void)arg;
	note(e ? "e" : "d");
	said = e ? *e : (struct slu_err){0};
	snprintf(output, sizeof(output), "%s",
		 out && out->data ? out->data : "");
}

static void gone(void *arg)
{
	(void)arg;
	note("g");
}

static void child(int (*run)(void *, struct slu_buf *, struct slu_err *),
		  void *arg, size_t max, double seconds)
{
	struct slu_child_work work = {.run = run,
				      .done = done,
				      .gone = gone,
				      .arg = arg,
				      .max = max,
				      .seconds = seconds};

	begin();
	ck_assert_ptr_nonnull(slu_child_start(loop, &work, &err));
	for (int i = 0; i < 2000 && !strchr(calls, 'g'); i++)
		turn(1);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* no zombie */
	slu_loop_free(loop);
}

START_TEST(test_child_answers)
{
	child(run_good, "hello", 100, 5);
	ck_assert_str_eq(calls, "dg");
	ck_assert_str_eq(output, "hello");
	child(run_good, "", 100, 5);
	ck_assert_str_eq(calls, "dg");
	ck_assert_str_eq(output, "");
}
END_TEST

START_TEST(test_child_fails)
{
	child(run_bad, "this", 100, 5);
	ck_assert_str_eq(calls, "eg");
	expect_err(said, SLU_INVALID, "this is wrong");
	child(run_good, "too long", 3, 5);
	ck_assert_str_eq(calls, "eg");
	expect_err(said, SLU_NOMEM, "longer than 3");
	child(run_crash, NULL, 3, 5);
	ck_assert_str_eq(calls, "eg");
	expect_err(said, SLU_INTERNAL, "died");
}
END_TEST

START_TEST(test_child_hangs)
{
	child(run_hang, NULL, 3, 0.05);
	ck_assert_str_eq(calls, "eg");
	expect_err(said, SLU_TIMEOUT, "no answer within 0.05 s");
	child(run_half_gone, NULL, 3, 0.05);
	ck_assert_str_eq(calls, "eg");
	expect_err(said, SLU_TIMEOUT, "no answer within 0.05 s");
}
END_TEST

/* Alive or not. */
static bool has_child(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG) == 0;
}

/* Its answer is not delivered, but the process is still waited for. */
START_TEST(test_child_dropped)
{
	struct slu_child_work work = {
		.done = done, .gone = gone, .max = 3, .seconds = 5};
	struct slu_child *c;

	for (int i = 0; i < 3; i++) {
		work.run = i ? run_half_gone : run_hang;
		begin();
		c = slu_child_start(loop, &work, &err);
		ck_assert_ptr_nonnull(c);
		for (int k = 0; k < 10 * i; k++) /* until it is half gone */
			turn(1);
		slu_child_drop(c);
		for (int k = 0; k < 2000 && has_child(); k++)
			turn(1);
		ck_assert(!has_child());
		ck_assert_str_eq(calls, "");
		slu_loop_free(loop);
	}
	begin();
	slu_child_drop(slu_child_start(loop, &work, &err));
	slu_loop_free(loop); /* it need not have ended */
}
END_TEST

START_TEST(test_child_has_no_descriptors)
{
	ck_assert_int_eq(pipe(pipe_fd), 0);
	child(run_descriptors, NULL, 10, 5);
	ck_assert_str_eq(output, "0");
}
END_TEST

TEST_MAIN("sluiced_loop", test_timers, test_descriptors, test_timer_sets_itself,
	  test_child_answers, test_child_fails, test_child_hangs,
	  test_child_dropped, test_child_has_no_descriptors)

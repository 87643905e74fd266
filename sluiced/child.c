/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs work in a forked child process and collects its result. The child closes
 * everything it inherited before it works, so that a child that hangs for ever
 * holds no port, socket or lock of ours; it ends by _exit(2). It sends its
 * output, then a trailer with success or the error; a missing trailer means
 * that the child died. A child that stays for more work has a socket in place
 * of the pipe, which keeps messages apart: one at a time in each direction, so
 * that a message always fits.
 */
#include "sluiced/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/file.h"

#define CHANNEL 3 /* the child's end */

struct trailer {
	bool ok;
	struct slu_err err;
};

struct slu_child {
	struct slu_loop *loop;
	struct slu_child_work work;
	pid_t pid;
	int fd;
	struct slu_buf out;
	struct slu_timer timer;
	struct slu_exit_watch end;
	bool done;   /* it has answered the last request */
	bool killed; /* its time was over */
};

void slu_child_reply_and_exit(struct slu_buf *out, const struct slu_err *err)
{
	struct trailer end = {.ok = !err};

	if (err)
		end.err = *err;
	else if (out->failed)
		end.ok = slu_err(&end.err, SLU_NOMEM,
				 "the answer is longer than %zu bytes",
				 out->max) == 0;
	if (end.ok && out->len &&
	    slu_write_all(CHANNEL, out->data, out->len) < 0)
		_exit(1);
	_exit(slu_write_all(CHANNEL, &end, sizeof(end)) < 0);
}

/* The child that stays: answer, wait for a request, work, until one of these
 * fails. */
static void stay(const struct slu_child_work *work)
{
	const struct trailer good = {.ok = true};
	struct slu_buf none = {0};
	struct slu_err err;
	char *text = malloc(SLU_CHILD_SEND_MAX);
	ssize_t len;

	while (text && slu_write_all(CHANNEL, &good, sizeof(good)) == 0) {
		do
			len = recv(CHANNEL, text, SLU_CHILD_SEND_MAX, 0);
		while (len < 0 && errno == EINTR);
		if (len <= 0)
			break;
		if (work->again(work->arg, text, (size_t)len, &err) < 0)
			slu_child_reply_and_exit(&none, &err);
	}
	_exit(0);
}

static void child_main(const struct slu_child_work *work, int fd, pid_t parent)
{
	struct slu_buf out = {.max = work->max};
	struct slu_err err;
	sigset_t none;

	/* It must not outlive us, as a later sluiced publishes newer things. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
	    dup2(fd, CHANNEL) < 0 || fcntl(CHANNEL, F_SETFD, 0) < 0)
		_exit(1);
	slu_close_from(CHANNEL + 1);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (work->run(work->arg, &out, &err) < 0)
		slu_child_reply_and_exit(&out, &err);
	if (work->again)
		stay(work);
	slu_child_reply_and_exit(&out, NULL);
}

static void hang_up(struct slu_child *child)
{
	if (child->fd < 0)
		return;
	slu_loop_unwatch(child->loop, child->fd);
	close(child->fd);
	child->fd = -1;
}

static void child_free(struct slu_child *child)
{
	slu_timer_stop(child->loop, &child->timer);
	slu_buf_free(&child->out);
	free(child);
}

static void tell_done(struct slu_child *child, const struct slu_err *err)
{
	if (child->done)
		return;
	child->done = true;
	slu_timer_stop(child->loop, &child->timer);
	child->work.done(child->work.arg, &child->out, err);
}

static void timed_out(void *arg)
{
	struct slu_child *child = arg;
	struct slu_err err;

	kill(child->pid, SIGKILL);
	child->killed = true;
	slu_err(&err, SLU_TIMEOUT, "no answer within %g s",
		child->work.seconds);
	tell_done(child, &err);
}

/* Removes the trailer from the output. */
static void take_trailer(struct slu_child *child, struct trailer *end)
{
	size_t len = child->out.len - sizeof(*end);

	memcpy(end, child->out.data + len, sizeof(*end));
	child->out.len = len;
	child->out.data[len] = '\0';
}

/* The child process has ended: reports an error if it has not answered, and
 * calls gone(). */
static void ended(void *arg, int status)
{
	struct slu_child *child = arg;
	void (*gone)(void *arg) = child->work.gone;
	struct slu_err err;

	slu_err(&err, SLU_INTERNAL, "the child process died (wait status 0x%x)",
		(unsigned)status);
	tell_done(child, &err);
	arg = child->work.arg;
	child_free(child);
	if (gone)
		gone(arg);
}

/* The pipe is closed, so the child is ending. A file system that hangs may keep
 * it all the same. */
static void closed(struct slu_child *child)
{
	struct trailer end;

	hang_up(child);
	slu_loop_await(child->loop, &child->end);
	if (child->out.failed || child->out.len < sizeof(end))
		return;
	take_trailer(child, &end);
	tell_done(child, end.ok ? NULL : &end.err);
}

/* A child that stays has answered. After a failure it ends. */
static void answered(struct slu_child *child)
{
	struct trailer end;

	take_trailer(child, &end);
	tell_done(child, end.ok ? NULL : &end.err);
}

static void readable(void *arg, short revents)
{
	struct slu_child *child = arg;
	char piece[65536];
	ssize_t n = read(child->fd, piece, sizeof(piece));

	(void)revents;
	if (n > 0)
		slu_buf_add(&child->out, piece, (size_t)n);
	if (n > 0 && child->work.again &&
	    child->out.len == sizeof(struct trailer))
		answered(child);
	else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		closed(child);
}

/* fd[0] is ours, fd[1] the child's. */
static int connect_them(const struct slu_child_work *work, int fd[2])
{
	if (work->again)
		return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				  fd);
	return pipe2(fd, O_CLOEXEC);
}

struct slu_child *slu_child_start(struct slu_loop *loop,
				  const struct slu_child_work *work,
				  struct slu_err *err)
{
	struct slu_child *child = calloc(1, sizeof(*child));
	int fd[2] = {-1, -1};
	pid_t parent;

	if (!child) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	*child = (struct slu_child){
		.loop = loop,
		.work = *work,
		.out = {.max = work->max + sizeof(struct trailer)},
		.timer = {.fn = timed_out, .arg = child},
		.end = {.fn = ended, .arg = child}};
	if (connect_them(work, fd) < 0 ||
	    fcntl(fd[0], F_SETFL, O_NONBLOCK) < 0) {
		slu_errno(err, SLU_IO, "a child's channel");
		goto fail;
	}
	if (slu_loop_watch(loop, fd[0], POLLIN, readable, child, err) < 0)
		goto fail;
	parent = getpid();
	child->pid = fork();
	if (child->pid == 0)
		child_main(work, fd[1], parent);
	if (child->pid < 0) {
		slu_errno(err, SLU_IO, "fork");
		slu_loop_unwatch(loop, fd[0]);
		goto fail;
	}
	close(fd[1]);
	child->fd = fd[0];
	child->end.pid = child->pid;
	slu_timer_set(loop, &child->timer, work->seconds);
	return child;
fail:
	if (fd[0] >= 0) {
		close(fd[0]);
		close(fd[1]);
	}
	free(child);
	return NULL;
}

int slu_child_send(struct slu_child *child, const char *text, size_t len)
{
	if (!child->done || child->killed || child->fd < 0 ||
	    len > SLU_CHILD_SEND_MAX ||
	    send(child->fd, text, len, MSG_NOSIGNAL | MSG_DONTWAIT) !=
		    (ssize_t)len)
		return -1;
	child->done = false;
	slu_timer_set(child->loop, &child->timer, child->work.seconds);
	return 0;
}

void slu_child_retire(struct slu_child *child)
{
	if (child->fd >= 0)
		shutdown(child->fd, SHUT_WR);
	kill(child->pid, SIGKILL); /* it may be stopped (SIGSTOP) */
	slu_timer_soon(child->loop, &child->timer, child->work.seconds);
}

bool slu_child_hangs(const struct slu_child *child)
{
	return child->killed;
}

static void forget(void *arg, int status)
{
	(void)status;
	child_free(arg);
}

void slu_child_drop(struct slu_child *child)
{
	bool ending;

	if (!child)
		return;
	kill(child->pid, SIGKILL);
	slu_timer_stop(child->loop, &child->timer);
	ending = child->fd < 0;
	hang_up(child);
	child->end.fn = forget;
	if (!ending)
		slu_loop_await(child->loop, &child->end);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a function in a child process with a time limit. The child reports over
 * a pipe in messages of one size, each sent by one write (smaller than
 * PIPE_BUF): sums while it works, and at last its answer. The parent never
 * waits for it without a time limit.
 */
#include "config.h"
#include "burst_buffer/host/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "burst_buffer/host/fuse.h"
#include "common/file.h"

struct message {
	bool last;
	int rc;
	uint64_t bytes, files;
	struct slu_err err;
	_Alignas(16) char out[SLU_ASIDE_OUT];
};
_Static_assert(sizeof(struct message) <= PIPE_BUF, "messages are atomic");

/* The child must not outlive its parent. */
static void die_with_parent(const struct slu_aside *a)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != a->parent)
		_exit(1);
}

int slu_become(uid_t uid, gid_t gid, struct slu_err *err)
{
	struct passwd *pw = getpwuid(uid);

	if ((pw ? initgroups(pw->pw_name, gid) : setgroups(1, &gid)) ||
	    setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return slu_errno(err, SLU_IO, "cannot become user %u",
				 (unsigned)uid);
	return 0;
}

int slu_aside_become(struct slu_aside *a, uid_t uid, gid_t gid,
		     struct slu_err *err)
{
	if (slu_become(uid, gid, err))
		return -1;
	die_with_parent(a); /* changing the user has reset it */
	return 0;
}

static void child(struct slu_aside *a)
{
	struct message m = {.last = true};

	die_with_parent(a);
	umask(022);
	signal(SIGPIPE, SIG_IGN); /* EPIPE reports the error instead */
	m.rc = chdir("/") ? slu_errno(&m.err, SLU_IO, "chdir /")
			  : a->fn(a, a->arg, m.out, &m.err);
	_exit(slu_write_all(a->tell, &m, sizeof(m)) ? 1 : 0);
}

void slu_aside_progress(struct slu_aside *a, uint64_t bytes, uint64_t files)
{
	static double last; /* one for each child, which has one pipe */
	struct message m = {.bytes = bytes, .files = files};

	if (slu_now_mono() < last + 0.5)
		return;
	last = slu_now_mono();
	(void)slu_write_all(a->tell, &m, sizeof(m));
}

/* Receives the child's messages. 1: *m is the last one; 0: the child ended
 * without it; -1: too late, or the tick stopped it. */
static int listen_to(struct slu_aside *a, int fd, const char *what,
		     struct message *m, struct slu_err *err)
{
	double end = slu_now_mono() + a->seconds, tick = slu_now_mono() + 1;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t bytes = 0, files = 0;

	while (slu_now_mono() < end) {
		if (poll(&p, 1, 200) > 0) {
			ssize_t n = read(fd, m, sizeof(*m));

			if (n < 0 && errno == EINTR)
				continue;
			if (n != sizeof(*m))
				return 0;
			if (m->last)
				return 1;
			bytes = m->bytes;
			files = m->files;
		}
		if (a->tick && slu_now_mono() >= tick) {
			if (a->tick(a->tick_arg, bytes, files))
				return slu_err(err, SLU_BUSY, "%s: stopped",
					       what);
			tick = slu_now_mono() + 1;
		}
	}
	return slu_err(err, SLU_TIMEOUT, "%s: no answer within %g s", what,
		       a->seconds);
}

/* Has it ended within a second? */
static bool has_gone(pid_t pid)
{
	for (int i = 0; i < 100; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		usleep(i < 10 ? 1000 : 10000);
	}
	return false;
}

/* A killed child ends at once, or hangs in the kernel: then FUSE mounts of its
 * user are aborted, or it is left behind. */
static void reap(pid_t pid)
{
	kill(pid, SIGKILL);
	if (!has_gone(pid) && slu_fuse_abort(pid))
		has_gone(pid);
}

int slu_aside(struct slu_aside *a, const char *what, void *out,
	      struct slu_err *err)
{
	struct message m;
	pid_t pid;
	int fd[2], rc;

	if (pipe2(fd, O_CLOEXEC))
		return slu_errno(err, SLU_IO, "%s: pipe", what);
	a->tell = fd[1];
	a->parent = getpid();
	pid = fork();
	if (pid == 0) {
		close(fd[0]);
		child(a);
	}
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return slu_errno(err, SLU_IO, "%s: fork", what);
	}
	rc = listen_to(a, fd[0], what, &m, err);
	close(fd[0]);
	reap(pid);
	if (rc < 0)
		return -1;
	if (rc == 0)
		return slu_err(err, SLU_INTERNAL, "%s: the child died", what);
	if (m.rc)
		return slu_err(err, m.err.kind, "%s", m.err.text);
	if (out)
		memcpy(out, m.out, sizeof(m.out));
	return 0;
}

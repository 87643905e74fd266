/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs programs, with a deadline or detached, and identifies processes. A
 * program runs in a process group of its own, with default signals and no
 * descriptors but 0 to 2; it is killed when the thread that started it ends.
 * Its end is detected by a pidfd, not by the end of its output, which a daemon
 * that it has started may keep open.
 */
#include "config.h"
#include "common/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/file.h"

#define TAIL_MAX   4096 /* of the output, to find its last line in */
#define CHUNKS_MAX 64	/* read at once; more than a pipe holds */
#define KILL_TIME  5.0	/* seconds for a killed program to end */

static int pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Milliseconds until `end` for poll(2): rounded up, at most an hour. */
static int poll_ms(double end)
{
	double left = end - slu_now_mono();

	return left <= 0 ? 0 : left >= 3600 ? 3600000 : (int)(left * 1000) + 1;
}

/* Resets signals, which a new process would inherit. */
static void default_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL); /* fails for a few, which is harmless */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child: become argv; its output goes to `out`. */
static void become(char *const argv[], int out)
{
	int null;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	default_signals();
	out = fcntl(out, F_DUPFD, 3); /* the caller's 0 to 2 may be closed */
	null = open("/dev/null", O_RDONLY);
	if (out < 0 || null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 ||
	    dup2(out, 2) < 0)
		_exit(127);
	slu_close_from(3);
	execvp(argv[0], argv);
	dprintf(2, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

struct run {
	int out;   /* our end of the output's pipe */
	int pidfd; /* readable when the program has ended */
	struct slu_buf *all;
	struct slu_buf tail;
};

/* Reads what the pipe holds, up to a limit; false at its end. */
static bool take_output(struct run *run)
{
	char chunk[TAIL_MAX];
	ssize_t n = 1;

	for (int i = 0; i < CHUNKS_MAX; i++) {
		n = read(run->out, chunk, sizeof(chunk));
		if (n <= 0)
			break;
		if (run->all)
			slu_buf_add(run->all, chunk, (size_t)n);
		slu_buf_add(&run->tail, chunk, (size_t)n);
		if (run->tail.len > TAIL_MAX)
			slu_buf_drop(&run->tail, run->tail.len - TAIL_MAX);
	}
	return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Waits until the program has ended (true) or the time is over. */
static bool run_watch(struct run *run, double end)
{
	struct pollfd fds[] = {
		{.fd = run->pidfd, .events = POLLIN},
		{.fd = run->out, .events = POLLIN},
	};

	for (;;) {
		int n = poll(fds, 2, poll_ms(end));

		if (fds[1].revents && !take_output(run))
			fds[1].fd = -1;
		if (n > 0 && fds[0].revents)
			return true;
		if (slu_now_mono() >= end)
			return false;
	}
}

/* The last line that is not empty, in the tail of the output. */
static const char *last_line(struct slu_buf *tail)
{
	char *text = tail->data ? slu_trim(tail->data) : "", *line;

	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

static int judge(const char *name, int status, struct slu_buf *tail,
		 struct slu_err *err)
{
	const char *line = last_line(tail), *colon = *line ? ": " : "";

	if (WIFSIGNALED(status))
		return slu_err(err, SLU_IO, "%s was killed by signal %d%s%s",
			       name, WTERMSIG(status), colon, line);
	if (WEXITSTATUS(status) != 0)
		return slu_err(err, SLU_IO, "%s ended with exit code %d%s%s",
			       name, WEXITSTATUS(status), colon, line);
	return 0;
}

/* In the parent: waits for the end of the program. */
static int run_finish(struct run *run, const char *name, pid_t pid,
		      double seconds, int *code, struct slu_err *err)
{
	bool in_time = run_watch(run, slu_now_mono() + seconds),
	     ended = in_time;
	int status;

	if (!in_time) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL); /* it may have changed its group */
		ended = run_watch(run, slu_now_mono() + KILL_TIME);
	}
	take_output(run);
	/* one that hangs in the kernel is left to init */
	if (ended && waitpid(pid, &status, 0) < 0)
		return slu_errno(err, SLU_INTERNAL, "wait for %s", name);
	if (!in_time)
		return slu_err(err, SLU_TIMEOUT,
			       "%s did not end within %g seconds%s", name,
			       seconds, ended ? "" : " and cannot be killed");
	*code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return judge(name, status, &run->tail, err);
}

int slu_run(char *const argv[], double seconds, struct slu_buf *out,
	    struct slu_err *err)
{
	int code;

	return slu_run_code(argv, seconds, out, &code, err);
}

int slu_run_code(char *const argv[], double seconds, struct slu_buf *out,
		 int *code, struct slu_err *err)
{
	struct run run = {.out = -1, .pidfd = -1, .all = out};
	int fd[2], ret = -1;
	pid_t pid;

	*code = -1;
	if (pipe2(fd, O_CLOEXEC) < 0)
		return slu_errno(err, SLU_IO, "pipe for %s", argv[0]);
	run.out = fd[0];
	fcntl(run.out, F_SETFL, O_NONBLOCK);
	pid = fork();
	if (pid == 0)
		become(argv, fd[1]);
	close(fd[1]);
	if (pid < 0) {
		slu_errno(err, SLU_IO, "fork for %s", argv[0]);
		goto out;
	}
	setpgid(pid, pid); /* on both sides, as either may come first */
	run.pidfd = pidfd_open(pid);
	if (run.pidfd < 0) {
		slu_errno(err, SLU_IO, "watch %s", argv[0]);
		kill(-pid, SIGKILL);
		waitpid(pid, NULL, 0);
		goto out;
	}
	ret = run_finish(&run, argv[0], pid, seconds, code, err);
	close(run.pidfd);
out:
	close(run.out);
	slu_buf_free(&run.tail);
	return ret;
}

static void ask_child(int (*fn)(void *arg, void *out), void *arg, void *out,
		      size_t len, int to)
{
	int pipe_end = fcntl(to, F_DUPFD, 3);

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (fn(arg, out) || slu_write_all(pipe_end, out, len))
		_exit(1);
	_exit(0);
}

int slu_ask_apart(int (*fn)(void *arg, void *out), void *arg, void *out,
		  size_t len, int ms)
{
	double end = slu_now_mono() + ms / 1000.0;
	int fd[2], ready = -1;
	ssize_t n = -1;
	struct pollfd p;
	pid_t pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (pid == 0)
		ask_child(fn, arg, out, len, fd[1]);
	close(fd[1]);
	p = (struct pollfd){.fd = fd[0], .events = POLLIN};
	while (pid > 0 && (ready = poll(&p, 1, poll_ms(end))) < 0 &&
	       errno == EINTR)
		;
	if (ready == 1) { /* written at once, or ended without a result */
		n = slu_read_up_to(fd[0], out, len, -1);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(fd[0]);
	return n == (ssize_t)len ? 0 : -1;
}

int slu_pid_get(pid_t pid, struct slu_pid *out, struct slu_err *err)
{
	char path[32];
	struct slu_buf buf = {0};
	const char *p;
	char state = 'X';
	uintmax_t start = 0, threads = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (slu_file_read(AT_FDCWD, path, 8192, &buf, NULL) < 0)
		return slu_err(err, SLU_NOTFOUND, "no process %d", (int)pid);
	/* the command's name, field 2, may contain anything, so search behind
	 * it */
	p = strrchr(buf.data, ')');
	if (!p || sscanf(p,
			 ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			 "%*s %*s %*s %*s %*s %ju %*s %ju",
			 &state, &threads, &start) != 3)
		state = 'X';
	slu_buf_free(&buf);
	/* if the first thread has ended others may still run */
	if (state == 'X' || (state == 'Z' && threads < 2))
		return slu_err(err, SLU_NOTFOUND, "process %d has ended",
			       (int)pid);
	*out = (struct slu_pid){.pid = pid, .start = start};
	return 0;
}

bool slu_pid_alive(const struct slu_pid *pid)
{
	struct slu_pid is;

	return slu_pid_get(pid->pid, &is, NULL) == 0 && is.start == pid->start;
}

/* A descriptor of exactly this process; -1 with ESRCH when it has ended. */
static int pid_open(const struct slu_pid *pid)
{
	int fd = pidfd_open(pid->pid);

	/* checked only now that the pid cannot be reused */
	if (fd >= 0 && !slu_pid_alive(pid)) {
		close(fd);
		errno = ESRCH;
		return -1;
	}
	return fd;
}

bool slu_pid_find(slu_pid_f *fn, void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d))) {
		pid_t pid = (pid_t)atol(e->d_name);
		int proc;

		if (pid <= 0 || pid == getpid())
			continue;
		proc = openat(dirfd(d), e->d_name,
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (proc < 0)
			continue;
		found = fn(arg, proc, pid);
		close(proc);
	}
	if (d)
		closedir(d);
	return found;
}

int slu_proc_uids(int proc, uid_t *real, uid_t *effective)
{
	struct slu_buf status = {0};
	const char *uid;
	int n = 0;

	slu_file_read(proc, "status", 1 << 16, &status, NULL);
	uid = status.data ? strstr(status.data, "\nUid:") : NULL;
	if (uid)
		n = sscanf(uid, "\nUid: %u %u", real, effective);
	slu_buf_free(&status);
	return n == 2 ? 0 : -1;
}

int slu_pid_kill(const struct slu_pid *pid, int sig)
{
	int fd = pid_open(pid), ret, saved;

	if (fd < 0)
		return -1;
	ret = (int)syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
	saved = errno;
	close(fd);
	errno = saved;
	return ret;
}

int slu_pid_wait(const struct slu_pid *pid, double seconds, struct slu_err *err)
{
	double end = slu_now_mono() + seconds;
	struct pollfd p = {.fd = pid_open(pid), .events = POLLIN};
	int n;

	if (p.fd < 0 && errno == ESRCH)
		return 0;
	if (p.fd < 0)
		return slu_errno(err, SLU_IO, "watch process %d",
				 (int)pid->pid);
	do
		n = poll(&p, 1, poll_ms(end));
	while (n <= 0 && slu_now_mono() < end);
	close(p.fd);
	if (n > 0)
		return 0;
	return slu_err(err, SLU_TIMEOUT,
		       "process %d still runs after %g seconds", (int)pid->pid,
		       seconds);
}

int slu_pid_write(const char *path, const struct slu_pid *pid,
		  struct slu_err *err)
{
	char text[48];
	int len = snprintf(text, sizeof(text), "%d %" PRIu64 "\n",
			   (int)pid->pid, pid->start);

	return slu_file_write(AT_FDCWD, path, text, (size_t)len, 0644, false,
			      err);
}

int slu_pid_read(const char *path, struct slu_pid *pid, struct slu_err *err)
{
	struct slu_buf buf = {0};
	struct slu_pid is;
	char newline = 0;
	int n;

	if (slu_file_read(AT_FDCWD, path, 48, &buf, err) < 0)
		return -1;
	n = sscanf(buf.data, "%d %" SCNu64 "%c", &is.pid, &is.start, &newline);
	slu_buf_free(&buf);
	if (n != 3 || newline != '\n' || is.pid <= 0)
		return slu_err(err, SLU_INVALID, "%s is no pid file", path);
	*pid = is;
	return 0;
}

/* 0 on /dev/null, 1 and 2 on the log. */
static int redirect(const char *log_path, struct slu_err *err)
{
	const char *path = log_path ? log_path : "/dev/null";
	int null = open("/dev/null", O_RDONLY);
	int out = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (null < 0 || out < 0)
		return slu_errno(err, SLU_IO, "open %s", path);
	if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
		return slu_errno(err, SLU_IO, "redirect to %s", path);
	return 0;
}

/* Everything that can fail before the worker detaches. */
static int prepare(const char *pid_path, const char *log_path,
		   struct slu_err *err)
{
	struct slu_pid self;

	if (chdir("/") < 0)
		return slu_errno(err, SLU_IO, "chdir /");
	if (redirect(log_path, err) < 0)
		return -1;
	if (!pid_path)
		return 0;
	if (slu_pid_get(getpid(), &self, err) < 0)
		return -1;
	return slu_pid_write(pid_path, &self, err);
}

/* The worker reports over `tell` how its preparation went: a struct slu_err,
 * empty on success. */
static void work(int (*fn)(void *arg), void *arg, const char *pid_path,
		 const char *log_path, int tell)
{
	struct slu_err told = {0};
	int failed;

	default_signals();
	tell = fcntl(tell, F_DUPFD, 3); /* move it out of 0 to 2 */
	failed = prepare(pid_path, log_path, &told);
	if (slu_write_all(tell, &told, sizeof(told)) < 0 || failed)
		_exit(127);
	slu_close_from(3);
	_exit(fn(arg));
}

int slu_detach(int (*fn)(void *arg), void *arg, const char *pid_path,
	       const char *log_path, struct slu_err *err)
{
	struct slu_err told;
	int fd[2];
	ssize_t n;
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0)
		return slu_errno(err, SLU_IO, "pipe");
	pid = fork();
	if (pid == 0) {
		setsid(); /* cannot fail: a new child is no group leader */
		if (fork() == 0)
			work(fn, arg, pid_path, log_path, fd[1]);
		_exit(0);
	}
	close(fd[1]);
	if (pid < 0) {
		close(fd[0]);
		return slu_errno(err, SLU_IO, "fork");
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	/* one write, smaller than a pipe's atomic size: all or nothing */
	while ((n = read(fd[0], &told, sizeof(told))) < 0 && errno == EINTR)
		;
	close(fd[0]);
	if (n != sizeof(told))
		return slu_err(err, SLU_IO, "a detached process died at once");
	if (told.kind)
		return slu_err(err, told.kind, "%s", told.text);
	return 0;
}

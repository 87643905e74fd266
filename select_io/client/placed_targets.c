/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fetches the targets of new files, for many files at once, so that a program
 * does not wait for sluiced at each file: runs sluice-place(1), and keeps a
 * stock. Each query is for twice as many files as the one before, so that a
 * program that creates one file does not reserve space for hundreds.
 *
 * The program must not notice the child (SIGCHLD, wait(2)): a helper process
 * without an exit signal starts and reaps it, as the program may be a subreaper
 * that would get it as an orphan.
 */
#include "config.h"
#include "select_io/client/placed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM	 SLU_BINDIR "/sluice-place"
#define FIRST	 4   /* files */
#define MOST	 256 /* files */
#define TEXT	 65536
#define DIGITS	 6   /* of a target, and a comma */
#define AGAIN	 60  /* s after a failed query */
#define STALE	 300 /* s for which an answer is valid */
#define ENV_MOST 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread bool inside; /* set in a signal handler, or in the child */
static char text[TEXT];	     /* a line for each file: "3,1,4" */
static size_t at;	     /* of the next line */
static unsigned files = FIRST;
static time_t asked, not_before;

static time_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static unsigned number_of(const char *name, unsigned otherwise, unsigned most)
{
	const char *value = getenv(name);
	unsigned long n = value ? strtoul(value, NULL, 10) : 0;

	return n > 0 && n <= most ? (unsigned)n : otherwise;
}

static struct stat first; /* standard error when the program was started */
static bool has_first;

/* Not if the program now has another file there, nor if a write would block or
 * raise SIGPIPE. */
static bool may_say(void)
{
	struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
	struct stat st;

	return has_first && !fstat(STDERR_FILENO, &st) &&
	       st.st_dev == first.st_dev && st.st_ino == first.st_ino &&
	       poll(&p, 1, 0) == 1 && p.revents == POLLOUT;
}

void slu_placed_say(const char *why)
{
	static bool said;
	const char *task = getenv("SLURM_PROCID");
	char line[512];
	int n = snprintf(line, sizeof(line),
			 "sluice: new files are placed by Lustre itself: %s\n",
			 why);

	if (!said && (!task || !strcmp(task, "0")) && may_say())
		(void)!write(STDERR_FILENO, line,
			     (size_t)n < sizeof(line) ? (size_t)n
						      : sizeof(line) - 1);
	said = true;
}

bool slu_placed_are_known(void)
{
	return now() >= __atomic_load_n(&not_before, __ATOMIC_RELAXED);
}

/* Asking */

struct question {
	char *argv[10], **env;
	int out;
	pid_t waiter, program; /* 0: not yet */
};

static _Alignas(16) char stack[2][65536];

/* Runs in a process of its own that shares our memory (CLONE_VM). */
static int ask(void *arg)
{
	const struct question *q = arg;
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &plain, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (dup2(q->out, STDOUT_FILENO) < 0 || dup2(q->out, STDERR_FILENO) < 0)
		_exit(127);
	fcntl(STDERR_FILENO, F_SETFD, 0); /* where the pipe stands itself */
	syscall(SYS_close_range, 3u, ~0u, 0u);
	execve(PROGRAM, q->argv, q->env);
	_exit(127);
}

/* Runs in the helper process, in the program's memory and with the errno of the
 * calling thread. */
static int begin_to_ask(void *arg)
{
	struct question *q = arg;
	pid_t pid = clone(ask, stack[1] + sizeof(stack[1]),
			  CLONE_VM | CLONE_VFORK | SIGCHLD, q);

	__atomic_store_n(&q->program, pid, __ATOMIC_RELEASE);
	if (syscall(SYS_close_range, 0u, ~0u, 0u))
		syscall(SYS_close, q->out);
	if (pid > 0)
		syscall(SYS_wait4, pid, NULL, 0, NULL);
	_exit(0);
}

/* Without LD_PRELOAD of this library. */
static char **environment(void)
{
	static char *env[ENV_MOST];
	size_t n = 0;

	for (char **e = environ; e && *e && n < ENV_MOST - 1; e++)
		if (strncmp(*e, "LD_PRELOAD=", 11) != 0)
			env[n++] = *e;
	env[n] = NULL;
	return env;
}

static bool start(struct question *q)
{
	sigset_t all, before;

	q->env = environment();
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	q->waiter =
		clone(begin_to_ask, stack[0] + sizeof(stack[0]), CLONE_VM, q);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return q->waiter > 0;
}

static void finish(struct question *q, bool is_over)
{
	pid_t pid = __atomic_load_n(&q->program, __ATOMIC_ACQUIRE);

	if (!is_over && pid > 0)
		kill(pid, SIGKILL);
	while (waitpid(q->waiter, NULL, __WCLONE) < 0 && errno == EINTR)
		;
}

/* The output, as far as there is space for it. False: there is more to come. */
static bool hear(int fd)
{
	time_t until = now() + SLU_PLACED_SECONDS;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;
	ssize_t n = -1;

	while (n && len < TEXT - 1 && now() < until) {
		if (poll(&p, 1, 1000) <= 0)
			continue;
		n = read(fd, text + len, TEXT - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	text[len] = '\0';
	return n == 0;
}

static bool are_targets(void)
{
	return *text && !text[strspn(text, "0123456789,\n")];
}

/* Where the next one goes. Without a value there is none. */
static char **add_option(char **next, char *option, char *value)
{
	if (!value || !*value)
		return next;
	next[0] = option;
	next[1] = value;
	return next + 2;
}

/* False: `text` has the error. */
static bool fetch(unsigned n, unsigned stripes)
{
	char count[16], width[16];
	char *size = getenv("SLUICE_PLACE_SIZE");
	char *fsname = getenv("SLUICE_PLACE_FSNAME");
	struct question q = {
		.argv = {"sluice-place", "--targets", count, "-c", width}};
	char **next = q.argv + 5;
	bool good;
	int end[2];

	snprintf(count, sizeof(count), "%u", n);
	snprintf(width, sizeof(width), "%u", stripes);
	if (size && strcmp(size, "0") != 0) /* of a job: not known */
		next = add_option(next, "-s", size);
	add_option(next, "-f", fsname);
	strcpy(text, "no answer");
	if (pipe2(end, O_CLOEXEC))
		return false;
	q.out = end[1];
	good = start(&q);
	close(end[1]);
	if (good)
		finish(&q, good = hear(end[0]));
	close(end[0]);
	return good && are_targets();
}

static void refill(unsigned stripes)
{
	unsigned most = (TEXT - 1) / (stripes * DIGITS);

	if (most > MOST)
		most = MOST;
	at = 0;
	if (fetch(files < most ? files : most, stripes)) {
		files = files < MOST ? 2 * files : MOST;
		asked = now();
		return;
	}
	text[strcspn(text, "\n")] = '\0';
	slu_placed_say(*text ? text : "no answer");
	*text = '\0';
	__atomic_store_n(&not_before, now() + AGAIN, __ATOMIC_RELAXED);
}

/* The next line, which may have fewer targets than were asked for. */
static int take(uint32_t *target, unsigned most)
{
	unsigned n = 0;
	char *end;

	while (n < most && text[at] && text[at] != '\n') {
		target[n++] = (uint32_t)strtoul(text + at, &end, 10);
		at = (size_t)(end - text) + (*end == ',');
	}
	at += strcspn(text + at, "\n");
	at += text[at] == '\n';
	return (int)n;
}

unsigned slu_placed_stripes(void)
{
	return number_of("SLUICE_PLACE_STRIPES", 1, SLU_PLACED_STRIPES);
}

int slu_placed_next(uint32_t *target, unsigned stripes)
{
	int n = 0, state;

	if (inside)
		return 0;
	inside = true;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&lock);
	if ((!text[at] || now() > asked + STALE) && slu_placed_are_known())
		refill(stripes);
	n = take(target, stripes);
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(state, NULL);
	inside = false;
	return n;
}

/* Parent and child create different files: the child must not use the stock. */
static void before_fork(void)
{
	if (!inside)
		pthread_mutex_lock(&lock);
}

static void in_parent(void)
{
	if (!inside)
		pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
	if (inside)
		return;
	text[at = 0] = '\0';
	files = FIRST;
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void begin(void)
{
	has_first = !fstat(STDERR_FILENO, &first);
	pthread_atfork(before_fork, in_parent, in_child);
}

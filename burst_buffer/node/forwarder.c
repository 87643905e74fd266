/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sluice-node forwarder: one GekkoFWD daemon on an I/O node, for systemd to
 * start. The daemon has a hosts file of its own, FILE.d/HOST, so that its clean
 * exit, which removes its hosts file, takes only its own line away. A daemon
 * that dies is started anew, later and later if it keeps dying.
 */
#include "config.h"
#include "burst_buffer/node/forwarder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file.h"
#include "common/str.h"

#define TICK	    200 /* ms */
#define FIRST_PAUSE 1	/* s, before a daemon that died is started again */
#define LONG_PAUSE  60
#define STEADY	    60 /* s; after that the pause is short again */
#define STOP_TICKS  75 /* until SIGKILL */
#define LOOK	    5  /* s between two looks at all lines; they are of many */
#define LOOK_SOON   1  /* as long as some are missing */

struct forwarder {
	const char *file;
	struct slu_hosts members;
	char *dir;	   /* FILE.d */
	char *own;	   /* FILE.d/HOST */
	const char *names; /* --metadata, or NULL */
	char **argv;
	pid_t pid; /* 0: not running */
	time_t started;
	unsigned pause;
	int complete;	      /* as last seen; -1: not known */
	time_t next;	      /* look at all lines */
	struct timespec seen; /* the directory's time of change then */
};

static volatile sig_atomic_t stopping;

static void on_signal(int sig)
{
	stopping = sig;
}

static void say(const struct forwarder *f, const char *what, const char *more)
{
	fprintf(stderr, "sluice-node forwarder: %s: %s%s%s\n", f->argv[0], what,
		more ? ": " : "", more ? more : "");
}

/* By the clock of the file system, where a line of our own was just touched. */
static time_t now_there(const struct forwarder *f)
{
	struct stat st;

	return f->pid && stat(f->own, &st) == 0 ? st.st_mtime : time(NULL);
}

static void compose(struct forwarder *f)
{
	struct slu_err err;
	int rc = slu_fwd_compose(f->file, &f->members, now_there(f), &err);

	if (rc != f->complete)
		say(f,
		    rc > 0    ? "all daemons are there"
		    : rc == 0 ? "not all daemons are there: no hosts file"
			      : "hosts file",
		    rc < 0 ? err.text : NULL);
	f->complete = rc;
}

/* A line has come or gone, or may have gone stale. */
static bool is_due(struct forwarder *f)
{
	struct stat st = {0};
	bool changed = stat(f->dir, &st) == 0 &&
		       memcmp(&st.st_mtim, &f->seen, sizeof(f->seen)) != 0;

	if (!changed && time(NULL) < f->next)
		return false;
	f->seen = st.st_mtim;
	return true;
}

static void look(struct forwarder *f)
{
	if (!is_due(f))
		return;
	if (f->pid) /* still alive: the line is fresh */
		utimensat(AT_FDCWD, f->own, NULL, 0);
	compose(f);
	f->next = time(NULL) + (f->complete > 0 ? LOOK : LOOK_SOON);
}

/* Its line goes with it. */
static void forget_line(struct forwarder *f)
{
	unlink(f->own);
	compose(f);
}

static void start(struct forwarder *f)
{
	pid_t parent = getpid();
	struct slu_err err;

	forget_line(f);
	f->started = time(NULL);
	f->pid = fork();
	if (f->pid < 0) {
		f->pid = 0;
		say(f, "fork", strerror(errno));
	}
	if (f->pid != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (f->names && slu_fwd_keep_names(f->names, getpid(), &err) < 0) {
		say(f, "names of files cannot be kept", err.text);
		_exit(1); /* rather than to lose them */
	}
	if (getppid() == parent)
		execvp(f->argv[0], f->argv);
	say(f, "cannot be started", strerror(errno));
	_exit(127);
}

/* Has it ended? */
static bool reap(struct forwarder *f)
{
	char how[64];
	int status;

	if (f->pid == 0 || waitpid(f->pid, &status, WNOHANG) != f->pid)
		return false;
	f->pid = 0;
	forget_line(f);
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "exit code %d", WEXITSTATUS(status));
	say(f, stopping ? "has ended" : "died", how);
	return true;
}

static void tick(void)
{
	struct timespec t = {0, TICK * 1000000L};

	nanosleep(&t, NULL);
}

static void run(struct forwarder *f)
{
	time_t again = 0;

	start(f);
	while (!stopping) {
		tick();
		if (reap(f)) {
			if (time(NULL) - f->started > STEADY)
				f->pause = FIRST_PAUSE;
			again = time(NULL) + f->pause;
			f->pause = f->pause * 2 > LONG_PAUSE ? LONG_PAUSE
							     : f->pause * 2;
		}
		if (!f->pid && time(NULL) >= again)
			start(f);
		look(f);
	}
}

static void stop(struct forwarder *f)
{
	int left = STOP_TICKS;

	if (!f->pid)
		return;
	kill(f->pid, SIGTERM);
	while (!reap(f)) {
		if (left-- == 0)
			kill(f->pid, SIGKILL);
		tick();
	}
}

/* Where its own line is, and "{hosts}" in its arguments. */
static int prepare(struct forwarder *f, struct slu_err *err)
{
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) < 0)
		return slu_errno(err, SLU_IO, "gethostname");
	host[strcspn(host, ".")] = '\0';
	f->dir = slu_asprintf("%s.d", f->file);
	f->own = slu_asprintf("%s.d/%s", f->file, host);
	if (!f->dir || !f->own)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (char **word = f->argv; *word; word++)
		if (strcmp(*word, "{hosts}") == 0)
			*word = f->own;
	return slu_mkdirs(f->dir, 0755, err);
}

static int usage(const char *why)
{
	fprintf(stderr, "sluice-node forwarder: %s (see sluice-node --help)\n",
		why);
	return 2;
}

int slu_forwarder_main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = on_signal};
	struct forwarder f = {.pause = FIRST_PAUSE, .complete = -2};
	struct slu_err err;
	int rc = 1, program;

	if (argc > 8 && !strcmp(argv[6], "--metadata"))
		f.names = argv[7];
	program = f.names ? 8 : 6;
	if (argc < program + 2 || strcmp(argv[2], "--hosts") ||
	    strcmp(argv[4], "--ions") || strcmp(argv[program], "--"))
		return usage("write --hosts FILE --ions HOSTLIST "
			     "[--metadata DIR] -- PROGRAM ARG...");
	if (f.names && f.names[0] != '/')
		return usage("--metadata: want an absolute path");
	if (slu_hosts_parse(argv[5], &f.members, &err) < 0)
		return usage(err.text);
	f.file = argv[3];
	f.argv = argv + program + 1;
	if (prepare(&f, &err) < 0) {
		say(&f, err.text, NULL);
	} else {
		sigaction(SIGTERM, &act, NULL);
		sigaction(SIGINT, &act, NULL);
		run(&f);
		stop(&f);
		rc = 0;
	}
	slu_hosts_free(&f.members);
	free(f.dir);
	free(f.own);
	return rc;
}

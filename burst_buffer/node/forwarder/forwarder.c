/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node forwarder`: keeps one GekkoFWD daemon running on an I/O node, as
 * a service of systemd. The daemon has a hosts file of its own, FILE.d/HOST, so
 * that its clean exit, which removes its hosts file, removes only its own line.
 * A daemon that dies is restarted, after longer and longer pauses if it keeps
 * dying.
 */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burst_buffer/node/forwarder/forwarder_io.h"
#include "common/clock.h"
#include "common/file.h"
#include "common/str.h"

#define TICK	    200 /* ms */
#define FIRST_PAUSE 1	/* s, before a daemon that died is restarted */
#define LONG_PAUSE  60
/* s; a daemon that ran so long restarts after the short pause */
#define STEADY	   60
#define STOP_TICKS 75 /* ticks until SIGKILL */
#define LOOK	   5  /* s between two checks of all lines (they are many) */
#define LOOK_SOON  1  /* s, as long as lines are missing */

struct forwarder {
	const char *file;
	struct slu_hosts members;
	char *dir; /* FILE.d */
	char *own; /* FILE.d/HOST */
	char host[256];
	const char *names;     /* --metadata, or NULL */
	const char *mapping;   /* --mapping, or NULL */
	const char *action;    /* --on-loss */
	struct slu_fwd_io *io; /* NULL: traffic is not counted */
	char **argv;
	pid_t pid; /* 0: it does not run */
	time_t started;
	unsigned pause;
	int complete;	      /* at the last check; -1: not known */
	time_t next;	      /* of the check of all lines */
	struct timespec seen; /* modification time of the directory then */
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

/* Now, by the clock of the file system: the time stamp of our own line, which
 * was just touched. */
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
		    rc > 0    ? "all forwarding daemons run"
		    : rc == 0 ? "not all forwarding daemons run: no hosts "
				"file"
			      : "hosts file",
		    rc < 0 ? err.text : NULL);
	f->complete = rc;
}

/* Has a line appeared or disappeared, or may one be stale? */
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
	if (f->pid) /* alive: touch the line */
		utimensat(AT_FDCWD, f->own, NULL, 0);
	compose(f);
	f->next = time(NULL) + (f->complete > 0 ? LOOK : LOOK_SOON);
}

/* A daemon's line is removed with it. */
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
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	if (stopping) /* a signal between fork and here would be lost */
		_exit(0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (f->names && slu_fwd_keep_names(f->names, getpid(), &err) < 0) {
		say(f, "names of files cannot be kept", err.text);
		_exit(1); /* rather than lose their names */
	}
	if (getppid() == parent)
		execvp(f->argv[0], f->argv);
	say(f, "cannot be started", strerror(errno));
	_exit(127);
}

/* Notifies the jobs that used the daemon of its death. */
static void tell_jobs(struct forwarder *f)
{
	struct slu_fwd_jobs jobs;
	struct slu_err err;

	if (!f->mapping)
		return;
	if (slu_fwd_jobs(f->mapping, f->host, &jobs, &err) < 0) {
		say(f, "which jobs used it is not known", err.text);
		return;
	}
	if (jobs.data.len)
		say(f, "jobs whose programs now hang", jobs.data.data);
	if (jobs.names.len)
		say(f, "jobs whose files' names this daemon kept",
		    jobs.names.data);
	slu_fwd_notify(f->host, f->action, &jobs);
	slu_fwd_jobs_free(&jobs);
}

/* Has a child ended? Other children send notifications. */
static bool reap(struct forwarder *f)
{
	char how[64];
	int status;
	pid_t pid = waitpid(-1, &status, WNOHANG);
	bool served; /* it had served clients */

	if (pid <= 0 || pid != f->pid)
		return false;
	served = access(f->own, F_OK) == 0;
	f->pid = 0;
	forget_line(f);
	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "signal %d", WTERMSIG(status));
	else
		snprintf(how, sizeof(how), "exit code %d", WEXITSTATUS(status));
	say(f, stopping ? "has ended" : "died", how);
	if (WIFSIGNALED(status) && f->names && slu_fwd_names_unsaved(f->names))
		say(f, "files that were made since it started may be lost",
		    "it has their names in memory only (sluice-node(8))");
	if (!stopping && served)
		tell_jobs(f);
	return true;
}

static void tick(void)
{
	struct timespec t = {0, TICK * 1000000L};

	nanosleep(&t, NULL);
}

/* Counts what jobs have moved; the first member's forwarder reports the
 * sums. */
static void account(struct forwarder *f)
{
	struct slu_fwd_sum sum;
	double now = slu_now_wall();

	if (!f->io)
		return;
	slu_fwd_io_turn(f->io, f->own, now);
	while (slu_fwd_io_next_sum(f->io, now, &sum))
		if (sum.any)
			slu_fwd_io_send(&sum, f->host);
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
		account(f);
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

static void introduce(struct forwarder *f)
{
	struct slu_buf said = {0};
	struct slu_err err;

	if (slu_fwd_probe(f->argv[0], &said, &err) < 0)
		say(f, "its release is not known", err.text);
	else
		say(f, said.data, NULL);
	slu_buf_free(&said);
}

static void open_account(struct forwarder *f)
{
	struct slu_err why = {0};

	if (f->mapping)
		f->io = slu_fwd_io_new(f->mapping, f->file, f->host,
				       &f->members, &why);
	if (f->mapping && why.text[0])
		say(f, "what jobs forward is not known", why.text);
}

/* Makes the directory of its line, and replaces "{hosts}" in the arguments. */
static int prepare(struct forwarder *f, struct slu_err *err)
{
	if (gethostname(f->host, sizeof(f->host) - 1) < 0)
		return slu_errno(err, SLU_IO, "gethostname");
	f->host[strcspn(f->host, ".")] = '\0';
	f->dir = slu_asprintf("%s.d", f->file);
	f->own = slu_asprintf("%s.d/%s", f->file, f->host);
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

static bool is_action(const char *word)
{
	return slu_eq(word, "tell") || slu_eq(word, "requeue") ||
	       slu_eq(word, "end");
}

static bool is_absolute(const char *path)
{
	return !path || path[0] == '/';
}

/* Returns NULL, or what is wrong. */
static const char *parse(struct forwarder *f, int argc, char **argv,
			 struct slu_err *err)
{
	static const struct option known[] = {
		{"hosts", required_argument, NULL, 'h'},
		{"ions", required_argument, NULL, 'i'},
		{"metadata", required_argument, NULL, 'm'},
		{"mapping", required_argument, NULL, 'p'},
		{"on-loss", required_argument, NULL, 'l'},
		{NULL, 0, NULL, 0}};
	const char *ions = NULL;
	int opt;

	f->action = "tell";
	optind = 2;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, "+:", known, NULL)) != -1)
		switch (opt) {
		case 'h':
			f->file = optarg;
			break;
		case 'i':
			ions = optarg;
			break;
		case 'm':
			f->names = optarg;
			break;
		case 'p':
			f->mapping = optarg;
			break;
		case 'l':
			f->action = optarg;
			break;
		/* an option without its argument, so the program is missing */
		case ':':
			break;
		default:
			return "unknown option";
		}
	f->argv = argv + optind;
	if (!f->file || !ions || !f->argv[0])
		return "write --hosts FILE --ions HOSTLIST [--metadata DIR] "
		       "[--mapping DIR [--on-loss tell|requeue|end]] -- "
		       "PROGRAM ARG...";
	if (!is_absolute(f->names))
		return "--metadata: want an absolute path";
	if (!is_absolute(f->mapping))
		return "--mapping: want an absolute path";
	if (!is_action(f->action))
		return "--on-loss: want tell, requeue or end";
	return slu_hosts_parse(ions, &f->members, err) < 0 ? err->text : NULL;
}

int slu_forwarder_main(int argc, char **argv)
{
	struct sigaction act = {.sa_handler = on_signal};
	struct forwarder f = {.pause = FIRST_PAUSE, .complete = -2};
	struct slu_err err;
	const char *why = parse(&f, argc, argv, &err);
	int rc = 1;

	if (why)
		return usage(why);
	if (prepare(&f, &err) < 0) {
		say(&f, err.text, NULL);
	} else {
		sigaction(SIGTERM, &act, NULL);
		sigaction(SIGINT, &act, NULL);
		introduce(&f);
		open_account(&f);
		run(&f);
		stop(&f);
		rc = 0;
	}
	slu_fwd_io_free(f.io);
	slu_hosts_free(&f.members);
	free(f.dir);
	free(f.own);
	return rc;
}

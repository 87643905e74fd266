/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts sluiced: options, lock, privileges, background, signals. With a
 * background daemon, the parent waits until the child listens, so that its exit
 * status tells whether the start succeeded.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "burst_buffer/request/site/fstype.h"
#include "common/cli.h"
#include "sluiced/http/api/conf_text.h"
#include "sluiced/lock.h"
#include "sluiced/one_device.h"
#include "sluiced/programs.h"
#include "sluiced/questions/questions.h"
#include "sluiced/startup.h"
#include "sluiced/user.h"

enum { EXIT_CONF = 2, EXIT_LOCKED = 3 };

static const char help[] =
	"Usage: sluiced [OPTION...]\n"
	"The daemon of Sluice beside slurmctld; see sluiced(8).\n"
	"\n"
	"  -f, --conf FILE      read FILE instead of sluice.conf beside"
	" slurm.conf\n"
	"  -D, --foreground     stay in the foreground, log to standard error\n"
	"  -L, --log FILE       log to FILE\n"
	"  -P, --pid-file FILE  write the process id there\n"
	"  -v, --verbose        log every decision\n"
	"      --check-conf     check the configuration and exit\n"
	"      --help           show this and exit\n"
	"      --version        show the version and exit\n";

struct options {
	const char *conf, *log_file, *pid_file;
	bool foreground, verbose, check;
};

/* What main() and the signal handler share. */
struct program {
	struct options opt;
	struct slu_log log;
	struct slu_daemon d;
	char *conf_path;
	int parent;  /* the pipe to the waiting parent; -1: none */
	int signals; /* signalfd */
	int pid_fd;  /* -1: none */
	bool wrote_pid;
};

static int parse_options(int argc, char **argv, struct options *opt)
{
	static const struct option longs[] = {
		{"conf", required_argument, NULL, 'f'},
		{"foreground", no_argument, NULL, 'D'},
		{"log", required_argument, NULL, 'L'},
		{"pid-file", required_argument, NULL, 'P'},
		{"verbose", no_argument, NULL, 'v'},
		{"check-conf", no_argument, NULL, 'c'},
		{"help", no_argument, NULL, 'h'},
		{"version", no_argument, NULL, 'V'},
		{NULL, 0, NULL, 0},
	};
	int c;

	while ((c = slu_cli_option("sluiced", argc, argv, ":f:DL:P:v",
				   longs)) != -1) {
		switch (c) {
		case 'f':
			opt->conf = optarg;
			break;
		case 'D':
			opt->foreground = true;
			break;
		case 'L':
			opt->log_file = optarg;
			break;
		case 'P':
			opt->pid_file = optarg;
			break;
		case 'v':
			opt->verbose = true;
			break;
		case 'c':
			opt->check = true;
			break;
		case 'h':
			exit(slu_cli_show("sluiced", help));
		case 'V':
			exit(slu_cli_show("sluiced",
					  "sluiced " PACKAGE_VERSION "\n"));
		default:
			return -1;
		}
	}
	if (optind < argc) {
		fprintf(stderr,
			"sluiced: what is \"%s\"? (see sluiced --help)\n",
			argv[optind]);
		return -1;
	}
	return 0;
}

/* No descriptor of ours may be 0 to 2, which tell_parent() points to
 * /dev/null. */
static void fill_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	if (fd >= 0)
		close(fd);
}

/* -L FILE; else standard error in the foreground, else syslog. */
static int open_log(const struct options *opt, struct slu_log *log)
{
	FILE *file = stderr;

	log->max = opt->verbose ? SLU_DEBUG : SLU_INFO;
	if (opt->log_file) {
		file = fopen(opt->log_file, "ae");
		if (!file) {
			fprintf(stderr, "sluiced: %s: %s\n", opt->log_file,
				strerror(errno));
			return -1;
		}
	} else if (!opt->foreground) {
		openlog("sluiced", LOG_PID, LOG_DAEMON);
		log->fn = slu_log_to_syslog;
		return 0;
	}
	log->fn = slu_log_to_file;
	log->arg = file;
	return 0;
}

/* For logrotate. If it fails, the old file stays in use. */
static void reopen_log(struct program *p)
{
	FILE *file;

	if (!p->opt.log_file)
		return;
	file = fopen(p->opt.log_file, "ae");
	if (!file) {
		slu_log(&p->log, SLU_ERROR, "%s: %s", p->opt.log_file,
			strerror(errno));
		return;
	}
	fclose(p->log.arg);
	p->log.arg = file;
}

/* The parent waits for one byte, our exit status, and exits with it. Returns in
 * the child. */
static int to_background(struct program *p)
{
	unsigned char status = EXIT_FAILURE;
	int fd[2];
	pid_t pid;

	if (pipe2(fd, O_CLOEXEC) < 0 || (pid = fork()) < 0) {
		perror("sluiced");
		return -1;
	}
	if (pid > 0) {
		close(fd[1]);
		while (read(fd[0], &status, 1) < 0 && errno == EINTR)
			;
		_exit(status);
	}
	close(fd[0]);
	setsid();
	p->parent = fd[1];
	return 0;
}

/* Release the parent and its terminal. */
static void tell_parent(struct program *p, int status)
{
	unsigned char byte = (unsigned char)status;
	int null;

	if (p->parent < 0)
		return;
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (write(p->parent, &byte, 1) < 0)
		slu_log(&p->log, SLU_DEBUG,
			"no process waits for the result "
			"of the start");
	close(p->parent);
	p->parent = -1;
	for (int fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
}

static void on_signal(void *arg, short revents)
{
	struct program *p = arg;
	struct signalfd_siginfo info;

	(void)revents;
	if (read(p->signals, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGHUP) {
		reopen_log(p);
		slu_daemon_reload(&p->d);
		return;
	}
	slu_log(&p->log, SLU_INFO, "stopping on signal %u", info.ssi_signo);
	slu_loop_stop(p->d.loop);
}

/* A SIGHUP before we handle it would end us, and for systemd a service that was
 * ended so was stopped. */
static void hold_reload(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

static int watch_signals(struct program *p, struct slu_err *err)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	p->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (p->signals < 0)
		return slu_errno(err, SLU_IO, "signalfd");
	return slu_loop_watch(p->d.loop, p->signals, POLLIN, on_signal, p, err);
}

/* Still as root; it may be the file of a sluiced that runs. */
static int open_pid(struct program *p, struct slu_err *err)
{
	const char *path = p->opt.pid_file;

	if (!path)
		return 0;
	p->pid_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (p->pid_fd < 0 || fchmod(p->pid_fd, 0644) < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	return 0;
}

/* Write the pid, now that this process is the one that runs. */
static int write_pid(struct program *p, struct slu_err *err)
{
	if (p->pid_fd < 0)
		return 0;
	p->wrote_pid = true;
	if (ftruncate(p->pid_fd, 0) < 0 ||
	    dprintf(p->pid_fd, "%d\n", (int)getpid()) < 0)
		return slu_errno(err, SLU_IO, "%s", p->opt.pid_file);
	return 0;
}

/* SlurmUser may not remove a file made by root. */
static void forget_pid(const struct program *p)
{
	if (p->wrote_pid && unlink(p->opt.pid_file) < 0 &&
	    ftruncate(p->pid_fd, 0) < 0)
		slu_log(&p->log, SLU_WARN, "%s: %s", p->opt.pid_file,
			strerror(errno));
}

/* Everything that may fail before requests are served. */
static int start(struct program *p, struct slu_err *err)
{
	if (open_pid(p, err) < 0 ||
	    slu_user_become(p->d.conf, p->opt.log_file, err) < 0 ||
	    slu_lock_take(p->d.conf->database, err) < 0 ||
	    write_pid(p, err) < 0)
		return -1;
	if (chdir("/") < 0)
		return slu_errno(err, SLU_IO, "chdir");
	if (slu_daemon_start(&p->d, err) < 0)
		return -1;
	return watch_signals(p, err);
}

static int serve(struct program *p)
{
	struct slu_err err;
	int status = 0;

	if (start(p, &err) < 0)
		status = err.kind == SLU_BUSY ? EXIT_LOCKED : EXIT_FAILURE;
	else
		slu_log(&p->log, SLU_INFO,
			"sluiced " PACKAGE_VERSION " serves %s",
			p->d.conf->database);
	if (status && p->parent >= 0)
		fprintf(stderr, "sluiced: %s\n", err.text);
	tell_parent(p, status);
	if (!status && slu_loop_run(p->d.loop, &err) < 0)
		status = EXIT_FAILURE;
	if (status)
		slu_log(&p->log, SLU_ERROR, "%s", err.text);
	else if (p->d.failed)
		status = EXIT_FAILURE;
	slu_daemon_stop(&p->d);
	forget_pid(p);
	return status;
}

static int load_conf(struct program *p)
{
	struct slu_err err;

	p->conf_path =
		p->opt.conf ? realpath(p->opt.conf, NULL) : slu_conf_path();
	if (!p->conf_path) {
		fprintf(stderr, "sluiced: %s: %s\n", p->opt.conf,
			strerror(errno));
		return -1;
	}
	p->d.conf_path = p->conf_path;
	p->d.conf = slu_daemon_load(&p->d, &err);
	if (!p->d.conf)
		fprintf(stderr, "sluiced: %s\n", err.text);
	return p->d.conf ? 0 : -1;
}

static void print(void *arg, enum slu_level level, const char *line)
{
	(void)arg, (void)level;
	fprintf(stderr, "sluiced: %s\n", line);
}

static void check_conf(const struct program *p)
{
	const struct slu_log log = {.fn = print, .max = SLU_WARN};

	slu_programs_check(p->d.conf, &log);
	slu_one_device_check(p->d.conf, &log);
	printf("%s: good\n", p->conf_path);
}

int main(int argc, char **argv)
{
	struct program p = {.parent = -1, .signals = -1, .pid_fd = -1};
	int status = EXIT_CONF;

	if (!strcmp(argv[0], SLU_QUESTION_NAME))
		slu_question_main();
	hold_reload();
	fill_standard();
	p.d.log = &p.log;
	if (parse_options(argc, argv, &p.opt) < 0 || load_conf(&p) < 0)
		goto out;
	status = 0;
	if (p.opt.check) {
		check_conf(&p);
		goto out;
	}
	status = EXIT_FAILURE;
	umask(077); /* the database contains jobs of all users */
	if (open_log(&p.opt, &p.log) == 0 &&
	    (p.opt.foreground || to_background(&p) == 0))
		status = serve(&p);
out:
	slu_conf_free(p.d.conf);
	slu_buf_free(&p.d.conf_text);
	free(p.conf_path);
	return status;
}

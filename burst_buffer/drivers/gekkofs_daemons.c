/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts, checks and stops the daemons of GekkoFS on this node, which run as
 * the job's user, with their data in a directory of that user's, mode 0700.
 * Each daemon registers in a hosts file of its own, because the clean end of
 * any daemon removes the whole file it registered in. A daemon is ready when
 * its line is in that file, its log says so, and this very process listens on
 * the line's port. GekkoFS authenticates nobody, so a user could make a daemon
 * start programs: these are ended with its cgroup.
 */
#include "config.h"
#include "burst_buffer/drivers/gekkofs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/cgroup.h"
#include "burst_buffer/host/root_daemon.h"
#include "common/file.h"
#include "common/proc.h"

#define START_SECONDS 60.0 /* s until a daemon is ready */
#define STOP_SECONDS  20.0 /* s in which it writes its metadata */
#define DAEMONS_MAX   4	   /* on one node: their lines are one attribute */
#define ARGS_MAX      64
#define LOG_MAX	      (1u << 20)
#define WORDS_MAX     65536
#define READY	      "Daemon is ready"

static const char *option(const struct slu_instance *in, const char *key,
			  const char *fallback)
{
	return slu_plan_option(in->plan, key, fallback);
}

static const char *program(const struct slu_instance *in)
{
	return option(in, "server", "/usr/bin/gkfs_daemon");
}

static unsigned n_daemons(const struct slu_instance *in)
{
	unsigned n = (unsigned)atoi(option(in, "daemons", "1"));

	return n < 1 ? 1 : n > DAEMONS_MAX ? DAEMONS_MAX : n;
}

/* Files of daemon i: its own are in home(), its pid file is root's. */
static void home(const struct slu_instance *in, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/gekkofs", in->fs);
}

static void own_below(const char *name, unsigned i, char below[40])
{
	snprintf(below, 40, "gekkofs/%s.%u", name, i);
}

static void own_path(const struct slu_instance *in, const char *name,
		     unsigned i, char path[PATH_MAX])
{
	char below[40];

	own_below(name, i, below);
	snprintf(path, PATH_MAX, "%s/%s", in->fs, below);
}

static void pid_path(const struct slu_instance *in, unsigned i,
		     char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/daemon.%u.pid", in->work, i);
}

struct daemon {
	const struct slu_instance *in;
	unsigned i;
};

static bool log_says(const struct daemon *d, const char *words)
{
	struct slu_buf text = {0};
	char below[40];
	bool says;

	own_below("log", d->i, below);
	says = !slu_gkfs_own_read(d->in->fs, below, LOG_MAX, &text) &&
	       text.data && strstr(text.data, words);
	slu_buf_free(&text);
	return says;
}

static int registered(const struct daemon *d, struct slu_gkfs_line *line)
{
	char below[40];

	own_below("registered", d->i, below);
	return slu_gkfs_line_read(d->in->fs, below, line);
}

/* Sends the daemon's output to a file in the job's storage: what it prints
 * before it has a log, and when it dies. */
static void take_words(const struct daemon *d)
{
	char path[PATH_MAX];
	int fd;

	own_path(d->in, "words", d->i, path);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static int run_daemon(void *arg)
{
	const struct daemon *d = arg;
	const struct slu_instance *in = d->in;
	const struct slu_plan_node *me = &in->plan->node[in->self];
	const char *addr = me->addr && *me->addr ? me->addr : me->name;
	char root[PATH_MAX], registry[PATH_MAX], log[PATH_MAX], suffix[16];
	struct slu_buf env = {0};
	char *args = strdup(option(in, "args", ""));
	char *argv[ARGS_MAX + 1] = {(char *)program(in),
				    "-m",
				    (char *)in->mnt,
				    "-r",
				    root,
				    "-H",
				    registry,
				    "-P",
				    (char *)option(in, "protocol", "ofi+tcp"),
				    "-l",
				    (char *)option(in, "listen", addr)};
	char group[64];
	int n = 11;

	own_path(in, "root", d->i, root);
	own_path(in, "registered", d->i, registry);
	own_path(in, "log", d->i, log);
	snprintf(suffix, sizeof(suffix), "d%u", d->i);
	if (n_daemons(in) > 1) {
		argv[n++] = "-s";
		argv[n++] = suffix;
	}
	if (args)
		slu_gkfs_put_args(args, argv, n, ARGS_MAX);
	slu_gkfs_put_env(option(in, "env", ""), &env);
	slu_instance_group(in, group, sizeof(group));
	slu_cgroup_enter(group);
	if (slu_become(in->plan->uid, in->plan->gid, NULL))
		return 1;
	umask(077);
	take_words(d);
	setenv("PATH", "/usr/bin:/bin", 1);
	slu_instance_enter(env.data);
	setenv("GKFS_DAEMON_LOG_PATH", log, 1);
	/* libpsm's signal handlers dead-lock */
	setenv("IPATH_NO_BACKTRACE", "1", 1);
	execv(argv[0], argv);
	return 1;
}

static void add_own(const struct daemon *d, const char *name, size_t keep,
		    struct slu_buf *out)
{
	struct slu_buf text = {0};
	char below[40];

	own_below(name, d->i, below);
	if (!slu_gkfs_own_read(d->in->fs, below, LOG_MAX, &text) && text.data)
		slu_buf_puts(out, text.data + (text.len > keep ? text.len - keep
							       : 0));
	slu_buf_free(&text);
}

/* Finds out why a daemon failed. As its storage will be wiped, copies its
 * output and the end of its log to RunDir, in place of an earlier copy. The
 * first line is for the error. */
static int why(const struct daemon *d, const char *what, struct slu_err *err)
{
	struct slu_buf said = {0}, all = {0};
	char path[PATH_MAX];
	const char *line;

	add_own(d, "words", WORDS_MAX, &said);
	slu_buf_printf(&all, "job %u\n%s\n", (unsigned)d->in->plan->job_id,
		       said.data ? said.data : "");
	add_own(d, "log", WORDS_MAX, &all);
	snprintf(path, sizeof(path), "%.*s/failed.gekkofs.%u",
		 (int)(strrchr(d->in->dir, '/') - d->in->dir), d->in->dir,
		 d->i);
	if (all.data)
		slu_file_write(AT_FDCWD, path, all.data, all.len, 0600, false,
			       NULL);
	for (char *p = said.data; p && *p; p++)
		if (*p != '\n' && (*p < ' ' || *p > '~'))
			*p = '?';
	line = said.data ? said.data + strspn(said.data, "\n ") : "";
	slu_err(err, SLU_IO, "the GekkoFS daemon %s%s%.*s, see %s", what,
		*line ? ": " : "",
		strcspn(line, "\n") < 200 ? (int)strcspn(line, "\n") : 200,
		line, path);
	slu_buf_free(&said);
	slu_buf_free(&all);
	return -1;
}

static int wait_ready(const struct daemon *d, struct slu_gkfs_line *line,
		      struct slu_err *err)
{
	char path[PATH_MAX];
	double end = slu_now_mono() + START_SECONDS;
	struct slu_pid pid;

	pid_path(d->in, d->i, path);
	if (slu_pid_read(path, &pid, err))
		return -1;
	while (slu_now_mono() < end) {
		if (!slu_pid_alive(&pid))
			return why(d, "ended at once", err);
		if (!registered(d, line) &&
		    slu_server_listens(&pid, line->port) && log_says(d, READY))
			return 0;
		usleep(20000);
	}
	return why(d, "is not ready after a minute", err);
}

/* Does it run already, from an interrupted start of ours? */
static bool is_running(const struct daemon *d, struct slu_gkfs_line *line)
{
	char path[PATH_MAX];
	struct slu_pid pid;

	pid_path(d->in, d->i, path);
	return !slu_pid_read(path, &pid, NULL) && slu_pid_alive(&pid) &&
	       !registered(d, line) && slu_server_listens(&pid, line->port);
}

static int stop_daemon(const struct slu_instance *in, unsigned i,
		       struct slu_err *err)
{
	char path[PATH_MAX];
	struct slu_pid pid;

	pid_path(in, i, path);
	if (slu_pid_read(path, &pid, NULL) || !slu_pid_alive(&pid)) {
		unlink(path);
		return 0;
	}
	slu_pid_kill(&pid, SIGTERM);
	if (slu_pid_wait(&pid, STOP_SECONDS, NULL)) {
		slu_pid_kill(&pid, SIGKILL);
		if (slu_pid_wait(&pid, 5, err))
			return -1;
	}
	unlink(path);
	return 0;
}

int slu_gkfs_stop(const struct slu_instance *in, struct slu_err *err)
{
	char group[64];

	for (unsigned i = 0; i < DAEMONS_MAX; i++)
		if (stop_daemon(in, i, err))
			return -1;
	slu_instance_group(in, group, sizeof(group));
	return slu_cgroup_end(group, err);
}

static int make_home(const struct slu_instance *in, struct slu_err *err)
{
	char path[PATH_MAX];

	home(in, path);
	if ((mkdir(path, 0700) && errno != EEXIST) ||
	    chown(path, in->plan->uid, in->plan->gid) || chmod(path, 0700))
		return slu_errno(err, SLU_IO, "cannot make %s", path);
	if (slu_mkdirs(in->mnt, 0711, err))
		return -1;
	return 0;
}

static int start_daemon(const struct daemon *d, struct slu_gkfs_line *line,
			struct slu_err *err)
{
	char path[PATH_MAX];

	if (is_running(d, line))
		return 0;
	if (access(program(d->in), X_OK))
		return slu_errno(err, SLU_IO, "cannot run %s", program(d->in));
	if (stop_daemon(d->in, d->i, err))
		return -1;
	own_path(d->in, "registered", d->i, path);
	unlink(path); /* a second start would append to it */
	own_path(d->in, "log", d->i, path);
	unlink(path);
	own_path(d->in, "words", d->i, path);
	unlink(path);
	own_path(d->in, "root", d->i, path);
	if (slu_rmtree(AT_FDCWD, path, err))
		return -1;
	pid_path(d->in, d->i, path);
	if (slu_detach(run_daemon, (void *)d, path, NULL, err) ||
	    wait_ready(d, line, err)) {
		stop_daemon(d->in, d->i, NULL);
		return -1;
	}
	return 0;
}

int slu_gkfs_start(const struct slu_instance *in, char attr[SLU_ATTR_MAX],
		   struct slu_err *err)
{
	size_t len = 0;

	if (make_home(in, err))
		return -1;
	*attr = '\0';
	for (unsigned i = 0; i < n_daemons(in); i++) {
		const struct daemon d = {in, i};
		struct slu_gkfs_line line;

		if (start_daemon(&d, &line, err))
			return -1;
		len += (size_t)snprintf(attr + len, SLU_ATTR_MAX - len, "%s%s",
					i ? "|" : "", line.text);
		if (len >= SLU_ATTR_MAX)
			return slu_err(err, SLU_INVALID,
				       "gekkofs: daemons=%u: their addresses "
				       "are too long",
				       n_daemons(in));
	}
	return 0;
}

int slu_gkfs_lives(const struct slu_instance *in, struct slu_err *err)
{
	for (unsigned i = 0; i < n_daemons(in); i++) {
		char path[PATH_MAX];
		struct slu_pid pid;

		pid_path(in, i, path);
		if (slu_pid_read(path, &pid, NULL) || !slu_pid_alive(&pid))
			return slu_err(
				err, SLU_IO,
				"a daemon of %s (GekkoFS) has ended, and "
				"its part of the data is lost",
				in->plan->fs);
	}
	return 0;
}

int slu_gkfs_counters(const struct slu_instance *in, double *read_bytes,
		      double *written_bytes, struct slu_err *err)
{
	double r = 0, w = 0;
	unsigned found = 0;

	for (unsigned i = 0; i < n_daemons(in); i++) {
		char path[PATH_MAX], io[64];
		unsigned long long in_bytes, out_bytes;
		struct slu_buf text = {0};
		struct slu_pid pid;
		const char *p;

		pid_path(in, i, path);
		if (slu_pid_read(path, &pid, NULL) || !slu_pid_alive(&pid))
			continue;
		snprintf(io, sizeof(io), "/proc/%d/io", (int)pid.pid);
		if (!slu_file_read(AT_FDCWD, io, 4096, &text, NULL) &&
		    text.data && (p = strstr(text.data, "read_bytes: ")) &&
		    sscanf(p, "read_bytes: %llu write_bytes: %llu", &in_bytes,
			   &out_bytes) == 2) {
			r += (double)in_bytes;
			w += (double)out_bytes;
			found++;
		}
		slu_buf_free(&text);
	}
	if (!found)
		return slu_err(err, SLU_NOTFOUND, "no daemon runs");
	*read_bytes = r;
	*written_bytes = w;
	return 0;
}

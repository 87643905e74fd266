/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver "beeond": makes one BeeGFS over the storage of all nodes of a job with
 * BeeOND (BeeGFS on demand). One node runs `beeond start` for all of them, over
 * ssh or pdsh; at the end every node runs `stoplocal` for itself, so that no
 * node has to reach another.
 *
 * BeeOND wants the same path for the data on all nodes, so each node binds its
 * storage to WORK/data. BeeOND's status file lies in WORK, too (it refuses to
 * start if there is one): the daemons listed there must run, and must have
 * ended at the end.
 */
#include "config.h"
#include "burst_buffer/drivers/driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/mtab.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"

#define META_CONF     "beegfs-meta.conf"
#define CONF_MAX      (1 << 20)
#define START_SECONDS 300.0 /* seconds, for all nodes in sequence */
#define STOP_SECONDS  120.0
/* seconds: rounding of a clock that counts seconds */
#define WRITTEN	   5.0
#define SHIFT_MIN  1000u /* ports are 8003 to 8008, plus this */
#define SHIFT_SPAN 4000u
#define SHIFT_STEP 10u

static void work_path(const struct slu_instance *in, const char *name,
		      char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", in->work, name);
}

static const char *program(const struct slu_instance *in)
{
	return slu_plan_option(in->plan, "server", "/usr/bin/beeond");
}

static int probe(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	const char *path = slu_fs_option(conf, "server", "/usr/bin/beeond");

	if (!access(path, X_OK))
		return 0;
	slu_buf_printf(why,
		       "%s is missing: install BeeOND, or name its full path "
		       "with server=\n",
		       path);
	return 1;
}

/* Calls fn for the daemons in the status file, a line
 * "HOST,SERVICE,DATA,LOG,PIDFILE" each. */

typedef int daemon_f(void *arg, const struct slu_pid *pid, const char *service,
		     struct slu_err *err);

/* Did the process start before the pid file was written? A pid file of BeeGFS
 * cannot tell a daemon from a later process with the same number, so this file
 * notes each daemon with its start time once it runs (noted_path()); until then
 * this check has to do. If the clock is set meanwhile, a daemon is overlooked
 * rather than another process taken for one. */
static bool is_older(const struct slu_pid *pid, const char *file)
{
	struct timespec now, up;
	struct stat st;
	double age;

	if (stat(file, &st) || clock_gettime(CLOCK_REALTIME, &now) ||
	    clock_gettime(CLOCK_BOOTTIME, &up))
		return false;
	age = (double)up.tv_sec -
	      (double)pid->start / (double)sysconf(_SC_CLK_TCK);
	return age + WRITTEN >= (double)(now.tv_sec - st.st_mtim.tv_sec);
}

static void noted_path(const struct slu_instance *in, const char *service,
		       char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s.pid", in->work, service);
}

static void find_daemon(const struct slu_instance *in, const char *service,
			const char *pid_file, struct slu_pid *out)
{
	struct slu_buf number = {0};
	char path[PATH_MAX];

	*out = (struct slu_pid){0};
	noted_path(in, service, path);
	if (!slu_pid_read(path, out, NULL))
		return;
	if (!slu_file_read(AT_FDCWD, pid_file, 64, &number, NULL) &&
	    number.data && !slu_pid_get((pid_t)atol(number.data), out, NULL) &&
	    !is_older(out, pid_file)) {
		*out = (struct slu_pid){0};
		unlink(pid_file); /* BeeOND would kill another process, too */
	}
	slu_buf_free(&number);
}

static int each_daemon(const struct slu_instance *in, daemon_f *fn, void *arg,
		       struct slu_err *err)
{
	struct slu_buf text = {0};
	char path[PATH_MAX], *rest, *line;
	int rc = 0;

	work_path(in, "status", path);
	if (slu_file_read(AT_FDCWD, path, 1 << 16, &text, NULL))
		return 0;
	rest = text.data;
	while (!rc && (line = strsep(&rest, "\n"))) {
		char *field[5] = {NULL};
		struct slu_pid pid;
		int n = 0;

		while (line && n < 5)
			field[n++] = strsep(&line, ",");
		if (n < 5 || field[4][0] != '/')
			continue;
		find_daemon(in, field[1], field[4], &pid);
		rc = fn(arg, &pid, field[1], err);
	}
	slu_buf_free(&text);
	return rc;
}

static int must_run(void *arg, const struct slu_pid *pid, const char *service,
		    struct slu_err *err)
{
	(void)arg;
	if (pid->pid > 0 && slu_pid_alive(pid))
		return 0;
	return slu_err(err, SLU_IO, "%s of this node does not run", service);
}

static int note_daemon(void *arg, const struct slu_pid *pid,
		       const char *service, struct slu_err *err)
{
	char path[PATH_MAX];

	noted_path(arg, service, path);
	return pid->pid > 0 ? slu_pid_write(path, pid, err) : 0;
}

/* start: this node's part of it */

static int bind_data(const struct slu_instance *in, struct slu_err *err)
{
	char data[PATH_MAX];

	work_path(in, "data", data);
	if (slu_mounted(data))
		return 0;
	if (mkdir(data, 0700) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", data);
	if (mount(in->fs, data, NULL, MS_BIND, NULL))
		return slu_errno(err, SLU_IO, "cannot mount %s", data);
	return 0;
}

/* A new file system takes its chunk size from the configuration of the metadata
 * server that creates its root directory, from the later of two lines. Each
 * node has a configuration directory of its own for that: the site's files
 * (config=), and the line. */

static int link_others(DIR *site, const char *path, int etc,
		       struct slu_err *err)
{
	const struct dirent *e;
	int rc = 0;

	while (!rc && (e = readdir(site))) {
		char *target = slu_asprintf("%s/%s", path, e->d_name);

		if (!target)
			rc = slu_err(err, SLU_NOMEM, "out of memory");
		else if (e->d_name[0] != '.' && !slu_eq(e->d_name, META_CONF) &&
			 symlinkat(target, etc, e->d_name) && errno != EEXIST)
			rc = slu_errno(err, SLU_IO, "cannot make a link to %s",
				       target);
		free(target);
	}
	return rc;
}

/* Copies the site's file, if it has one (site -1: no directory), and adds the
 * line. */
static int write_meta(int site, int etc, uint64_t chunk, struct slu_err *err)
{
	struct slu_buf text = {0};
	struct slu_err why = {0};
	int rc = 0;

	if (site >= 0 && slu_file_read(site, META_CONF, CONF_MAX, &text, &why))
		rc = why.kind == SLU_NOTFOUND
			     ? 0
			     : slu_err(err, why.kind, "%s", why.text);
	slu_buf_printf(&text, "\ntuneDefaultChunkSize = %llu\n",
		       (unsigned long long)chunk);
	if (!rc && text.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	if (!rc)
		rc = slu_file_write(etc, META_CONF, text.data, text.len, 0600,
				    false, err);
	slu_buf_free(&text);
	return rc;
}

static int write_etc(const struct slu_instance *in, int etc, uint64_t chunk,
		     struct slu_err *err)
{
	const char *path = slu_plan_option(in->plan, "config", NULL);
	DIR *site = path ? opendir(path) : NULL;
	int rc;

	if (path && !site)
		return slu_errno(err, SLU_IO, "cannot read %s", path);
	rc = write_meta(site ? dirfd(site) : -1, etc, chunk, err) ||
			     (site && link_others(site, path, etc, err))
		     ? -1
		     : 0;
	if (site)
		closedir(site);
	return rc;
}

/* Where BeeGFS's configuration is, NULL: nowhere; with a chunk size it is ours
 * (in `own`). */
static const char *config(const struct slu_instance *in, char own[PATH_MAX])
{
	if (!slu_plan_option(in->plan, "chunk", NULL))
		return slu_plan_option(in->plan, "config", NULL);
	work_path(in, "etc", own);
	return own;
}

static int write_config(const struct slu_instance *in, struct slu_err *err)
{
	const char *chunk = slu_plan_option(in->plan, "chunk", NULL);
	char own[PATH_MAX];
	uint64_t size;
	int etc, rc;

	if (!chunk)
		return 0;
	if (slu_size_parse(chunk, &size, err))
		return slu_err_prefix(err, "chunk");
	work_path(in, "etc", own);
	if (mkdir(own, 0700) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", own);
	etc = open(own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (etc < 0)
		return slu_errno(err, SLU_IO, "cannot open %s", own);
	rc = write_etc(in, etc, size, err);
	close(etc);
	return rc;
}

static int start(const struct slu_instance *in, char attr[SLU_ATTR_MAX],
		 struct slu_err *err)
{
	snprintf(attr, SLU_ATTR_MAX, "prepared");
	if ((mkdir(in->top, 0) && errno != EEXIST))
		return slu_errno(err, SLU_IO, "cannot make %s", in->top);
	return write_config(in, err) || bind_data(in, err) ? -1 : 0;
}

/* assemble: the first node starts it on all nodes */

static int write_nodes(const struct slu_instance *in, const char *path,
		       struct slu_err *err)
{
	struct slu_buf text = {0};
	int rc;

	for (size_t i = 0; i < in->plan->n_node; i++)
		slu_buf_printf(&text, "%s\n", in->plan->node[i].name);
	rc = text.failed ? slu_err(err, SLU_NOMEM, "out of memory")
			 : slu_file_write(AT_FDCWD, path, text.data, text.len,
					  0600, false, err);
	slu_buf_free(&text);
	return rc;
}

/* Shift of the ports: the same on all nodes of an instance, and usually
 * different from other instances. */
static unsigned shift(const struct slu_instance *in)
{
	unsigned h = 2166136261u;

	for (const char *p = in->plan->secret; p && *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	return SHIFT_MIN + h % SHIFT_SPAN * SHIFT_STEP;
}

static void add_pair(char **argv, int *n, char *flag, const char *value)
{
	if (!value)
		return;
	argv[(*n)++] = flag;
	argv[(*n)++] = (char *)value;
}

static int start_all(const struct slu_instance *in, struct slu_err *err)
{
	char nodes[PATH_MAX], data[PATH_MAX], status[PATH_MAX], port[16];
	char etc[PATH_MAX];
	char *argv[24] = {(char *)program(in), "start", "-F", "-q"};
	char *stop[] = {argv[0], "stop", "-n", nodes, "-i", status,
			"-d",	 "-L",	 "-c", "-q",  NULL};
	int n = 4;

	work_path(in, "nodes", nodes);
	work_path(in, "data", data);
	work_path(in, "status", status);
	snprintf(port, sizeof(port), "%u", shift(in));
	if (write_nodes(in, nodes, err))
		return -1;
	if (!access(status, F_OK)) /* from a start that was interrupted */
		slu_run(stop, STOP_SECONDS, NULL, NULL);
	add_pair(argv, &n, "-n", nodes);
	add_pair(argv, &n, "-d", data);
	add_pair(argv, &n, "-c", in->top);
	add_pair(argv, &n, "-i", status);
	add_pair(argv, &n, "-p", port);
	add_pair(argv, &n, "-L", in->log);
	add_pair(argv, &n, "-f", config(in, etc));
	add_pair(argv, &n, "-m", slu_plan_option(in->plan, "meta", NULL));
	if (!strcasecmp(slu_plan_option(in->plan, "remote", "ssh"), "pdsh"))
		argv[n++] = "-P";
	return slu_run(argv, START_SECONDS, NULL, err);
}

static int assemble(const struct slu_instance *in, struct slu_err *err)
{
	if (slu_mounted(in->top))
		return 0;
	return start_all(in, err) ? slu_err_prefix(err, "beeond") : 0;
}

static int attach(const struct slu_instance *in, const struct slu_pair *attrs,
		  size_t n_attr, const char **root, struct slu_err *err)
{
	(void)attrs, (void)n_attr;
	*root = in->top;
	if (!slu_mounted(in->top))
		return slu_err(err, SLU_IO, "BeeOND mounted nothing here");
	return each_daemon(in, note_daemon, (void *)in, err);
}

static int check(const struct slu_instance *in, struct slu_err *err)
{
	struct slu_aside aside = {
		.fn = slu_instance_look, .arg = (void *)in, .seconds = 30};

	if (!slu_mounted(in->top))
		return slu_err(err, SLU_IO,
			       "the job's file system is not mounted");
	if (each_daemon(in, must_run, NULL, err))
		return -1;
	return slu_aside(&aside, "the job's file system", NULL, err);
}

/* Looks in the note of attach(): BeeOND's own pid file may be gone, or name a
 * later process with that number. */
static int has_noted(void *arg, const struct slu_pid *pid, const char *service,
		     struct slu_err *err)
{
	const struct slu_instance *in = arg;
	struct slu_pid noted;
	char path[PATH_MAX];

	(void)pid;
	noted_path(in, service, path);
	if (slu_pid_read(path, &noted, NULL) || slu_pid_alive(&noted))
		return 0;
	return slu_err(err, SLU_IO,
		       "%s of %s (BeeOND) has ended, and its part of the data "
		       "is lost",
		       service, in->plan->fs);
}

static int lives(const struct slu_instance *in, struct slu_err *err)
{
	return each_daemon(in, has_noted, (void *)in, err);
}

/* detach and stop */

/* without -d: the data is removed with its storage, unless it is kept */
static int stop_local(const struct slu_instance *in, char *what,
		      struct slu_err *err)
{
	char status[PATH_MAX];
	char *argv[] = {(char *)program(in),
			"stoplocal",
			"-i",
			status,
			what,
			"-q",
			"-L",
			"-c",
			NULL};

	if (slu_eq(what, "-u"))
		argv[6] = NULL;
	work_path(in, "status", status);
	if (access(status, F_OK))
		return 0;
	return slu_run(argv, STOP_SECONDS, NULL, err);
}

/* Detaches the mount even if BeeOND does not unmount it. */
static int detach(const struct slu_instance *in, struct slu_err *err)
{
	if (slu_mounted(in->top))
		stop_local(in, "-u", NULL);
	return slu_unmount_below(in->top, in->plan->uid, 10, err);
}

static int must_end(const struct slu_pid *pid, struct slu_err *err)
{
	if (!slu_pid_wait(pid, 15, NULL))
		return 0;
	slu_pid_kill(pid, SIGKILL);
	return slu_pid_wait(pid, 5, err);
}

struct pids {
	struct slu_pid pid[16];
	size_t n;
};

static int remember(void *arg, const struct slu_pid *pid, const char *service,
		    struct slu_err *err)
{
	struct pids *pids = arg;

	(void)service, (void)err;
	if (pid->pid > 0 && pids->n < 16)
		pids->pid[pids->n++] = *pid;
	return 0;
}

/* Stops this node's part. Its daemons are noted first, as stoplocal removes the
 * pid files. */
static int stop(const struct slu_instance *in, struct slu_err *err)
{
	struct pids pids = {.n = 0};
	char path[PATH_MAX];
	struct slu_err why;

	each_daemon(in, remember, &pids, NULL);
	stop_local(in, "-s", &why);
	for (size_t i = 0; i < pids.n; i++)
		if (must_end(&pids.pid[i], err))
			return -1;
	work_path(in, "data", path);
	if (slu_unmount_below(path, in->plan->uid, 10, err))
		return -1;
	work_path(in, "status", path);
	unlink(path);
	return 0;
}

const struct slu_driver slu_driver_beeond = {
	.name = "beeond",
	.shared = true,
	.own_fs = true,
	.logs = true,
	.probe = probe,
	.start = start,
	.assemble = assemble,
	.attach = attach,
	.check = check,
	.lives = lives,
	.counters = slu_instance_no_counters,
	.detach = detach,
	.stop = stop,
};

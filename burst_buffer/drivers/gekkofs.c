/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gekkofs: one name space over the storage of all nodes, in user space. Every
 * node runs its daemons as the job's user, with their data in a directory that
 * is that user's 0700. There is no mount: programs reach it through a library
 * that they are started with.
 *
 * - Each daemon registers in a hosts file of its own here, because the clean
 *   end of any daemon removes the whole file it registered in. The lines are
 *   exchanged between the nodes, and each node writes the file that clients
 *   read (the user's, 0600: GekkoFS asks nobody who he is).
 * - Ready means: the line stands there, the log says so, and this very process
 *   listens on the line's port.
 * - Clients of a daemon that was killed hang, so that every port is tried
 *   before one is started.
 */
#include "config.h"
#include "burst_buffer/drivers/driver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/cgroup.h"
#include "burst_buffer/host/server.h"
#include "common/file.h"
#include "common/proc.h"

#define START_SECONDS 60.0 /* until a daemon is ready */
#define CHECK_SECONDS 20.0 /* for a client to see the file system */
#define TRY_MS	      3000 /* for a daemon's port to answer */
#define STOP_SECONDS  20.0 /* it writes its metadata out */
#define DAEMONS_MAX   4	   /* on a node: their lines are one attribute */
#define FILE_MAX      (1u << 20)
#define READY	      "Daemon is ready"

static const char *option(const struct slu_instance *in, const char *key,
			  const char *fallback)
{
	return slu_plan_option(in->plan, key, fallback);
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

static void own_path(const struct slu_instance *in, const char *name,
		     unsigned i, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/gekkofs/%s.%u", in->fs, name, i);
}

static void pid_path(const struct slu_instance *in, unsigned i,
		     char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/daemon.%u.pid", in->work, i);
}

static void hosts_path(const struct slu_instance *in, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/hosts", in->dir);
}

/* probe */

static int probe_file(const char *path, int how, const char *what,
		      struct slu_buf *why)
{
	if (*path == '/' && !access(path, how))
		return 0;
	slu_buf_printf(why,
		       "%s is missing: install GekkoFS and name its full path "
		       "with %s=\n",
		       path, what);
	return 1;
}

static int probe(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	return probe_file(slu_fs_option(conf, "server", "/usr/bin/gkfs_daemon"),
			  X_OK, "server", why) +
	       probe_file(slu_fs_option(conf, "library",
					"/usr/lib/libgkfs_intercept.so"),
			  R_OK, "library", why);
}

/* A daemon's line: "HOST[#SUFFIX] PROTOCOL://ADDRESS:PORT[ ...]". The user's
 * daemon wrote it, so that it is looked at closely. */

struct line {
	char text[SLU_ATTR_MAX];
	char address[64];
	unsigned port;
};

static int parse_line(const char *text, size_t len, struct line *out)
{
	const char *uri, *colon;
	struct line l = {.port = 0};
	char end;

	if (len >= sizeof(l.text) || len < 3)
		return -1;
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '|')
			return -1;
	memcpy(l.text, text, len);
	uri = strstr(l.text, "://");
	colon = strrchr(l.text, ':');
	if (!strchr(l.text, ' ') || !uri || colon <= uri + 3 ||
	    (size_t)(colon - uri - 3) >= sizeof(l.address) ||
	    sscanf(colon + 1, "%5u%c", &l.port, &end) != 1 || !l.port ||
	    l.port > 65535)
		return -1;
	memcpy(l.address, uri + 3, (size_t)(colon - uri - 3));
	*out = l;
	return 0;
}

/* One whole line of a file of the user's, or -1. */
static int read_line(const char *path, struct line *out)
{
	struct slu_buf text = {0};
	char *end;
	int rc = -1;

	if (!slu_file_read(AT_FDCWD, path, 4096, &text, NULL) && text.data &&
	    (end = strchr(text.data, '\n')))
		rc = parse_line(text.data, (size_t)(end - text.data), out);
	slu_buf_free(&text);
	return rc;
}

static bool log_says(const char *path, const char *words)
{
	struct slu_buf text = {0};
	bool says = !slu_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL) &&
		    text.data && strstr(text.data, words);

	slu_buf_free(&text);
	return says;
}

/* start and stop */

struct daemon {
	const struct slu_instance *in;
	unsigned i;
};

static int run_daemon(void *arg)
{
	const struct daemon *d = arg;
	const struct slu_instance *in = d->in;
	const struct slu_plan_node *me = &in->plan->node[in->self];
	const char *addr = me->addr && *me->addr ? me->addr : me->name;
	char root[PATH_MAX], registry[PATH_MAX], log[PATH_MAX], suffix[16];
	char *argv[16] = {(char *)option(in, "server", "/usr/bin/gkfs_daemon"),
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
	slu_instance_group(in, group, sizeof(group));
	slu_cgroup_enter(group);
	if (slu_become(in->plan->uid, in->plan->gid, NULL))
		return 1;
	umask(077);
	clearenv();
	setenv("PATH", "/usr/bin:/bin", 1);
	setenv("GKFS_DAEMON_LOG_PATH", log, 1);
	setenv("IPATH_NO_BACKTRACE", "1", 1); /* libpsm's handlers dead-lock */
	execv(argv[0], argv);
	return 1;
}

static int wait_ready(const struct daemon *d, struct line *line,
		      struct slu_err *err)
{
	char registry[PATH_MAX], log[PATH_MAX], path[PATH_MAX];
	struct slu_pid pid;

	own_path(d->in, "registered", d->i, registry);
	own_path(d->in, "log", d->i, log);
	pid_path(d->in, d->i, path);
	if (slu_pid_read(path, &pid, err))
		return -1;
	for (double t = 0; t < START_SECONDS; t += 0.02) {
		if (!slu_pid_alive(&pid))
			return slu_err(err, SLU_IO,
				       "the GekkoFS daemon ended at once, see "
				       "%s",
				       log);
		if (!read_line(registry, line) &&
		    slu_server_listens(&pid, line->port) &&
		    log_says(log, READY))
			return 0;
		usleep(20000);
	}
	return slu_err(err, SLU_TIMEOUT,
		       "the GekkoFS daemon is not ready after %g s",
		       START_SECONDS);
}

/* Is it there already, from a run of ours that was cut short? */
static bool is_running(const struct daemon *d, struct line *line)
{
	char registry[PATH_MAX], path[PATH_MAX];
	struct slu_pid pid;

	own_path(d->in, "registered", d->i, registry);
	pid_path(d->in, d->i, path);
	return !slu_pid_read(path, &pid, NULL) && slu_pid_alive(&pid) &&
	       !read_line(registry, line) &&
	       slu_server_listens(&pid, line->port);
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

static int stop(const struct slu_instance *in, struct slu_err *err)
{
	char group[64];

	for (unsigned i = 0; i < DAEMONS_MAX; i++)
		if (stop_daemon(in, i, err))
			return -1;
	slu_instance_group(in, group, sizeof(group));
	slu_cgroup_remove(group);
	return 0;
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

static int start_daemon(const struct daemon *d, struct line *line,
			struct slu_err *err)
{
	char path[PATH_MAX];

	if (is_running(d, line))
		return 0;
	if (stop_daemon(d->in, d->i, err))
		return -1;
	own_path(d->in, "registered", d->i, path);
	unlink(path); /* a second start would append to it */
	own_path(d->in, "log", d->i, path);
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

/* attr: the lines of this node's daemons, with '|' between them. */
static int start(const struct slu_instance *in, char attr[SLU_ATTR_MAX],
		 struct slu_err *err)
{
	size_t len = 0;

	if (make_home(in, err))
		return -1;
	*attr = '\0';
	for (unsigned i = 0; i < n_daemons(in); i++) {
		const struct daemon d = {in, i};
		struct line line;

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

/* check */

/* Does somebody listen there, within TRY_MS? */
static bool answers(const struct line *l)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *a = NULL;
	struct pollfd p = {.events = POLLOUT};
	int error = -1;
	socklen_t len = sizeof(error);
	char port[8];

	snprintf(port, sizeof(port), "%u", l->port);
	if (getaddrinfo(l->address, port, &hints, &a))
		return false;
	p.fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
		      0);
	if (p.fd >= 0) {
		if (!connect(p.fd, a->ai_addr, a->ai_addrlen))
			error = 0;
		else if (errno == EINPROGRESS && poll(&p, 1, TRY_MS) == 1)
			getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &error, &len);
		close(p.fd);
	}
	freeaddrinfo(a);
	return error == 0;
}

static int env(const struct slu_instance *in, struct slu_buf *out,
	       struct slu_err *err)
{
	char hosts[PATH_MAX];

	hosts_path(in, hosts);
	slu_buf_printf(out,
		       "LIBGKFS_HOSTS_FILE=%s\nLIBGKFS_LOG=none\n"
		       "IPATH_NO_BACKTRACE=1\nLD_PRELOAD=%s\n",
		       hosts,
		       option(in, "library", "/usr/lib/libgkfs_intercept.so"));
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

static void set_env(char *text)
{
	char *line, *value;

	while ((line = strsep(&text, "\n")))
		if ((value = strchr(line, '='))) {
			*value++ = '\0';
			setenv(line, value, 1);
		}
}

/* A client, with the user's rights, asks for the root of the file system. */
static int look(struct slu_aside *aside, void *arg, void *out,
		struct slu_err *err)
{
	const struct slu_instance *in = arg;
	char *argv[] = {"stat", (char *)in->mnt, NULL};
	struct slu_buf text = {0};

	(void)out;
	if (slu_aside_become(aside, in->plan->uid, in->plan->gid, err) ||
	    env(in, &text, err))
		return -1;
	set_env(text.data);
	return slu_run(argv, CHECK_SECONDS - 1, NULL, err);
}

/* Every line of the hosts file; which one does not answer? */
static int try_ports(const char *hosts, struct slu_err *err)
{
	struct slu_buf text = {0};
	char *rest, *one;
	struct line l;
	int rc = 0;

	if (slu_file_read(AT_FDCWD, hosts, FILE_MAX, &text, NULL))
		return slu_err(err, SLU_IO,
			       "the job's file system is not there");
	rest = text.data;
	while (!rc && (one = strsep(&rest, "\n"))) {
		if (*one && (parse_line(one, strlen(one), &l) || !answers(&l)))
			rc = slu_err(err, SLU_IO,
				     "the part of the file system on node %.*s "
				     "does not answer",
				     (int)strcspn(one, " "), one);
	}
	slu_buf_free(&text);
	return rc;
}

static int check(const struct slu_instance *in, struct slu_err *err)
{
	struct slu_aside aside = {
		.fn = look, .arg = (void *)in, .seconds = CHECK_SECONDS};
	char hosts[PATH_MAX];

	hosts_path(in, hosts);
	if (try_ports(hosts, err))
		return -1;
	return slu_aside(&aside, "the job's file system", NULL, err);
}

/* attach and detach */

static int put_lines(const struct slu_instance *in, size_t i,
		     const struct slu_pair *attrs, size_t n_attr,
		     struct slu_buf *out, struct slu_err *err)
{
	const char *name = in->plan->node[i].name, *p = NULL;
	struct line l;

	for (size_t k = 0; k < n_attr && !p; k++)
		if (slu_eq(attrs[k].key, name))
			p = attrs[k].value;
	while (p && *p) {
		size_t n = strcspn(p, "|");

		if (parse_line(p, n, &l))
			break;
		slu_buf_printf(out, "%s\n", l.text);
		p += n + (p[n] == '|');
		if (!*p)
			return 0;
	}
	return slu_err(err, SLU_IO, "node %s did not say its address", name);
}

static int write_hosts(const struct slu_instance *in,
		       const struct slu_pair *attrs, size_t n_attr,
		       struct slu_err *err)
{
	struct slu_buf text = {0};
	char path[PATH_MAX];
	int rc = 0;

	for (size_t i = 0; !rc && i < in->plan->n_node; i++)
		if (!in->plan->node[i].client)
			rc = put_lines(in, i, attrs, n_attr, &text, err);
	hosts_path(in, path);
	if (!rc && text.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	if (!rc)
		rc = slu_file_write(AT_FDCWD, path, text.data, text.len, 0600,
				    false, err);
	if (!rc && chown(path, in->plan->uid, in->plan->gid))
		rc = slu_errno(err, SLU_IO, "cannot give away %s", path);
	slu_buf_free(&text);
	return rc;
}

static int attach(const struct slu_instance *in, const struct slu_pair *attrs,
		  size_t n_attr, const char **root, struct slu_err *err)
{
	*root = in->mnt;
	if (slu_mkdirs(in->mnt, 0711, err))
		return -1;
	return write_hosts(in, attrs, n_attr, err);
}

/* Programs that are started from now on fail at once. */
static int detach(const struct slu_instance *in, struct slu_err *err)
{
	char path[PATH_MAX];

	hosts_path(in, path);
	if (unlink(path) && errno != ENOENT)
		return slu_errno(err, SLU_IO, "cannot remove %s", path);
	return 0;
}

/* What the daemons have read from and written to their disk. */
static int counters(const struct slu_instance *in, double *read_bytes,
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

const struct slu_driver slu_driver_gekkofs = {
	.name = "gekkofs",
	.shared = true,
	.interposed = true,
	.probe = probe,
	.start = start,
	.attach = attach,
	.check = check,
	.env = env,
	.counters = counters,
	.detach = detach,
	.stop = stop,
};

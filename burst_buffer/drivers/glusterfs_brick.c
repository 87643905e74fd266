/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts, stops and checks this node's glusterfsd (its brick, or one for each
 * device of its share), without glusterd. It tries ports from a random start in
 * the configured range. Ready means that our own process holds the listening
 * socket: connecting would not prove it, since another job's brick may have
 * taken the same port.
 */
#include "config.h"
#include "burst_buffer/drivers/glusterfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/drivers/volfile.h"
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/cgroup.h"
#include "burst_buffer/host/logs.h"
#include "burst_buffer/host/root_daemon.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/file.h"

#define START_SECONDS 20.0 /* until a brick listens */
#define STOP_SECONDS  10.0
#define PORT_TRIES    20
#define PORTS	      "20000-29999"

int slu_gluster_stop(const struct slu_instance *in, struct slu_err *err)
{
	char vol[PATH_MAX], group[64];

	slu_gluster_path(in, "brick.vol", vol);
	if (slu_server_stop(SLU_GLUSTER, vol, STOP_SECONDS, err))
		return -1;
	slu_instance_group(in, group, sizeof(group));
	return slu_cgroup_end(group, err);
}

/* Offset of the first port to try: a hash of the plan's random secret. */
static unsigned first_port(const struct slu_instance *in, unsigned span)
{
	unsigned h = 2166136261u;

	for (const char *p = in->plan->secret; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619u;
	return (h ^ (unsigned)in->self * 2654435761u) % span;
}

static int port_range(const struct slu_instance *in, unsigned *low,
		      unsigned *span, struct slu_err *err)
{
	const char *text = slu_plan_option(in->plan, "ports", PORTS);
	unsigned a, b;
	char end;

	if (sscanf(text, "%u-%u%c", &a, &b, &end) != 2 || a < 1 || b < a ||
	    b > 65535)
		return slu_err(err, SLU_INVALID,
			       "glusterfs: ports=%s is no range of ports",
			       text);
	*low = a;
	*span = b - a + 1;
	return 0;
}

/* Can this address be bound now? Saves starting a server that would retry for
 * two seconds; slu_server_listens() decides. */
static bool port_free(const char *host, unsigned port)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_PASSIVE},
			*a = NULL;
	char service[8];
	bool is_free = true;
	int fd;

	snprintf(service, sizeof(service), "%u", port);
	if (getaddrinfo(host, service, &hints, &a))
		return true;
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		is_free = !bind(fd, a->ai_addr, a->ai_addrlen) ||
			  errno != EADDRINUSE;
		close(fd);
	}
	freeaddrinfo(a);
	return is_free;
}

static int wait_listening(const char *volfile, unsigned port, double seconds,
			  struct slu_err *err)
{
	double end = slu_now_mono() + seconds;
	struct slu_pid pid = {0};

	while (slu_now_mono() < end) {
		/* to search all processes each time is expensive */
		if (!slu_pid_alive(&pid) &&
		    slu_server_find(SLU_GLUSTER, volfile, &pid, NULL))
			return slu_err(err, SLU_BUSY,
				       "the glusterfs server ended at once");
		if (slu_server_listens(&pid, port))
			return 0;
		usleep(10000);
	}
	return slu_err(err, SLU_TIMEOUT,
		       "the glusterfs server does not listen after %g s",
		       seconds);
}

/* True: two quick writes can get the same mtime on this file system, or that
 * could not be tested. The brick then keeps timestamps itself (ctime). */
static bool has_coarse_times(const char *dir)
{
	struct stat first = {0}, second = {0};
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	bool equal = fd < 0;

	for (int i = 0; i < 8 && !equal; i++)
		equal = pwrite(fd, "a", 1, 0) != 1 || fstat(fd, &first) ||
			pwrite(fd, "b", 1, 0) != 1 || fstat(fd, &second) ||
			(first.st_mtim.tv_sec == second.st_mtim.tv_sec &&
			 first.st_mtim.tv_nsec == second.st_mtim.tv_nsec);
	if (fd >= 0)
		close(fd);
	return equal;
}

void slu_gluster_holds(const struct slu_instance *in, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/brick", in->fs);
}

/* Does the brick have our library, which makes simultaneous mkdir() calls safe?
 * With one thread it needs none. */
static int check_names(const struct slu_instance *in, struct slu_err *err)
{
	struct slu_err why;

	if (!strcmp(slu_volfile_threads(in->plan), "1") ||
	    !slu_gluster_check_preload(in, "brick.told", "server", &why))
		return 0;
	return slu_err(err, why.kind,
		       "%s: with threads=1 in its FileSystem line it does "
		       "without",
		       why.text);
}

/* The directory of the k-th brick, which is made. Caller frees; NULL: *err. */
static char *brick_dir(const struct slu_instance *in, size_t k,
		       struct slu_err *err)
{
	char *dir = slu_asprintf("%s/brick", k ? in->more_fs[k - 1] : in->fs);

	if (!dir) {
		slu_err(err, SLU_NOMEM, "out of memory");
	} else if (mkdir(dir, 0755) && errno != EEXIST) {
		slu_errno(err, SLU_IO, "cannot make %s", dir);
		free(dir);
		dir = NULL;
	}
	return dir;
}

/* Makes the directories of all bricks and writes the volume file. */
static int write_volfile(const struct slu_instance *in, const char *vol,
			 unsigned port, struct slu_err *err)
{
	const size_t n = slu_plan_devices(&in->plan->node[in->self]);
	char **dir = calloc(n + 1, sizeof(*dir));
	bool own_times = slu_plan_coherence(in->plan) == SLU_COHERENCE_SHARED;
	bool coarse = false, made = dir;
	struct slu_buf text = {0};

	if (!dir)
		slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t k = 0; made && k < n; k++) {
		dir[k] = brick_dir(in, k, err);
		made = dir[k];
		coarse |= made && own_times && has_coarse_times(dir[k]);
	}
	if (made)
		slu_volfile_server(in->plan, in->self, (const char **)dir, port,
				   coarse, &text);
	slu_strv_free(dir);
	return made ? slu_gluster_volfile(vol, &text, err) : -1;
}

static int start_brick(const struct slu_instance *in, unsigned port,
		       struct slu_err *err)
{
	char vol[PATH_MAX], log[PATH_MAX], pid[PATH_MAX], sock[PATH_MAX];
	char group[64];
	char *argv[] = {
		(char *)slu_plan_option(in->plan, "server", "glusterfsd"),
		"-f",
		vol,
		"-p",
		pid,
		"-l",
		log,
		"-S",
		sock,
		"--log-level",
		"WARNING",
		NULL};
	double seconds = slu_gluster_timeout(in->plan, START_SECONDS);
	struct slu_gluster_preload preload;
	char *env[] = {preload.library, preload.file, "SLUICE_SERVER=yes",
		       NULL};

	slu_gluster_path(in, "brick.vol", vol);
	slu_logs_begin(in->log, "brick.log", log);
	slu_gluster_path(in, "brick.pid", pid);
	slu_gluster_path(in, "brick.sock", sock);
	if (write_volfile(in, vol, port, err) ||
	    slu_gluster_preload(in, "brick.told", &preload, err))
		return -1;
	slu_instance_group(in, group, sizeof(group));
	if (slu_server_start(argv, env, group, seconds, err) ||
	    wait_listening(vol, port, seconds, err) || check_names(in, err)) {
		slu_server_stop(SLU_GLUSTER, vol, 1, NULL);
		return slu_gluster_add_log(in, "brick.log", err);
	}
	return 0;
}

/* The port of a brick that already runs, 0: there is none. */
static unsigned running_port(const struct slu_instance *in)
{
	char vol[PATH_MAX];
	struct slu_buf text = {0};
	struct slu_pid pid;
	unsigned port = 0;

	slu_gluster_path(in, "brick.vol", vol);
	if (!slu_server_find(SLU_GLUSTER, vol, &pid, NULL) &&
	    !slu_file_read(AT_FDCWD, vol, 1 << 20, &text, NULL) && text.data)
		port = slu_volfile_port(text.data);
	slu_buf_free(&text);
	return port && slu_server_listens(&pid, port) ? port : 0;
}

/* Starts a brick on the first port that works, from one on that the secret
 * determines. Another port helps only where one is taken. */
static int start_somewhere(const struct slu_instance *in, unsigned *port,
			   struct slu_err *err)
{
	const struct slu_plan_node *me = &in->plan->node[in->self];
	const char *host = me->addr && *me->addr ? me->addr : me->name;
	unsigned low = 0, span = 1, first;
	bool taken = true;
	int rc = -1;

	if (port_range(in, &low, &span, err))
		return -1;
	first = first_port(in, span);
	for (unsigned i = 0; taken && i < PORT_TRIES && i < span; i++) {
		*port = low + (first + i) % span;
		if (port_free(host, *port))
			rc = start_brick(in, *port, err);
		else
			rc = slu_err(err, SLU_BUSY, "port %u is taken", *port);
		taken = rc && err->kind == SLU_BUSY;
	}
	return rc;
}

int slu_gluster_start(const struct slu_instance *in, char attr[SLU_ATTR_MAX],
		      struct slu_err *err)
{
	const size_t bricks = slu_plan_devices(&in->plan->node[in->self]);
	unsigned port = running_port(in);

	if (!port &&
	    (slu_gluster_stop(in, err) || start_somewhere(in, &port, err)))
		return -1;
	if (bricks == 1)
		snprintf(attr, SLU_ATTR_MAX, "%u", port);
	else
		snprintf(attr, SLU_ATTR_MAX, "bricks %zu port %u", bricks,
			 port);
	return 0;
}

int slu_gluster_port(const char *node, size_t bricks, const char *attr,
		     unsigned *port, struct slu_err *err)
{
	size_t n = 1;

	*port = 0;
	if (attr && sscanf(attr, "bricks %zu port %u", &n, port) != 2) {
		n = 1;
		*port = (unsigned)strtoul(attr, NULL, 10);
	}
	if (*port < 1 || *port > 65535)
		return slu_err(err, SLU_IO, "node %s did not say its port",
			       node);
	if (n != bricks)
		return slu_err(err, SLU_IO,
			       "node %s serves %zu of its %zu devices: is its "
			       "sluice-node older than NodeDevices=all?",
			       node, n, bricks);
	return 0;
}

/* Is the process in its pid file still that brick? */
static bool is_brick(const char *pid_file, const char *vol)
{
	struct slu_buf pid = {0}, args = {0};
	char path[64];
	bool is = false;

	if (!slu_file_read(AT_FDCWD, pid_file, 64, &pid, NULL) && pid.data) {
		snprintf(path, sizeof(path), "/proc/%d/cmdline",
			 atoi(pid.data));
		is = !slu_file_read(AT_FDCWD, path, 65536, &args, NULL) &&
		     args.data &&
		     memmem(args.data, args.len, vol, strlen(vol) + 1);
	}
	slu_buf_free(&pid);
	slu_buf_free(&args);
	return is;
}

int slu_gluster_lives(const struct slu_instance *in, struct slu_err *err)
{
	char vol[PATH_MAX], file[PATH_MAX];
	struct slu_pid pid;

	slu_gluster_path(in, "brick.vol", vol);
	slu_gluster_path(in, "brick.pid", file);
	if (is_brick(file, vol) ||
	    !slu_server_find(SLU_GLUSTER, vol, &pid, NULL))
		return 0;
	return slu_err(err, SLU_IO, "the server of %s (GlusterFS) has ended",
		       in->plan->fs);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driver "glusterfs": makes one name space over the storage of all nodes,
 * without glusterd. Every node runs one server, with a brick for each device of
 * its share, and mounts all bricks, in plan order. Ready means that every brick
 * says `connected = 1` in the mount's .meta.
 *
 * A lost brick causes no error (`ls` just lacks its files), so .meta is read
 * before and after a stage-out; a brick that was away in between is known by
 * the client's new connection to it. .meta also shows the password to everybody
 * who reaches the mount's root, so the mount lies in a directory of root's, and
 * a part of it is bound elsewhere for users.
 */
#include "config.h"
#include "burst_buffer/drivers/glusterfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/drivers/volfile.h"
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/logs.h"
#include "burst_buffer/host/root_daemon.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/file.h"
#include "common/size.h"

/* Time limits, plus one second for each brick: */
#define START_SECONDS  20.0 /* until the client has started */
#define ATTACH_SECONDS 30.0 /* until all bricks are connected */
#define CHECK_SECONDS  15.0 /* for .meta to answer */
/* Time limits that do not depend on the number of bricks: */
#define AGAIN_SECONDS 2.0 /* for connections to settle */
#define STOP_SECONDS  10.0

/* probe */

static int probe_program(const char *name, struct slu_buf *why)
{
	char path[PATH_MAX];
	const char *dirs = "/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin";

	if (strchr(name, '/') && !access(name, X_OK))
		return 0;
	for (const char *p = dirs; !strchr(name, '/') && *p;) {
		size_t n = strcspn(p, ":");

		snprintf(path, sizeof(path), "%.*s/%s", (int)n, p, name);
		if (!access(path, X_OK))
			return 0;
		p += n + (p[n] == ':');
	}
	slu_buf_printf(why,
		       "%s is missing: install the packages glusterfs-server "
		       "and glusterfs-client\n",
		       name);
	return 1;
}

static int probe(const struct slu_fs_conf *conf, struct slu_buf *why)
{
	/* the file is root's */
	const int rights = geteuid() ? F_OK : R_OK | W_OK;
	int n = probe_program(slu_fs_option(conf, "server", "glusterfsd"), why);

	n += probe_program(slu_fs_option(conf, "client", "glusterfs"), why);
	if (access(slu_fs_option(conf, "client_library", SLU_GLUSTER_LIBRARY),
		   R_OK)) {
		slu_buf_printf(why, "%s: %s\n",
			       slu_fs_option(conf, "client_library",
					     SLU_GLUSTER_LIBRARY),
			       strerror(errno));
		n++;
	}
	if (access("/dev/fuse", rights)) {
		slu_buf_printf(why, "/dev/fuse: %s%s\n", strerror(errno),
			       errno == ENOENT ? ": load the module fuse" : "");
		n++;
	}
	return n;
}

/* check and counters: the state of each brick in .meta */

struct meta {
	const struct slu_instance *in;
	double read_bytes, written_bytes;
	/* While the client connects: ask again until then (slu_now_mono()), as
	 * long as it lives. 0: once. */
	double end;
	struct slu_pid client;
	/* the first brick that has not been connected yet: of which node, on
	 * which of its devices */
	size_t next, device;
};

static double meta_value(const char *text, const char *key)
{
	const char *p = strstr(text, key);

	return p ? strtod(p + strlen(key), NULL) : 0;
}

/* Is this brick connected? Its counters are added. */
static bool ask_brick(struct meta *m, int graph, const char *name)
{
	struct slu_buf text = {0};
	char path[SLU_BRICK_NAME + 16];
	bool there;

	snprintf(path, sizeof(path), "%s/private", name);
	there = !slu_file_read(graph, path, 1 << 16, &text, NULL) &&
		text.data && meta_value(text.data, "connected = ") == 1;
	if (there) {
		m->read_bytes += meta_value(text.data, "total_bytes_read = ");
		m->written_bytes +=
			meta_value(text.data, "total_bytes_written = ");
	}
	slu_buf_free(&text);
	return there;
}

/* Are all bricks of node m->next connected that were not yet? */
static bool ask_node(struct meta *m, int graph)
{
	const struct slu_plan_node *node = &m->in->plan->node[m->next];
	char name[SLU_BRICK_NAME];

	if (node->client)
		return true;
	for (; m->device < slu_plan_devices(node); m->device++) {
		slu_volfile_name(m->next, m->device, name);
		if (!ask_brick(m, graph, name))
			return false;
	}
	m->device = 0;
	return true;
}

/* Reads the state of each brick. Paths are opened below .meta, which the client
 * answers by itself; a lookup of .meta in the mount's root would ask all
 * bricks. */
static int ask_bricks(struct meta *m, struct slu_err *err)
{
	const struct slu_plan *plan = m->in->plan;
	char path[PATH_MAX + 64];
	int graph;

	snprintf(path, sizeof(path), "%s/.meta/graphs/active", m->in->top);
	graph = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (m->next < plan->n_node && ask_node(m, graph))
		m->next++;
	if (graph >= 0)
		close(graph);
	return m->next == plan->n_node
		       ? 0
		       : slu_err(err, SLU_IO,
				 "the part of the file system on node %s does "
				 "not answer",
				 plan->node[m->next].name);
}

/* Does the client run? All processes are searched only when the one that was
 * found has ended, as that may have been a child of the client. */
static bool lives(struct meta *m)
{
	char vol[PATH_MAX];

	slu_gluster_path(m->in, "client.vol", vol);
	return slu_pid_alive(&m->client) ||
	       !slu_server_find(SLU_GLUSTER, vol, &m->client, NULL);
}

/* The client ends when it has lost a server, and has logged of which node. */
static int client_ended(const struct slu_instance *in, struct slu_err *err)
{
	char line[100];
	size_t i;

	slu_logs_find(in->log, "client.log", " 0-brick", line, sizeof(line));
	if (sscanf(line, "%zu", &i) == 1 && i < in->plan->n_node)
		return slu_err(err, SLU_IO,
			       "the job's file system has lost the server of "
			       "node %s",
			       in->plan->node[i].name);
	return slu_err(err, SLU_IO,
		       "the job's file system is not mounted, its client has "
		       "ended");
}

static int ask_meta(struct slu_aside *aside, void *arg, void *out,
		    struct slu_err *err)
{
	struct meta *m = arg;

	(void)aside;
	while (ask_bricks(m, err)) {
		if (slu_now_mono() > m->end)
			return -1;
		if (!lives(m))
			return client_ended(m->in, err);
		usleep(20000);
	}
	((double *)out)[0] = m->read_bytes;
	((double *)out)[1] = m->written_bytes;
	return 0;
}

static bool is_mounted(const struct slu_instance *in)
{
	struct slu_mtab m;
	const struct slu_mtab_line *l;
	bool is;

	if (slu_mtab_read(&m, NULL))
		return false;
	l = slu_mtab_at(&m, in->top);
	is = l && !strcmp(l->type, "fuse.glusterfs");
	slu_mtab_free(&m);
	return is;
}

static int counters(const struct slu_instance *in, double *read_bytes,
		    double *written_bytes, struct slu_err *err)
{
	struct meta m = {.in = in};
	struct slu_aside aside = {
		.fn = ask_meta,
		.arg = &m,
		.seconds = slu_gluster_timeout(in->plan, CHECK_SECONDS)};
	double out[SLU_ASIDE_OUT / sizeof(double)];

	if (!is_mounted(in))
		return client_ended(in, err);
	if (slu_aside(&aside, "the job's file system", out, err))
		return -1;
	*read_bytes = out[0];
	*written_bytes = out[1];
	return 0;
}

static int check(const struct slu_instance *in, struct slu_err *err)
{
	double r, w;

	return counters(in, &r, &w, err);
}

/* Detects a brick that was away for a moment: the client reconnects by itself,
 * which .meta does not show; but it has one connection to each brick (all
 * bricks of a node are at one port), and a new one can be told from the old.
 * While it reconnects it may have both, or none, so it is given some time. */
static int whole(const struct slu_instance *in, uint64_t *since,
		 struct slu_err *err)
{
	double end = slu_now_mono() + AGAIN_SECONDS;
	const unsigned bricks = slu_gluster_bricks(in->plan);
	const unsigned servers = slu_gluster_servers(in->plan);
	struct slu_connections now;
	char vol[PATH_MAX];
	struct slu_pid pid;

	slu_gluster_path(in, "client.vol", vol);
	if (slu_server_find(SLU_GLUSTER, vol, &pid, NULL))
		return client_ended(in, err);
	for (;;) {
		if (slu_server_connections(&pid, &now, err))
			return slu_pid_alive(&pid) ? -1 : client_ended(in, err);
		if ((now.ends == servers && now.n == bricks) ||
		    slu_now_mono() > end)
			break;
		usleep(20000);
	}
	if (now.ends < servers || now.n < bricks)
		return slu_err(err, SLU_IO,
			       "the job's file system is connected to %u of "
			       "its %u parts",
			       now.ends < servers ? now.ends : now.n,
			       now.ends < servers ? servers : bricks);
	*since = now.sum;
	return 0;
}

/* attach and detach */

static const char *attr_of(const char *node, const struct slu_pair *attrs,
			   size_t n_attr)
{
	for (size_t k = 0; k < n_attr; k++)
		if (slu_eq(attrs[k].key, node) && attrs[k].value)
			return attrs[k].value;
	return NULL;
}

static int ports_of(const struct slu_instance *in, const struct slu_pair *attrs,
		    size_t n_attr, unsigned *port, struct slu_err *err)
{
	for (size_t i = 0; i < in->plan->n_node; i++) {
		const struct slu_plan_node *node = &in->plan->node[i];

		port[i] = 0;
		if (!node->client &&
		    slu_gluster_port(node->name, slu_plan_devices(node),
				     attr_of(node->name, attrs, n_attr),
				     &port[i], err))
			return -1;
	}
	return 0;
}

static int client_volfile(const struct slu_instance *in, const char *path,
			  const struct slu_pair *attrs, size_t n_attr,
			  struct slu_err *err)
{
	const char *size = slu_plan_option(in->plan, "shard", NULL);
	unsigned *port = calloc(in->plan->n_node, sizeof(*port));
	struct slu_buf text = {0};
	uint64_t shard = 0;
	int rc = -1;

	if (!port)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (size && slu_size_parse(size, &shard, err))
		slu_err_prefix(err, "glusterfs: shard");
	else if (!ports_of(in, attrs, n_attr, port, err)) {
		slu_volfile_client(in->plan, port, shard, in->partial, &text);
		rc = slu_gluster_volfile(path, &text, err);
	}
	free(port);
	return rc;
}

/* burst_buffer/preload/glusterfs_calls.c adds what the client does not do
 * itself. strict: the kernel caches nothing of a file. Else it keeps what it
 * has read, over close() and the next open(), until the file's size or time has
 * changed; or for ever, where no node reads what another has written. */
static int start_client(const struct slu_instance *in, char *vol,
			struct slu_err *err)
{
	enum slu_coherence coherence = slu_plan_coherence(in->plan);
	char log[PATH_MAX], pid[PATH_MAX], group[64];
	struct slu_gluster_preload preload;
	char *env[] = {preload.library, preload.file,
		       coherence == SLU_COHERENCE_STRICT ? "SLUICE_DIRECT=yes"
							 : NULL,
		       NULL};
	char *argv[] = {
		(char *)slu_plan_option(in->plan, "client", "glusterfs"), "-f",
		vol, "-p", pid, "-l", log, "--log-level", "WARNING",
		"--process-name", "fuse",
		/* a node sees another's changes at once: the kernel must not
		 * cache sizes and names */
		"--attribute-timeout=0", "--entry-timeout=0",
		coherence == SLU_COHERENCE_PRIVATE ? "--auto-invalidation=off"
						   : "--auto-invalidation=on",
		"--fuse-mountopts=nodev,nosuid,noatime", (char *)in->top, NULL};

	slu_logs_begin(in->log, "client.log", log);
	slu_gluster_path(in, "client.pid", pid);
	if (slu_gluster_preload(in, "told", &preload, err))
		return -1;
	slu_instance_group(in, group, sizeof(group));
	return slu_server_start(argv, env, group,
				slu_gluster_timeout(in->plan, START_SECONDS),
				err);
}

/* The program returns 0 before it knows whether the bricks accept it; if they
 * do not, it unmounts itself and ends. */
static int wait_attached(const struct slu_instance *in, struct slu_err *err)
{
	const double patience = slu_gluster_timeout(in->plan, ATTACH_SECONDS);
	struct meta m = {.in = in, .end = slu_now_mono() + patience};
	struct slu_aside aside = {
		.fn = ask_meta,
		.arg = &m,
		.seconds = patience +
			   slu_gluster_timeout(in->plan, CHECK_SECONDS)};

	return slu_aside(&aside, "the job's file system", NULL, err);
}

static int detach(const struct slu_instance *in, struct slu_err *err);

static int attach(const struct slu_instance *in, const struct slu_pair *attrs,
		  size_t n_attr, const char **root, struct slu_err *err)
{
	char vol[PATH_MAX];

	*root = in->top;
	if (is_mounted(in) && !check(in, NULL))
		return 0;
	slu_gluster_path(in, "client.vol", vol);
	if (detach(in, err) || client_volfile(in, vol, attrs, n_attr, err))
		return -1;
	if ((mkdir(in->top, 0) && errno != EEXIST) || chmod(in->top, 0))
		return slu_errno(err, SLU_IO, "cannot make %s", in->top);
	if (start_client(in, vol, err) || wait_attached(in, err) ||
	    slu_gluster_check_preload(in, "told", "client", err)) {
		detach(in, NULL);
		return slu_gluster_add_log(in, "client.log", err);
	}
	return 0;
}

static int unmount_aside(struct slu_aside *aside, void *arg, void *out,
			 struct slu_err *err)
{
	const struct slu_instance *in = arg;

	(void)aside, (void)out;
	return slu_unmount_below(in->top, in->plan->uid, 2, err);
}

static int abort_client(const struct slu_instance *in, struct slu_err *err)
{
	char vol[PATH_MAX];

	slu_gluster_path(in, "client.vol", vol);
	return slu_server_stop(SLU_GLUSTER, vol, 0, err);
}

/* If the mount cannot be unmounted in time its client is killed: processes that
 * still use it then hold nothing but its name. */
static int detach(const struct slu_instance *in, struct slu_err *err)
{
	struct slu_aside aside = {.fn = unmount_aside,
				  .arg = (void *)in,
				  .seconds = STOP_SECONDS};
	char vol[PATH_MAX];

	slu_gluster_path(in, "client.vol", vol);
	if (slu_aside(&aside, in->top, NULL, NULL) &&
	    (abort_client(in, err) || slu_unmount_lazily(in->top, err)))
		return -1;
	return slu_server_stop(SLU_GLUSTER, vol, STOP_SECONDS, err);
}

const struct slu_driver slu_driver_glusterfs = {
	.name = "glusterfs",
	.shared = true,
	.own_fs = true,
	.logs = true,
	.probe = probe,
	.start = slu_gluster_start,
	.attach = attach,
	.check = check,
	.lives = slu_gluster_lives,
	.whole = whole,
	.holds = slu_gluster_holds,
	.counters = counters,
	.detach = detach,
	.abort = abort_client,
	.stop = slu_gluster_stop,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts, finds and stops daemons by searching /proc, and counts their TCP
 * connections: the inodes of the process's sockets are looked up in
 * /proc/PID/net/tcp and tcp6.
 */
#include "config.h"
#include "burst_buffer/host/root_daemon.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/cgroup.h"
#include "common/file.h"

#define KILL_SECONDS 5.0
#define MOST	     20 /* servers of one path, in sequence */

static bool has_argument(int proc, const char *path)
{
	struct slu_buf args = {0};
	bool found = false;

	if (slu_file_read(proc, "cmdline", 1 << 20, &args, NULL) || !args.data)
		return false;
	for (const char *p = args.data; !found && p < args.data + args.len;
	     p += strlen(p) + 1)
		found = !strcmp(p, path);
	slu_buf_free(&args);
	return found;
}

/* Is it a process of root's own, not one that a user has started with root's
 * rights and arbitrary arguments? */
static bool roots_own(int proc)
{
	uid_t real, effective;

	return !slu_proc_uids(proc, &real, &effective) && real == 0 &&
	       effective == 0;
}

/* Does the process run this program? One that only reads the file or mentions
 * its name does not count. A replaced program shows " (deleted)" at its end. */
static bool runs_program(int proc, const char *name)
{
	char exe[4096];
	const char *slash;
	ssize_t n = readlinkat(proc, "exe", exe, sizeof(exe) - 1);

	if (n < 0)
		return true; /* not visible here */
	exe[n] = '\0';
	slash = strrchr(exe, '/');
	return !strncmp(slash ? slash + 1 : exe, name, strlen(name));
}

struct search {
	const char *name, *path;
	struct slu_pid *out;
};

static bool is_server(void *arg, int proc, pid_t pid)
{
	struct search *s = arg;
	struct slu_pid is;

	/* the handle first: afterwards the number may belong to another process
	 */
	if (slu_pid_get(pid, &is, NULL) || !roots_own(proc) ||
	    !has_argument(proc, s->path) || !runs_program(proc, s->name))
		return false;
	*s->out = is;
	return true;
}

int slu_server_find(const char *name, const char *path, struct slu_pid *out,
		    struct slu_err *err)
{
	struct search s = {name, path, out};

	return slu_pid_find(is_server, &s)
		       ? 0
		       : slu_err(err, SLU_NOTFOUND, "no process has %s", path);
}

#define ESTABLISHED 0x01 /* TCP_ESTABLISHED, TCP_LISTEN of the kernel */
#define LISTEN	    0x0a

static const char *const tables[] = {"tcp", "tcp6"};

static FILE *open_table(pid_t pid, const char *table)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)pid, table);
	return fopen(path, "re");
}

struct tcp {
	unsigned port, state; /* port: the local one */
	unsigned long inode;
	char end[48]; /* remote address and port, in hexadecimal */
};

static bool next_socket(FILE *f, struct tcp *out)
{
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line,
			   " %*d: %*[0-9A-Fa-f]:%x %47[0-9A-Fa-f:] %x %*s "
			   "%*s %*s %*s %*s %lu",
			   &out->port, out->end, &out->state, &out->inode) == 4)
			return true;
	return false;
}

/* The inode of the socket that listens on this port, or 0. */
static unsigned long listener(pid_t pid, const char *table, unsigned port)
{
	unsigned long found = 0;
	FILE *f = open_table(pid, table);
	struct tcp tcp;

	while (!found && next_socket(f, &tcp))
		if (tcp.port == port && tcp.state == LISTEN)
			found = tcp.inode;
	if (f)
		fclose(f);
	return found;
}

/* A process's sockets. There may be many, and many sockets on the machine to
 * compare with, so they are sorted. */
struct own {
	unsigned long inode;
	char end[48]; /* where it is connected to, or "" */
};

struct sockets {
	struct own *at; /* sorted by inode */
	size_t n;
};

static int by_inode(const void *a, const void *b)
{
	const struct own *x = a, *y = b;

	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static int by_end(const void *a, const void *b)
{
	const struct own *x = a, *y = b;

	return strcmp(x->end, y->end);
}

static int add_socket(struct sockets *s, unsigned long inode)
{
	if ((s->n & (s->n - 1)) == 0) { /* a power of two: grow */
		size_t room = s->n ? s->n * 2 : 1;
		struct own *more = realloc(s->at, room * sizeof(*more));

		if (!more)
			return -1;
		s->at = more;
	}
	s->at[s->n++] = (struct own){.inode = inode};
	return 0;
}

/* A process that has ended has none. */
static int read_sockets(pid_t pid, struct sockets *s, struct slu_err *err)
{
	char path[64], is[64];
	unsigned long inode;
	struct dirent *e;
	int rc = 0;
	DIR *d;

	*s = (struct sockets){0};
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	while (d && !rc && (e = readdir(d))) {
		ssize_t n = readlinkat(dirfd(d), e->d_name, is, sizeof(is) - 1);

		is[n < 0 ? 0 : n] = '\0';
		if (sscanf(is, "socket:[%lu]", &inode) == 1)
			rc = add_socket(s, inode);
	}
	if (d)
		closedir(d);
	if (rc) {
		free(s->at);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	if (s->n)
		qsort(s->at, s->n, sizeof(*s->at), by_inode);
	return 0;
}

static struct own *own_socket(const struct sockets *s, unsigned long inode)
{
	struct own key = {.inode = inode};

	return s->n ? bsearch(&key, s->at, s->n, sizeof(*s->at), by_inode)
		    : NULL;
}

bool slu_server_listens(const struct slu_pid *pid, unsigned port)
{
	unsigned long inode = 0;
	struct sockets own;
	bool is = false;

	for (int i = 0; !is && i < 2; i++) {
		inode = listener(pid->pid, tables[i], port);
		if (!inode || read_sockets(pid->pid, &own, NULL))
			continue;
		is = own_socket(&own, inode);
		free(own.at);
	}
	return is && slu_pid_alive(pid);
}

/* An entry that moves in the kernel's table while it is read may appear
 * twice. */
static void note_ends(struct sockets *own, FILE *f)
{
	struct tcp tcp;
	struct own *socket;

	while (next_socket(f, &tcp)) {
		socket = own_socket(own, tcp.inode);
		if (socket && tcp.state == ESTABLISHED)
			slu_copy(socket->end, sizeof(socket->end), tcp.end);
	}
}

/* A new connection has a new inode. */
static void count_connections(struct sockets *own, struct slu_connections *out)
{
	const char *last = "";

	if (own->n)
		qsort(own->at, own->n, sizeof(*own->at), by_end);
	for (const struct own *o = own->at; o < own->at + own->n; o++) {
		/* the mixing function of splitmix64, so that sums of small
		 * numbers do not collide */
		uint64_t mix = (o->inode + 1) * 0x9e3779b97f4a7c15;

		if (!*o->end)
			continue;
		out->n++;
		out->ends += strcmp(o->end, last) != 0;
		out->sum += (mix ^ mix >> 31) * 0xbf58476d1ce4e5b9;
		last = o->end;
	}
}

static int read_ends(pid_t pid, struct sockets *own, struct slu_err *err)
{
	for (int i = 0; i < 2; i++) {
		FILE *f = open_table(pid, tables[i]);

		if (!f && i == 0) /* there may be no tcp6 */
			return slu_errno(err, SLU_IO,
					 "cannot see the connections of "
					 "process %d",
					 (int)pid);
		note_ends(own, f);
		if (f)
			fclose(f);
	}
	return 0;
}

int slu_server_connections(const struct slu_pid *pid,
			   struct slu_connections *out, struct slu_err *err)
{
	struct sockets own;
	int rc;

	*out = (struct slu_connections){0};
	if (read_sockets(pid->pid, &own, err))
		return -1;
	rc = read_ends(pid->pid, &own, err);
	count_connections(&own, out);
	free(own.at);
	if (rc)
		return -1;
	return slu_pid_alive(pid)
		       ? 0
		       : slu_err(err, SLU_NOTFOUND, "process %d has ended",
				 (int)pid->pid);
}

struct start {
	char *const *argv, *const *env;
	const char *group;
	double seconds;
};

static int start_in_child(struct slu_aside *aside, void *arg, void *out,
			  struct slu_err *err)
{
	const struct start *s = arg;

	(void)aside, (void)out;
	slu_cgroup_enter(s->group);
	slu_most_files();
	for (char *const *e = s->env; e && *e; e++)
		putenv(*e);
	return slu_run(s->argv, s->seconds, NULL, err);
}

int slu_server_start(char *const argv[], char *const env[], const char *group,
		     double seconds, struct slu_err *err)
{
	struct start start = {argv, env, group, seconds};
	struct slu_aside aside = {
		.fn = start_in_child, .arg = &start, .seconds = seconds + 10};

	return slu_aside(&aside, argv[0], NULL, err);
}

static int stop_one(const struct slu_pid *pid, double seconds,
		    struct slu_err *err)
{
	slu_pid_kill(pid, SIGTERM);
	if (!slu_pid_wait(pid, seconds, NULL))
		return 0;
	slu_pid_kill(pid, SIGKILL);
	return slu_pid_wait(pid, KILL_SECONDS, err);
}

int slu_server_stop(const char *name, const char *path, double seconds,
		    struct slu_err *err)
{
	struct slu_pid pid;

	for (int i = 0; i < MOST; i++) {
		if (slu_server_find(name, path, &pid, NULL))
			return 0;
		if (stop_one(&pid, seconds, err))
			return -1;
	}
	return slu_err(err, SLU_BUSY,
		       "servers of %s are started as fast as "
		       "they are stopped",
		       path);
}

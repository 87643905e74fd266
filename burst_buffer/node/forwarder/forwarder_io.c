/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts what jobs move through this node's forwarding daemon. The end of a
 * client's connection is reported before the mapping changes: the client's
 * process ends before its job does, and the job ends before it leaves the
 * assignment. So ended connections are attributed by the mapping as it was
 * before.
 */
#include "config.h"
#include "burst_buffer/node/forwarder/forwarder_io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burst_buffer/node/forwarder/forwarder_mapping.h"
#include "burst_buffer/node/forwarder/forwarder_traffic.h"
#include "common/file.h"
#include "common/jsonx.h"
#include "common/str.h"

#define PROC_MAX ((size_t)64 << 20)
#define WAIT	 30.0 /* s, for the other forwarders */

struct client {
	char *name;
	uint32_t job_id; /* 0: several jobs share the node */
};

struct waiting {
	uint32_t job_id;
	double until;
};

struct slu_fwd_io {
	char *mapping, *sums; /* mapping.json; FILE.io */
	const char *host;
	const struct slu_hosts *members;
	int fd;
	uint16_t port;
	struct stat seen; /* of the mapping */
	bool read;	  /* the mapping was read at least once */
	struct client *client;
	size_t n_client;
	struct slu_fwd_sum *job;
	size_t n_job;
	struct waiting *wait;
	size_t n_wait;
};

struct slu_fwd_io *slu_fwd_io_new(const char *dir, const char *file,
				  const char *host,
				  const struct slu_hosts *members,
				  struct slu_err *why)
{
	struct slu_fwd_io *io = calloc(1, sizeof(*io));

	if (!io)
		return NULL;
	io->mapping = slu_asprintf("%s/" SLU_FWD_MAPPING, dir);
	io->sums = slu_asprintf("%s.io", file);
	io->host = host;
	io->members = members;
	io->fd = slu_fwd_listen(why);
	if (!io->mapping || !io->sums) {
		slu_fwd_io_free(io);
		return NULL;
	}
	mkdir(io->sums, 0755);
	return io;
}

static void free_clients(struct client *client, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(client[i].name);
	free(client);
}

void slu_fwd_io_free(struct slu_fwd_io *io)
{
	if (!io)
		return;
	free_clients(io->client, io->n_client);
	if (io->fd >= 0)
		close(io->fd);
	free(io->mapping);
	free(io->sums);
	free(io->job);
	free(io->wait);
	free(io);
}

static struct slu_fwd_sum *find_job(struct slu_fwd_io *io, uint32_t job_id)
{
	for (size_t i = 0; i < io->n_job; i++)
		if (io->job[i].job_id == job_id)
			return &io->job[i];
	return NULL;
}

static void all_unknown(struct slu_fwd_io *io)
{
	for (size_t i = 0; i < io->n_job; i++)
		io->job[i].unknown = true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct client *)a)->name,
		      ((const struct client *)b)->name);
}

static struct client *find_client(struct slu_fwd_io *io, const char *name)
{
	struct client key = {.name = (char *)(uintptr_t)name};

	return io->n_client ? bsearch(&key, io->client, io->n_client,
				      sizeof(key), by_name)
			    : NULL;
}

/* A client without a name may belong to any job. */
static void count(struct slu_fwd_io *io, const struct slu_fwd_end *end,
		  double now)
{
	struct client *c = find_client(io, end->client);
	struct slu_fwd_sum *job = c ? find_job(io, c->job_id) : NULL;

	if (!*end->client)
		all_unknown(io);
	if (!job)
		return;
	job->read += end->fetched;
	job->written += end->sent;
	job->last = now;
	job->any = true;
}

static void drain(struct slu_fwd_io *io, double now)
{
	struct slu_fwd_end end;
	int rc;

	if (io->fd < 0 || !io->port)
		return;
	while ((rc = slu_fwd_next(io->fd, io->port, &end)) != 0)
		if (rc < 0)
			all_unknown(io);
		else
			count(io, &end, now);
}

/* A client is still connected although its job has gone: its node has died. */
static void look_at_open(struct slu_fwd_io *io, struct slu_fwd_sum *job)
{
	static const char *const file[] = {"/proc/net/tcp", "/proc/net/tcp6"};
	struct slu_buf text = {0};
	char name[256];

	for (int i = 0; i < 2; i++) {
		slu_buf_reset(&text);
		if (slu_file_read(AT_FDCWD, file[i], PROC_MAX, &text, NULL) ||
		    !text.data)
			continue;
		for (size_t n = 0; slu_fwd_open(text.data, io->port, n, name);
		     n++) {
			struct client *c = find_client(io, name);

			if (c && c->job_id == job->job_id)
				job->unknown = true;
		}
	}
	slu_buf_free(&text);
}

static char *path_of(const struct slu_fwd_io *io, uint32_t job_id,
		     const char *host)
{
	return slu_asprintf("%s/%u.%.*s", io->sums, (unsigned)job_id,
			    (int)strcspn(host, "."), host);
}

static void finish(struct slu_fwd_io *io, struct slu_fwd_sum *job, double now)
{
	struct waiting *wait =
		realloc(io->wait, (io->n_wait + 1) * sizeof(*wait));
	char *path = path_of(io, job->job_id, io->host);
	char *text;

	look_at_open(io, job);
	text = slu_asprintf("%.0f %.0f %.3f %d %d\n", job->read, job->written,
			    job->last, job->unknown || io->fd < 0, job->any);
	if (path && text)
		slu_file_swap(AT_FDCWD, path, text, strlen(text), 0644, NULL);
	free(path);
	free(text);
	if (!wait)
		return;
	io->wait = wait;
	wait[io->n_wait++] = (struct waiting){job->job_id, now + WAIT};
}

struct mapping {
	struct slu_fwd_io *io; /* collects the jobs */
	struct client *client;
	size_t n_client;
	struct slu_fwd_sum *job;
	size_t n_job;
};

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

static int add_clients(struct mapping *m, struct json_object *nodes, size_t n,
		       uint32_t job_id, struct slu_err *err)
{
	struct json_object_iter at;
	void *more =
		realloc(m->client, (m->n_client + n + 1) * sizeof(*m->client));

	if (!more)
		return nomem(err);
	m->client = more;
	json_object_object_foreachC(nodes, at)
	{
		char *name = strdup(at.key);

		if (!name)
			return nomem(err);
		m->client[m->n_client++] = (struct client){name, job_id};
	}
	return 0;
}

static int add_job(void *arg, struct json_object *obj, uint32_t job_id,
		   struct slu_err *err)
{
	struct mapping *m = arg;
	struct json_object *nodes = NULL;
	struct slu_fwd_sum *old = find_job(m->io, job_id);
	size_t n;
	void *more;

	json_object_object_get_ex(obj, "nodes", &nodes);
	if (!json_object_is_type(nodes, json_type_object))
		return 0;
	n = (size_t)json_object_object_length(nodes);
	if (n == 0 && !old)
		return 0; /* direct access */
	more = realloc(m->job, (m->n_job + 1) * sizeof(*m->job));
	if (!more)
		return nomem(err);
	m->job = more;
	m->job[m->n_job++] =
		old ? *old
		    : (struct slu_fwd_sum){.job_id = job_id,
					   .unknown = !m->io->read};
	return add_clients(m, nodes, n, job_id, err);
}

static void spoil(struct mapping *m, uint32_t job_id)
{
	for (size_t i = 0; i < m->n_job; i++)
		if (m->job[i].job_id == job_id)
			m->job[i].unknown = true;
}

/* Connections from a node of two jobs cannot be attributed. */
static void spoil_shared(struct mapping *m)
{
	if (m->n_client)
		qsort(m->client, m->n_client, sizeof(*m->client), by_name);
	for (size_t i = 1; i < m->n_client; i++) {
		if (strcmp(m->client[i - 1].name, m->client[i].name) != 0)
			continue;
		spoil(m, m->client[i - 1].job_id);
		spoil(m, m->client[i].job_id);
	}
}

static bool has_job(const struct mapping *m, uint32_t job_id)
{
	for (size_t i = 0; i < m->n_job; i++)
		if (m->job[i].job_id == job_id)
			return true;
	return false;
}

static void take_over(struct slu_fwd_io *io, struct mapping *m, double now)
{
	for (size_t i = 0; i < io->n_job; i++)
		if (!has_job(m, io->job[i].job_id))
			finish(io, &io->job[i], now);
	free_clients(io->client, io->n_client);
	free(io->job);
	io->client = m->client;
	io->n_client = m->n_client;
	io->job = m->job;
	io->n_job = m->n_job;
	io->read = true;
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       memcmp(&a->st_mtim, &b->st_mtim, sizeof(a->st_mtim)) == 0;
}

/* The port: the number after the last colon of "io1
 * ofi+tcp://10.0.0.1:4711". */
static void look_at_port(struct slu_fwd_io *io, const char *own)
{
	struct slu_buf line = {0};
	const char *colon;

	if (slu_file_read(AT_FDCWD, own, 4096, &line, NULL) == 0 && line.data &&
	    (colon = strrchr(line.data, ':')))
		io->port = (uint16_t)strtoul(colon + 1, NULL, 10);
	slu_buf_free(&line);
}

void slu_fwd_io_turn(struct slu_fwd_io *io, const char *own, double now)
{
	struct mapping m = {.io = io};
	struct stat st = {0};
	struct slu_err err;

	stat(io->mapping, &st);
	drain(io, now);
	if (same(&st, &io->seen))
		return;
	look_at_port(io, own);
	drain(io, now);
	if (slu_fwd_mapping_each(io->mapping, add_job, &m, &err) == 0) {
		spoil_shared(&m);
		io->seen = st;
		take_over(io, &m, now);
	} else {
		free_clients(m.client, m.n_client);
		free(m.job);
	}
}

/* Adds the file of that forwarder; false: it has not written one. */
static bool add_up(const struct slu_fwd_io *io, const char *host,
		   struct slu_fwd_sum *sum)
{
	char *path = path_of(io, sum->job_id, host);
	struct slu_buf text = {0};
	double read, written, last;
	int unknown, any;
	bool said = path &&
		    slu_file_read(AT_FDCWD, path, 4096, &text, NULL) == 0 &&
		    text.data &&
		    sscanf(text.data, "%lf %lf %lf %d %d", &read, &written,
			   &last, &unknown, &any) == 5;

	if (said) {
		sum->read += read;
		sum->written += written;
		sum->last = last > sum->last ? last : sum->last;
		sum->unknown |= unknown != 0;
		sum->any |= any != 0;
	}
	slu_buf_free(&text);
	free(path);
	return said;
}

static bool try_one(struct slu_fwd_io *io, const struct waiting *w, double now,
		    struct slu_fwd_sum *sum)
{
	bool all = true;

	*sum = (struct slu_fwd_sum){.job_id = w->job_id};
	for (size_t i = 0; i < io->members->n; i++)
		all &= add_up(io, io->members->name[i], sum);
	if (!all && now < w->until)
		return false;
	for (size_t i = 0; i < io->members->n; i++) {
		char *path = path_of(io, w->job_id, io->members->name[i]);

		if (path)
			unlink(path);
		free(path);
	}
	sum->unknown |= !all;
	if (sum->unknown)
		sum->read = sum->written = 0;
	return true;
}

bool slu_fwd_io_next_sum(struct slu_fwd_io *io, double now,
			 struct slu_fwd_sum *sum)
{
	const char *first = io->members->name[0];

	if (strncmp(first, io->host, strlen(io->host)) != 0 ||
	    (first[strlen(io->host)] && first[strlen(io->host)] != '.')) {
		io->n_wait = 0; /* another member adds up */
		return false;
	}
	for (size_t i = 0; i < io->n_wait; i++)
		if (try_one(io, &io->wait[i], now, sum)) {
			io->wait[i] = io->wait[--io->n_wait];
			return true;
		}
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the bandwidth that Lustre's servers reach under load, and sends it
 * to slurmctld (IOBandwidth=auto); likewise metadata operations
 * (IOMetadata=auto). A server that has been silent for SILENT seconds is
 * reported as such; after FORGET seconds it does not count any more.
 */
#include "sluiced/ingestion/server_capacity.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/log.h"
#include "common/str.h"

#define EVERY	30.0	/* s */
#define SILENT	600.0	/* s without a report: the server counts as silent, */
#define FEW_OPS 1.0	/* metadata operations/s: no load */
#define FORGET	86400.0 /* s: and not at all any more */

struct said {
	double rate; /* a second, of what counts */
	uint32_t jobs;
	struct slu_known_target *target; /* the caller frees */
	size_t n_targets;
};

static double number_of(struct json_object *obj, const char *key)
{
	double v = 0;

	slu_json_double_opt(obj, key, &v, NULL);
	return v;
}

/* Degraded, or not to be written to. */
static bool is_degraded(struct json_object *ost)
{
	const char *state = "";

	slu_json_str_opt(ost, "state", &state, NULL);
	return slu_eq(state, "degraded") || slu_eq(state, "readonly");
}

static bool counts_as_one(const struct slu_conf *conf)
{
	bool one = false;

	for (int i = 0; i < SLU_IO_FS; i++)
		one |= conf->io[i].bandwidth && !*conf->io[i].fs;
	return one;
}

/* Notes a file system. That a second one counts with the first is logged. */
static void note_fs(struct slu_daemon *d, const char *fs)
{
	struct slu_server_capacity *c = &d->server_capacity;
	size_t i = 0;

	while (i < SLU_IO_FS && *c->fs[i] && !slu_eq(c->fs[i], fs))
		i++;
	if (i == SLU_IO_FS || *c->fs[i])
		return;
	slu_copy(c->fs[i], sizeof(c->fs[i]), fs);
	if (i == 1 && counts_as_one(d->conf))
		slu_log(d->log, SLU_WARN,
			"IOStart: servers report more than one Lustre file "
			"system (%s, %s): IOBandwidth and the I/O of jobs "
			"count for all of them together; IOBandwidth=%s:...,%s:... "
			"counts each by itself",
			c->fs[0], c->fs[1], c->fs[0], c->fs[1]);
}

static void note_file_systems(struct slu_daemon *d, struct json_object *targets)
{
	char fs[SLU_FS_NAME];
	const char *name;

	if (!json_object_is_type(targets, json_type_array))
		return;
	for (size_t i = 0; i < json_object_array_length(targets); i++) {
		name = NULL;
		slu_json_str_opt(json_object_array_get_idx(targets, i), "name",
				 &name, NULL);
		if (name && slu_fs_name_of_target(name, fs))
			note_fs(d, fs);
	}
}

/* Logs, once, file systems that the configuration names and no server has
 * targets of: probably a name is wrong. */
static void note_missing(struct slu_daemon *d, double now)
{
	struct slu_server_capacity *c = &d->server_capacity;
	const struct slu_io_limits *io = d->conf->io;

	if (!(c->since > 0))
		c->since = now;
	for (int i = 0; i < SLU_IO_FS && now - c->since > SILENT; i++) {
		bool known = !*io[i].fs || !(io[i].bandwidth || io[i].metadata);

		for (int k = 0; k < SLU_IO_FS; k++)
			known |= slu_eq(io[i].fs, c->fs[k]);
		if (!known && !c->missed[i])
			slu_log(d->log, SLU_WARN,
				"IOStart: no Lustre server reports targets of %s, "
				"which IOBandwidth or IOMetadata names "
				"(but of %s): is it the fsname, and does "
				"sluice-tbfd --publish run on all servers?",
				io[i].fs, *c->fs[0] ? c->fs[0] : "none");
		c->missed[i] = !known;
	}
}

static bool is_of(struct json_object *target, const char *fs)
{
	char is[SLU_FS_NAME];
	const char *name = "";

	slu_json_str_opt(target, "name", &name, NULL);
	return !*fs || (slu_fs_name_of_target(name, is) && slu_eq(is, fs));
}

static void add_target(struct said *said, struct json_object *ost)
{
	struct slu_known_target *target = &said->target[said->n_targets++];
	const char *name = "";

	slu_json_str_opt(ost, "name", &name, NULL);
	*target = (struct slu_known_target){.degraded = is_degraded(ost)};
	if (!slu_copy(target->name, sizeof(target->name), name))
		*target->name = '\0';
}

static double rate_of(struct json_object *target, unsigned scope)
{
	return (scope & SLU_IO_READ ? number_of(target, "read") : 0) +
	       (scope & SLU_IO_WRITTEN ? number_of(target, "write") : 0) +
	       (scope & SLU_IO_OPS ? number_of(target, "metadata") : 0);
}

/* What a server says of its targets of a file system: of MDTs, if the scope is
 * SLU_IO_OPS; no targets without memory. */
static struct said read_said(struct json_object *document, const char *fs,
			     unsigned scope)
{
	struct json_object *osts =
		slu_json_at(document, scope == SLU_IO_OPS ? "mdts" : "osts");
	struct json_object *one;
	struct said said = {0};
	double jobs;
	size_t n = 0;

	if (json_object_is_type(osts, json_type_array))
		n = json_object_array_length(osts);
	said.target = calloc(n + 1, sizeof(*said.target));
	for (size_t i = 0; said.target && i < n; i++) {
		one = json_object_array_get_idx(osts, i);
		if (!is_of(one, fs))
			continue;
		add_target(&said, one);
		said.rate += rate_of(one, scope);
		jobs = number_of(one, "jobs");
		if (jobs > said.jobs && jobs < UINT32_MAX)
			said.jobs = (uint32_t)jobs;
	}
	return said;
}

static struct slu_known_server *find_server(struct slu_fs_servers *c,
					    const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (slu_eq(c->server[i].name, name))
			return &c->server[i];
	return NULL;
}

/* NULL without memory. */
static struct slu_known_server *add_server(struct slu_fs_servers *c,
					   const char *name)
{
	struct slu_known_server *more;

	more = realloc(c->server, (c->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	c->server = more;
	more = &more[c->n];
	*more = (struct slu_known_server){
		.name = strdup(name),
		.reached.lowest = c->scope == SLU_IO_OPS ? FEW_OPS : 0,
	};
	if (!more->name)
		return NULL;
	c->n++;
	return more;
}

static bool has_target(const struct slu_known_server *server, const char *name)
{
	for (size_t i = 0; i < server->n_targets; i++)
		if (slu_eq(server->target[i].name, name))
			return true;
	return false;
}

/* Removes the targets that another server has reported. */
static void lose_targets(struct slu_known_server *server,
			 const struct slu_known_server *other)
{
	size_t kept = 0;

	for (size_t i = 0; i < server->n_targets; i++)
		if (!*server->target[i].name ||
		    !has_target(other, server->target[i].name))
			server->target[kept++] = server->target[i];
	server->n_targets = kept;
}

/* The server reports its targets: no other one has them any more. */
static void set_targets(struct slu_fs_servers *c,
			struct slu_known_server *server,
			const struct said *said)
{
	free(server->target);
	server->target = said->target;
	server->n_targets = said->n_targets;
	for (size_t i = 0; i < c->n; i++)
		if (&c->server[i] != server)
			lose_targets(&c->server[i], server);
}

static void free_server(struct slu_known_server *server)
{
	free(server->name);
	free(server->target);
}

static void log_forgotten(const struct slu_daemon *d, unsigned scope,
			  const struct slu_known_server *server)
{
	if (server->n_targets)
		slu_log(d->log, SLU_WARN,
			"%s=auto: server %s has not "
			"reported for a day (is sluice-tbfd "
			"--publish running there?): its %zu targets "
			"are ignored",
			slu_io_key(scope), server->name, server->n_targets);
}

static void forget(struct slu_daemon *d, struct slu_fs_servers *c, double now)
{
	for (size_t i = 0; i < c->n;)
		if (now - c->server[i].came > FORGET) {
			log_forgotten(d, c->scope, &c->server[i]);
			free_server(&c->server[i]);
			c->server[i] = c->server[--c->n];
		} else {
			i++;
		}
}

static uint32_t count_silent(const struct slu_fs_servers *c, double now)
{
	uint32_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += c->server[i].n_targets && now - c->server[i].came > SILENT;
	return n;
}

/* Only its targets count of a server: without any it does not. */
static struct slu_reached_sum add_up(const struct slu_fs_servers *c,
				     struct slu_reached_server *all)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct slu_known_server *server = &c->server[i];

		if (!server->n_targets)
			continue;
		all[n] = (struct slu_reached_server){
			.capacity = slu_reached_capacity(&server->reached),
			.targets = (uint32_t)server->n_targets,
			.held = slu_reached_held(&server->reached)};
		for (size_t k = 0; k < server->n_targets; k++)
			all[n].degraded += server->target[k].degraded;
		n++;
	}
	return slu_reached_add_up(all, n);
}

static void tell(struct slu_daemon *d, struct slu_fs_servers *c, double now)
{
	struct slu_reached_server *all;
	struct slu_io_capacity msg;
	struct slu_reached_sum sum;

	forget(d, c, now);
	all = calloc(c->n + 1, sizeof(*all));
	if (!all)
		return;
	sum = add_up(c, all);
	free(all);
	msg = (struct slu_io_capacity){.capacity = sum.capacity,
				       .held = sum.held,
				       .targets = sum.targets,
				       .degraded = sum.degraded,
				       .silent = count_silent(c, now),
				       .scope = c->scope,
				       .fs = *c->fs ? c->fs : NULL};
	slu_control_send(d->control, &slu_io_capacity_desc, &msg);
	c->told = now;
}

static void forget_all(struct slu_fs_servers *c)
{
	for (size_t i = 0; i < c->n; i++)
		free_server(&c->server[i]);
	free(c->server);
	c->server = NULL;
	c->n = 0;
}

/* Takes a report for a file system whose capacity is "auto". */
static void take(struct slu_daemon *d, struct slu_fs_servers *c, const char *fs,
		 unsigned scope, const char *name, struct json_object *document,
		 double now)
{
	struct said said = read_said(document, fs, scope);
	struct slu_known_server *server;

	if (c->scope != scope || !slu_eq(c->fs, fs))
		forget_all(c);
	c->scope = scope;
	slu_copy(c->fs, sizeof(c->fs), fs);
	server = find_server(c, name);
	if (!server && said.n_targets) {
		if (!c->n) /* the first message is sent EVERY seconds later,
			      when all have reported */
			c->told = now;
		server = add_server(c, name);
	}
	if (!server) {
		free(said.target);
		return;
	}
	server->came = now;
	set_targets(c, server, &said);
	slu_reached_add(&server->reached, said.rate, said.jobs, now);
	if (d->control && slu_control_connected(d->control) &&
	    now - c->told >= EVERY)
		tell(d, c, now);
}

void slu_server_capacity_said(struct slu_daemon *d, const char *name,
			      struct json_object *document, double now)
{
	const struct slu_io_limits *io = d->conf->io;

	if (d->conf->io_start == SLU_IOSTART_OFF)
		return;
	note_file_systems(d, slu_json_at(document, "osts"));
	note_file_systems(d, slu_json_at(document, "mdts"));
	note_missing(d, now);
	for (int i = 0; i < SLU_IO_FS; i++) {
		if (io[i].bandwidth == SLU_IO_AUTO)
			take(d, &d->server_capacity.bytes[i], io[i].fs,
			     d->conf->io_scope, name, document, now);
		if (io[i].metadata == SLU_IO_AUTO)
			take(d, &d->server_capacity.metadata[i], io[i].fs,
			     SLU_IO_OPS, name, document, now);
	}
}

void slu_server_capacity_free(struct slu_server_capacity *c)
{
	for (int i = 0; i < SLU_IO_FS; i++) {
		forget_all(&c->bytes[i]);
		forget_all(&c->metadata[i]);
	}
	*c = (struct slu_server_capacity){0};
}

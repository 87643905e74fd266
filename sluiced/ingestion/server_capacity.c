/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the bandwidth that Lustre's servers reach under load, and sends it
 * to slurmctld (IOBandwidth=auto). A server that has been silent for SILENT
 * seconds is reported as such; after FORGET seconds it does not count any more.
 */
#include "sluiced/ingestion/server_capacity.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/log.h"
#include "common/str.h"

#define EVERY  30.0    /* s */
#define SILENT 600.0   /* s without a report: the server counts as silent, */
#define FORGET 86400.0 /* s: and not at all any more */

struct said {
	double rate; /* bytes/s, of what counts */
	uint32_t targets, degraded, jobs;
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

/* What a server says of its targets of a file system. */
static struct said read_said(struct json_object *document, const char *fs,
			     unsigned scope)
{
	struct json_object *osts = slu_json_at(document, "osts"), *one;
	struct said said = {0};
	double jobs;

	if (!json_object_is_type(osts, json_type_array))
		return said;
	for (size_t i = 0; i < json_object_array_length(osts); i++) {
		one = json_object_array_get_idx(osts, i);
		if (!is_of(one, fs))
			continue;
		said.targets++;
		said.degraded += is_degraded(one);
		if (scope & SLU_IO_READ)
			said.rate += number_of(one, "read");
		if (scope & SLU_IO_WRITTEN)
			said.rate += number_of(one, "write");
		jobs = number_of(one, "jobs");
		if (jobs > said.jobs && jobs < UINT32_MAX)
			said.jobs = (uint32_t)jobs;
	}
	return said;
}

/* NULL without memory. */
static struct slu_known_server *server_of(struct slu_fs_servers *c,
					  const char *name)
{
	struct slu_known_server *more;

	for (size_t i = 0; i < c->n; i++)
		if (slu_eq(c->server[i].name, name))
			return &c->server[i];
	more = realloc(c->server, (c->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	c->server = more;
	more = &more[c->n];
	*more = (struct slu_known_server){.name = strdup(name)};
	if (!more->name)
		return NULL;
	c->n++;
	return more;
}

static void forget(struct slu_daemon *d, struct slu_fs_servers *c, double now)
{
	for (size_t i = 0; i < c->n;)
		if (now - c->server[i].came > FORGET) {
			slu_log(d->log, SLU_WARN,
				"IOBandwidth=auto: server %s has not "
				"reported for a day (is sluice-tbfd "
				"--publish running there?): its %u targets "
				"are ignored",
				c->server[i].name, c->server[i].targets);
			free(c->server[i].name);
			c->server[i] = c->server[--c->n];
		} else {
			i++;
		}
}

static uint32_t count_silent(const struct slu_fs_servers *c, double now)
{
	uint32_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += now - c->server[i].came > SILENT;
	return n;
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
	for (size_t i = 0; i < c->n; i++)
		all[i] = (struct slu_reached_server){
			slu_reached_capacity(&c->server[i].reached),
			c->server[i].targets, c->server[i].degraded,
			slu_reached_held(&c->server[i].reached)};
	sum = slu_reached_add_up(all, c->n);
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
		free(c->server[i].name);
	free(c->server);
	c->server = NULL;
	c->n = 0;
}

/* Takes a report for a file system whose capacity is "auto". */
static void take(struct slu_daemon *d, struct slu_fs_servers *c, const char *fs,
		 const char *name, struct json_object *document, double now)
{
	struct said said = read_said(document, fs, d->conf->io_scope);
	struct slu_known_server *server;

	if (!said.targets)
		return;
	if (c->scope != d->conf->io_scope || !slu_eq(c->fs, fs))
		forget_all(c);
	c->scope = d->conf->io_scope;
	slu_copy(c->fs, sizeof(c->fs), fs);
	if (!c->n) /* the first message is sent EVERY seconds later, when all
		      have reported */
		c->told = now;
	server = server_of(c, name);
	if (!server)
		return;
	server->came = now;
	server->targets = said.targets;
	server->degraded = said.degraded;
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
	for (int i = 0; i < SLU_IO_FS; i++)
		if (io[i].bandwidth == SLU_IO_AUTO)
			take(d, &d->server_capacity.of[i], io[i].fs, name,
			     document, now);
}

void slu_server_capacity_free(struct slu_server_capacity *c)
{
	for (int i = 0; i < SLU_IO_FS; i++)
		forget_all(&c->of[i]);
	*c = (struct slu_server_capacity){0};
}

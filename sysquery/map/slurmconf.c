/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Extracts node definitions (NodeName lines, DEFAULT applied) and TmpFS from
 * slurm.conf as JSON, for `sysquery check` to compare with the resource map.
 * Keys are case-insensitive; all other keys and lines are ignored and not
 * validated. Nodes in State=FUTURE are left out.
 */
#include "config.h"
#include "sysquery/map/slurmconf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "common/file.h"
#include "common/hostlist.h"
#include "common/jsonx.h"
#include "common/slurmfile.h"
#include "common/str.h"

#define FILE_MAX (16u << 20)
#define TMPFS	 "/tmp"

struct reader {
	struct json_object *out, *nodes;
	struct json_object *fallback; /* of NodeName=DEFAULT */
	const char *name;	      /* of the file */
	size_t line;
};

/* Keys that are kept. In a row: synonyms, the output name first. */
static const char *const keys[][4] = {
	{"CPUs"},
	{"Procs"},
	{"Boards"},
	{"Sockets"},
	{"SocketsPerBoard"},
	{"CoresPerSocket"},
	{"ThreadsPerCore"},
	{"RealMemory"},
	{"TmpDisk"},
	{"Gres"},
	{"Features", "Feature"},
	{"State"},
};

static const char *known(const char *key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		for (const char *const *k = keys[i]; *k; k++)
			if (strcasecmp(*k, key) == 0)
				return keys[i][0];
	return NULL;
}

static bool is_future(struct json_object *line)
{
	const char *state = "";

	slu_json_str_opt(line, "State", &state, NULL);
	return strncasecmp(state, "FUTURE", strlen("FUTURE")) == 0;
}

/* Procs is an old name for CPUs. As in Slurm, CPUs wins if both are given, even
 * a CPUs of NodeName=DEFAULT over a Procs on the node's own line. */
static void name_cpus(struct json_object *line)
{
	struct json_object *procs;

	if (!json_object_object_get_ex(line, "Procs", &procs))
		return;
	if (!json_object_object_get_ex(line, "CPUs", NULL))
		json_object_object_add(line, "CPUs", json_object_get(procs));
	json_object_object_del(line, "Procs");
}

/* One parsed NodeName line: DEFAULT updates the defaults; any other is added to
 * the output, its own values overriding the defaults. */
static int take_node(struct reader *r, const char *names,
		     struct json_object *line, struct slu_err *err)
{
	struct json_object *to =
		strcasecmp(names, "DEFAULT") == 0 ? r->fallback : line;
	struct slu_hosts hosts;
	char *place;

	if (to == r->fallback) {
		json_object_object_foreach(line, key, value)
			json_object_object_add(to, key, json_object_get(value));
		return 0;
	}
	if (slu_hosts_parse(names, &hosts, err))
		return -1;
	slu_hosts_free(&hosts);
	json_object_object_foreach(r->fallback, key, value)
	{
		if (!json_object_object_get_ex(line, key, NULL))
			json_object_object_add(line, key,
					       json_object_get(value));
	}
	name_cpus(line);
	if (is_future(line))
		return 0;
	slu_json_set_str(line, "nodes", names);
	place = slu_asprintf("%s:%zu", r->name, r->line);
	slu_json_set_str(line, "line", place);
	free(place);
	json_object_array_add(r->nodes, json_object_get(line));
	return 0;
}

/* The words behind NodeName=NAMES. */
static int node_line(struct reader *r, const char *names, char *rest,
		     struct slu_err *err)
{
	struct json_object *line = json_object_new_object();
	char *key, *value;
	int ret;

	while (slu_slurmfile_word(&rest, &key, &value))
		if (known(key))
			slu_json_set_str(line, known(key), value);
	ret = take_node(r, names, line, err);
	json_object_put(line);
	return ret;
}

static int take_line(void *arg, char *line, const char *file, size_t number,
		     struct slu_err *err)
{
	struct reader *r = arg;
	char *key, *value;

	r->name = file;
	r->line = number;
	while (slu_slurmfile_word(&line, &key, &value)) {
		if (strcasecmp(key, "NodeName") == 0)
			return node_line(r, value, line, err);
		if (strcasecmp(key, "TmpFS") == 0)
			slu_json_set_str(r->out, "tmpfs", value);
	}
	return 0;
}

static int read_file(void *arg, const char *path, struct slu_buf *text,
		     struct slu_err *err)
{
	(void)arg;
	return slu_file_read(AT_FDCWD, path, FILE_MAX, text, err);
}

static void begin(struct reader *r)
{
	*r = (struct reader){.out = json_object_new_object(),
			     .nodes = json_object_new_array(),
			     .fallback = json_object_new_object()};
	slu_json_set_str(r->out, "tmpfs", TMPFS);
	json_object_object_add(r->out, "nodes", r->nodes);
}

static struct json_object *end(struct reader *r, int ret)
{
	json_object_put(r->fallback);
	if (ret == 0)
		return r->out;
	json_object_put(r->out);
	return NULL;
}

struct json_object *slu_slurmconf_read(const char *path, struct slu_err *err)
{
	struct reader r;
	const struct slu_slurmfile how = {
		.read = read_file, .line = take_line, .arg = &r};

	begin(&r);
	return end(&r, slu_slurmfile_read(&how, path, err));
}

struct json_object *slu_slurmconf_parse(const char *text, size_t len,
					struct slu_err *err)
{
	char *copy = strndup(text, len);
	struct json_object *out;
	struct reader r;
	const struct slu_slurmfile how = {.line = take_line, .arg = &r};

	begin(&r);
	out = end(&r, copy ? slu_slurmfile_parse(&how, "text", copy, err)
			   : slu_err(err, SLU_NOMEM, "out of memory"));
	free(copy);
	return out;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line is words KEY=VALUE, of which we keep what describes nodes; keys have
 * no case. All else of slurm.conf is none of our business, and not checked.
 */
#include "config.h"
#include "sysquery/slurmconf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "common/conf.h"
#include "common/file.h"
#include "common/hostlist.h"
#include "common/jsonx.h"
#include "common/str.h"

#define FILE_MAX    (16u << 20)
#define DEPTH_MAX   8 /* Includes within Includes */
#define TMPFS	    "/tmp"
#define DIR_DEFAULT "/etc/slurm/"

struct reader {
	struct json_object *out, *nodes;
	struct json_object *fallback; /* of NodeName=DEFAULT */
	const char *name;	      /* of the file, for messages */
	size_t line;
	int depth;
};

/* Words for the same, the one we use first. */
static const char *const keys[][4] = {
	{"CPUs", "Procs"},	 {"Boards"},	     {"Sockets"},
	{"SocketsPerBoard"},	 {"CoresPerSocket"}, {"ThreadsPerCore"},
	{"RealMemory"},		 {"TmpDisk"},	     {"Gres"},
	{"Features", "Feature"}, {"State"},
};

static const char *known(const char *key)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		for (const char *const *k = keys[i]; *k; k++)
			if (strcasecmp(*k, key) == 0)
				return keys[i][0];
	return NULL;
}

/* Cut the next KEY=VALUE off the line; false at its end. A word without '='
 * has the value "". Quotes around a value go. */
static bool next_word(char **rest, char **key, char **value)
{
	static char none[] = "";
	char *at = *rest + strspn(*rest, " \t"), *end;

	*key = at;
	if (!*at)
		return false;
	at += strcspn(at, " \t=");
	*value = none;
	end = at;
	if (*at == '=') {
		*at++ = '\0';
		end = *at == '"' ? strchr(at + 1, '"') : NULL;
		*value = end ? at + 1 : at;
		if (!end)
			end = at + strcspn(at, " \t");
	}
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return true;
}

static int bad(const struct reader *r, struct slu_err *err)
{
	return slu_err_prefix(err, "%s:%zu", r->name, r->line);
}

static bool is_future(struct json_object *line)
{
	const char *state = "";

	slu_json_str_opt(line, "State", &state, NULL);
	return strncasecmp(state, "FUTURE", strlen("FUTURE")) == 0;
}

/* A line NodeName=...; what stands on it goes before the defaults. */
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
		return bad(r, err);
	slu_hosts_free(&hosts);
	json_object_object_foreach(r->fallback, key, value)
	{
		if (!json_object_object_get_ex(line, key, NULL))
			json_object_object_add(line, key,
					       json_object_get(value));
	}
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

	while (next_word(&rest, &key, &value))
		if (known(key))
			slu_json_set_str(line, known(key), value);
	ret = take_node(r, names, line, err);
	json_object_put(line);
	return ret;
}

static int read_file(struct reader *r, const char *path, struct slu_err *err);

/* Include FILE */
static int include(struct reader *r, char *words, struct slu_err *err)
{
	const char *slash = r->name ? strrchr(r->name, '/') : NULL;
	const char *path = slu_trim(words);
	char *full;
	int ret;

	if (!r->name)
		return slu_err(err, SLU_INVALID, "Include has no place here");
	if (*path == '/' || !slash)
		full = strdup(path);
	else
		full = slu_asprintf("%.*s/%s", (int)(slash - r->name), r->name,
				    path);
	if (!full)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (r->depth == DEPTH_MAX)
		ret = slu_err(err, SLU_INVALID, "Includes go too deep");
	else
		ret = read_file(r, full, err);
	free(full);
	return ret;
}

static int take_line(struct reader *r, char *line, struct slu_err *err)
{
	char *rest = slu_trim(line), *key, *value;

	if (strncasecmp(rest, "include", 7) == 0 && strchr(" \t", rest[7]) &&
	    rest[7])
		return include(r, rest + 7, err);
	while (next_word(&rest, &key, &value)) {
		if (strcasecmp(key, "NodeName") == 0)
			return node_line(r, value, rest, err);
		if (strcasecmp(key, "TmpFS") == 0)
			slu_json_set_str(r->out, "tmpfs", value);
	}
	return 0;
}

/* Cut the line off at a comment; "\#" is none. True: it goes on with the next
 * one. */
static bool strip(char *line)
{
	size_t len;

	for (char *at = line; (at = strchr(at, '#')); at++) {
		if (at > line && at[-1] == '\\')
			continue;
		*at = '\0';
		break;
	}
	len = strlen(line);
	while (len && strchr(" \t\r", line[len - 1]))
		line[--len] = '\0';
	if (len == 0 || line[len - 1] != '\\')
		return false;
	line[len - 1] = ' ';
	return true;
}

static int take_text(struct reader *r, char *text, struct slu_err *err)
{
	struct slu_buf whole = {0};
	char *line;
	int ret = 0;

	r->line = 0;
	while (ret == 0 && (line = strsep(&text, "\n"))) {
		bool more = strip(line);

		r->line++;
		slu_buf_puts(&whole, line);
		if (more && text)
			continue;
		if (whole.failed)
			ret = slu_err(err, SLU_NOMEM, "out of memory");
		else if (whole.data)
			ret = take_line(r, whole.data, err);
		slu_buf_reset(&whole);
	}
	slu_buf_free(&whole);
	return ret;
}

static int read_file(struct reader *r, const char *path, struct slu_err *err)
{
	struct reader outer = *r;
	struct slu_buf text = {0};
	int ret = slu_file_read(AT_FDCWD, path, FILE_MAX, &text, err);

	if (ret == 0) {
		r->name = path;
		r->depth++;
		ret = text.data ? take_text(r, text.data, err) : 0;
		r->name = outer.name;
		r->line = outer.line;
		r->depth = outer.depth;
	}
	slu_buf_free(&text);
	return ret;
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

	begin(&r);
	return end(&r, read_file(&r, path, err));
}

struct json_object *slu_slurmconf_parse(const char *text, size_t len,
					struct slu_err *err)
{
	char *copy = strndup(text, len);
	struct json_object *out;
	struct reader r;

	begin(&r);
	out = end(&r, copy ? take_text(&r, copy, err)
			   : slu_err(err, SLU_NOMEM, "out of memory"));
	free(copy);
	return out;
}

char *slu_slurmconf_path(void)
{
	const char *named = getenv("SLURM_CONF");
	char *beside = slu_conf_path(), *slash, *path;

	if (named && *named) {
		free(beside);
		return strdup(named);
	}
	slash = beside ? strrchr(beside, '/') : NULL;
	path = slu_asprintf("%.*sslurm.conf",
			    slash ? (int)(slash + 1 - beside)
				  : (int)strlen(DIR_DEFAULT),
			    slash ? beside : DIR_DEFAULT);
	free(beside);
	return path;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the configuration of a host that has no sluice.conf of its own. Slurm
 * sends such ("configless") nodes only its own files, so sluice.conf is fetched
 * from sluiced by GET /v1/conf, and the last copy is kept on disk.
 *
 * While no configuration is known, SlurmUser is not either: answers are
 * accepted from root, and from the SlurmUser in the slurm.conf that Slurm has
 * sent.
 */
#include "config.h"
#include "common/conf_host.h"

#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include "common/cred.h"
#include "common/file.h"
#include "common/slurmfile.h"
#include "common/str.h"

#define MARK	      "# Fetched, do not edit: "
#define SLURM_DEFAULT "root" /* SlurmUser of a slurm.conf without one */
#define OUR_DEFAULT   "slurm"
#define PATIENCE      10.0 /* seconds for one answer */

static const char *kept_path = SLU_CONF_KEPT;

void slu_conf_kept_at(const char *path)
{
	kept_path = path ? path : SLU_CONF_KEPT;
}

/* The kept copy */

int slu_conf_kept_parse(const char *text, char from[SLU_CONF_FROM],
			char hash[65])
{
	size_t len = strlen(text);
	const char *line;
	char who[SLU_CONF_FROM], what[66];
	int end = 0;

	if (!len || text[len - 1] != '\n')
		return -1;
	line = memrchr(text, '\n', len - 1);
	if (!line ||
	    sscanf(line + 1, MARK "%255s %65[0-9a-f]%n", who, what, &end) !=
		    2 ||
	    strlen(what) != 64 || line[1 + end] != '\n')
		return -1;
	slu_copy(from, SLU_CONF_FROM, who);
	slu_copy(hash, 65, what);
	return 0;
}

static struct slu_conf *load_kept(struct slu_conf_origin *origin)
{
	struct slu_buf text = {0};
	struct slu_conf *conf = NULL;

	if (slu_file_read(AT_FDCWD, kept_path, SLU_CONF_MOST + 1024, &text,
			  NULL) == 0 &&
	    text.data &&
	    slu_conf_kept_parse(text.data, origin->from, origin->hash) == 0)
		conf = slu_conf_parse(text.data, kept_path, NULL);
	slu_copy(origin->path, sizeof(origin->path), conf ? kept_path : "");
	slu_buf_free(&text);
	return conf;
}

/* Without write permission only this process uses it. */
static void keep(const struct slu_buf *text, struct slu_conf_origin *origin)
{
	struct slu_buf all = {0};
	char dir[4096];

	*origin->path = '\0';
	if (geteuid())
		return;
	slu_buf_printf(&all, "%s\n" MARK "%s %s\n", text->data, origin->from,
		       origin->hash);
	slu_copy(dir, sizeof(dir), kept_path);
	if (!all.failed && slu_mkdirs(dirname(dir), 0755, NULL) == 0 &&
	    slu_file_swap(AT_FDCWD, kept_path, all.data, all.len, 0644, NULL) ==
		    0)
		slu_copy(origin->path, sizeof(origin->path), kept_path);
	slu_buf_free(&all);
}

/* Which sluiced to ask */

static int read_slurm(void *arg, const char *path, struct slu_buf *text,
		      struct slu_err *err)
{
	(void)arg;
	return slu_file_read(AT_FDCWD, path, SLU_CONF_MOST, text, err);
}

static int find_user(void *arg, char *line, const char *file, size_t number,
		     struct slu_err *err)
{
	char **user = arg, *key, *value;

	(void)file, (void)number, (void)err;
	while (slu_slurmfile_word(&line, &key, &value))
		if (!strcasecmp(key, "SlurmUser")) {
			free(*user);
			*user = strdup(value);
		}
	return 0;
}

/* NULL: it is not known. Caller frees. */
static char *slurm_user(void)
{
	char *path = slu_conf_slurm_path(), *user = NULL;
	const struct slu_slurmfile how = {
		.read = read_slurm, .line = find_user, .arg = &user};
	bool is_there = path && access(path, R_OK) == 0;

	if (is_there)
		slu_slurmfile_read(&how, path, NULL);
	if (is_there && !user)
		user = strdup(SLURM_DEFAULT);
	free(path);
	return user;
}

static int find_owner(const struct slu_conf *kept, uid_t *uid,
		      struct slu_err *err)
{
	char *user = slurm_user();
	int rc = slu_http_slurm_user(user   ? user
				     : kept ? kept->slurm_user
					    : OUR_DEFAULT,
				     uid, err);

	free(user);
	return rc;
}

static const char *named_server(void)
{
	const char *named = getenv("SLUICE_SERVER");

	return named && *named ? named : NULL;
}

/* Caller frees, here and below. NULL: see *err. */
static char **named_servers(struct slu_err *err)
{
	char *copy = strdup(named_server()), *rest = copy, *word;
	size_t n = 0, room = strlen(named_server()) / 2 + 2;
	char **list = calloc(room, sizeof(*list));

	if (!list || !copy)
		slu_err(err, SLU_NOMEM, "out of memory");
	while (list && (word = strsep(&rest, ","))) {
		if (!*slu_trim(word))
			continue;
		list[n] = slu_conf_addr(slu_trim(word), err);
		if (!list[n++]) {
			slu_err_prefix(err, "SLUICE_SERVER");
			slu_strv_free(list);
			list = NULL;
		}
	}
	free(copy);
	return list;
}

static bool lists(char *const *list, const char *word)
{
	for (; *list; list++)
		if (!strcmp(*list, word))
			return true;
	return false;
}

/* Is the kept copy of another sluiced than the environment names? */
static bool is_of_another(const struct slu_conf_origin *origin)
{
	char **named = named_server() ? named_servers(NULL) : NULL;
	bool another = named && !lists(named, origin->from);

	slu_strv_free(named);
	return another;
}

/* Fetching */

static struct slu_http *open_client(const struct slu_conf *kept,
				    struct slu_err *err)
{
	char **named = NULL;
	struct slu_http *http = NULL;
	uid_t owner;

	if (named_server() && !(named = named_servers(err)))
		return NULL;
	if (find_owner(kept, &owner, err) == 0)
		http = slu_http_new(named ? named : kept->daemon_addr, owner,
				    err);
	slu_strv_free(named);
	return http;
}

/* 1: here is its text; 0: it is the one that `have` is the hash of. */
static int fetch(const struct slu_conf *kept, const char *have, double seconds,
		 struct slu_buf *text, char from[SLU_CONF_FROM],
		 struct slu_err *err)
{
	struct slu_http *http = open_client(kept, err);
	char path[100];
	int rc;

	if (!http)
		return -1;
	snprintf(path, sizeof(path), "/v1/conf%s%s", *have ? "?have=" : "",
		 have);
	slu_http_timeout(http, PATIENCE);
	rc = slu_http_fetch(http, path, seconds, text, err);
	slu_copy(from, SLU_CONF_FROM, slu_http_address(http));
	slu_http_free(http);
	return rc < 0 ? -1 : text->len > 0;
}

static struct slu_conf *take(const struct slu_buf *text,
			     struct slu_conf_origin *origin,
			     struct slu_err *err)
{
	char name[SLU_CONF_FROM + 32];
	struct slu_conf *conf = NULL;

	snprintf(name, sizeof(name), "sluice.conf of %s", origin->from);
	if (text->len > SLU_CONF_MOST || memchr(text->data, '\0', text->len))
		slu_err(err, SLU_INVALID, "%s is no text file", name);
	else
		conf = slu_conf_parse(text->data, name, err);
	if (!conf)
		return NULL;
	slu_sha256(text->data, text->len, origin->hash);
	keep(text, origin);
	return conf;
}

int slu_conf_renew(struct slu_conf **conf, struct slu_conf_origin *origin,
		   double seconds, struct slu_err *err)
{
	const char *have = *conf && !is_of_another(origin) ? origin->hash : "";
	struct slu_conf_origin now = {.path = ""};
	struct slu_conf *fresh = NULL;
	struct slu_buf text = {0};
	int rc = fetch(*conf, have, seconds, &text, now.from, err);

	if (rc > 0)
		fresh = take(&text, &now, err);
	slu_buf_free(&text);
	if (rc == 0 && *have)
		return 0;
	if (rc == 0)
		slu_err(err, SLU_IO, "%s has sent nothing", now.from);
	if (!fresh)
		return -1;
	slu_conf_free(*conf);
	*conf = fresh;
	*origin = now;
	return 1;
}

/* An error that says where we have looked, and what to do. */
static void say_nowhere(struct slu_err *err)
{
	struct slu_err why = err ? *err : (struct slu_err){0};
	char *path = slu_conf_path();

	if (named_server())
		slu_err(err, why.kind,
			"there is no sluice.conf at %s, and none came from "
			"sluiced: %s",
			path ? path : "its place", why.text);
	else
		slu_err(err, SLU_NOTFOUND,
			"there is no sluice.conf at %s, and nobody says where "
			"to fetch it: put sluiced=HOST into plugstack.conf, or "
			"set SLUICE_SERVER",
			path ? path : "its place");
	free(path);
}

/* For a host that has none of its own. */
static struct slu_conf *have_fetched(double seconds,
				     struct slu_conf_origin *origin,
				     struct slu_err *err)
{
	struct slu_conf *conf = load_kept(origin);

	if (conf && !is_of_another(origin))
		return conf;
	if (conf || named_server())
		slu_conf_renew(&conf, origin, seconds, err);
	if (!conf)
		say_nowhere(err);
	return conf;
}

struct slu_conf *slu_conf_of_host(double seconds,
				  struct slu_conf_origin *origin,
				  struct slu_err *err)
{
	struct slu_conf_origin mine, *of = origin ? origin : &mine;
	struct slu_conf *conf;
	char *path;

	*of = (struct slu_conf_origin){.path = ""};
	if (slu_conf_absent())
		return have_fetched(seconds, of, err);
	path = slu_conf_path();
	if (!path) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	conf = slu_conf_load(path, err);
	slu_copy(of->path, sizeof(of->path), path);
	free(path);
	return conf;
}

bool slu_conf_of_nobody(void)
{
	return slu_conf_absent() && access(kept_path, F_OK) && !named_server();
}

struct slu_http *slu_http_of_host(double seconds, struct slu_err *err)
{
	struct slu_conf *conf = slu_conf_of_host(seconds, NULL, err);
	struct slu_http *http = conf ? slu_http_of_site(conf, err) : NULL;

	slu_conf_free(conf);
	return http;
}

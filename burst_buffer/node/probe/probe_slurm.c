/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks Slurm's settings for `sluice-node probe`, as `scontrol show config`
 * shows them: lines "Key = Value", times as "10 sec", unset values as "(null)".
 */
#include "config.h"
#include "burst_buffer/node/probe/probe.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/file.h"

#define FILE_MAX (1u << 20)
#define INCLUDES 4     /* so deep */
#define NO_LIMIT 65534 /* PrologEpilogTimeout if unset */

/* The value of a key; "" when it is missing or "(null)". */
static void value_of(const char *config, const char *key, char out[512])
{
	size_t len = strlen(key);

	*out = '\0';
	for (const char *p = config; p && *p; p = strchr(p, '\n')) {
		const char *v;

		p += *p == '\n';
		if (strncmp(p, key, len) || (p[len] != ' ' && p[len] != '='))
			continue;
		v = strchr(p, '=');
		if (!v)
			return;
		v += 1 + strspn(v + 1, " \t");
		snprintf(out, 512, "%.*s", (int)strcspn(v, "\n"), v);
		if (!strcmp(out, "(null)"))
			*out = '\0';
		return;
	}
}

/* Is the word in this comma-separated list? */
static bool lists(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = list; *p; p += p[strcspn(p, ",")] == ',') {
		if (!strncmp(p, word, len) && (p[len] == ',' || !p[len]))
			return true;
		p += strcspn(p, ",");
	}
	return false;
}

static void check_plugins(struct slu_probe *p, const char *config)
{
	char value[512];

	value_of(config, "BurstBufferType", value);
	if (strcmp(value, "burst_buffer/sluice"))
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "no job can ask for a file system: set "
			      "BurstBufferType=burst_buffer/sluice");
	value_of(config, "PrEpPlugins", value);
	if (*value && !lists(value, "script") && !lists(value, "prep/script"))
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "PrEpPlugins lacks script, without which SPANK "
			      "prologs do not run: set "
			      "PrEpPlugins=script,sluice");
	if (!lists(value, "sluice") && !lists(value, "prep/sluice"))
		slu_probe_add(p, SLU_PROBE_NOTE, "slurm",
			      "PrEpPlugins lacks sluice: starts and ends of "
			      "jobs are seen late; set "
			      "PrEpPlugins=script,sluice");
}

static void check_timeout(struct slu_probe *p, const char *config,
			  const char *key, long long longest)
{
	char value[512];

	value_of(config, key, value);
	if (*value && atoll(value) != NO_LIMIT && atoll(value) < longest)
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "%s=%lld ends set-up or stage-out early and "
			      "drains nodes: remove it, or set at least %lld",
			      key, atoll(value), longest);
}

static void check_container(struct slu_probe *p, const char *config,
			    const char *key)
{
	char value[512];

	value_of(config, key, value);
	if (*value && !strstr(value, "/none"))
		slu_probe_add(p, SLU_PROBE_NOTE, "slurm",
			      "%s=%s: a job's tasks may not see its file "
			      "system; it has not been tested",
			      key, value);
}

/* Some settings have other names since 25.05 and 25.11. */
static void check_prolog(struct slu_probe *p, const struct slu_conf *conf,
			 const char *config)
{
	long long up = conf->setup_timeout + conf->stage_in_timeout;
	long long down = conf->stage_out_timeout + conf->teardown_timeout;
	long long longest = up > down ? up : down;
	char value[512];

	value_of(config, "PrologFlags", value);
	if (!lists(value, "Alloc") || !lists(value, "DeferBatch"))
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "jobs would start before their file system is "
			      "there: set PrologFlags=Alloc,DeferBatch");
	if (lists(value, "Serial"))
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "prologs that wait for each other would block: "
			      "remove Serial from PrologFlags");
	check_timeout(p, config, "PrologEpilogTimeout", longest);
	check_timeout(p, config, "PrologTimeout", up);
	check_timeout(p, config, "EpilogTimeout", down);
	check_container(p, config, "JobContainerType");
	check_container(p, config, "NamespaceType");
}

static char *read_text(const char *path)
{
	struct slu_buf text = {0};

	if (slu_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL))
		return NULL;
	return slu_buf_steal(&text);
}

/* The site's own Prolog has to run after `sluice-node up`. */
static void check_site_prolog(struct slu_probe *p, const char *config)
{
	char path[512], *text;

	value_of(config, "Prolog", path);
	if (!*path)
		value_of(config, "Prolog[0]", path);
	if (!*path)
		return;
	text = read_text(path);
	if (text && *p->storage && strstr(text, p->storage))
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "Prolog %s speaks of %s: it runs after the job's "
			      "file system was made there and must not wipe it",
			      path, p->storage);
	else
		slu_probe_add(p, SLU_PROBE_NOTE, "slurm",
			      "Prolog %s runs after the job's file system was "
			      "made: it must not wipe its storage",
			      path);
	free(text);
}

static bool requires_us(const char *path, int depth);

/* Does one of the files matched by an include of `path` require our plugin? */
static bool included(const char *path, const char *pattern, int depth)
{
	const char *slash = *pattern == '/' ? NULL : strrchr(path, '/');
	int dir = slash ? (int)(slash + 1 - path) : 0;
	char whole[PATH_MAX];
	bool found = false;
	glob_t files;

	snprintf(whole, sizeof(whole), "%.*s%s", dir, path, pattern);
	if (glob(whole, 0, NULL, &files))
		return false;
	for (size_t i = 0; i < files.gl_pathc && !found; i++)
		found = requires_us(files.gl_pathv[i], depth);
	globfree(&files);
	return found;
}

/* Does this file require it, or one that it includes, down to `depth`? */
static bool requires_us(const char *path, int depth)
{
	char *text = read_text(path), *rest = text, *line, *word[2];
	bool found = false;

	while (!found && (line = strsep(&rest, "\n"))) {
		line[strcspn(line, "#")] = '\0';
		if (slu_split(line, " \t", word, 2) < 2)
			continue;
		if (!strcmp(word[0], "required"))
			found = strstr(word[1], "spank_sluice.so");
		else if (!strcmp(word[0], "include") && depth > 0)
			found = included(path, word[1], depth - 1);
	}
	free(text);
	return found;
}

static void check_plugstack(struct slu_probe *p, const char *config,
			    const char *slurm_dir)
{
	char value[512], path[PATH_MAX];

	value_of(config, "PlugStackConfig", value);
	if (*value)
		slu_copy(path, sizeof(path), value);
	else
		snprintf(path, sizeof(path), "%s/plugstack.conf", slurm_dir);
	if (access(path, R_OK))
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "%s cannot be read: it must have the line "
			      "required spank_sluice.so",
			      path);
	else if (!requires_us(path, INCLUDES))
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "no file system would be made: %s lacks the "
			      "line required spank_sluice.so",
			      path);
}

static void check_user(struct slu_probe *p, const struct slu_conf *conf,
		       const char *config)
{
	char value[512];

	value_of(config, "SlurmUser", value); /* "slurm(64030)" */
	value[strcspn(value, "(")] = '\0';
	if (strcmp(value, conf->slurm_user))
		slu_probe_add(p, SLU_PROBE_BAD, "slurm",
			      "SlurmUser is %s in slurm.conf but %s in "
			      "sluice.conf",
			      value, conf->slurm_user);
}

void slu_probe_slurm(struct slu_probe *p, const struct slu_conf *conf,
		     const char *config, const char *slurm_dir)
{
	size_t rows = json_object_array_length(p->rows);
	char version[512];

	check_plugins(p, config);
	check_prolog(p, conf, config);
	check_site_prolog(p, config);
	check_plugstack(p, config, slurm_dir);
	check_user(p, conf, config);
	value_of(config, "SLURM_VERSION", version);
	if (json_object_array_length(p->rows) == rows)
		slu_probe_add(p, SLU_PROBE_OK, "slurm", "%s, set up for us",
			      version);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets the environment and resource limits of a task of a job with a buffer,
 * from the lines of the notes RunDir/JOB/env and env.steps.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include "plugins/spank_env.h"

#define FILE_MAX     (1 << 20) /* of env and mapping files */
#define RLIMIT_FILES "SLURM_RLIMIT_NOFILE"
#define ENTRY_MAX    131072 /* of the environment, execve(2) */

char *slu_spank_read(const char *path)
{
	char *text = NULL;
	ssize_t n = -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	text = malloc(FILE_MAX + 1);
	if (text)
		n = read(fd, text, FILE_MAX);
	close(fd);
	if (n < 0) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

/* Put our libraries before what is there, unless they came with the batch
 * script and stand there. */
static void set_preload(spank_t sp, const char *ours)
{
	size_t n = strlen(ours);
	char *old = malloc(ENTRY_MAX), *both;

	if (!old ||
	    spank_getenv(sp, "LD_PRELOAD", old, ENTRY_MAX) != ESPANK_SUCCESS ||
	    !*old)
		spank_setenv(sp, "LD_PRELOAD", ours, 1);
	else if ((strncmp(old, ours, n) || (old[n] && !strchr(": ", old[n]))) &&
		 asprintf(&both, "%s:%s", ours, old) > 0) {
		spank_setenv(sp, "LD_PRELOAD", both, 1);
		free(both);
	}
	free(old);
}

/* Whoever has set them: the user, the batch script, or we ourselves. */
static void drop_variables(spank_t sp, const char *prefix)
{
	size_t len = strlen(prefix), i = 0;
	char **env = NULL, name[256];

	if (spank_get_item(sp, S_JOB_ENV, &env) != ESPANK_SUCCESS || !env)
		return;
	while (env[i]) {
		const char *entry = env[i];
		size_t n = strcspn(entry, "=");

		if (!strncmp(entry, prefix, len) && n < sizeof(name)) {
			memcpy(name, entry, n);
			name[n] = '\0';
			spank_unsetenv(sp, name);
		}
		i += env[i] == entry;
	}
}

/* Slurm later sets the limits that it propagates from the submitting host:
 * removes the one of open files if it is less than n. */
static void drop_propagated(spank_t sp, rlim_t n)
{
	char text[40];

	if (spank_getenv(sp, RLIMIT_FILES, text, sizeof(text)) ==
		    ESPANK_SUCCESS &&
	    strtoul(text + (*text == 'U'), NULL, 10) < n)
		spank_unsetenv(sp, RLIMIT_FILES);
}

/* Raises this task's limit of open files to at least n. */
static bool allow_files(spank_t sp, rlim_t n)
{
	struct rlimit files;

	drop_propagated(sp, n);
	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= n)
		return true;
	files.rlim_cur = n;
	if (files.rlim_max >= n && !setrlimit(RLIMIT_NOFILE, &files))
		return true;
	slurm_error("sluice: the client of the job's file system needs %lu "
		    "open files, and this node allows %lu: raise the hard "
		    "limit (LimitNOFILE= of slurmd, ulimit -Hn), or it aborts",
		    (unsigned long)n, (unsigned long)files.rlim_max);
	return false;
}

static bool set_variable(spank_t sp, char *line)
{
	char *value = strchr(line, '=');

	if (*line == '-')
		drop_variables(sp, line + 1);
	if (!strncmp(line, "nofile ", 7))
		return allow_files(sp, strtoul(line + 7, NULL, 10));
	if (*line == '-' || !value)
		return true;
	*value++ = '\0';
	if (!strcmp(line, "LD_PRELOAD"))
		set_preload(sp, value);
	else
		spank_setenv(sp, line, value, 1);
	return true;
}

/* False: a line could not be applied; the reason was reported. */
bool slu_spank_env(spank_t sp, const char *path)
{
	char *text = slu_spank_read(path), *line, *rest;
	bool done = true;

	for (rest = text; done && (line = strsep(&rest, "\n"));)
		done = set_variable(sp, line);
	free(text);
	return done;
}

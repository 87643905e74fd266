/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that the programs exist which sluice.conf names for sluiced to run. */
#include "sluiced/programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/str.h"

static bool is_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0 || access(path, X_OK) < 0)
		return false;
	errno = EACCES; /* as execve(2) does for a directory */
	return S_ISREG(st.st_mode);
}

/* Searched as execvp(3) does. */
static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	char *dirs = strdup(path ? path : "/bin:/usr/bin"), *rest = dirs, *dir;
	bool found = false;

	while (!found && (dir = strsep(&rest, ":"))) {
		char *file = slu_asprintf("%s/%s", *dir ? dir : ".", name);

		found = file && is_program(file);
		free(file);
	}
	free(dirs);
	return found;
}

static void check(const char *key, const char *program,
		  const struct slu_log *log)
{
	bool is_path = program && strchr(program, '/');

	if (!program || (is_path ? is_program(program) : is_in_path(program)))
		return;
	slu_log(log, SLU_WARN, "%s: cannot run %s: %s", key, program,
		is_path ? strerror(errno) : "it is not in PATH");
}

void slu_programs_check(const struct slu_conf *conf, const struct slu_log *log)
{
	check("JobTotals", conf->job_totals, log);
	check("MappingProgram", conf->mapping_program, log);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the paths of sluice.conf and slurm.conf: by the environment variables
 * SLUICE_CONF and SLURM_CONF, else at the paths of the build and of configless
 * nodes.
 */
#include "config.h"
#include "common/conf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/str.h"

#define SITE_CONF SLU_SLURM_CONFDIR "/sluice.conf"
/* Slurm's files for a slurmd that has none of its own ("configless"). */
#define SENT_CONF "/run/slurm/conf/slurm.conf"

char *slu_conf_path(void)
{
	const char *own = getenv("SLUICE_CONF"), *slurm = getenv("SLURM_CONF");
	const char *slash = slurm ? strrchr(slurm, '/') : NULL;
	char *beside;

	if (own && *own)
		return strdup(own);
	if (!slash)
		return strdup(SITE_CONF);
	beside = slu_asprintf("%.*s/sluice.conf", (int)(slash - slurm), slurm);
	if (!beside || access(beside, F_OK) == 0 || access(SITE_CONF, F_OK))
		return beside;
	free(beside);
	return strdup(SITE_CONF);
}

char *slu_conf_slurm_path(void)
{
	const char *named = getenv("SLURM_CONF");
	char *beside, *slash, *path;

	if (named && *named)
		return strdup(named);
	beside = slu_conf_path();
	if (!beside)
		return NULL;
	slash = strrchr(beside, '/');
	path = slu_asprintf("%.*sslurm.conf",
			    slash ? (int)(slash + 1 - beside) : 0, beside);
	free(beside);
	if (!path || access(path, F_OK) == 0 || access(SENT_CONF, F_OK))
		return path;
	free(path);
	return strdup(SENT_CONF);
}

bool slu_conf_absent(void)
{
	const char *own = getenv("SLUICE_CONF");
	char *path = own && *own ? NULL : slu_conf_path();
	bool absent = path && access(path, F_OK) && errno == ENOENT;

	free(path);
	return absent;
}

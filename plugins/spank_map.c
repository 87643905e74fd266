/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets the variables by which a step's tasks find their I/O nodes:
 * LIBGKFS_FORWARDING_MAP_FILE, which names the mapping file to GekkoFWD's
 * client, and SLUICE_IONS. Removes both from steps of jobs without I/O nodes.
 */
#include "plugins/spank_map.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "plugins/spank_env.h"

#define MAP_FILE "LIBGKFS_FORWARDING_MAP_FILE"

/* How many different I/O nodes a mapping names: lines of "HOST ID". */
static unsigned count_ions(char *text)
{
	unsigned char seen[8192] = {0};
	unsigned long id;
	unsigned n = 0;
	char *line, *space;

	while ((line = strsep(&text, "\n"))) {
		space = strchr(line, ' ');
		id = space ? strtoul(space, NULL, 10) : sizeof(seen);
		if (id < sizeof(seen) && !seen[id])
			n += seen[id] = 1;
	}
	return n;
}

/* The mapping of this node, if several jobs share it: the client's own name for
 * it is the host's, cut at the first dot. */
static bool node_map(const struct slu_spank_map *map, char out[PATH_MAX])
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	snprintf(out, PATH_MAX, "%s/nodes/%s.map", map->dir, host);
	return *host && !faccessat(AT_FDCWD, out, R_OK, AT_EACCESS);
}

/* Removes the variables from a step of a job without I/O nodes. They may come
 * from the environment of the job's script, or of the job that submitted it. */
static void drop_map(spank_t sp, const struct slu_spank_map *map)
{
	size_t len = strlen(map->dir);
	char path[PATH_MAX];

	if (spank_getenv(sp, MAP_FILE, path, sizeof(path)) != ESPANK_SUCCESS ||
	    strncmp(path, map->dir, len) != 0 || path[len] != '/')
		return; /* not ours */
	spank_unsetenv(sp, MAP_FILE);
	spank_unsetenv(sp, "SLUICE_IONS");
}

static bool is_direct(const struct slu_spank_map *map)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%u.direct", map->dir, map->job);
	return stat(path, &st) == 0;
}

/* Does the step use GekkoFS's client? Either it is preloaded, or the step has
 * the variable with the daemons' addresses: then a task may preload the client
 * itself, or be linked with it. */
static bool has_gekkofs_client(spank_t sp)
{
	char text[PATH_MAX];
	spank_err_t rc =
		spank_getenv(sp, "LIBGKFS_HOSTS_FILE", text, sizeof(text));

	if (rc == ESPANK_SUCCESS || rc == ESPANK_NOSPACE)
		return true;
	rc = spank_getenv(sp, "LD_PRELOAD", text, sizeof(text));
	return rc == ESPANK_NOSPACE ||
	       (rc == ESPANK_SUCCESS &&
		(strstr(text, "gkfs") || strstr(text, "gkfwd")));
}

bool slu_spank_map(spank_t sp, const struct slu_spank_map *map)
{
	char path[PATH_MAX], node[PATH_MAX], number[16], *text;

	snprintf(path, sizeof(path), "%s/%u.map", map->dir, map->job);
	text = is_direct(map) || map->none ? NULL : slu_spank_read(path);
	if (!text) {
		drop_map(sp, map);
		return has_gekkofs_client(sp); /* it uses all daemons */
	}
	snprintf(number, sizeof(number), "%u", count_ions(text));
	free(text);
	if (node_map(map, node))
		memcpy(path, node, sizeof(path));
	spank_setenv(sp, MAP_FILE, path, 1);
	spank_setenv(sp, "SLUICE_IONS", number, 1);
	/* By default the client looks for a proxy at a path where any user can
	 * create one. */
	snprintf(path, sizeof(path), "%s/no_proxy", map->run);
	spank_setenv(sp, "LIBGKFS_PROXY_PID_FILE", path, 0);
	return has_gekkofs_client(sp);
}

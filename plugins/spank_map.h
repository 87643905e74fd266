/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_SPANK_MAP_H
#define SLU_PLUGINS_SPANK_MAP_H

/* Sets the variables by which the tasks of a step find their I/O nodes. */

#include <stdbool.h>
#include <stdint.h>
#include <slurm/spank.h>

struct slu_spank_map {
	const char *dir; /* MappingDir */
	const char *run; /* RunDir */
	uint32_t job;
	/* The job's own file system uses the same client, which would look for
	 * its data on the I/O nodes: so none. */
	bool none;
};

/* In slurm_spank_user_init(), so as the job's user: set the variables, or
 * remove ours of an earlier mapping if the job has no I/O nodes. True: the
 * step's tasks use, or may use, a GekkoFS client, whose I/O the kernel's
 * counters do not see. */
bool slu_spank_map(spank_t sp, const struct slu_spank_map *map);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_SPANK_MAP_H
#define SLU_PLUGINS_SPANK_MAP_H

/* The environment by which the tasks of a step find their I/O nodes. */

#include <stdbool.h>
#include <stdint.h>
#include <slurm/spank.h>

struct slu_spank_map {
	const char *dir; /* MappingDir */
	const char *run; /* RunDir */
	uint32_t job;
	/* The job's own file system has clients of the same kind: they would
	 * look for its data on the I/O nodes. */
	bool none;
};

/* In slurm_spank_user_init(), so as the job's user: set the variables, or take
 * away ours of an earlier mapping where the job has no I/O nodes. True: the
 * step's tasks have a client of GekkoFS, or may have, which goes past the
 * kernel's counters. */
bool slu_spank_map(spank_t sp, const struct slu_spank_map *map);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_IONBENCH_IDLE_IONS_H
#define SLU_SELECT_IO_IONBENCH_IDLE_IONS_H

/*
 * Finds the I/O nodes that no job uses, from the file that sluiced publishes
 * (MappingDir/mapping.json). The file has a job's I/O nodes before the job
 * starts, so a benchmark sees in time that it has to stop. Reads files.
 */

#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "common/hostlist.h"

struct slu_idle_ions {
	char *path;		     /* of mapping.json */
	uint32_t job_id;	     /* our own; 0: none */
	struct slu_hosts all, taken; /* in the order of a host list */
	struct slu_hosts recruits; /* compute nodes with RecruitIdle; sorted */
	bool ours_has_some;	   /* our own job has I/O nodes */
	struct timespec changed;   /* mtime of the file that was read */
	ino_t inode;
};

int slu_idle_ions_open(struct slu_idle_ions *idle, const char *dir,
		       uint32_t job_id, struct slu_err *err);
void slu_idle_ions_close(struct slu_idle_ions *idle);

/* Reads the file again if it has changed. */
int slu_idle_ions_look(struct slu_idle_ions *idle, struct slu_err *err);

/* Does another job need one of these? Reads the file first; true if that fails.
 */
bool slu_idle_ions_needed(struct slu_idle_ions *idle,
			  const struct slu_hosts *ions);

/* The first n that no job has and that are not among `down`; false: there are
 * fewer. Free *out with slu_hosts_free(). */
bool slu_idle_ions_take(const struct slu_idle_ions *idle,
			const struct slu_hosts *down, uint32_t n,
			struct slu_hosts *out);

/* Names of the nodes that may not be used, of what `scontrol -o show node`
 * says: those that are down, drained or do not answer, and those of `recruits`
 * (sorted) that do not show ion_free. */
int slu_down_nodes(const char *text, const struct slu_hosts *recruits,
		   struct slu_hosts *down, struct slu_err *err);

#endif

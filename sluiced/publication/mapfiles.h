/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_MAPFILES_H
#define SLU_SLUICED_MAPFILES_H

/*
 * Makes a directory agree with an assignment: a file for each job, those of
 * shared nodes (nodemaps.h), and SLU_MAP_WHOLE. These functions wait for the
 * disk, so they are for a child process.
 */

#include "select_io/ion/mapping.h"
#include "sluiced/publication/assignment.h"

/* JOBID.direct, beside JOBID.map: the job has no I/O nodes any more. The map
 * stays for processes that read it already; processes that start now do not use
 * it. */

#define SLU_MAP_WHOLE "mapping.json" /* all of it in one file */

/* Make the directory agree with `now`, given that it agreed with `before`
 * (NULL: unknown, so it is read). *nodes is the result for the nodes' files,
 * whose errors stop nothing else (kind 0: no error). */
int slu_map_files_write(const char *path, struct slu_mapper *mapper,
			const struct slu_epoch *before,
			const struct slu_epoch *now, struct slu_err *nodes,
			struct slu_err *err);

/* The result for all: rc and err, or the error of the nodes' files if there was
 * no other. */
int slu_map_files_verdict(int rc, const struct slu_err *nodes,
			  struct slu_err *err);

/* Both, with a mapper of its own, for the tests. */
int slu_publish_files(const char *path, const struct slu_epoch *before,
		      const struct slu_epoch *now, struct slu_err *err);

#endif

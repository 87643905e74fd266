/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_IONBENCH_LOAD_H
#define SLU_SELECT_IO_IONBENCH_LOAD_H

/*
 * Generates the load of one task of a measurement's step: writes its part of a
 * pattern's data to files, reads what another node's task has written, or
 * removes the files. Data is moved only by pwrite, pread and fsync (besides
 * open, close, mkdir, unlink and posix_fadvise), so that a client library which
 * is preloaded, or a mount, sees what an application would do.
 */

#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"

struct slu_load {
	const char *op;	  /* write, read or remove */
	const char *path; /* of the shared file; others add ".RANK" */
	bool shared, strided;
	uint64_t request, bytes; /* of a call; of a task's part, whole calls */
	uint64_t most;		 /* of these, from the first on, at most */
	double seconds;		 /* no call begins later than that */
	uint32_t rank, tasks, nodes;
};

/* Do it. *moved: bytes; *begun: Unix seconds after open(); *ended: after the
 * last call and, for writes, fsync(). */
int slu_load_run(const struct slu_load *load, uint64_t *moved, double *begun,
		 double *ended, struct slu_err *err);

#endif

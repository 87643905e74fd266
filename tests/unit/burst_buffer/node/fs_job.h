/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_FS_JOB_H
#define SLU_TESTS_FS_JOB_H

/*
 * Runs a job on two nodes (see nodes.h) with a file system that Debian does not
 * have and tests/fakes simulates. `sluice-node act` is the test program itself.
 */

#include "tests/unit/burst_buffer/node/node_files.h"

/* Start it, until it runs; end it, and what must be there after it. */
void begin_job(void);
void end_job(const char *state);
void end_job_well(void);

/* In a node, 0 when it was done, or is so: a script of the job's user with
 * $BB_JOBFS; nothing of the job is there any more. */
int uses_mount(const char *script);
int nothing_left(const char *arg);

#endif

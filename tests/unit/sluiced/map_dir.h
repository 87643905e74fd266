/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_MAP_DIR_H
#define SLU_TESTS_MAP_DIR_H

/* Test fixture for the publisher of I/O node assignments: a directory for the
 * files JOB.map (which I/O nodes a job uses), and assignments to publish. */

#include "sluiced/publication/mapping_publisher.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

extern struct slu_err err;
extern const char *dir;

/* An assignment of jobs of one node each: job 17 runs on n17. */
struct slu_epoch *epoch(uint64_t number, const uint32_t *job,
			const char *const *ions, size_t n);

#define EPOCH(number, jobs, ions) \
	epoch(number, jobs, ions, sizeof(jobs) / sizeof((jobs)[0]))

/* The text of a job's file, "" when there is none. */
const char *text(uint32_t job_id);

/* Make `dir`, in tmpdir(). */
void make_dir(const char *name);

/* Two jobs, and two I/O nodes. */
extern const uint32_t j12[2], j23[2];
extern const char *const i12[2], *const i34[2], *const i_direct[2];

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_IONBENCH_STEP_H
#define SLU_SELECT_IO_IONBENCH_STEP_H

/*
 * Runs a job step (srun), sums up what its tasks have moved, and ends the step
 * as soon as stop() returns a reason (for example that a job needs the I/O
 * nodes).
 */

#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"

struct slu_step {
	char *const *argv; /* srun and all */
	/* Asked ten times a second; a sentence: the step has to end. */
	const char *(*stop)(void *arg);
	void *arg;
	double seconds; /* that it may take */
};

struct slu_step_moved {
	uint64_t bytes, least; /* of all tasks; of the one with the fewest */
	double seconds;	       /* from the first beginning to the last end */
};

/* Sums up the lines "BYTES BEGUN ENDED" that the step's tasks print.
 * SLU_BUSY: the step was stopped, for the reason in *err; SLU_IO,
 * SLU_TIMEOUT: it failed. */
int slu_step_run(const struct slu_step *step, struct slu_step_moved *moved,
		 struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_JOB_OUTPUT_H
#define SLU_NODE_JOB_OUTPUT_H

/*
 * Writes lines into the job's own output (on the node of its batch script):
 * when its file system is ready, and when its stage-out is over. Errors are
 * only logged.
 */

#include "burst_buffer/node/node.h"

void slu_job_output_begin(struct slu_node *n);
/* text: one line or more. */
void slu_job_output_end(struct slu_node *n, const char *text);
/* Rewrites *err of a staging that failed for the user: with the names that
 * users know ($BB_JOBFS), and what to change if the job's own file system is
 * full. */
void slu_job_output_failure(const struct slu_node *n, bool out,
			    struct slu_err *err);

#endif

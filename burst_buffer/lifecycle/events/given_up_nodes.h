/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_GIVEN_UP_NODES_H
#define SLU_LIFECYCLE_GIVEN_UP_NODES_H

/* Handles nodes that slurmctld has given up, or has released from a job. */

#include "burst_buffer/lifecycle/record.h"

typedef int slu_run_node_f(struct slu_buffers *b, struct slu_bb *bb, size_t i,
			   double now, struct slu_err *err);
/* Slurm has given node i up. */
slu_run_node_f slu_run_lose_node;
/* Slurm has released node i. Unless it has reported clean, it is drained until
 * it does. */
slu_run_node_f slu_run_leave_node;
/* Calls fn for each node of the host list (invert: each node not in it) in all
 * runs of the job, then reconciles each run. list NULL: does nothing. */
int slu_runs_each_node(struct slu_buffers *b, uint32_t job_id, const char *list,
		       bool invert, slu_run_node_f *fn, double now,
		       struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_GIVEN_UP_NODES_H
#define SLU_LIFECYCLE_GIVEN_UP_NODES_H

/* Nodes of jobs that slurmctld has given up, or given free. */

#include "burst_buffer/lifecycle/record.h"

typedef int slu_run_node_f(struct slu_buffers *b, struct slu_bb *bb, size_t i,
			   double now, struct slu_err *err);
/* Slurm has given node i up. */
slu_run_node_f slu_run_lose_node;
/* Slurm has given node i free. Unless it reported clean before, it must not be
 * used until it did. */
slu_run_node_f slu_run_leave_node;
/* fn for each node of the list (or, inverted, not in it) of all runs of the
 * job; each run is reconciled then. NULL: no list. */
int slu_runs_each_node(struct slu_buffers *b, uint32_t job_id, const char *list,
		       bool invert, slu_run_node_f *fn, double now,
		       struct slu_err *err);

#endif

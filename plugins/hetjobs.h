/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_HETJOBS_H
#define SLU_PLUGINS_HETJOBS_H

/*
 * Finds the components of a heterogeneous job: each is a job, and the first of
 * them, the leader, has the list. The caller holds job READ, at least.
 */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* The leader, through which Slurm requeues and ends all components; any other
 * job, and one whose list does not exist yet (while slurmctld starts), is its
 * own leader. */
job_record_t *slu_hetjob_leader(const job_record_t *job);
/* Call fn for each component, or for the job alone; for list_for_each(): 0 goes
 * on. */
void slu_hetjob_each(const job_record_t *job, int (*fn)(void *job, void *arg),
		     void *arg);
/* How many components have a request for a file system. */
uint32_t slu_hetjob_buffers(const job_record_t *job);
/* The requests of those components that start together with it, borrowed;
 * returns how many. */
size_t slu_hetjob_others(const job_record_t *job,
			 struct slu_ctl_request request[SLU_CTL_OTHERS]);
/* For a job that slurmctld has found running at its start: do we have to launch
 * this one when its prologs have ended? Only the first component; and if
 * another one is configuring, Slurm does it. */
bool slu_hetjob_launches(const job_record_t *job);

#endif

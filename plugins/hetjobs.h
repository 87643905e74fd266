/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_HETJOBS_H
#define SLU_PLUGINS_HETJOBS_H

/* The components of a heterogeneous job: each is a job, and the first of them,
 * the leader, has the list. The caller holds job READ, at least. */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* The leader, which Slurm requeues and ends all of them by; any other job, and
 * one whose list is not there yet (while slurmctld starts), is its own. */
job_record_t *slu_hetjob_leader(const job_record_t *job);
/* fn for each of them, or for the job alone; for list_for_each(): 0 goes on. */
void slu_hetjob_each(const job_record_t *job, int (*fn)(void *job, void *arg),
		     void *arg);
/* How many of them have a request for a file system. */
uint32_t slu_hetjob_buffers(const job_record_t *job);
/* The requests of those that have yet to start with it, borrowed; returns how
 * many. */
size_t slu_hetjob_others(const job_record_t *job,
			 struct slu_ctl_request request[SLU_CTL_OTHERS]);
/* Of a job that slurmctld has found running at its start: would Slurm launch it
 * when its prologs have ended? The first component; but where another one is
 * configuring, it does so by itself. */
bool slu_hetjob_launches(const job_record_t *job);

#endif

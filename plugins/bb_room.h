/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_BB_ROOM_H
#define SLU_PLUGINS_BB_ROOM_H

/*
 * Decides whether a job may start, as far as pools and its stage-in are
 * concerned. All functions are called with slurmctld's lock of jobs.
 */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* When the job ends, Unix seconds; 0: there is no such job. */
int64_t slu_bb_end_of(uint32_t job_id);
/* Is there such a job that begins as soon as it gets nodes? */
bool slu_bb_is_pending(uint32_t job_id);
/* arg: a job_record_t. */
void slu_bb_copy_job(void *arg, struct slu_job *job);
/* Do holds, dependencies and begin time allow it to start? Slurm's
 * job_independent() in job_mgr.c checks them, and notes when they were met
 * first; but submissions, and starts planned for later (test_only), get here
 * without that. */
bool slu_bb_is_eligible(const job_record_t *job);
/* Array tasks that wait as one job, and have no job numbers yet. Slurm assigns
 * numbers to bb_array_stage_cnt tasks at a time (build_job_queue(),
 * job_scheduler.c): only those can be staged in. */
bool slu_bb_many_tasks(const job_record_t *job);
/* Stage-in before the job has nodes: 1: it is done, or its nodes will do it; 0:
 * it is running; -1: it has to wait. Not started yet for a job that could not
 * start for other reasons (test_only). */
int slu_bb_stage_in(struct slu_ctl *ctl, job_record_t *job, bool test_only,
		    char why[SLU_CTL_WHY]);

#endif

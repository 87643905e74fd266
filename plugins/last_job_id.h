/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_LAST_JOB_ID_H
#define SLU_PLUGINS_LAST_JOB_ID_H

/*
 * Numbers of jobs are not given twice. slurmctld saves its jobs up to some
 * seconds after a change; killed before, it comes back without those that have
 * begun since, and gives their numbers again. But nodes remember them: slurmd
 * runs no prolog for a number of which it believes that it runs there, and what
 * is still being cleaned, or kept, carries the forgotten job's.
 *
 * So the highest number that has begun is kept in a file of ours beside
 * slurmctld's.
 */

#include "plugins/host.h"

/* Of libsluice's table, see ctl/ops.h. */
uint32_t slu_last_job_id_pass(void *arg);
void slu_last_job_id_keep(void *arg, uint32_t last);

#endif

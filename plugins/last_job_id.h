/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_LAST_JOB_ID_H
#define SLU_PLUGINS_LAST_JOB_ID_H

/*
 * Prevents slurmctld from assigning a job number twice. slurmctld saves its
 * jobs up to some seconds after a change; if it is killed before, it restarts
 * without the jobs that have begun since, and assigns their numbers again. But
 * nodes still have the old jobs: slurmd runs no prolog for a number that it
 * believes to be running, and buffers that are being cleaned, or kept data,
 * have the lost job's number.
 *
 * So the highest number of a job that has begun is stored in our own file
 * beside slurmctld's.
 */

#include <stdint.h>

/* A function of libsluice's table, see ctl/ops.h. */
uint32_t slu_last_job_id_pass(void *arg);
void slu_last_job_id_keep(void *arg, uint32_t last);

#endif

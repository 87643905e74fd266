/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_IO_START_H
#define SLU_PLUGINS_IO_START_H

/*
 * Passes jobs' use of the parallel file system to libsluice (IOStart), and asks
 * it which jobs may start. Called with job WRITE; takes microseconds.
 */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* Must the job wait because too much bandwidth is in use? Then *why has the
 * reason, and its note the time since when. `test_only`: Slurm only asks
 * whether it could start, without starting it. */
bool slu_io_waits(struct slu_ctl *ctl, job_record_t *job, bool test_only,
		  char why[SLU_CTL_WHY]);
/* The job begins. */
void slu_io_begin(struct slu_ctl *ctl, job_record_t *job);
/* slurmctld starts: report the running jobs. */
void slu_io_load(struct slu_ctl *ctl);

#endif

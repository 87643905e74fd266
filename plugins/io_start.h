/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_IO_START_H
#define SLU_PLUGINS_IO_START_H

/* IOStart: what libsluice is told and asked of jobs' use of the parallel file
 * system. Under the write lock of jobs; microseconds. */

#include "ctl/ctl.h"
#include "plugins/compat.h"

/* May it not start now, as too much bandwidth is in use? *why says so, and its
 * note since when. `test_only` as Slurm has it: whether it could start now, or
 * at all, is asked, and it will not. */
bool slu_io_waits(struct slu_ctl *ctl, job_record_t *job, bool test_only,
		  char why[SLU_CTL_WHY]);
/* It begins. */
void slu_io_begin(struct slu_ctl *ctl, job_record_t *job);
/* slurmctld starts: what runs. */
void slu_io_load(struct slu_ctl *ctl);

#endif

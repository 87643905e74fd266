/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBFD_JOB_STATS_READER_H
#define SLU_SELECT_IO_TBFD_JOB_STATS_READER_H

/* Reads the job_stats of all targets of a server, with little memory. */

#include "common/err.h"
#include "sysmap/lustre/jobstats.h"

/* What jobs have done on every target below root ("/" is this server), also on
 * those of metadata: what is read and written there (Data-on-MDT) is I/O of
 * theirs, though no rule of an OST concerns it. *stats is filled anew. A target
 * that cannot be read to its end is not in it, which is no failure while there
 * are others. SLU_NOTFOUND: this is no server. */
int slu_job_stats_read(const char *root, struct slu_jobstats *stats,
		       struct slu_err *err);

/* The same of one kind of targets alone ("obdfilter", "mdt"): tokens are
 * theirs.
 */
int slu_job_stats_of(const char *root, const char *kind,
		     struct slu_jobstats *stats, struct slu_err *err);

#endif

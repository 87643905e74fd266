/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBF_JOB_TOTALS_H
#define SLU_SELECT_IO_TBF_JOB_TOTALS_H

/*
 * Sums up what each of Slurm's jobs has read and written on this server, and
 * its metadata operations, as totals that can be sent to sluiced any number of
 * times. Lustre drops the record of a job that has been idle for some minutes
 * and starts a new one when the job continues: the totals add them up.
 */

/*
 * A job's totals are sent when it has been idle for SLU_JOB_TOTALS_QUIET
 * seconds, as after its end, and while it is active after a tenth of its time
 * so far, at least SLU_JOB_TOTALS_SOON and at most SLU_JOB_TOTALS_EVERY
 * seconds. What sluiced has not confirmed is sent again; the totals of a job
 * that sluiced does not know, at intervals that grow to SLU_JOB_TOTALS_EVERY.
 * Jobs without I/O for a day, and without a record in Lustre, are dropped.
 * After a restart the totals in Lustre's records are sent; sluiced keeps the
 * larger ones. Jobs whose id is not a number are not Slurm's.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"
#include "sysmap/lustre/jobstats.h"
#include "wire/node.h"

#define SLU_JOB_TOTALS_QUIET  30.0    /* s */
#define SLU_JOB_TOTALS_SOON   60.0    /* s */
#define SLU_JOB_TOTALS_EVERY  600.0   /* s */
#define SLU_JOB_TOTALS_FORGET 86400.0 /* s */
#define SLU_JOB_TOTALS_MAX    65536   /* and no more */

struct slu_job_totals;

struct slu_job_totals *slu_job_totals_new(void); /* NULL without memory */
void slu_job_totals_free(struct slu_job_totals *io);

/* Adds a reading of job_stats; now: seconds of any clock. SLU_NOMEM: the
 * reading is left out. */
int slu_job_totals_read(struct slu_job_totals *io,
			const struct slu_jobstats *stats, double now,
			struct slu_err *err);
/* Fills out with up to max (SLU_SERVER_JOBS) jobs whose totals are to be sent
 * now, of which by_fs is borrowed until the next call; returns their number. */
size_t slu_job_totals_due(struct slu_job_totals *io, double now,
			  struct slu_server_job *out, size_t max);
/* Notes that sluiced has stored these totals, except those of unknown jobs,
 * which are sorted by job_id. */
void slu_job_totals_stored(struct slu_job_totals *io, double now,
			   const struct slu_server_job *said, size_t n,
			   const struct slu_job_number *unknown,
			   size_t n_unknown);
/* The number of jobs with totals. */
size_t slu_job_totals_count(const struct slu_job_totals *io);

#endif

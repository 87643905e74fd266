/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_KNOWN_JOBS_H
#define SLU_SLUICED_CONTROL_KNOWN_JOBS_H

/*
 * Keeps the jobs that run, and those that ended within the last hour, as
 * slurmctld reports them, with their users and nodes. In memory only; slurmctld
 * reports all of them when it connects.
 */

#include "common/err.h"
#include "common/hostlist.h"
#include "wire/control.h"

struct slu_jobs;

struct slu_known_job {
	uint32_t job_id;
	uint32_t uid;
	int64_t start;
	double ended;		/* when that was reported; 0: it runs */
	struct slu_hosts nodes; /* sorted: slu_hosts_sorted_has() */
	struct slu_job *job;	/* as slurmctld last reported it */
};

struct slu_jobs *slu_jobs_new(struct slu_err *err);
void slu_jobs_free(struct slu_jobs *jobs);

/* A job runs. One without nodes is ignored. */
int slu_jobs_start(struct slu_jobs *jobs, const struct slu_job *job,
		   struct slu_err *err);
/* A job has ended. Also removes, once a minute, those that ended an hour before
 * `now`. */
void slu_jobs_end(struct slu_jobs *jobs, uint32_t job_id, double now);
/* All jobs that slurmctld knows: those in a running state run, and no
 * others. */
int slu_jobs_set(struct slu_jobs *jobs, const struct slu_job *list, size_t n,
		 double now, struct slu_err *err);

/* Borrowed until the next change; NULL when unknown. */
const struct slu_known_job *slu_jobs_find(const struct slu_jobs *jobs,
					  uint32_t job_id);
/* The i-th of all known jobs; NULL: there are fewer. */
const struct slu_known_job *slu_jobs_at(const struct slu_jobs *jobs, size_t i);
size_t slu_jobs_running(const struct slu_jobs *jobs);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_KNOWN_JOBS_H
#define SLU_SLUICED_CONTROL_KNOWN_JOBS_H

/*
 * The jobs that run, and those that ended within the last hour, as slurmctld
 * told us: whose they are and on which nodes. In memory only; slurmctld tells
 * all of it again when it connects.
 */

#include "common/err.h"
#include "common/hostlist.h"
#include "wire/control.h"

struct slu_jobs;

struct slu_known_job {
	uint32_t job_id;
	uint32_t uid;
	int64_t start;
	double ended;		/* when we heard; 0: it runs */
	struct slu_hosts nodes; /* sorted: slu_hosts_sorted_has() */
	struct slu_job *job;	/* as it was when slurmctld told of it last */
};

struct slu_jobs *slu_jobs_new(struct slu_err *err);
void slu_jobs_free(struct slu_jobs *jobs);

/* A job runs. One without nodes is ignored. */
int slu_jobs_start(struct slu_jobs *jobs, const struct slu_job *job,
		   struct slu_err *err);
/* It has ended. Also forgets, once a minute, those that ended an hour before
 * `now`. */
void slu_jobs_end(struct slu_jobs *jobs, uint32_t job_id, double now);
/* All that slurmctld knows: those whose state says so run, and no others. */
int slu_jobs_set(struct slu_jobs *jobs, const struct slu_job *list, size_t n,
		 double now, struct slu_err *err);

/* Borrowed until the next change; NULL when unknown. */
const struct slu_known_job *slu_jobs_find(const struct slu_jobs *jobs,
					  uint32_t job_id);
/* The i-th of all that are known; NULL: there are not so many. */
const struct slu_known_job *slu_jobs_at(const struct slu_jobs *jobs, size_t i);
size_t slu_jobs_running(const struct slu_jobs *jobs);

#endif

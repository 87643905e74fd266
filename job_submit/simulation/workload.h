/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SIMULATION_WORKLOAD_H
#define SLU_JOB_SUBMIT_SIMULATION_WORKLOAD_H

/*
 * Holds the whole history of a site in memory, in the order in which its jobs
 * were submitted, for backtests: 80 bytes a job, and each text once.
 */

#include "job_submit/simulation/intern.h"
#include "store/db.h"
#include "wire/job.h"

struct slu_workload_job {
	int64_t submit, eligible, start, end; /* Unix s; eligible >= submit */
	int64_t run; /* s; 0: it teaches nothing (ended.h) */
	uint32_t uid;
	uint32_t user, name, account, partition, state; /* of slu_intern */
	uint32_t nodes, cpus;				/* 0: unknown */
	uint32_t asked, limit; /* minutes; 0: none, unknown */
	bool ours;	       /* that limit was set by us */
};

struct slu_workload {
	struct slu_workload_job *job;
	size_t n, room;
	struct slu_intern *names; /* of jobs without their counters */
};

/* Reports progress: called now and then with the name of the work, and how much
 * of it is done. */
struct slu_progress {
	void (*tell)(void *arg, const char *what, uint64_t done, uint64_t all);
	void *arg;
};
/* Calls tell() at each hundredth of the work, and at the end; NULL: no call. */
void slu_progress_report(const struct slu_progress *progress, const char *what,
			 uint64_t done, uint64_t all);

/* All runs of the history; slu_workload_free() frees, also after an error. */
int slu_workload_read(struct slu_db *db, const struct slu_progress *progress,
		      struct slu_workload *out, struct slu_err *err);
void slu_workload_free(struct slu_workload *past);
/* A run as a struct slu_job, to predict or to learn it; texts are borrowed. It
 * has the end, the run time and the submission that it had. */
struct slu_job slu_workload_job(const struct slu_workload *past, size_t i);
/* All of them by their ends: out[past->n] indexes. */
void slu_workload_by_end(const struct slu_workload *past, uint32_t *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SIMULATION_BACKTEST_MODE_H
#define SLU_JOB_SUBMIT_SIMULATION_BACKTEST_MODE_H

/*
 * Simulates the queue with the limits of one PredictMode: the second half of a
 * backtest (policy_backtest.h).
 */

#include "job_submit/simulation/easy_backfill.h"
#include "job_submit/simulation/workload_replay.h"

/* Of some jobs; see policy_backtest.h. */
struct slu_backtest_counts {
	uint64_t jobs, lowered, raised, extended, late, cut;
	double freed; /* processors, or nodes, times s */
	double wait;  /* s, sum over all */
};

struct slu_backtest_outcome {
	struct slu_backtest_counts all;
	struct slu_backtest_counts
		*of; /* users and partitions, by the numbers
			of their names, which are two lists */
	struct slu_easy_result easy;
};

/* The simulator's jobs, in the order of eligible times: those that were
 * submitted since ask->since and ran. */
struct slu_backtest_queue {
	uint32_t *job; /* index in the workload */
	struct slu_easy_job *easy;
	size_t n;
	uint64_t larger;       /* jobs larger than the machine, left out */
	int64_t machine;       /* its size */
	bool cpus;	       /* in processors; else in nodes */
	double wait, slowdown; /* as it was, means */
};

/* -1: no memory. Freed by slu_backtest_queue_free(), also then. */
int slu_backtest_queue(const struct slu_workload *past,
		       const struct slu_backtest_options *ask,
		       struct slu_backtest_queue *out, struct slu_err *err);
void slu_backtest_queue_free(struct slu_backtest_queue *q);

/* out->of is freed by the caller, also after an error. */
int slu_backtest_outcome(const struct slu_workload *past,
			 const struct slu_workload_replayed *said,
			 const struct slu_backtest_queue *q,
			 const struct slu_backtest_options *ask,
			 enum slu_backtest_mode mode,
			 struct slu_backtest_outcome *out, struct slu_err *err);
/* Where of[] has a user's, and a partition's. */
static inline uint32_t slu_backtest_user(const struct slu_workload_job *job)
{
	return 2 * job->user;
}

static inline uint32_t
slu_backtest_partition(const struct slu_workload_job *job)
{
	return 2 * job->partition + 1;
}

#endif

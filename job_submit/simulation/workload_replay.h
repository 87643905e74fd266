/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SIMULATION_WORKLOAD_REPLAY_H
#define SLU_JOB_SUBMIT_SIMULATION_WORKLOAD_REPLAY_H

/*
 * Computes the prediction that each recorded job would have had, and the limits
 * that it would have got: the first half of a backtest (policy_backtest.h).
 */

#include "job_submit/simulation/policy_backtest.h"
#include "job_submit/time_limit.h"

enum slu_backtest_mode {
	SLU_BACKTEST_ADVISE,
	SLU_BACKTEST_FILL,
	SLU_BACKTEST_TIGHTEN,
	SLU_BACKTEST_EARLY,
	SLU_BACKTEST_MODES
};
extern const char *const slu_backtest_name[SLU_BACKTEST_MODES];

#define SLU_WORKLOAD_REPLAY_SHARES 3
extern const double
	slu_workload_replay_share[SLU_WORKLOAD_REPLAY_SHARES]; /* .5 .9 .99 */

struct slu_workload_replayed {
	uint32_t predicted;		    /* s; 0: nothing was known */
	uint32_t limit[SLU_BACKTEST_MODES]; /* minutes, or SLU_LIMIT_NONE */
	bool judged;
	bool warned;
	bool below[SLU_WORKLOAD_REPLAY_SHARES]; /* it ended within that quantile
						 */
};

/* The limit without Sluice: the one asked for, else the one that Slurm filled
 * in; minutes, or SLU_LIMIT_NONE. */
uint32_t slu_workload_replay_whole(const struct slu_workload_job *job);

/* Fills out[past->n]. -1 without memory, or if the options are wrong. */
int slu_workload_replay(const struct slu_workload *past,
			const struct slu_backtest_options *ask,
			struct slu_workload_replayed *out, struct slu_err *err);

#endif

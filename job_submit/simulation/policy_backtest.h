/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SIMULATION_POLICY_BACKTEST_H
#define SLU_JOB_SUBMIT_SIMULATION_POLICY_BACKTEST_H

/*
 * Estimates what each PredictMode would have done to the jobs of the past. The
 * recorded jobs are submitted and end again in the recorded order, and the
 * shipped predictor predicts each from the jobs that had ended before.
 * time_limit.h decides which limit a job would have had, and when the guard
 * would have extended it. The simulator of easy_backfill.h then says how long
 * jobs would have waited, with all jobs of the site on one machine without
 * partitions.
 */

/*
 * Not recorded, and so left out: jobs that kept their limits (tighten=no,
 * --signal and others, see sluice.conf(5)), reservations, priorities, what a
 * partition and its nodes are. A partition's MaxTime is taken to be the longest
 * limit that a job of it has had before.
 */

#include <json-c/json.h>
#include "common/conf.h"
#include "job_submit/simulation/workload.h"

struct slu_backtest_options {
	double quantile; /* see slu_predictor_new() */
	int64_t floor;
	int64_t since; /* Unix s: jobs that were submitted before only teach */
	const char *mode; /* only this one; NULL: all */
	int64_t machine;  /* processors, or nodes where most jobs do not tell of
			     theirs; 0: as many as were in use, but for the
			     busiest hundredth of the time */
	const struct slu_progress *progress; /* NULL: no reports */
};

/*
 * One object; numbers that are not known are absent:
 *
 *   jobs	of the past
 *   judged	those of them that predictions are judged by: submitted `since`,
 *		and not ended by the system
 *   first	Unix s: the first submission of these
 *   last	and the last
 *   machine	how large it is taken to be
 *   unit	"processors" or "nodes"
 *   larger	jobs than the machine that was asked for, which are left out of
 *		the simulation
 *   errors	{jobs (that had a prediction), median_error, mean_error,
 *		median_error_asked, under, user, partition, week}: as
 *		slu_history_accuracy() has them
 *   calibration
 *		[{share, below, worst, week}]: which part of the jobs ended
 *		within the time that `share` of them should end within; by how
 *		much that is off in the worst week of at least 100 jobs, and
 *		its Monday
 *   warnings	{jobs, came_true, ended_at_limit, of_these}: submissions that
 *		would have been warned; how many of them ended at their limit,
 *		or failed there; how many did in all, and which part of them
 *		would have been warned
 *   recorded	{wait, slowdown}: as it was; as in modes
 *   modes	[{mode, ...}], of which "advise" changes no limit:
 *     jobs	that were simulated: submitted `since`, and ran
 *     lowered	limits below what was asked for
 *     raised	above the default one
 *     extended	of the lowered ones, those that had to grow
 *     late	that did with less than a minute left
 *     cut	that did too late, so that Slurm would have ended the job
 *     freed	hours, of the unit, that were booked and not needed, and would
 *		not have been booked: of the lowered ones that did not grow
 *     wait	mean, s, in the simulation
 *     longest_wait
 *		s
 *     slowdown	mean, bounded: (wait + run) / max(run, 10 s), at least 1
 *     delayed	planned starts that extensions put off
 *     delay	by how much, mean, s
 *   user, partition
 *		[{user or partition, mode, jobs, lowered, raised, extended,
 *		late, cut, freed, wait}]: the same for each, most jobs first
 *
 * The caller puts it. -1: error.
 */
int slu_backtest(struct slu_db *db, const struct slu_backtest_options *ask,
		 struct json_object **out, struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_ARBITER_H
#define SLU_ION_ARBITER_H

/*
 * Assigns I/O nodes to the running jobs: how many (policy.h) and which ones
 * (placement.h), from the pool, the jobs with their choices, and the assignment
 * in force (Bez et al., IPDPS 2021, section 3). The set of running jobs is
 * given as a whole or job by job; under MCKP the same set gives the same
 * numbers, up to equal optima, whatever the order of events. A solve after an
 * event only processes what the event has changed (division.h), and its result
 * may have only those jobs. No clock, no files. One thread.
 */

#include "common/conf.h"
#include "common/hostlist.h"
#include "select_io/curves/performance_table.h"
#include "select_io/ion/arbiter/forecast.h"
#include "wire/ion_assignment.h"
#include "wire/control.h"

struct slu_arbiter;

/* The pool is conf->io_nodes; compute_nodes (> 0) is C of the whole system,
 * for STATIC (R = C / F). conf is only read during the call. */
struct slu_arbiter *slu_arbiter_new(const struct slu_conf *conf,
				    uint32_t compute_nodes,
				    struct slu_err *err);
void slu_arbiter_free(struct slu_arbiter *a);

/* The configuration or the machine has changed. What was learnt stays, the
 * running jobs too, and they hold what is still in the pool. */
int slu_arbiter_configure(struct slu_arbiter *a, const struct slu_conf *conf,
			  uint32_t compute_nodes, struct slu_err *err);

/* The site's table, for jobs whose history is not known; NULL: none. It is
 * borrowed until the next call of this. */
void slu_arbiter_patterns(struct slu_arbiter *a,
			  const struct slu_patterns *patterns);

/* How far the I/O nodes are from the compute nodes; until then all are alike.
 * Jobs keep the I/O nodes that they have. */
int slu_arbiter_distances(struct slu_arbiter *a,
			  const struct slu_distances *distances,
			  struct slu_err *err);

/* Sets the time, Unix seconds. How long jobs have had their I/O nodes is not
 * known for the time before the first call. */
void slu_arbiter_clock(struct slu_arbiter *a, int64_t now);

/* Sets how many standard errors are added to the estimated bandwidth of a job
 * with a number of I/O nodes (conf->explore), to compare rules of exploration;
 * by default the same for all. */
typedef double slu_explore_f(void *arg, const struct slu_job *job,
			     uint32_t ions);
void slu_arbiter_explore_by(struct slu_arbiter *a, slu_explore_f *fn,
			    void *arg);

/* Teach what an ended job reached: io_bandwidth with job.ions I/O nodes, or, if
 * that is SLU_NO_ID, with those of job.ion_times. Rows without I/O are ignored,
 * and those with 0 I/O nodes at some time unless DirectAccess. */
void slu_arbiter_learn(struct slu_arbiter *a,
		       const struct slu_history_row *row);

/* Begins to learn the history anew: the former curves are used until
 * slu_arbiter_retrained() replaces them by the new ones, if anything was
 * learnt; the next solve then processes every job. -1 without memory: nothing
 * has changed. */
int slu_arbiter_retrain(struct slu_arbiter *a);
void slu_arbiter_retrained(struct slu_arbiter *a, bool anything);

/* A job runs (again: harmless; with other nodes: it was resized; another start
 * time is another run) or has ended (unknown: harmless). Its I/O nodes go to
 * others with the next solve. */
int slu_arbiter_start(struct slu_arbiter *a, const struct slu_job *job,
		      struct slu_err *err);
void slu_arbiter_end(struct slu_arbiter *a, uint32_t job_id);
/* Is this a running job of the arbiter, but with other nodes? */
bool slu_arbiter_resized(const struct slu_arbiter *a,
			 const struct slu_job *job);
/* Set the predicted profile (performance_table.h) of a running job that names
 * no patterns itself, and its source ("5 runs"), for people. A changed profile
 * counts from the next solve on; ignored for a job that is not running, or that
 * names patterns. NULL: none. */
int slu_arbiter_predict(struct slu_arbiter *a, uint32_t job_id,
			const char *profile, const char *because,
			struct slu_err *err);
/* Sets the running jobs to these and no others; after an error of one job the
 * rest are still taken. */
int slu_arbiter_set(struct slu_arbiter *a, const struct slu_job *jobs, size_t n,
		    struct slu_err *err);
/* I/O nodes that may not be given now (down, drained); they are given back
 * when a later call leaves them out. Other names are ignored. */
void slu_arbiter_unavailable(struct slu_arbiter *a,
			     const struct slu_hosts *hosts);
/* After a restart: running jobs hold what they held by this assignment, as far
 * as the pool has those nodes, and nothing else. */
int slu_arbiter_resume(struct slu_arbiter *a,
		       const struct slu_assignment *before,
		       struct slu_err *err);

/*
 * Solve and place. *out is filled anew (slu_msg_clear with
 * slu_assignment_desc frees it); epoch, time and event are the caller's to
 * set. Jobs are in order of their ids. A job's `in_effect` is the number it has
 * now; `wanted` the one that the policy would give it if none were fixed:
 * the same with RemapRunning. static_total is what STATIC would reach if it had
 * divided the same pool among the same jobs: all at once with RemapRunning,
 * else as they came (after a restart: from what they hold on). MCKP's total is
 * not below it (policy.h), unless with RemapRunning=no numbers are tried
 * (explore.c).
 */
int slu_arbiter_solve(struct slu_arbiter *a, struct slu_assignment *out,
		      struct slu_err *err);
/* The same as a difference from the last answer of slu_arbiter_solve() or of
 * this function (assignment_delta.h): new and changed jobs, and those that have
 * ended. `base` too is the caller's to set. After a failure the next answer has
 * more jobs. */
int slu_arbiter_changes(struct slu_arbiter *a, struct slu_assignment *out,
			struct slu_err *err);

/* The i-th running job, by their ids; NULL: there are no more. Borrowed until
 * one starts or ends. */
const struct slu_job *slu_arbiter_job(const struct slu_arbiter *a, size_t i);

/* I/O nodes of its own that job_id has had since its first solve; SLU_NO_ID
 * when there is no such number: it shares one, had another one, or is
 * unknown. */
uint32_t slu_arbiter_held(const struct slu_arbiter *a, uint32_t job_id);
/* The mean bandwidths that were predicted for a job, until `end`. -1: for a
 * tenth of its time or more there was no prediction. */
int slu_arbiter_forecast(const struct slu_arbiter *a, uint32_t job_id,
			 int64_t end, struct slu_ion_forecast *out);
/* How long it has had which number, until `end` (Unix seconds). -1: that is not
 * known, or it shared one for some time. */
int slu_arbiter_times(const struct slu_arbiter *a, uint32_t job_id, int64_t end,
		      struct slu_ion_times *out);

#endif

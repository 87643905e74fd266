/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_DIVISION_DIVISION_H
#define SLU_SELECT_IO_DIVISION_DIVISION_H

/*
 * Divides a pool of I/O nodes among the running jobs by a policy (policy.h),
 * incrementally while jobs start, end and change: the cost of a solve depends
 * on what has changed since the last one, and it allocates no memory. The
 * result is as good as that of a new division of the same jobs; it may be a
 * different one of several optima. MCKP with fixed numbers depends on what
 * STATIC gave the jobs before, which a new division does not know.
 *
 * In two cases the next solve starts from scratch: fixed numbers that do not
 * fit (which jobs are lowered depends on all of them), and a shared I/O node
 * (its value for each job depends on how many run).
 *
 * One thread. No clock, no randomness.
 */

#include "select_io/division/policy.h"

#define SLU_ION_NEW UINT32_MAX

struct slu_ion_division *slu_ion_division_new(struct slu_err *err);
void slu_ion_division_free(struct slu_ion_division *d);

/* Removes all jobs; memory is kept for the next ones. */
void slu_ion_division_clear(struct slu_ion_division *d);

/* Sets the policy and the pool from the next solve on. shares_owned:
 * the shared I/O node is a running job's own, so none need be set aside. */
void slu_ion_division_rules(struct slu_ion_division *d,
			    enum slu_ion_policy policy, uint32_t pool,
			    bool shares_owned);

/* The most I/O nodes that a group of jobs may have together, 0: no limit, at
 * most SLU_ION_LIMIT_MOST. A limit lowers no job below the least of its
 * choices, nor below what it holds if that may not be changed. From the next
 * solve on, which with limits starts from the jobs and takes memory. */
#define SLU_ION_LIMIT_MOST 1000
void slu_ion_division_limits(struct slu_ion_division *d,
			     const uint32_t limit[SLU_ION_GROUPS]);

/* A job, by the slot that it was given before, or SLU_ION_NEW for a new one:
 * *slot is then its name here. Everything of it is copied. `age` says who is
 * newer: higher; no two jobs have the same, and a job keeps its own. */
int slu_ion_division_put(struct slu_ion_division *d, uint32_t *slot,
			 uint32_t age, const struct slu_ion_job *job,
			 struct slu_err *err);
void slu_ion_division_drop(struct slu_ion_division *d, uint32_t slot);

/* proof may be NULL, or be asked for afterwards, when what was granted has been
 * put. After a failure the next solve starts from the jobs. */
int slu_ion_division_solve(struct slu_ion_division *d,
			   struct slu_ion_proof *proof, struct slu_err *err);
int slu_ion_division_bound(struct slu_ion_division *d,
			   struct slu_ion_proof *proof, struct slu_err *err);

/* By the last solve. */
struct slu_ion_grant slu_ion_division_grant(const struct slu_ion_division *d,
					    uint32_t slot);
struct slu_ion_grant
slu_ion_division_static_grant(const struct slu_ion_division *d, uint32_t slot);
/* Total MB/s of the measured jobs, or (claimed) of those that have only a
 * table's curve; if no job is measured, those count as measured. */
double slu_ion_division_total(const struct slu_ion_division *d, bool claimed);
/* And what STATIC reaches with the same: from the start, or where numbers are
 * fixed from event to event. */
double slu_ion_division_static_total(const struct slu_ion_division *d,
				     bool claimed);
/* The totals of the measured jobs, each MB/s times the weight of its job: the
 * sum that MCKP maximises. */
double slu_ion_division_worth(const struct slu_ion_division *d);
double slu_ion_division_static_worth(const struct slu_ion_division *d);
/* Ages of the jobs whose grant differs from before the last solve, with new
 * ones; borrowed until the next call. */
const uint32_t *slu_ion_division_changed(const struct slu_ion_division *d,
					 size_t *n);

/* Fill grant[n]. What running jobs hold must fit in the pool. With an empty
 * pool no job gets an I/O node. The division `lent` is only working space: the
 * jobs that it had are forgotten; proof may be NULL. */
int slu_ion_decide(struct slu_ion_division *lent, enum slu_ion_policy policy,
		   uint32_t pool, const struct slu_ion_job *job, size_t n,
		   struct slu_ion_grant *grant, struct slu_ion_proof *proof,
		   struct slu_err *err);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_ION_ARBITER_PRIVATE_H
#define SLU_SELECT_IO_ION_ARBITER_PRIVATE_H

/*
 * Private to select_io/ion: the state of the arbiter, its pool, running jobs
 * and curves.
 */

#include "select_io/ion/arbiter/arbiter.h"
#include "select_io/division/division.h"
#include "select_io/ion/arbiter/forecast.h"
#include "select_io/ion/hop_distances.h"
#include "select_io/curves/performance_table.h"
#include "select_io/ion/placement.h"
#include "wire/ion_assignment.h"

/*
 * The same jobs are divided twice: by the policy without fixed numbers, and
 * with those of running jobs fixed, unless running jobs may be remapped anyway.
 */
enum { FREELY, IN_EFFECT, DIVISIONS };

enum known_from {
	FROM_NOTHING,
	FROM_RUNS,
	FROM_TABLE,
	FROM_BOTH,
};

struct running {
	struct slu_job job;
	uint64_t class;			/* job class, key of its curve */
	uint64_t user;			/* key: the user and job size */
	uint64_t group[SLU_ION_GROUPS]; /* user's and account's, for limits */
	double counts;
	uint32_t *choice;
	size_t n_choice;
	uint32_t usual, limit;
	char *predicted, *because; /* I/O profile, its source; or NULL */
	char *why;   /* reason for its number, at the last solve */
	bool tabled; /* `table` is valid: profile in the table */
	struct slu_curve table;
	enum known_from from; /* source of its curve, at the last solve */
	struct slu_curve curve;
	bool granted;		    /* took part in a solve */
	bool changed;		    /* got another grant than the first: */
	bool untimed;		    /* the times of former grants unknown */
	struct slu_ion_times times; /* time with each former grant */
	int64_t since;		    /* start of the present grant */
	uint32_t wanted;
	struct slu_ion_grant grant;
	uint32_t have;	 /* working I/O nodes of its own */
	uint32_t *far;	 /* hops by place, or NULL */
	bool dirty;	 /* is in a->dirty */
	bool unreported; /* is in a->unreported */
	bool reported;	 /* was in the last answer */
	bool tries;	 /* has a trial, as long as it runs, with: */
	uint32_t trial;
	double loss; /* MB/s that the trial is predicted to cost */
	/* The forecast since `seen`, and the integral of the former ones. */
	struct slu_ion_forecast foreseen, forecasts;
	double forecast_for; /* s */
	int64_t first_seen, seen;
	uint32_t slot[DIVISIONS];
};

#define MAX_LEARNT 16
#define MAX_CURVES 16384

struct slu_ion_name {
	const char *name; /* borrowed from the pool */
	size_t at;	  /* index in the pool */
};

struct slu_arbiter {
	enum slu_ion_policy policy;
	uint32_t compute_nodes;
	uint32_t max_per_job, min_per_job;
	uint32_t limit[SLU_ION_GROUPS];
	struct slu_weights qos_weights, account_weights;
	bool direct, remap;
	double explore; /* share that trials may cost; 0: no trials */
	double saved;	/* budget of trials in MB at saved_at */
	int64_t saved_at;
	double best; /* MB/s of the division without trials since then */
	double lost; /* MB/s that trials cost since then */
	bool trying; /* some job has a trial */
	slu_explore_f *hope;
	void *hope_arg;
	struct slu_hosts pool;
	char *pool_text;		/* the pool as a host list */
	struct slu_ion_node *node;	/* of the pool, same order */
	struct slu_ion_name *by_name;	/* the pool sorted by name */
	uint32_t pool_size;		/* available I/O nodes */
	size_t shared;			/* in the pool, or SLU_ION_NOBODY */
	struct slu_hop_distances *near; /* NULL: not known */
	int64_t now;			/* 0: not known */

	/* Sorted by job_id. The other lists have space for all of them. */
	struct running **run, **dirty;
	struct running **unreported; /* changed since the last answer */
	uint32_t *gone;		     /* ended since the last answer */
	struct slu_ion_seat *seat;
	size_t n_run, max_run, n_dirty, n_unreported, n_gone;
	size_t n_sharing; /* jobs on the shared I/O node */

	struct slu_curves *curves;
	struct slu_curves
		*in_training; /* replaces curves after a reread; or NULL */
	uint64_t learnt[MAX_LEARNT]; /* classes changed since the last solve */
	size_t n_learnt;	     /* above MAX_LEARNT: all classes */
	const struct slu_patterns *patterns; /* may be NULL */

	struct slu_ion_division *division[DIVISIONS];
};

/* job_list.c: where job_id is in a->run, or would be. */
size_t slu_ion_position(const struct slu_arbiter *a, uint32_t job_id);
struct running *slu_ion_find(const struct slu_arbiter *a, uint32_t job_id);
/* Marks the job dirty: the divisions have to be updated. */
void slu_ion_touch(struct slu_arbiter *a, struct running *r);
/* Marks the job's share as changed since the last answer. */
void slu_ion_touch_answer(struct slu_arbiter *a, struct running *r);
/* Forgets numbers that were fixed under another setting. */
void slu_ion_forget_fixed(struct slu_arbiter *a);
/* Marks all jobs dirty. */
void slu_ion_touch_all(struct slu_arbiter *a);

/* running_jobs.c: what the job may choose in this pool; -1 without memory. */
int slu_ion_find_choices(const struct slu_arbiter *a, struct running *r);
void slu_ion_running_free(struct running *r);

/* Records the time with the present grant, before the job gets another one. */
void slu_ion_note_time(struct running *r, int64_t now);

/* job_divisions.c: the job as the divisions see it, its number fixed in effect;
 * tell one of them. */
struct slu_ion_job slu_ion_job_of(const struct slu_arbiter *a,
				  const struct running *r);
int slu_ion_put(struct slu_arbiter *a, struct running *r, int division,
		const struct slu_ion_job *job, struct slu_err *err);
/* The division by which the grants are made, and which of a job's
 * slots is in it. */
struct slu_ion_division *slu_ion_granting(const struct slu_arbiter *a);
int slu_ion_granting_slot(const struct slu_arbiter *a);
/* Puts the job into it with its trial, if it has one; hoped: without a trial,
 * but with that curve. */
int slu_ion_put_trial(struct slu_arbiter *a, struct running *r,
		      const struct slu_curve *hoped, struct slu_err *err);
/* fairness.c: reads limits and weights from the configuration; finds those of
 * a job. -1 without memory. */
int slu_ion_take_fairness(struct slu_arbiter *a, const struct slu_conf *conf);
void slu_ion_find_fairness(const struct slu_arbiter *a, struct running *r);

/* job_forecasts.c: after grants were settled. */
void slu_ion_update_forecasts(struct slu_arbiter *a);

/* ion_pool.c: replaces the pool; nodes that are in both keep their owner. */
int slu_ion_set_pool(struct slu_arbiter *a, const struct slu_hosts *pool,
		     struct slu_err *err);
/* Counts every job's working nodes; touches jobs that have lost some. */
void slu_ion_recount(struct slu_arbiter *a);
/* Does the job have all nodes of its grant? */
bool slu_ion_holds(const struct slu_arbiter *a, const struct running *r);
/* Finds the hops from a job to the I/O nodes; -1 without memory. */
int slu_ion_find_far(const struct slu_arbiter *a, struct running *r);
/* Frees the job's nodes; the job need not exist any more. */
void slu_ion_release(struct slu_arbiter *a, uint32_t job_id);

/* explore.c: solves once more with trials, after the granting division. */
int slu_ion_explore(struct slu_arbiter *a, struct slu_err *err);
slu_explore_f slu_ion_optimistic_curve;

/* assignment_message.c: updates the reason for a job's number; -1 without
 * memory. */
int slu_ion_explain(const struct slu_arbiter *a, struct running *r);
/* Describes the assignment in force: all jobs, or only those with unsent
 * changes, and the ids of ended jobs. -1 without memory. */
int slu_ion_answer(struct slu_arbiter *a, const struct slu_ion_proof *proof,
		   bool all, struct slu_assignment *out);

#endif

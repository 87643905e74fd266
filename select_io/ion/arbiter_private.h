/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_ION_ARBITER_PRIVATE_H
#define SLU_SELECT_IO_ION_ARBITER_PRIVATE_H

/* Private to select_io/ion: the state of the arbiter. */

#include "select_io/ion/arbiter.h"
#include "select_io/division/division.h"
#include "select_io/ion/forecast.h"
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
	uint64_t class;			/* whose curve it has */
	uint64_t user;			/* of jobs of this size */
	uint64_t group[SLU_ION_GROUPS]; /* whose limits are for it */
	double counts;
	uint32_t *choice;
	size_t n_choice;
	uint32_t usual, limit;
	char *predicted, *because; /* profile, and by what; or NULL */
	char *why;		   /* it has its number, as of its last solve */
	bool tabled;		   /* its profile is in the site's table: */
	struct slu_curve table;
	enum known_from from; /* as of its last solve: what is known of it */
	struct slu_curve curve;
	bool granted;		    /* took part in a solve */
	bool changed;		    /* has not what it was granted first */
	bool untimed;		    /* nor is known how long it had what */
	struct slu_ion_times times; /* it had others before, */
	int64_t since;		    /* and this one since then */
	uint32_t wanted;
	struct slu_ion_grant grant;
	uint32_t have; /* I/O nodes of its own that work */
	uint32_t *far; /* by place, or NULL */
	bool dirty;    /* is in a->dirty */
	bool unsaid;   /* is in a->unsaid */
	bool said;     /* was in an answer */
	bool tries;    /* this number, as long as it runs: */
	uint32_t trial;
	double loss; /* MB/s that this was predicted to cost */
	/* What is predicted of it since `seen`; and before, times seconds. */
	struct slu_ion_forecast foreseen, forecasts;
	double forecast_for; /* s */
	int64_t first_seen, seen;
	uint32_t slot[DIVISIONS];
};

#define MAX_LEARNT 16
#define MAX_CURVES 16384

struct slu_ion_name {
	const char *name; /* the pool's */
	size_t at;	  /* in it */
};

struct slu_arbiter {
	enum slu_ion_policy policy;
	uint32_t compute_nodes;
	uint32_t max_per_job, min_per_job;
	uint32_t limit[SLU_ION_GROUPS];
	struct slu_weights qos_weights, account_weights;
	bool direct, remap;
	double explore;	  /* share that trials may cost; 0: none are made */
	double saved;	  /* MB that trials may cost, as of */
	int64_t saved_at; /* this time; since then, in MB/s, */
	double best;	  /* the division without trials reaches, */
	double lost;	  /* and with them so much less */
	bool trying;	  /* some job has a trial */
	slu_explore_f *hope;
	void *hope_arg;
	struct slu_hosts pool;
	char *pool_text;		/* the same as a host list */
	struct slu_ion_node *node;	/* of the pool, same order */
	struct slu_ion_name *by_name;	/* the same, sorted by names */
	uint32_t pool_size;		/* that are available */
	size_t shared;			/* in the pool, or SLU_ION_NOBODY */
	struct slu_hop_distances *near; /* NULL: not known */
	int64_t now;			/* 0: nobody has said */

	/* By job_id. The lists beside it have room for all of them. */
	struct running **run, **dirty;
	struct running **unsaid; /* other than in the last answer */
	uint32_t *gone;		 /* in the last answer, not running any more */
	struct slu_ion_seat *seat;
	size_t n_run, max_run, n_dirty, n_unsaid, n_gone;
	size_t n_sharing; /* of them use the shared one */

	struct slu_curves *curves;
	struct slu_curves *pupil;    /* is taught in their place; NULL: none */
	uint64_t learnt[MAX_LEARNT]; /* classes, since the last solve */
	size_t n_learnt;	     /* more than MAX_LEARNT: who knows */
	const struct slu_patterns *patterns; /* may be NULL */

	struct slu_ion_division *division[DIVISIONS];
};

/* running_jobs.c: where job_id is in a->run, or would be. */
size_t slu_ion_position(const struct slu_arbiter *a, uint32_t job_id);
struct running *slu_ion_find(const struct slu_arbiter *a, uint32_t job_id);
/* What the divisions know of it is not right any more. */
void slu_ion_touch(struct slu_arbiter *a, struct running *r);
/* Its share may be another one than in the last answer. */
void slu_ion_touch_answer(struct slu_arbiter *a, struct running *r);
/* What the job may choose in this pool; -1 without memory. */
int slu_ion_find_choices(const struct slu_arbiter *a, struct running *r);
void slu_ion_running_free(struct running *r);

/* It had what it was granted until now, and gets something else. */
void slu_ion_note_time(struct running *r, int64_t now);

/* arbiter.c: the division by which the grants are made, and which of a job's
 * slots is in it. */
struct slu_ion_division *slu_ion_granting(const struct slu_arbiter *a);
int slu_ion_granting_slot(const struct slu_arbiter *a);
/* Tell it of the job with its trial, if it has one; hoped: as if its curve were
 * that one, without. */
int slu_ion_put_trial(struct slu_arbiter *a, struct running *r,
		      const struct slu_curve *hoped, struct slu_err *err);
/* Every job is to be divided anew. */
void slu_ion_touch_all(struct slu_arbiter *a);
/* What numbers were fixed at is not what they will be. */
void slu_ion_forget_fixed(struct slu_arbiter *a);

/* fairness.c: what the configuration says of whose jobs; which of it is for
 * this one. -1 without memory. */
int slu_ion_take_fairness(struct slu_arbiter *a, const struct slu_conf *conf);
void slu_ion_find_fairness(const struct slu_arbiter *a, struct running *r);

/* forecast.c: after grants were settled. */
void slu_ion_update_forecasts(struct slu_arbiter *a);

/* ion_pool.c: another pool in place of the old; nodes of both keep their owner.
 */
int slu_ion_set_pool(struct slu_arbiter *a, const struct slu_hosts *pool,
		     struct slu_err *err);
/* Count what every job has; touch those that have lost something. */
void slu_ion_recount(struct slu_arbiter *a);
/* Nothing of what the job was granted has failed or been taken. */
bool slu_ion_holds(const struct slu_arbiter *a, const struct running *r);
/* How far the I/O nodes are from a job; -1 without memory. */
int slu_ion_find_far(const struct slu_arbiter *a, struct running *r);
/* The job's nodes are free; it need not be there any more. */
void slu_ion_release(struct slu_arbiter *a, uint32_t job_id);

/* explore.c: after the granting division was solved, once more with trials. */
int slu_ion_explore(struct slu_arbiter *a, struct slu_err *err);
slu_explore_f slu_ion_optimistic_curve;

/* assignment_message.c: say anew why a job has its number; -1 without memory.
 */
int slu_ion_explain(const struct slu_arbiter *a, struct running *r);
/* Describe the assignment in force: all jobs, or only those with unsent
 * changes, and the ids of those that have gone. -1 without memory. */
int slu_ion_answer(struct slu_arbiter *a, const struct slu_ion_proof *proof,
		   bool all, struct slu_assignment *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_FOLLOWED_H
#define SLU_CTL_FOLLOWED_H

/*
 * Follows jobs from their start until their nodes are clean: holds launches
 * until I/O nodes are published, moves the end of a job that is being set up,
 * and notices nodes that leave COMPLETING.
 */

#include "common/hostlist.h"
#include "wire/job.h"

struct slu_ctl;

/* A job that runs, has just ended, or whose nodes are still being cleaned. */
struct slu_followed {
	uint32_t job_id;
	int64_t start; /* of this run, Unix seconds */
	uint32_t restarts;
	bool has_buffer; /* asked for a file system */
	bool ended;
	bool learned; /* the predictor has got the run, and history the row */
	/* as the daemon knows it, see wire/job.h */
	int64_t suspended, suspended_since;
	double forget_at; /* ended: when it may be forgotten */
	/* Its launch waits in prolog_slurmctld until this epoch is published,
	 * or until the time is over. */
	bool held;
	double held_until;
	uint64_t epoch; /* 0: not solved yet */
	bool unmapped;	/* it was launched before */
	/* It is being set up: its end is kept ahead. After that, what it was
	 * given back, seconds: Slurm forgets it when a job is resumed, or its
	 * limit changed. */
	bool setting_up;
	int64_t gave_back;
	/* Ended, with a buffer: the nodes whose epilog has not ended. */
	struct slu_hosts remaining;
};

/* NULL: the job is not followed. */
struct slu_followed *slu_followed_get(struct slu_ctl *ctl, uint32_t job_id);
/* Follow a job's (new) run; NULL without memory. */
struct slu_followed *slu_followed_start(struct slu_ctl *ctl,
					const struct slu_job *job);
/* Hold its launch until its I/O nodes are published, at most until then. */
void slu_followed_hold(struct slu_ctl *ctl, struct slu_followed *live,
		       double until);
/* A job's run has ended; with a buffer, its nodes are watched until they are
 * clean. */
void slu_followed_end(struct slu_ctl *ctl, struct slu_followed *live,
		      const struct slu_job *job, double now);
void slu_followed_forget_nodes(struct slu_ctl *ctl, struct slu_followed *live);
/* Releases held launches: this one, those whose epoch is published (ok: the
 * mapping is in place; launches do not wait for one that failed), all. */
void slu_followed_release(struct slu_ctl *ctl, struct slu_followed *live);
void slu_followed_published(struct slu_ctl *ctl, uint64_t epoch, bool ok);
void slu_followed_release_all(struct slu_ctl *ctl);
/* A job's launch was lost in a restart of slurmctld: launches it again. */
void slu_followed_lost(struct slu_ctl *ctl, uint32_t job_id);
/* Do what is due. Returns when the next is. */
double slu_followed_tick(struct slu_ctl *ctl, double now);
void slu_followed_fini(struct slu_ctl *ctl);
/* Keep a job's end ahead of its set-up, at_least seconds after its start, or
 * give back the time that set-up took. */
int slu_followed_keep(struct slu_ctl *ctl, const struct slu_followed *live,
		      int64_t at_least, struct slu_err *err);

#endif

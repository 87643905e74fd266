/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_TIME_LIMIT_H
#define SLU_JOB_SUBMIT_TIME_LIMIT_H

/*
 * The time limit that a job gets at submission (PredictMode fill, tighten and
 * early, sluice.conf(5)), and the message for its user: the same function
 * decides at submission, by what Slurm is going to do with the limit, and again
 * when Slurm has accepted the job.
 */

#include "common/conf.h"

struct slu_buf;

#define SLU_LIMIT_NONE UINT32_MAX /* without end; Slurm's INFINITE */

/* What holds for a job's limit without us; minutes. */
struct slu_limit_rules {
	bool given;	/* the user named one */
	bool left;	/* it is to be left alone, or could not be guarded */
	bool unknown;	/* Slurm fills one in, which is known only later */
	uint32_t whole; /* that was named, or that Slurm fills in; or NONE */
	uint32_t most;	/* that partitions, QOS and association allow; or NONE
			 */
};

enum slu_limit_deed {
	SLU_LIMIT_KEPT,	  /* as without us */
	SLU_LIMIT_TIGHT,  /* less than the whole one, and grows to that */
	SLU_LIMIT_FILLED, /* more than Slurm fills in; does not grow */
};

struct slu_limit_grant {
	enum slu_limit_deed deed;
	uint32_t minutes; /* 0: KEPT */
};

/* Of slu_predict() and slu_predict_early(), seconds; 0: unknown. */
struct slu_limit_needs {
	int64_t careful; /* what should be enough */
	int64_t early;	 /* what may not be; of mode early only */
};

/* Never more than what was asked for, or is allowed. What is asked for and not
 * allowed is kept: Slurm must see it. A limit that does not grow is never an
 * early one. */
struct slu_limit_grant slu_limit_decide(enum slu_predict_mode mode,
					const struct slu_limit_rules *rules,
					const struct slu_limit_needs *needs);
/* Say it, after a comma; nothing where the limit is kept. `waits`: while a
 * reservation is in the way of the whole limit, a job has that one. */
void slu_limit_say(struct slu_buf *text, const struct slu_limit_rules *rules,
		   const struct slu_limit_grant *grant, bool waits);
/* "1:02:03", or "unlimited" for NONE minutes. */
void slu_limit_hms(struct slu_buf *text, int64_t seconds);
void slu_limit_minutes(struct slu_buf *text, uint32_t minutes);

#define SLU_LIMIT_LOOK 15 /* s, between two looks of the guard at most */
/* How long before it would end a job of such a limit (minutes) the guard gives
 * it the whole one: two minutes, or half of a short limit; seconds. */
int64_t slu_limit_lead(uint32_t minutes);
/* How long before the end of such a limit the guard does so, if it looks at the
 * job `first` s after its start, below SLU_LIMIT_LOOK; seconds, below 0: too
 * late. */
int64_t slu_limit_extended_before(uint32_t minutes, int64_t first);

#endif

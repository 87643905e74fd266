/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_TIME_LIMIT_H
#define SLU_JOB_SUBMIT_TIME_LIMIT_H

/*
 * Decides the time limit that a job gets at submission (PredictMode fill,
 * tighten and early, sluice.conf(5)), and words the message for its user. The
 * same function decides at submission, when it is only known what Slurm is
 * going to do with the limit, and again when Slurm has accepted the job.
 */

#include "common/conf.h"

struct slu_buf;

#define SLU_LIMIT_NONE UINT32_MAX /* without end; Slurm's INFINITE */

/* The limit that a job would have without Sluice, and its bounds; minutes. */
struct slu_limit_rules {
	bool given;	/* the user asked for one */
	bool left;	/* it must not be changed, or could not be guarded */
	bool unknown;	/* Slurm will fill one in, known only later: at most
			 * `whole` */
	uint32_t whole; /* asked for, or filled in by Slurm; or NONE */
	uint32_t most;	/* allowed by partitions, QOS and association; or
			 * NONE */
};

enum slu_limit_deed {
	SLU_LIMIT_KEPT,	  /* as without Sluice */
	SLU_LIMIT_TIGHT,  /* below the whole limit; the guard extends it */
	SLU_LIMIT_FILLED, /* above Slurm's default; is not extended */
};

struct slu_limit_grant {
	enum slu_limit_deed deed;
	uint32_t minutes; /* 0: KEPT */
};

/* Of slu_predict() and slu_predict_early(), seconds; 0: unknown. */
struct slu_limit_needs {
	int64_t careful; /* a time that should be enough */
	int64_t early;	 /* a shorter time, used by mode early only */
};

/* May the limit be changed at all, whatever the job needs? */
bool slu_limit_may_change(enum slu_predict_mode mode,
			  const struct slu_limit_rules *rules);
/* Never more than what was asked for, or is allowed. What is asked for and not
 * allowed is kept: Slurm must see it. A limit that does not grow is never an
 * early one. */
struct slu_limit_grant slu_limit_decide(enum slu_predict_mode mode,
					const struct slu_limit_rules *rules,
					const struct slu_limit_needs *needs);
/* Appends the message, after a comma; nothing where the limit is kept. `waits`:
 * while a reservation is in the way of the whole limit, a job has the whole
 * one. */
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

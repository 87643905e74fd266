/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_GRANTED_H
#define SLU_JOB_SUBMIT_GRANTED_H

/*
 * Which time limit a job is given at submission (PredictMode fill and tighten,
 * sluice.conf(5)).
 */

#include "common/conf.h"

struct slu_limit_wish {
	bool given;	/* the user named a limit */
	uint32_t asked; /* it, minutes; 0: without end */
	uint32_t most;	/* that the partition allows, minutes; 0: any */
};

/* The limit in minutes, out of the careful answer of slu_predict() in seconds;
 * 0: what the job has, or lacks, stays. Never more than what was asked for. */
uint32_t slu_limit_granted(enum slu_predict_mode mode,
			   const struct slu_limit_wish *wish, int64_t careful);

#define SLU_LIMIT_LOOK 15 /* s, between two looks of the guard at most */
/* How long before it would end a job of such a limit (minutes) the guard gives
 * it the whole one: two minutes, or half of a short limit; seconds. */
int64_t slu_limit_lead(uint32_t minutes);

#endif

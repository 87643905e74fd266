/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learns the distribution of the share of its request that a job takes, as a
 * histogram: bins b from half a per cent on, each up to 1.5 times the one
 * before, with the weights
 *
 *	w_b = softmax over b of: sum over tables t: theta[t][row_t][b],
 *
 * one table for all jobs and one for each feature.
 */

/*
 * theta is learnt by gradient ascent on log p_e(y | x) (model.h, e being this
 * expert), with a rate for each row that decreases with the sum of its squared
 * gradients (AdaGrad, Duchi, Hazan and Singer 2011). So a job without history
 * gets the usual shares of such requests in its account, or of all jobs.
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <math.h>
#include <stdlib.h>
#include "job_submit/predictor/request_shares.h"

#define ROWS	   4096 /* of a table, by hash: classes may collide */
#define BINS	   SLU_MIX_SHARE_BINS
#define LOG2_LEAST -7.6438562f /* half a per cent */
#define RATE	   0.1f
#define MOVED	   0.1f

struct slu_shares {
	slu_pair logit[SLU_MIX_SHARE_TABLES][ROWS][BINS / 2];
	float moved[SLU_MIX_SHARE_TABLES]
		   [ROWS]; /* sums of squared gradients; learner only */
};

struct slu_shares *slu_shares_new(void)
{
	return calloc(1, sizeof(struct slu_shares));
}

void slu_shares_free(struct slu_shares *shares)
{
	free(shares);
}

SLU_FAST static void put_bins(uint16_t at[BINS], float minutes)
{
	for (int b = 0; b < BINS; b++) {
		float left = 1 - ((float)b + 0.5f) / BINS;

		at[b] = slu_logtime_scaled(minutes *
					   slu_fast_exp2(LOG2_LEAST * left));
	}
}

static const enum slu_job_class class_of_table[SLU_MIX_SHARE_TABLES] = {
	SLU_BY_SITE, SLU_BY_USER, SLU_BY_REQUEST, SLU_BY_ACCOUNT};

/* The first table has one row for all jobs. */
static unsigned row_of(const uint64_t key[SLU_JOB_CLASSES], int table)
{
	return table ? (key[class_of_table[table]] >> 20) % ROWS : 0;
}

void slu_shares_prefetch(const struct slu_predictor *p,
			 const uint64_t key[SLU_JOB_CLASSES])
{
	for (int t = 1; t < SLU_MIX_SHARE_TABLES; t++) {
		const char *row =
			(const char *)p->shares->logit[t][row_of(key, t)];

		__builtin_prefetch(row);
		__builtin_prefetch(row + 64);
	}
}

void slu_shares_inputs(const struct slu_job *job, struct slu_mixture *mix)
{
	struct slu_inputs *inputs = &mix->inputs;
	unsigned asked = inputs->at[SLU_EXPERT_REQUEST * SLU_MIX_LAGS];

	inputs->n[SLU_EXPERT_SHARES] = asked ? BINS : 0;
	put_bins(&inputs->at[SLU_MIX_LAGGED], (float)job->limit_asked);
	for (int t = 0; t < SLU_MIX_SHARE_TABLES; t++)
		inputs->share_row[t] = (uint16_t)row_of(mix->key, t);
}

SLU_FAST void slu_shares_weigh(const struct slu_predictor *p,
			       struct slu_inputs *inputs)
{
	float row[SLU_MIX_SHARE_TABLES][BINS], logit[BINS] = {0};

	for (int t = 0; t < SLU_MIX_SHARE_TABLES; t++)
		slu_fetch(row[t], p->shares->logit[t][inputs->share_row[t]],
			  BINS);
	for (int t = 0; t < SLU_MIX_SHARE_TABLES; t++)
		for (int b = 0; b < BINS; b++)
			logit[b] += row[t][b];
	slu_softmax(logit, inputs->conditional, BINS);
}

SLU_FAST void slu_shares_learn(struct slu_predictor *p,
			       const struct slu_inputs *inputs,
			       const float *density, float likelihood,
			       float worth)
{
	float by[BINS], squares = 0, per = 1 / likelihood;

	if (!(likelihood > 0))
		return;
	for (int b = 0; b < BINS; b++) {
		by[b] = worth * inputs->conditional[b] * (density[b] * per - 1);
		squares += by[b] * by[b];
	}
	for (int t = 0; t < SLU_MIX_SHARE_TABLES; t++) {
		unsigned r = inputs->share_row[t];
		slu_pair *logit = p->shares->logit[t][r];
		float to[BINS], rate;

		p->shares->moved[t][r] += squares;
		rate = RATE / sqrtf(MOVED + p->shares->moved[t][r]);
		slu_fetch(to, logit, BINS);
		for (int b = 0; b < BINS; b++)
			to[b] += rate * by[b];
		slu_store(logit, to, BINS);
	}
}

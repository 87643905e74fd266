/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shares of their requests that jobs take: bins from half a per cent on,
 * each half as long again at most, weighed by the softmax of logits which are
 * the sums of rows, one for everybody and one for each of the job's features.
 * They are learnt by gradient descent on the logarithm of what was foretold,
 * with a rate for each row that falls as it has been moved (AdaGrad, Duchi,
 * Hazan and Singer 2011). So who is not known is foretold by what is usual for
 * requests like his in his account, or for everybody.
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <math.h>
#include <stdlib.h>
#include "job_submit/predictor/mixture.h"

#define ROWS	   4096 /* of a table; other classes may have the same */
#define BINS	   SLU_VIEW_SHARE_PLACES
#define LOG2_LEAST -7.6438562f /* half a per cent */
#define RATE	   0.1f
#define MOVED	   0.1f

struct slu_shares {
	slu_pair logit[SLU_VIEW_SHARE_TABLES][ROWS][BINS / 2];
	float moved[SLU_VIEW_SHARE_TABLES]
		   [ROWS]; /* the learner's: sums of squares */
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

		at[b] = slu_spread_at_past(minutes *
					   slu_spread_exp2(LOG2_LEAST * left));
	}
}

static const enum slu_level level_of_table[SLU_VIEW_SHARE_TABLES] = {
	SITE, USER, REQUEST, ACCOUNT};

/* The first table is everybody's. */
static unsigned row_of(const uint64_t key[LEVELS], int table)
{
	return table ? (key[level_of_table[table]] >> 20) % ROWS : 0;
}

void slu_shares_expect(const struct slu_predictor *p,
		       const uint64_t key[LEVELS])
{
	for (int t = 1; t < SLU_VIEW_SHARE_TABLES; t++) {
		const char *row =
			(const char *)p->shares->logit[t][row_of(key, t)];

		__builtin_prefetch(row);
		__builtin_prefetch(row + 64);
	}
}

void slu_shares_look(const struct slu_job *job, struct slu_view *v)
{
	struct slu_seen *seen = &v->seen;
	unsigned asked = seen->at[ASKED * SLU_VIEW_PLACES];

	seen->n[SHARES] = asked ? BINS : 0;
	put_bins(&seen->at[SLU_VIEW_LISTED], (float)job->limit_asked);
	for (int t = 0; t < SLU_VIEW_SHARE_TABLES; t++)
		seen->share_row[t] = (uint16_t)row_of(v->key, t);
}

SLU_FAST void slu_shares_weigh(const struct slu_predictor *p,
			       struct slu_seen *seen)
{
	float row[SLU_VIEW_SHARE_TABLES][BINS], logit[BINS] = {0};

	for (int t = 0; t < SLU_VIEW_SHARE_TABLES; t++)
		slu_fetch(row[t], p->shares->logit[t][seen->share_row[t]],
			  BINS);
	for (int t = 0; t < SLU_VIEW_SHARE_TABLES; t++)
		for (int b = 0; b < BINS; b++)
			logit[b] += row[t][b];
	slu_softmax(logit, seen->weighed, BINS);
}

SLU_FAST void slu_shares_learn(struct slu_predictor *p,
			       const struct slu_seen *seen,
			       const float *density, float foretold,
			       float worth)
{
	float by[BINS], squares = 0, per = 1 / foretold;

	if (!(foretold > 0))
		return;
	for (int b = 0; b < BINS; b++) {
		by[b] = worth * seen->weighed[b] * (density[b] * per - 1);
		squares += by[b] * by[b];
	}
	for (int t = 0; t < SLU_VIEW_SHARE_TABLES; t++) {
		unsigned r = seen->share_row[t];
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

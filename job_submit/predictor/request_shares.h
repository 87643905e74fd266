/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_REQUEST_SHARES_H
#define SLU_JOB_SUBMIT_PREDICTOR_REQUEST_SHARES_H

/*
 * Predicts run times of jobs with little history: the expert of the mixture
 * (model.h) that is a histogram, given the job's features, of the share of
 * their requested time that jobs use.
 */

#include "job_submit/predictor/predictor_state.h"

/* 1.6 MB when full; NULL: no memory. */
struct slu_shares *slu_shares_new(void);
void slu_shares_free(struct slu_shares *shares);
/* Prefetches the rows of these classes into the processor's caches. */
void slu_shares_prefetch(const struct slu_predictor *p,
			 const uint64_t key[SLU_JOB_CLASSES]);
void slu_shares_inputs(const struct slu_job *job, struct slu_mixture *mix);
void slu_shares_weigh(const struct slu_predictor *p, struct slu_inputs *inputs);
void slu_shares_learn(struct slu_predictor *p, const struct slu_inputs *inputs,
		      const float *density, float likelihood, float worth);

#endif

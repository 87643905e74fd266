/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_ATTENTION_H
#define SLU_JOB_SUBMIT_PREDICTOR_ATTENTION_H

/*
 * Predicts run times from the user's last runs: the expert of the mixture
 * (model.h) that weights each of them by softmax attention, by how much it has
 * in common with the job to predict.
 */

#include "job_submit/predictor/predictor_state.h"

/* One ring for each user, 10 MB when full; NULL: no memory. */
struct slu_rings *slu_rings_new(void);
void slu_rings_free(struct slu_rings *rings);
/* The parameters before anything has been learnt. */
void slu_attention_init(struct slu_predictor *p);
/* Prefetches the user's ring into the processor's caches. */
void slu_attention_prefetch(const struct slu_predictor *p, uint32_t uid);
void slu_attention_read(const struct slu_predictor *p, uint32_t uid,
			struct slu_mixture *mix);
/* Lists the runs of the ring as shares of their requests, with their features
 * in common with the job. */
void slu_attention_inputs(const struct slu_job *job, struct slu_mixture *mix);
void slu_attention_weigh(const struct slu_predictor *p,
			 struct slu_inputs *inputs);
/* density: K of each component at the run; likelihood: p_e of all of them. */
void slu_attention_learn(struct slu_predictor *p,
			 const struct slu_inputs *inputs, const float *density,
			 float likelihood, float worth);
void slu_attention_remember(struct slu_predictor *p,
			    const struct slu_mixture *mix,
			    const struct slu_job *job, uint16_t run);

#endif

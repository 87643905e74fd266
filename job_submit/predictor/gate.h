/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_GATE_H
#define SLU_JOB_SUBMIT_PREDICTOR_GATE_H

/*
 * The feature gate of the mixture (Jordan and Jacobs 1994): the gating weights
 * of the experts for a job with given features, as factors on the site's.
 */

#include "job_submit/predictor/predictor_state.h"

/* The features of a job whose runs have been looked at. */
void slu_gate_features(struct slu_mixture *mix, const struct slu_job *job);
/* The weights for these features, of any sum, from the site's. */
void slu_gate_weigh(const struct slu_predictor *p,
		    const struct slu_inputs *inputs,
		    const float site[SLU_MIX_WIDTH],
		    float weight[SLU_MIX_WIDTH]);
/* gain: of log p(y | x), by the logarithm of each gating weight. */
void slu_gate_learn(struct slu_predictor *p, const struct slu_inputs *inputs,
		    const float gain[SLU_MIX_WIDTH]);

#endif

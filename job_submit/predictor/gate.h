/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_GATE_H
#define SLU_JOB_SUBMIT_PREDICTOR_GATE_H

/*
 * The feature gate of the mixture: weights the experts for a job by the job's
 * features, such as its requested time and its number of nodes, with factors on
 * the site's weights that were learnt from all users' jobs (Jordan and Jacobs
 * 1994).
 */

#include "job_submit/predictor/predictor_state.h"

/* Sets mix->inputs.feature for this job; the other inputs must be set already.
 */
void slu_gate_features(struct slu_mixture *mix, const struct slu_job *job);
/* weight[e] = g_e(x) from site[e] = g_e(site); they may have any sum. */
void slu_gate_weigh(const struct slu_predictor *p,
		    const struct slu_inputs *inputs,
		    const float site[SLU_MIX_WIDTH],
		    float weight[SLU_MIX_WIDTH]);
/* One step of learning, when y is known. gain[e]: the derivative of
 * log p(y | x) by log g_e. */
void slu_gate_learn(struct slu_predictor *p, const struct slu_inputs *inputs,
		    const float gain[SLU_MIX_WIDTH]);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_MIXTURE_H
#define SLU_JOB_SUBMIT_PREDICTOR_MIXTURE_H

/*
 * Computes the weighted components of a job's mixture (model.h), as it was
 * known when the job was submitted. Any thread; no allocation.
 */

#include "job_submit/predictor/predictor_state.h"

/* Computes the mixture from what was known when the job was submitted. */
void slu_mixture_read(const struct slu_predictor *p, const struct slu_job *job,
		      struct slu_mixture *mix);
/* The same for another time at which such a job is submitted. */
void slu_mixture_at(const struct slu_predictor *p, const struct slu_job *job,
		    struct slu_mixture *mix);
/* Weights stored inputs with the present parameters. */
void slu_mixture_reweigh(const struct slu_predictor *p,
			 const struct slu_inputs *inputs,
			 struct slu_mixture *mix);
void slu_mixture_components(const struct slu_predictor *p,
			    const struct slu_inputs *inputs,
			    struct slu_components *out);
/* p(y | x): the components in order of time, of sum 1. */
void slu_mixture_distribution(const struct slu_predictor *p,
			      const struct slu_mixture *mix,
			      struct slu_distribution *out);
/* The stage of a gate; 0: it has not been trained. */
unsigned slu_mixture_stage(const struct slu_mixture *mix, int gate);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_MIXTURE_H
#define SLU_JOB_SUBMIT_PREDICTOR_MIXTURE_H

/*
 * From a job to the weighted components of its mixture (model.h), as it was
 * known when the job was submitted. Any thread; no allocation.
 */

#include "job_submit/predictor/predictor_state.h"

/* Look at everything as it was when the job was submitted. */
void slu_mixture_read(const struct slu_predictor *p, const struct slu_job *job,
		      struct slu_mixture *mix);
/* The same for another time at which such a job is submitted. */
void slu_mixture_at(const struct slu_predictor *p, const struct slu_job *job,
		    struct slu_mixture *mix);
/* Of inputs that were kept: with the parameters of now. */
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
/* The stage of a gate; 0: nothing has taught it. */
unsigned slu_mixture_stage(const struct slu_mixture *mix, int gate);

#endif

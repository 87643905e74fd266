/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_ISSUED_H
#define SLU_JOB_SUBMIT_PREDICTOR_ISSUED_H

/*
 * Finds the forecast that was issued for a job at its submission: at the job's
 * end, quantiles and gating weights are corrected by it. Only for the learner's
 * thread.
 */

#include "job_submit/predictor/predictor_state.h"

/* A forecast: the mixture of the jobs of a class. */
struct slu_issued {
	uint64_t key, class; /* of SLU_BY_SIZE and SLU_BY_CLASS */
	int64_t when;	     /* Unix seconds */
	unsigned jobs;	     /* that were judged by it */
	bool stream;	     /* of a steady one, see issued.c */
	struct slu_inputs inputs;
	float weight[SLU_MIX_COMPONENTS];
};

/* The distribution of a forecast of a stream, which is kept longer. */
struct slu_kept {
	uint64_t key; /* of SLU_BY_SIZE; 0: none */
	int64_t when;
	unsigned jobs;
	uint16_t at[SLU_MIX_COMPONENTS];
	float weight[SLU_MIX_COMPONENTS];
};

struct slu_issued_all *slu_issued_new(void); /* 5.5 MB; NULL: no memory */
void slu_issued_free(struct slu_issued_all *all);
/* The forecast of a job of this mixture when it was submitted; known: the
 * components that are known now of that time, NULL: none. NULL: it is lost. */
struct slu_issued *slu_issued_find(struct slu_predictor *p,
				   const struct slu_mixture *mix,
				   const struct slu_job *job,
				   const struct slu_components *known);
/* Where that is NULL: the last distribution kept before the submission;
 * NULL: none. */
struct slu_kept *slu_issued_kept(const struct slu_predictor *p,
				 const struct slu_mixture *mix,
				 const struct slu_job *job);
/* Before a job of this mixture is remembered: note what is forecast at its end,
 * if that may be asked for later. */
void slu_issued_note(struct slu_predictor *p, const struct slu_mixture *mix,
		     const struct slu_job *job);
/* The alphas are these from now, the second at which a job ended; as they were
 * at another second. */
void slu_issued_note_alpha(struct slu_predictor *p, int64_t now);
const float *slu_issued_alpha(const struct slu_predictor *p, int64_t then);

#endif

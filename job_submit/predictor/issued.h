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
	unsigned jobs;	     /* ended jobs that were compared with it */
	bool stream;	     /* of a steady one, see issued.c */
	struct slu_inputs inputs;
	float weight[SLU_MIX_COMPONENTS];
};

/* The distribution of a forecast of a stream, which is kept longer. */
struct slu_kept_forecast {
	uint64_t key; /* of SLU_BY_SIZE; 0: none */
	int64_t when;
	unsigned jobs;
	uint16_t at[SLU_MIX_COMPONENTS];
	float weight[SLU_MIX_COMPONENTS];
};

struct slu_issued_all *slu_issued_new(void); /* 5.5 MB; NULL: no memory */
void slu_issued_free(struct slu_issued_all *all);
/* Finds the forecast that was issued when this job was submitted. known: the
 * components of that time that are still known; NULL: none. Returns NULL if the
 * forecast is lost. */
struct slu_issued *slu_issued_find(struct slu_predictor *p,
				   const struct slu_mixture *mix,
				   const struct slu_job *job,
				   const struct slu_components *known);
/* If slu_issued_find() returns NULL: the last distribution kept before the
 * job's submission; NULL: none. */
struct slu_kept_forecast *slu_issued_kept(const struct slu_predictor *p,
					  const struct slu_mixture *mix,
					  const struct slu_job *job);
/* Stores the forecast at a job's end, if it may be needed later; to be called
 * before the job's run is added to its classes. */
void slu_issued_note(struct slu_predictor *p, const struct slu_mixture *mix,
		     const struct slu_job *job);
/* Stores the present levels alpha_i, from the time `now` at which a job ended;
 * slu_issued_alpha() returns the levels at an earlier time. */
void slu_issued_note_alpha(struct slu_predictor *p, int64_t now);
const float *slu_issued_alpha(const struct slu_predictor *p, int64_t then);

#endif

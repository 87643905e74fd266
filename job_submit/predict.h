/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICT_H
#define SLU_JOB_SUBMIT_PREDICT_H

/*
 * Walltime prediction from the jobs that have ended (ADA-FS, section 3.1), in
 * memory. Rules, the first that knows something wins:
 *   class    the last ended job of the same user, name, nodes and request
 *   request  the last of the same user and request
 *   user     the mean of the user's last two
 *   asked    the request itself
 * Predicting never allocates or blocks. One writer (learn) and any number of
 * readers (predict) may run at the same time.
 */

#include "wire/job.h"

struct slu_predictor;

struct slu_prediction {
	int64_t seconds;  /* run time; 0: nothing known and nothing asked */
	int64_t careful;  /* the quantile a limit should have, >= seconds */
	const char *from; /* class, request, user, asked, none; static text */
	uint32_t jobs;	  /* how many ended jobs stand behind it */
};

/* max_classes bounds the memory; the longest unused go first. quantile in
 * (0.5, 1) and floor (seconds) shape `careful`. */
struct slu_predictor *slu_predictor_new(size_t max_classes, double quantile,
					int64_t floor, struct slu_err *err);
void slu_predictor_free(struct slu_predictor *p);

/* Uses uid, name, node_cnt, limit_asked of the job. Thread-safe. */
void slu_predict(const struct slu_predictor *p, const struct slu_job *job,
		 struct slu_prediction *out);

/* Teach one ended job (start and end set; others are ignored). */
int slu_learn(struct slu_predictor *p, const struct slu_job *job,
	      struct slu_err *err);

#endif

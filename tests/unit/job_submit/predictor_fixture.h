/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_UNIT_PREDICTOR_FIXTURE_H
#define SLU_TESTS_UNIT_PREDICTOR_FIXTURE_H

/* Creates a predictor and the jobs with which it is trained and asked, for
 * tests. */

#include "job_submit/predictor/predict.h"
#include "tests/unit/harness.h"

struct slu_predictor *new_predictor(size_t classes, double quantile,
				    int64_t floor);

/* An ended job that ran for `run` seconds, of a fixed account and partition. */
struct slu_job make_job(uint32_t uid, char *name, uint32_t nodes,
			uint32_t minutes, int64_t run);

/* Predict the run time of such a job, and train the predictor with one; both
 * without account and partition. */
struct slu_prediction ask(const struct slu_predictor *p, uint32_t uid,
			  char *name, uint32_t nodes, uint32_t minutes);
void teach(struct slu_predictor *p, uint32_t uid, char *name, uint32_t nodes,
	   uint32_t minutes, int64_t run);

#endif

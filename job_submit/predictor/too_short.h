/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_TOO_SHORT_H
#define SLU_JOB_SUBMIT_PREDICTOR_TOO_SHORT_H

/*
 * Warns users who request less time than such jobs take. False alarms cost
 * trust: a warning is only given if nine of ten such warnings come true
 * (too_short.c).
 */

#include <stdbool.h>
#include "common/str.h"
#include "job_submit/time_limit.h"
#include "job_submit/predictor/predict.h"

struct slu_mixture;

struct slu_too_short {
	int64_t limit;	 /* s, that was judged */
	unsigned known;	 /* last runs of its kind that can be compared */
	unsigned longer; /* of these, that took as long or were ended there */
	int64_t least;	 /* s; the shortest of the longer ones */
	int64_t half;	 /* s; their median */
	int64_t enough;	 /* s; none of them took longer */
};

/* Will the job need more than `limit` seconds (of its request or, to compare it
 * with the runs that are known, of its prediction)? As slu_predict();
 * thread-safe. false: no warning, *out is not set. */
bool slu_predict_too_short(const struct slu_predictor *p,
			   const struct slu_job *job, int64_t limit,
			   struct slu_too_short *out);
/* What slu_limit_decide() has to know of a job that slu_predict() has answered
 * for. A job without a request gets no less than most of the last runs of its
 * kind took, whatever the prediction: the limit may be its end. Thread-safe. */
struct slu_limit_needs slu_predict_needs(const struct slu_predictor *p,
					 const struct slu_job *job,
					 const struct slu_prediction *got);
/* Was the limit too short for an ended job: did it run to the limit, or fail
 * just before? */
bool slu_was_too_short(const struct slu_job *job, int64_t limit);
/* Appends the warning for the user: one line, without a newline. */
void slu_too_short_say(struct slu_buf *text, const struct slu_too_short *is);

/* Updates the evidence with a job that ran so many seconds. For learn.c. */
void slu_too_short_learn(struct slu_predictor *p, const struct slu_mixture *mix,
			 const struct slu_job *job, int64_t run);

#endif

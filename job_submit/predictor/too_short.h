/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_TOO_SHORT_H
#define SLU_JOB_SUBMIT_PREDICTOR_TOO_SHORT_H

/*
 * A warning for users who request less time than such jobs take. False alarms
 * cost trust: it is only given if nine of ten such warnings come true
 * (too_short.c).
 */

#include <stdbool.h>
#include "common/str.h"
#include "job_submit/time_limit.h"
#include "job_submit/predictor/predict.h"

struct slu_mixture;

struct slu_too_short {
	int64_t limit;	 /* s, that was judged */
	unsigned known;	 /* last runs of its kind that tell of it */
	unsigned longer; /* of these: took as long, or were ended at it */
	int64_t half;	 /* s; half of the longer ones took at least this */
};

/* Will the job need more than `limit` seconds? As slu_predict(); thread-safe.
 * false: nothing is to be said, *out is not filled in. */
bool slu_predict_too_short(const struct slu_predictor *p,
			   const struct slu_job *job, int64_t limit,
			   struct slu_too_short *out);
/* Was it, of one that ended its own way: did it run to the limit, or fail just
 * before? */
bool slu_was_too_short(const struct slu_job *job, int64_t limit);
/* One line, without its end. */
void slu_too_short_say(struct slu_buf *text, const struct slu_too_short *is);

/* What came of a job, which ran so many seconds. For learn.c. */
void slu_too_short_learn(struct slu_predictor *p, const struct slu_mixture *mix,
			 const struct slu_job *job, int64_t run);

#endif

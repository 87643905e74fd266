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
 * No prediction is longer than the request.
 *
 * Predicting neither allocates nor waits. One writer (learn) and any number of
 * readers (predict) may run at the same time. A reader that meets the writer in
 * the very class it looks for tries again a few times, and then goes on to the
 * next rule: a writer that is put to sleep in there delays nobody.
 */

#include "wire/job.h"

#define SLU_PREDICT_MAX_CLASSES (1u << 30)

struct slu_predictor;

struct slu_prediction {
	int64_t seconds;  /* run time; 0: nothing known and nothing asked */
	int64_t careful;  /* a limit that should be enough, >= seconds */
	const char *from; /* class, request, user, asked, none; static text */
	uint32_t jobs;	  /* how many ended jobs stand behind it */
};

/*
 * max_classes bounds the memory, at 64 bytes each; it is rounded to 8 times a
 * power of two. (What one rule knows for one key is a class; a job teaches
 * three.) The table is divided in sets of 8 classes, and a full set drops the
 * one that was taught longest ago.
 *
 * `careful` comes from the last (at most 10) run times r1 <= ... <= rk of the
 * class that gave the prediction: ri with i = ceil(quantile * (k + 1)), which
 * the next run time exceeds with probability 1 - quantile when the order of
 * run times means nothing. Where i > k, the tail beyond rk is taken to fall as
 * 1/x, which gives rk / ((1 - quantile) * (k + 1)). (On five logs 92 to 97 % of
 * the jobs end within it at 0.95: bench/predict.) It is at least floor and the
 * prediction, and at most the request. With only a request it is the request,
 * with nothing 0.
 *
 * quantile in (0.5, 1); floor in seconds, >= 0; otherwise SLU_INVALID.
 */
struct slu_predictor *slu_predictor_new(size_t max_classes, double quantile,
					int64_t floor, struct slu_err *err);
void slu_predictor_free(struct slu_predictor *p);

/* Uses uid, name, node_cnt, limit_asked of the job. Thread-safe. */
void slu_predict(const struct slu_predictor *p, const struct slu_job *job,
		 struct slu_prediction *out);

/* Teach one ended job (start and end set; others are ignored). One thread. */
void slu_learn(struct slu_predictor *p, const struct slu_job *job);

#endif

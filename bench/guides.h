/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_GUIDES_H
#define SLU_BENCH_GUIDES_H

/*
 * Provides estimates of run times by which a scheduler may backfill (the user's
 * request, the true run time, several predictors), so that benchmarks can
 * compare them: each is an oracle of easy_backfill.h. Predictors learn from
 * jobs as they end in the simulation.
 */

/*
 *   request	 what the user asked for
 *   clairvoyant the run time itself
 *   last-2	 the mean of the user's last two, and when that is exceeded
 *     /request  the request
 *     /steps    1 min, 5 min, 15 min, 30 min, 1 h, 2 h, 5 h, ... more
 *     /doubling twice as long
 *               (Tsafrir, Etzion, Feitelson 2007)
 *   ours	 the shipped predictor; when exceeded, the conditional median
 *		 given the elapsed time; ours/request: the request
 *   early	 the shipped predictor's 30 % quantile; when exceeded, the
 *		 request
 *   tighten	 the limit of PredictMode=tighten (predictor_job.h), in whole
 *		 minutes, extended to the request in one step before it is
 *		 reached
 *   early/limit the limit of PredictMode=early, extended likewise
 *   early/steps the same, extended to the conditional median
 *   lambda	 run time + lambda (request - run time) (ADA-FS, section 3.2)
 */

#include "bench/easy.h"

enum guide {
	REQUEST,
	CLAIRVOYANT,
	LAST_2_REQUEST,
	LAST_2_STEPS,
	LAST_2_DOUBLING,
	OURS,
	OURS_REQUEST,
	EARLY,
	TIGHTEN,
	EARLY_LIMIT,
	EARLY_STEPS,
	LAMBDA,
	GUIDES = LAMBDA /* the estimates of every table */
};
extern const char *const guide_name[GUIDES];

struct guide_state;

/* lambda is used by LAMBDA only. NULL without memory; the log is borrowed. */
struct guide_state *guide_new(const struct swf_log *log, enum guide guide,
			      double lambda);
void guide_free(struct guide_state *s);
const struct slu_easy_oracle *guide_oracle(const struct guide_state *s);

#endif

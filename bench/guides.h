/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_GUIDES_H
#define SLU_BENCH_GUIDES_H

/*
 * What a scheduler may be guided by, as an oracle of easy_backfill.h:
 *   request	 what the user asked for
 *   clairvoyant the run time itself
 *   last-2	 the mean of the user's last two, and when that is exceeded
 *     /request  the request
 *     /steps    1 min, 5 min, 15 min, 30 min, 1 h, 2 h, 5 h, ... more
 *     /doubling twice as long
 *               (Tsafrir, Etzion, Feitelson 2007)
 *   ours	 the shipped predictor; when exceeded, the median given that the
 *		 job has run so long; ours/request: the request
 *   early	 the time within which the shipped predictor says that 30 % of
 *		 such jobs end; when exceeded, the request
 *   tighten	 the limit of PredictMode=tighten (students.h), in whole
 *minutes, extended to the request in one step before it is reached early/limit
 *that of PredictMode=early, likewise early/steps extended to the median given
 *that the job has run so long lambda	 run time + lambda (request - run time)
 *(ADA-FS, section 3.2) Whatever learns does so at the ends of the simulation.
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
	GUIDES = LAMBDA /* those of every table */
};
extern const char *const guide_name[GUIDES];

struct guide_state;

/* lambda is for LAMBDA only. NULL without memory; the log must live on. */
struct guide_state *guide_new(const struct swf_log *log, enum guide guide,
			      double lambda);
void guide_free(struct guide_state *s);
const struct slu_easy_oracle *guide_oracle(const struct guide_state *s);

#endif

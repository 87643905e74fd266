/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_RIVALS_H
#define SLU_BENCH_RIVALS_H

/*
 * Predicts run times by other methods than ours, from ended jobs, for
 * comparison. None predicts more than the request.
 */

/*
 *   request   what the user asked for
 *   last-2    the mean of the user's last two (Tsafrir, Etzion, Feitelson 2007)
 *   user median	 of the user's last ten
 *   ratio     the request times the mean share of their requests that the
 *	       user's last five used (the Alea simulator's, on ended jobs only)
 *   in class  the last of the same user, processors and request; else of the
 *	       same user and request; else last-2
 *   median-10 the median of the last ten in class; else as above
 */

#include "bench/swf.h"

enum rival {
	RIVAL_REQUEST,
	RIVAL_LAST_2,
	RIVAL_USER,
	RIVAL_RATIO,
	RIVAL_CLASS,
	RIVAL_MEDIAN,
	RIVALS
};
extern const char *const rival_name[RIVALS];

struct rivals;

/* With room for this many jobs; NULL without memory. */
struct rivals *rivals_new(size_t jobs);
void rivals_free(struct rivals *r);
void rivals_learn(struct rivals *r, const struct swf_job *job);
double rivals_predict(const struct rivals *r, enum rival which,
		      const struct swf_job *job);

#endif

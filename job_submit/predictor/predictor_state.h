/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_PREDICTOR_STATE_H
#define SLU_JOB_SUBMIT_PREDICTOR_PREDICTOR_STATE_H

/*
 * Defines the predictor's parameters: one thread learns them (learn.c) while
 * any number of others predict (prediction.c). Parameters of the site are
 * atomic numbers; a reader may see some of them one sample older than others.
 */

#include <stdatomic.h>
#include "job_submit/predictor/model.h"

/* A number written by one thread and read by others; and pairs of them in one
 * word, for those that are read as rows. */
typedef _Atomic float slu_shared;
typedef _Atomic uint64_t slu_pair;

struct slu_predictor {
	struct slu_classes *classes;
	struct slu_rings *rings;
	struct slu_shares *shares;
	double quantile;
	int64_t floor;
	/* gating weights by context, and log2 of factors on these */
	slu_pair site_gate[SLU_MIX_CONTEXTS][SLU_MIX_STORED / 2];
	slu_pair feature_gate[SLU_MIX_FEATURES][SLU_MIX_FEATURE_ROWS]
			     [SLU_MIX_STORED / 2];
	/* the weight of each gate by stage */
	slu_shared top_gate[SLU_MIX_STAGES][SLU_MIX_GATES];
	/* w_i of runs by lag, and factors by run kind */
	slu_pair lag[SLU_MIX_LAGGED / 2];
	slu_shared kind[SLU_JOB_CLASSES][SLU_MIX_RUN_KINDS];
	slu_shared attention[SLU_MIX_ATTENTION_TABLES][SLU_MIX_ATTENTION_ROWS];
	/* the calibrated share of the distribution for each slu_knot */
	slu_shared alpha[SLU_MIX_KNOTS];
	/* usual errors, s: the mean, the median, and that of lasting runs */
	slu_shared far, near, near_lasting;
	_Atomic uint32_t samples;
	/* of too_short.c, by kind of evidence, decaying: jobs whose limit was
	 * indeed too short, and others */
	slu_shared right[SLU_MIX_WARNING_KINDS], wrong[SLU_MIX_WARNING_KINDS];
	/* used by the learner only */
	struct slu_issued_all *issued;
	/* jobs below each knot's quantile minus the share that should be,
	 * decaying (integral term) */
	float integral[SLU_MIX_KNOTS];
};

/* The point of a distribution that is predicted, in seconds; prediction.c. */
double slu_predict_choice(const struct slu_predictor *p,
			  const struct slu_distribution *spread);

static inline float slu_get(const slu_shared *x)
{
	return atomic_load_explicit(x, memory_order_relaxed);
}

static inline void slu_set(slu_shared *x, float value)
{
	atomic_store_explicit(x, value, memory_order_relaxed);
}

/* n numbers, an even one, from or to pairs. */
SLU_LOGTIME_INLINE void slu_fetch(float *to, const slu_pair *from, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		uint64_t word =
			atomic_load_explicit(&from[i], memory_order_relaxed);

		memcpy(&to[2 * i], &word, sizeof(word));
	}
}

SLU_LOGTIME_INLINE void slu_store(slu_pair *to, const float *from, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		uint64_t word;

		memcpy(&word, &from[2 * i], sizeof(word));
		atomic_store_explicit(&to[i], word, memory_order_relaxed);
	}
}

#endif

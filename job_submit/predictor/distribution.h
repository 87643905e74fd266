/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_DISTRIBUTION_H
#define SLU_JOB_SUBMIT_PREDICTOR_DISTRIBUTION_H

/*
 * Represents the distribution of a run time, which is the result of a
 * prediction. It consists of points with weights (observed run times), each
 * with a kernel: the kernel around a point is a mixture of two Laplace
 * distributions, a narrow one for exact repeats and a wide one for everything
 * else, in logarithmic time (logtime.h).
 *
 * Everything here is plain values: any thread, no allocation.
 */

#include "job_submit/predictor/logtime.h"

#define SLU_DISTRIBUTION_MAX 136

/* The points are followed by points of weight 0 up to whole blocks, which are
 * processed at once. */
#define SLU_DISTRIBUTION_BLOCK 16
struct slu_distribution {
	unsigned n;
	uint16_t at[SLU_DISTRIBUTION_MAX + SLU_DISTRIBUTION_BLOCK];
	float weight[SLU_DISTRIBUTION_MAX + SLU_DISTRIBUTION_BLOCK];
};

/* The points have been filled in. */
static inline void slu_distribution_end(struct slu_distribution *s, unsigned n)
{
	memset(&s->at[n], 0, SLU_DISTRIBUTION_BLOCK * sizeof(s->at[0]));
	memset(&s->weight[n], 0, SLU_DISTRIBUTION_BLOCK * sizeof(s->weight[0]));
	s->n = n;
}

/* Chosen on KTH-SP2, SDSC-SP2 and Theta; flat around there. */
#define SLU_KERNEL_NEAR	  0.015 /* of the natural logarithm */
#define SLU_KERNEL_FAR	  0.5
#define SLU_KERNEL_NARROW 0.6	/* the share of the narrow one */
#define SLU_KERNEL_FLOOR  5e-8f /* density far from all points */

/* The factor of a Laplace distribution's density at this distance. */
SLU_LOGTIME_INLINE float slu_kernel_narrow(int apart)
{
	return slu_fast_exp2((float)apart *
			     (float)(-1 / SLU_KERNEL_NEAR / SLU_LOGTIME_STEPS));
}

SLU_LOGTIME_INLINE float slu_kernel_wide(int apart)
{
	return slu_fast_exp2((float)apart *
			     (float)(-1 / SLU_KERNEL_FAR / SLU_LOGTIME_STEPS));
}

/* The kernel at `centre`: its density at `at`, per step, and its cumulative
 * distribution there. */
SLU_LOGTIME_INLINE float slu_kernel_density(int at, int centre)
{
	int apart = at > centre ? at - centre : centre - at;
	const double per = M_LN2 / SLU_LOGTIME_STEPS / 2;

	return slu_kernel_narrow(apart) *
		       (float)(SLU_KERNEL_NARROW * per / SLU_KERNEL_NEAR) +
	       slu_kernel_wide(apart) *
		       (float)((1 - SLU_KERNEL_NARROW) * per / SLU_KERNEL_FAR) +
	       SLU_KERNEL_FLOOR;
}

SLU_LOGTIME_INLINE float slu_kernel_below(int at, int centre)
{
	int apart = at > centre ? at - centre : centre - at;
	float beyond =
		slu_kernel_narrow(apart) * (float)(SLU_KERNEL_NARROW / 2) +
		slu_kernel_wide(apart) * (float)((1 - SLU_KERNEL_NARROW) / 2);

	return at >= centre ? 1 - beyond : beyond;
}

/* Order the points by time and merge those within 0.7 %; scale to a sum of
 * 1. */
void slu_distribution_sort(struct slu_distribution *s);
/* Share of the runs that end within `at`. */
double slu_distribution_cdf(const struct slu_distribution *s, uint16_t at);
/*
 * The time within which a share p of the runs ends, in seconds, given that the
 * run has already taken `elapsed` seconds (0: it has not begun); at least
 * elapsed. 0 of an empty spread. p in (0, 1).
 */
double slu_distribution_quantile(const struct slu_distribution *s, double p,
				 double elapsed);
/* The loss of an inexact prediction, in seconds. */
struct slu_loss {
	double far; /* an error that counts as 1 */
	struct {
		double near;  /* width of the bonus for an exact prediction */
		double worth; /* that bonus */
	} any, lasting; /* runs; those of SLU_DISTRIBUTION_LASTING and more */
};
#define SLU_DISTRIBUTION_LASTING 600 /* s */

/*
 * Of the points (in order) the one, in seconds, with the least expected loss
 *	E|x - run| / far - any.worth E[exp(-|x - run| / any.near)]
 *	- lasting.worth E[exp(-|x - run| / lasting.near), run lasts]:
 * between the median (without worth) and the value that is met most often.
 * Empty: 0.
 */
double slu_distribution_choice(const struct slu_distribution *s,
			       const struct slu_loss *loss);

#endif

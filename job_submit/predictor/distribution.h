/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_DISTRIBUTION_H
#define SLU_JOB_SUBMIT_PREDICTOR_DISTRIBUTION_H

/*
 * How a run time is spread: the distribution that a prediction is. Points with
 * weights (run times that were seen), each standing for its neighbourhood: the
 * kernel around a point is a mixture of two Laplace distributions, a narrow
 * one for exact repeats and a wide one for everything else, in the logarithm
 * of time.
 *
 * That logarithm is kept as a number of 16 bits: at = 3000 log2(run / 60 + 1),
 * run in seconds; a step is 0.02 % of run times far above a minute, and 65535
 * is some 6 years.
 *
 * Everything here is plain values: any thread, no allocation.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

/* For loops that do several at once; see common/fast.h. */
#define SLU_SPREAD_INLINE static inline __attribute__((always_inline))

#define SLU_SPREAD_MAX	  136

/* Behind the points are so many of no weight that all are whole blocks, which
 * are worked on at once. */
#define SLU_SPREAD_BLOCK 16
struct slu_spread {
	unsigned n;
	uint16_t at[SLU_SPREAD_MAX + SLU_SPREAD_BLOCK];
	float weight[SLU_SPREAD_MAX + SLU_SPREAD_BLOCK];
};

/* The points have been filled in. */
static inline void slu_spread_end(struct slu_spread *s, unsigned n)
{
	memset(&s->at[n], 0, SLU_SPREAD_BLOCK * sizeof(s->at[0]));
	memset(&s->weight[n], 0, SLU_SPREAD_BLOCK * sizeof(s->weight[0]));
	s->n = n;
}

#define SLU_SPREAD_STEPS  3000.0 /* of `at` in a doubling */
#define SLU_SPREAD_OFFSET 60.0	 /* s: below it differences matter little */

/* log2(x) within 2e-6, for x >= 1, by artanh's series for its mantissa. */
SLU_SPREAD_INLINE float slu_spread_log2(float x)
{
	uint32_t bits;
	float m, t, t2;

	memcpy(&bits, &x, sizeof(bits));
	t = (float)((int)(bits >> 23) - 127);
	bits = (bits & 0x7fffff) | 127u << 23;
	memcpy(&m, &bits, sizeof(m));
	x = (m - 1) / (m + 1);
	t2 = x * x;
	return t + x *
			   (1 + t2 * (1 / 3.0f +
				      t2 * (1 / 5.0f +
					    t2 * (1 / 7.0f + t2 / 9.0f)))) *
			   (float)(2 / M_LN2);
}

/* Of past = seconds / SLU_SPREAD_OFFSET, >= 0; without branches. */
SLU_SPREAD_INLINE uint16_t slu_spread_at_past(float past)
{
	float at;

	past = past < 1e30f ? past : 1e30f;
	at = (float)SLU_SPREAD_STEPS * slu_spread_log2(past + 1) + 0.5f;
	return (uint16_t)(int)(at < UINT16_MAX ? at : UINT16_MAX);
}

SLU_SPREAD_INLINE uint16_t slu_spread_at(double seconds)
{
	return slu_spread_at_past(
		seconds > 0 ? (float)(seconds / SLU_SPREAD_OFFSET) : 0);
}

double slu_spread_seconds(unsigned at);

/* 2^x within 4e-7 of it, for x below 127, 2^-100 at least: a weight times that
 * is no denormal number, which takes a processor a hundred times as long.
 * Without branches. */
SLU_SPREAD_INLINE float slu_spread_exp2(float x)
{
	float near, t, scale;
	uint32_t bits;
	int whole;

	near = x > -100 ? x : -100;
	whole = (int)(near + 127.5f); /* above 0 */
	t = (near - (float)(whole - 127)) * (float)M_LN2;
	bits = (uint32_t)whole << 23;
	memcpy(&scale, &bits, sizeof(scale));
	return scale *
	       (1 +
		t * (1 + t * (1 / 2.0f +
			      t * (1 / 6.0f +
				   t * (1 / 24.0f + t * (1 / 120.0f +
							 t * (1 / 720.0f)))))));
}

/* Weights of sum 1 from their logarithms, n of them. */
SLU_SPREAD_INLINE void slu_softmax(const float *logit, float *weight, int n)
{
	float most = logit[0], sum = 0;

	for (int k = 0; k < n; k++)
		most = most > logit[k] ? most : logit[k];
	for (int k = 0; k < n; k++)
		weight[k] = slu_spread_exp2((logit[k] - most) * (float)M_LOG2E);
	for (int k = 0; k < n; k++)
		sum += weight[k];
	sum = 1 / sum;
	for (int k = 0; k < n; k++)
		weight[k] *= sum;
}

/* Chosen on KTH-SP2, SDSC-SP2 and Theta; flat around there. */
#define SLU_KERNEL_NEAR	  0.015 /* of the natural logarithm */
#define SLU_KERNEL_FAR	  0.5
#define SLU_KERNEL_NARROW 0.6	/* the share of the narrow one */
#define SLU_KERNEL_FLOOR  5e-8f /* density of what was never seen */

/* What is left of a Laplace distribution's density so many steps away. */
SLU_SPREAD_INLINE float slu_kernel_narrow(int apart)
{
	return slu_spread_exp2((float)apart * (float)(-1 / SLU_KERNEL_NEAR /
						      SLU_SPREAD_STEPS));
}

SLU_SPREAD_INLINE float slu_kernel_wide(int apart)
{
	return slu_spread_exp2((float)apart *
			       (float)(-1 / SLU_KERNEL_FAR / SLU_SPREAD_STEPS));
}

/* Of the kernel at `centre`: its density at `at`, by step, and its share up to
 * there. */
SLU_SPREAD_INLINE float slu_kernel_density(int at, int centre)
{
	int apart = at > centre ? at - centre : centre - at;
	const double per = M_LN2 / SLU_SPREAD_STEPS / 2;

	return slu_kernel_narrow(apart) *
		       (float)(SLU_KERNEL_NARROW * per / SLU_KERNEL_NEAR) +
	       slu_kernel_wide(apart) *
		       (float)((1 - SLU_KERNEL_NARROW) * per / SLU_KERNEL_FAR) +
	       SLU_KERNEL_FLOOR;
}

SLU_SPREAD_INLINE float slu_kernel_below(int at, int centre)
{
	int apart = at > centre ? at - centre : centre - at;
	float beyond =
		slu_kernel_narrow(apart) * (float)(SLU_KERNEL_NARROW / 2) +
		slu_kernel_wide(apart) * (float)((1 - SLU_KERNEL_NARROW) / 2);

	return at >= centre ? 1 - beyond : beyond;
}

/* Order the points by time and merge those within 0.7 %; scale to a sum of
 * 1. */
void slu_spread_order(struct slu_spread *s);
/* Share of the runs that end within `at`. */
double slu_spread_below(const struct slu_spread *s, uint16_t at);
/*
 * The time within which a share p of the runs ends, in seconds, given that the
 * run has already taken `elapsed` seconds (0: it has not begun); at least
 * elapsed. 0 of an empty spread. p in (0, 1).
 */
double slu_spread_quantile(const struct slu_spread *s, double p,
			   double elapsed);
/* What is lost by a prediction that is off, in seconds. */
struct slu_loss {
	double far; /* an error that counts as 1 */
	struct {
		double near;  /* an error by which a run is just about met */
		double worth; /* of meeting it */
	} any, lasting;	      /* runs; those of SLU_SPREAD_LASTING and more */
};
#define SLU_SPREAD_LASTING 600 /* s */

/*
 * Of the points (in order) the one, in seconds, with the least expected loss
 *	E|x - run| / far - any.worth E[exp(-|x - run| / any.near)]
 *	- lasting.worth E[exp(-|x - run| / lasting.near), run lasts]:
 * between the median (without worth) and the value that is met most often.
 * Empty: 0.
 */
double slu_spread_choice(const struct slu_spread *s,
			 const struct slu_loss *loss);

#endif

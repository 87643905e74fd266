/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SPREAD_H
#define SLU_JOB_SUBMIT_SPREAD_H

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
 * Everything here is plain values: any thread, no allocation but the kernel's.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SLU_SPREAD_MAX	96
#define SLU_KERNEL_BINS 4097
#define SLU_FALL_BINS	1025
#define SLU_TIME_BINS	2049

struct slu_kernel {
	float density[SLU_KERNEL_BINS]; /* by distance / 16 */
	float beyond[SLU_KERNEL_BINS];	/* half of what lies farther away */
	float fall[SLU_FALL_BINS];	/* exp(-x), by x / 32 */
	float seconds[SLU_TIME_BINS];	/* by at / 32 */
};

struct slu_spread {
	unsigned n;
	struct slu_point {
		uint16_t at;
		float weight;
	} point[SLU_SPREAD_MAX];
};

#define SLU_SPREAD_STEPS  3000.0 /* of `at` in a doubling */
#define SLU_SPREAD_OFFSET 60.0	 /* s: below it differences matter little */

/* log2(x) within 2e-6, for x >= 1, by artanh's series for its mantissa. */
static inline float slu_spread_log2(float x)
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
static inline uint16_t slu_spread_at_past(float past)
{
	float at;

	past = past < 1e30f ? past : 1e30f;
	at = (float)SLU_SPREAD_STEPS * slu_spread_log2(past + 1) + 0.5f;
	return (uint16_t)(int)(at < UINT16_MAX ? at : UINT16_MAX);
}

static inline uint16_t slu_spread_at(double seconds)
{
	return slu_spread_at_past(
		seconds > 0 ? (float)(seconds / SLU_SPREAD_OFFSET) : 0);
}

double slu_spread_seconds(unsigned at);

void slu_kernel_fill(struct slu_kernel *k);
static inline unsigned slu_kernel_bin(int at, int centre)
{
	int apart = at > centre ? at - centre : centre - at;

	return (unsigned)(apart + 8) / 16;
}

/* Of the kernel at `centre`: its density at `at`, and its share up to there. */
static inline float slu_kernel_density(const struct slu_kernel *k, int at,
				       int centre)
{
	return k->density[slu_kernel_bin(at, centre)];
}

static inline float slu_kernel_below(const struct slu_kernel *k, int at,
				     int centre)
{
	float beyond = k->beyond[slu_kernel_bin(at, centre)];

	return at >= centre ? 1 - beyond : beyond;
}

/* Order the points by time and merge those within 0.7 %; scale to a sum of
 * 1. */
void slu_spread_order(struct slu_spread *s);
/* Share of the runs that end within `at`. */
double slu_spread_below(const struct slu_kernel *k, const struct slu_spread *s,
			uint16_t at);
/*
 * The time within which a share p of the runs ends, in seconds, given that the
 * run has already taken `elapsed` seconds (0: it has not begun); at least
 * elapsed. 0 of an empty spread. p in (0, 1).
 */
double slu_spread_quantile(const struct slu_kernel *k,
			   const struct slu_spread *s, double p,
			   double elapsed);
/*
 * Of the points (in order) the one with the least expected loss
 *	E|x - run| / far - usual E exp(-|x - run| / near),
 * in seconds: between the median (usual = 0) and the value that is met most
 * often within about `near` seconds. Empty: 0.
 */
double slu_spread_choice(const struct slu_kernel *k, const struct slu_spread *s,
			 double far, double near, double usual);

#endif

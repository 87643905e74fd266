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

#include <stdint.h>

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

uint16_t slu_spread_at(double seconds);
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

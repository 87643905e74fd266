/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points are ordered by throwing them into bins of 32 steps (0.7 % of time),
 * of which a bitmap says which are in use; a run time that several classes
 * remember becomes one point. The losses of all points are found in two passes
 * over them, since both |x - r| and exp(-|x - r|) can be carried from point to
 * point.
 */
#include <math.h>
#include <stdlib.h>
#include "job_submit/spread.h"

#define STEPS	 3000.0 /* of `at` in a doubling */
#define OFFSET	 60.0	/* s: below it differences matter little */
#define STEP_BIN 16
#define BIN	 32
#define BINS	 (65536 / BIN)

/* Chosen on KTH-SP2, SDSC-SP2 and Theta; flat around there. */
#define NARROW	     0.015 /* of the natural logarithm */
#define WIDE	     0.5
#define NARROW_SHARE 0.6
#define FLOOR	     5e-8f /* density of what was never seen */

uint16_t slu_spread_at(double seconds)
{
	double past = seconds > 0 ? seconds / OFFSET : 0;
	float at = (float)STEPS * log2f((float)past + 1) + 0.5f;

	return at < UINT16_MAX ? (uint16_t)at : UINT16_MAX;
}

double slu_spread_seconds(unsigned at)
{
	return (double)(exp2f((float)((double)at / STEPS)) - 1) * OFFSET;
}

void slu_kernel_fill(struct slu_kernel *k)
{
	const double narrow = NARROW * STEPS / M_LN2,
		     wide = WIDE * STEPS / M_LN2;

	for (int i = 0; i < SLU_KERNEL_BINS; i++) {
		double a = NARROW_SHARE * exp(-i * STEP_BIN / narrow);
		double b = (1 - NARROW_SHARE) * exp(-i * STEP_BIN / wide);

		k->density[i] = (float)((a / narrow + b / wide) / 2) + FLOOR;
		k->beyond[i] = (float)((a + b) / 2);
	}
}

void slu_spread_order(struct slu_spread *s)
{
	uint64_t used[BINS / 64] = {0};
	float weight[BINS], moment[BINS], sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		const struct slu_point *p = &s->point[i];
		unsigned bin = p->at / BIN;
		uint64_t bit = UINT64_C(1) << bin % 64;

		if (!(used[bin / 64] & bit))
			weight[bin] = moment[bin] = 0;
		used[bin / 64] |= bit;
		weight[bin] += p->weight;
		moment[bin] += p->weight * (float)(p->at % BIN);
		sum += p->weight;
	}
	for (unsigned w = 0; w < BINS / 64; w++)
		for (uint64_t left = used[w]; left; left &= left - 1) {
			unsigned bin = w * 64 + (unsigned)__builtin_ctzll(left);
			float in = moment[bin] / weight[bin];

			s->point[n++] = (struct slu_point){
				(uint16_t)(bin * BIN + (unsigned)(in + 0.5f)),
				weight[bin] / sum};
		}
	s->n = n;
}

double slu_spread_below(const struct slu_kernel *k, const struct slu_spread *s,
			uint16_t at)
{
	float sum = 0;

	for (unsigned i = 0; i < s->n; i++)
		sum += s->point[i].weight *
		       slu_kernel_below(k, at, s->point[i].at);
	return (double)sum;
}

double slu_spread_quantile(const struct slu_kernel *k,
			   const struct slu_spread *s, double p, double elapsed)
{
	uint16_t from = slu_spread_at(elapsed);
	double past = elapsed > 0 ? slu_spread_below(k, s, from) : 0;
	double want = past + p * (1 - past);
	unsigned low = elapsed > 0 ? from : 0, high = UINT16_MAX;

	if (!s->n)
		return 0;
	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (slu_spread_below(k, s, (uint16_t)middle) >= want)
			high = middle;
		else
			low = middle + 1;
	}
	return fmax(slu_spread_seconds(low), elapsed);
}

double slu_spread_choice(const struct slu_spread *s, double far, double near,
			 double usual)
{
	double x[SLU_SPREAD_MAX], loss[SLU_SPREAD_MAX], fade[SLU_SPREAD_MAX];
	double total = 0, moment = 0, left = 0, left_moment = 0;
	double close = 0, best = INFINITY, choice = 0;

	for (unsigned i = 0; i < s->n; i++) {
		x[i] = slu_spread_seconds(s->point[i].at);
		total += (double)s->point[i].weight;
		moment += (double)s->point[i].weight * x[i];
		fade[i] =
			i ? (double)expf((float)((x[i - 1] - x[i]) / near)) : 0;
	}
	for (unsigned i = 0; i < s->n; i++) {
		double w = (double)s->point[i].weight;

		close = close * fade[i] + w;
		left += w;
		left_moment += w * x[i];
		loss[i] =
			(x[i] * (2 * left - total) + moment - 2 * left_moment) /
				far -
			usual * close;
	}
	close = 0;
	for (unsigned i = s->n; i-- > 0;) {
		loss[i] -= usual * close;
		if (loss[i] < best) {
			best = loss[i];
			choice = x[i];
		}
		close = (close + (double)s->point[i].weight) * fade[i];
	}
	return choice;
}

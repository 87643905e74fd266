/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Points are ordered by throwing them into bins of 32 steps (0.7 % of time),
 * of which a bitmap says which are in use; a run time that several classes
 * remember becomes one point. The losses of all points, and the shares up to
 * them, are found in two passes over them, since both |x - r| and
 * exp(-|x - r|) can be carried from point to point.
 *
 * Exponentials come from tables, between whose lines they are interpolated, and
 * logarithms from a polynomial: some hundred are wanted per prediction.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "job_submit/spread.h"

#define STEPS	  SLU_SPREAD_STEPS
#define OFFSET	  SLU_SPREAD_OFFSET
#define STEP_BIN  16
#define BIN	  32
#define BINS	  (65536 / BIN)
#define FALL_STEP 32

/* Chosen on KTH-SP2, SDSC-SP2 and Theta; flat around there. */
#define NARROW	     0.015 /* of the natural logarithm */
#define WIDE	     0.5
#define NARROW_SHARE 0.6
#define FLOOR	     5e-8f /* density of what was never seen */

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
	for (int i = 0; i < SLU_FALL_BINS; i++)
		k->fall[i] = expf(-(float)i / FALL_STEP);
	for (unsigned i = 0; i < SLU_TIME_BINS; i++)
		k->seconds[i] = (float)slu_spread_seconds(i * BIN);
}

/* exp(-x) within 1.3e-4, for x >= 0. */
static inline float fall(const struct slu_kernel *k, float x)
{
	float at = x * FALL_STEP;
	int i = at < SLU_FALL_BINS - 1 ? (int)at : SLU_FALL_BINS - 2;
	float in = at - (float)i;

	return in < 1 ? k->fall[i] + in * (k->fall[i + 1] - k->fall[i]) : 0;
}

/* As slu_spread_seconds(), within 7e-6 of it. */
static inline double seconds(const struct slu_kernel *k, unsigned at)
{
	const float *s = &k->seconds[at / BIN];

	return (double)(s[0] +
			(s[1] - s[0]) * (float)(at % BIN) * (1.0f / BIN));
}

void slu_spread_order(struct slu_spread *s)
{
	uint64_t used[BINS / 64] = {0};
	float weight[BINS], moment[BINS], sum = 0, scale;
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
	scale = 1 / sum;
	for (unsigned w = 0; w < BINS / 64; w++)
		for (uint64_t left = used[w]; left; left &= left - 1) {
			unsigned bin = w * 64 + (unsigned)__builtin_ctzll(left);
			float in = moment[bin] / weight[bin];

			s->point[n++] = (struct slu_point){
				(uint16_t)(bin * BIN + (unsigned)(in + 0.5f)),
				weight[bin] * scale};
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

/* What is left of the two parts of a kernel at this distance, times their
 * shares in it. */
struct tails {
	float narrow, wide;
};

static struct tails faded(const struct slu_kernel *k, struct tails t, int apart)
{
	const float step = (float)(M_LN2 / STEPS);

	return (struct tails){
		t.narrow * fall(k, (float)apart * (step / (float)NARROW)),
		t.wide * fall(k, (float)apart * (step / (float)WIDE))};
}

static struct tails joined(struct tails t, float weight)
{
	return (struct tails){t.narrow + weight * (float)NARROW_SHARE,
			      t.wide + weight * (float)(1 - NARROW_SHARE)};
}

static struct tails times(struct tails a, struct tails b)
{
	return (struct tails){a.narrow * b.narrow, a.wide * b.wide};
}

static float half(struct tails t)
{
	return (t.narrow + t.wide) / 2;
}

/* A gap between two points, or before the first or after the last. */
struct gap {
	int from, to;
	float weight;		  /* of all up to `from` */
	struct tails left, right; /* of these, and of the others, there */
};

static float below_in(const struct slu_kernel *k, const struct gap *g, int at)
{
	return g->weight - half(faded(k, g->left, at - g->from)) +
	       half(faded(k, g->right, g->to - at));
}

/* The gap at whose end the share `want` is reached. */
static struct gap find_gap(const struct slu_kernel *k,
			   const struct slu_spread *s, float want)
{
	/* At each point: what is left of one before it, and of those after. */
	struct tails fade[SLU_SPREAD_MAX], right[SLU_SPREAD_MAX];
	const struct slu_point *p = s->point;
	struct gap g = {.to = UINT16_MAX};
	unsigned i = s->n - 1;

	right[i] = (struct tails){0};
	fade[0] = (struct tails){0};
	for (; i > 0; i--) {
		fade[i] = faded(k, (struct tails){1, 1}, p[i].at - p[i - 1].at);
		right[i - 1] = times(fade[i], joined(right[i], p[i].weight));
	}
	for (; i < s->n; i++) {
		struct tails left = times(fade[i], g.left);

		if (g.weight + p[i].weight / 2 - half(left) + half(right[i]) >=
		    want) {
			g.to = p[i].at;
			g.right = joined(right[i], p[i].weight);
			return g;
		}
		g.from = p[i].at;
		g.weight += p[i].weight;
		g.left = joined(left, p[i].weight);
	}
	return g;
}

double slu_spread_quantile(const struct slu_kernel *k,
			   const struct slu_spread *s, double p, double elapsed)
{
	uint16_t from = slu_spread_at(elapsed);
	double past = elapsed > 0 ? slu_spread_below(k, s, from) : 0;
	float want = (float)(past + p * (1 - past));
	struct gap g;
	int low, high;

	if (!s->n)
		return 0;
	g = find_gap(k, s, want);
	low = g.from;
	high = g.to;
	while (low < high) {
		int middle = (low + high) / 2;

		if (below_in(k, &g, middle) >= want)
			high = middle;
		else
			low = middle + 1;
	}
	return fmax(slu_spread_seconds((unsigned)low), elapsed);
}

double slu_spread_choice(const struct slu_kernel *k, const struct slu_spread *s,
			 double far, double near, double usual)
{
	double x[SLU_SPREAD_MAX], loss[SLU_SPREAD_MAX], fade[SLU_SPREAD_MAX];
	double total = 0, moment = 0, left = 0, left_moment = 0;
	double close = 0, best = INFINITY, per = 1 / near;
	unsigned choice = 0;

	for (unsigned i = 0; i < s->n; i++) {
		x[i] = seconds(k, s->point[i].at);
		total += (double)s->point[i].weight;
		moment += (double)s->point[i].weight * x[i];
		fade[i] = i ? (double)fall(k, (float)((x[i] - x[i - 1]) * per))
			    : 0;
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
			choice = i;
		}
		close = (close + (double)s->point[i].weight) * fade[i];
	}
	return s->n ? slu_spread_seconds(s->point[choice].at) : 0;
}

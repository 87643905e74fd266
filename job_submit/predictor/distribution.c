/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the cumulative distribution and the quantiles of a run time's
 * distribution (distribution.h), and the forecast with the least expected loss
 * (struct slu_loss: the absolute error, less a bonus for near hits). Points are
 * sorted by a bucket sort into bins of 32 steps (0.7 % of time) with a bitmap
 * of used bins; equal run times of several classes become one point. The losses
 * of all points, and the cumulative distribution at them, are computed in one
 * pass in each direction, since both |x - r| and exp(-|x - r|) have recurrences
 * from point to point.
 *
 * A prediction takes some hundred exponentials: a polynomial computes several
 * at once (SIMD).
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <float.h>
#include <math.h>
#include "job_submit/predictor/distribution.h"

#define STEPS  SLU_LOGTIME_STEPS
#define OFFSET SLU_LOGTIME_OFFSET
#define BIN    32
#define BINS   (65536 / BIN)
#define PROBES 16 /* of a gap in one step of the search */
/* Keeps products above denormal numbers. */
#define TINY  1e-9f
#define FADED -60.0f
_Static_assert(SLU_DISTRIBUTION_MAX <= UINT8_MAX + 1, "a place is a byte");

double slu_logtime_seconds(unsigned at)
{
	return (double)(exp2f((float)((double)at / STEPS)) - 1) * OFFSET;
}

SLU_INLINE float seconds(uint16_t at)
{
	return (slu_fast_exp2((float)at * (float)(1 / STEPS)) - 1) *
	       (float)OFFSET;
}

void slu_distribution_sort(struct slu_distribution *s)
{
	uint8_t place[BINS]; /* rank of a used bin */
	struct {
		float weight, moment;
	} bin[SLU_DISTRIBUTION_MAX];
	uint64_t used[BINS / 64] = {0};
	uint32_t words = 0; /* bitmap words that are not 0 */
	float sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		place[s->at[i] / BIN] = (uint8_t)i;
		bin[i].weight = bin[i].moment = 0;
	}
	for (unsigned i = 0; i < s->n; i++) {
		unsigned b = s->at[i] / BIN, k = place[b];

		used[b / 64] |= UINT64_C(1) << b % 64;
		words |= UINT32_C(1) << b / 64;
		bin[k].weight += s->weight[i];
		bin[k].moment += s->weight[i] * (float)(s->at[i] % BIN);
		sum += s->weight[i];
	}
	sum = 1 / sum;
	for (; words; words &= words - 1) {
		unsigned w = (unsigned)__builtin_ctz(words);

		for (uint64_t left = used[w]; left; left &= left - 1) {
			unsigned b = w * 64 + (unsigned)__builtin_ctzll(left);
			unsigned k = place[b];
			float in = bin[k].moment / bin[k].weight;

			s->at[n] = (uint16_t)(b * BIN + (unsigned)(in + 0.5f));
			s->weight[n++] = bin[k].weight * sum;
		}
	}
	slu_distribution_end(s, n);
}

/* The number of points, rounded up to whole blocks. */
SLU_INLINE unsigned all(const struct slu_distribution *s)
{
	return (s->n + SLU_DISTRIBUTION_BLOCK - 1) / SLU_DISTRIBUTION_BLOCK *
	       SLU_DISTRIBUTION_BLOCK;
}

SLU_FAST double slu_distribution_cdf(const struct slu_distribution *s,
				     uint16_t at)
{
	float sum = 0;

	for (unsigned i = 0; i < all(s); i++)
		sum += s->weight[i] * slu_kernel_below(at, s->at[i]);
	return (double)sum;
}

/* The remaining weights of the kernel's two exponentials. */
struct tails {
	float narrow, wide;
};

SLU_INLINE struct tails faded(struct tails t, int apart)
{
	return (struct tails){t.narrow * slu_kernel_narrow(apart),
			      t.wide * slu_kernel_wide(apart)};
}

/* The recurrence: decays `t`, and adds a point of this weight. One
 * multiply-add, as each step waits for the one before. */
SLU_INLINE struct tails joined(struct tails t, struct tails fade, float weight)
{
	return (struct tails){
		t.narrow * fade.narrow + weight * (float)SLU_KERNEL_NARROW,
		t.wide * fade.wide + weight * (float)(1 - SLU_KERNEL_NARROW)};
}

SLU_INLINE float half(struct tails t)
{
	return (t.narrow + t.wide) / 2;
}

/* The interval between two points, before the first, or after the last. */
struct gap {
	int from, to;
	float weight; /* of all points up to `from` */
	struct tails left,
		right; /* at `from` of these, at `to` of the others */
};

SLU_INLINE float below_in(const struct gap *g, int at)
{
	return g->weight - half(faded(g->left, at - g->from)) +
	       half(faded(g->right, g->to - at));
}

/* The interval in which the cumulative distribution reaches `want`. */
SLU_INLINE struct gap find_gap(const struct slu_distribution *s, float want)
{
	/* The decay between neighbours, and at each point the sums over all up
	 * to it and from it on. */
	struct tails fade[SLU_DISTRIBUTION_MAX + 1], left[SLU_DISTRIBUTION_MAX],
		right[SLU_DISTRIBUTION_MAX], l = {0}, r = {0};
	struct gap g = {.to = UINT16_MAX};
	unsigned n = s->n;

	for (unsigned i = 1; i < n; i++)
		fade[i] = faded((struct tails){1, 1}, s->at[i] - s->at[i - 1]);
	fade[0] = fade[n] = (struct tails){0};
	for (unsigned i = 0; i < n; i++) {
		unsigned k = n - 1 - i;

		left[i] = l = joined(l, fade[i], s->weight[i]);
		right[k] = r = joined(r, fade[k + 1], s->weight[k]);
	}
	for (unsigned i = 0; i < n; i++) {
		if (g.weight + s->weight[i] / 2 - half(left[i]) +
			    half(right[i]) >=
		    want) {
			g.to = s->at[i];
			g.right = right[i];
			return g;
		}
		g.from = s->at[i];
		g.weight += s->weight[i];
		g.left = left[i];
	}
	return g;
}

/* Where in the interval the cumulative distribution reaches `want`. */
SLU_INLINE int find_in(const struct gap *g, float want)
{
	int low = g->from, high = g->to;

	while (low < high) {
		int step = (high - low - 1) / PROBES + 1, passed = 0, end;

		for (int i = 0; i < PROBES; i++)
			passed += below_in(g, low + i * step) < want;
		end = low + passed * step;
		high = end < high ? end : high;
		low = passed ? end - step + 1 : low;
	}
	return high;
}

SLU_FAST static int find(const struct slu_distribution *s, float want)
{
	struct gap g = find_gap(s, want);

	return find_in(&g, want);
}

double slu_distribution_quantile(const struct slu_distribution *s, double p,
				 double elapsed)
{
	uint16_t from = slu_logtime(elapsed);
	double past = elapsed > 0 ? slu_distribution_cdf(s, from) : 0;
	float want = (float)(past + p * (1 - past));

	if (!s->n)
		return 0;
	return fmax(slu_logtime_seconds((unsigned)find(s, want)), elapsed);
}

/* The bonus for predicting a run nearly exactly, as sums over all points up to
 * one, and from one on. */
struct meeting {
	float fade[SLU_DISTRIBUTION_MAX + 1];
	float worth[SLU_DISTRIBUTION_MAX]; /* times the point's weight */
	float below, above;
};

SLU_INLINE void prepare_meeting(struct meeting *m,
				const struct slu_distribution *s,
				const float *x, double near, double worth,
				float least)
{
	float per = (float)(M_LOG2E / near), w = (float)worth;

	for (unsigned i = 0; i < s->n; i++)
		m->worth[i] = (x[i] >= least ? w * s->weight[i] : 0) + TINY;
	for (unsigned i = 1; i < s->n; i++) {
		float apart = (x[i - 1] - x[i]) * per;

		m->fade[i] = slu_fast_exp2(apart > FADED ? apart : FADED);
	}
	m->fade[0] = m->fade[s->n] = 0;
	m->below = m->above = 0;
}

/* The sum over the points up to i. */
SLU_INLINE float met_below(struct meeting *m, unsigned i)
{
	return m->below = m->below * m->fade[i] + m->worth[i];
}

/* The sum over the points after k. */
SLU_INLINE float met_above(struct meeting *m, unsigned k)
{
	m->above = m->above * m->fade[k + 1] + m->worth[k];
	return m->above - m->worth[k];
}

SLU_FAST double slu_distribution_choice(const struct slu_distribution *s,
					const struct slu_loss *by)
{
	float x[SLU_DISTRIBUTION_MAX], loss[SLU_DISTRIBUTION_MAX],
		back[SLU_DISTRIBUTION_MAX];
	float total = 0, left = 0, left_moment = 0, best = FLT_MAX;
	float per = (float)(1 / by->far);
	struct meeting any, lasting;
	unsigned n = s->n, choice = 0;

	for (unsigned i = 0; i < n; i++) {
		x[i] = seconds(s->at[i]);
		total += s->weight[i];
	}
	prepare_meeting(&any, s, x, by->any.near, by->any.worth, 0);
	prepare_meeting(&lasting, s, x, by->lasting.near, by->lasting.worth,
			SLU_DISTRIBUTION_LASTING);
	for (unsigned i = 0; i < n; i++) {
		unsigned k = n - 1 - i;

		left += s->weight[i];
		left_moment += s->weight[i] * x[i];
		loss[i] = (x[i] * (2 * left - total) - 2 * left_moment) * per -
			  met_below(&any, i) - met_below(&lasting, i);
		back[k] = met_above(&any, k) + met_above(&lasting, k);
	}
	for (unsigned i = 0; i < n; i++) {
		loss[i] -= back[i];
		best = loss[i] < best ? loss[i] : best;
	}
	for (unsigned i = 0; i < n; i++)
		choice = loss[i] == best ? i : choice;
	return n ? slu_logtime_seconds(s->at[choice]) : 0;
}

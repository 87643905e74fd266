/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_LOGTIME_H
#define SLU_JOB_SUBMIT_PREDICTOR_LOGTIME_H

/*
 * Converts run times to logarithmic time, numbers of 16 bits, and has the fast
 * functions that go with them:
 *
 *	at = 3000 log2(seconds / 60 + 1);
 *
 * a step is 0.02 % of run times far above a minute, and 65535 is some 6 years.
 * Plain values: any thread.
 */

#include <math.h>
#include <stdint.h>
#include <string.h>

/* For loops that do several at once; see common/fast.h. */
#define SLU_LOGTIME_INLINE static inline __attribute__((always_inline))

#define SLU_LOGTIME_STEPS  3000.0 /* of `at` in a doubling */
#define SLU_LOGTIME_OFFSET 60.0	  /* s: below it differences matter little */

/* log2(x) within 2e-6, for x >= 1, by artanh's series for its mantissa. */
SLU_LOGTIME_INLINE float slu_fast_log2(float x)
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

/* Of past = seconds / SLU_LOGTIME_OFFSET, >= 0; without branches. */
SLU_LOGTIME_INLINE uint16_t slu_logtime_scaled(float past)
{
	float at;

	past = past < 1e30f ? past : 1e30f;
	at = (float)SLU_LOGTIME_STEPS * slu_fast_log2(past + 1) + 0.5f;
	return (uint16_t)(int)(at < UINT16_MAX ? at : UINT16_MAX);
}

SLU_LOGTIME_INLINE uint16_t slu_logtime(double seconds)
{
	return slu_logtime_scaled(
		seconds > 0 ? (float)(seconds / SLU_LOGTIME_OFFSET) : 0);
}

double slu_logtime_seconds(unsigned at);

/* 2^x within 4e-7 of it, for x below 127, 2^-100 at least: a weight times that
 * is no denormal number, which takes a processor a hundred times as long.
 * Without branches. */
SLU_LOGTIME_INLINE float slu_fast_exp2(float x)
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
SLU_LOGTIME_INLINE void slu_softmax(const float *logit, float *weight, int n)
{
	float most = logit[0], sum = 0;

	for (int k = 0; k < n; k++)
		most = most > logit[k] ? most : logit[k];
	for (int k = 0; k < n; k++)
		weight[k] = slu_fast_exp2((logit[k] - most) * (float)M_LOG2E);
	for (int k = 0; k < n; k++)
		sum += weight[k];
	sum = 1 / sum;
	for (int k = 0; k < n; k++)
		weight[k] *= sum;
}

#endif

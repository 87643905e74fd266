/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With at most 16 values a training is a look through them: no table of
 * transitions is kept, so a model is 300 bytes whatever its order, and mean
 * and deviation may move with every value.
 */
#include <math.h>
#include <string.h>
#include "job_submit/markov.h"

#define FADE 0.9 /* of the mean square errors, per value */

void slu_markov_init(struct slu_markov *m, uint32_t order)
{
	*m = (struct slu_markov){.order = order};
}

int slu_markov_state(double value, double mean, double deviation)
{
	double off = value - mean;

	if (deviation <= 0)
		return 0;
	if (off < -0.85 * deviation)
		return -2;
	if (off < -0.25 * deviation)
		return -1;
	if (off <= 0.25 * deviation)
		return 0;
	return off <= 0.85 * deviation ? 1 : 2;
}

double slu_markov_value(int state, double mean, double deviation)
{
	static const double at[] = {-1.7, -0.5, 0, 0.5, 1.7};

	return fmax(mean + at[state + 2] * deviation, 0);
}

uint64_t slu_markov_stripes(double bytes, uint64_t stripe_size)
{
	double n = ceil(bytes / (double)stripe_size);

	return n < 1 ? 1 : n < 1e18 ? (uint64_t)n : (uint64_t)1e18;
}

/* The last `length` values, oldest first. */
struct training {
	double mean, deviation;
	size_t n;
	/* states, with room for those that are predicted one by one */
	int8_t state[SLU_MARKOV_LENGTH];
};

static void train(const struct slu_markov *m, size_t length, struct training *t)
{
	double value[SLU_MARKOV_LENGTH], squares = 0;

	t->n = m->n < length ? m->n : length;
	t->mean = 0;
	for (size_t i = 0; i < t->n; i++) {
		value[i] = m->value[(m->n - t->n + i) % SLU_MARKOV_LENGTH];
		t->mean += value[i] / (double)t->n;
	}
	for (size_t i = 0; i < t->n; i++)
		squares += (value[i] - t->mean) * (value[i] - t->mean);
	t->deviation = t->n ? sqrt(squares / (double)t->n) : 0;
	if (t->deviation < 1e-9 * t->mean) /* equal but for rounding */
		t->deviation = 0;
	for (size_t i = 0; i < t->n; i++)
		t->state[i] = (int8_t)slu_markov_state(value[i], t->mean,
						       t->deviation);
}

/* What followed most often on the last `order` states, the latest winning a
 * tie; false: they have not been seen before. */
static bool follower(const struct training *t, size_t order, int *state)
{
	int seen[5] = {0}, best = 0;

	if (t->n <= order)
		return false;
	for (size_t i = order; i < t->n; i++) {
		if (memcmp(&t->state[i - order], &t->state[t->n - order],
			   order) != 0)
			continue;
		if (++seen[t->state[i] + 2] >= best) {
			best = seen[t->state[i] + 2];
			*state = t->state[i];
		}
	}
	return best > 0;
}

/* The next state, which joins the training. */
static int step(struct training *t, size_t order)
{
	int state = 0;

	while (order > 0 && !follower(t, order, &state))
		order--;
	if (t->n == SLU_MARKOV_LENGTH)
		memmove(t->state, t->state + 1, --t->n);
	t->state[t->n++] = (int8_t)state;
	return state;
}

static size_t best_length(const struct slu_markov *m)
{
	size_t best = 0;

	for (size_t l = 1; l < SLU_MARKOV_LENGTHS && 2 * l < m->n; l++)
		if (m->error[l] <= m->error[best])
			best = l;
	return best;
}

uint32_t slu_markov_length(const struct slu_markov *m)
{
	return 2 * (uint32_t)best_length(m) + 2;
}

void slu_markov_learn(struct slu_markov *m, double value)
{
	for (size_t l = 0; m->n && l < SLU_MARKOV_LENGTHS; l++) {
		double off = m->guess[l] - value;

		m->error[l] = FADE * m->error[l] + (1 - FADE) * off * off;
	}
	m->value[m->n++ % SLU_MARKOV_LENGTH] = value;
	for (size_t l = 0; l < SLU_MARKOV_LENGTHS; l++) {
		struct training t;

		train(m, 2 * l + 2, &t);
		m->guess[l] = slu_markov_value(step(&t, m->order), t.mean,
					       t.deviation);
	}
}

void slu_markov_predict(const struct slu_markov *m, double *next, size_t n)
{
	struct training t;

	if (n == 1) { /* as it was learnt */
		*next = m->guess[best_length(m)];
		return;
	}
	train(m, slu_markov_length(m), &t);
	for (size_t i = 0; i < n; i++)
		next[i] = slu_markov_value(step(&t, m->order), t.mean,
					   t.deviation);
}

double slu_markov_nearest(const struct slu_markov *m, double value)
{
	size_t n = m->n < SLU_MARKOV_LENGTH ? m->n : SLU_MARKOV_LENGTH;
	double best = n ? m->value[0] : 0;

	for (size_t i = 1; i < n; i++)
		if (fabs(m->value[i] - value) < fabs(best - value))
			best = m->value[i];
	return best;
}

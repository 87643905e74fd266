/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Predicts with a Markov chain (markov.h) without a table of transitions: the
 * states of up to 16 values fit in a word, and transitions are found by bit
 * operations on the sequence. So a model takes 800 bytes for any order, and
 * mean and deviation may change with every value.
 *
 * Most applications repeat themselves. Predictions depend only on the last 16
 * values: if they are the same as a period ago, so are the predictions, and no
 * training is needed.
 */
#include "common/fast.h"
#include <float.h>
#include <math.h>
#include <string.h>
#include "job_submit/io/markov.h"

#define FADE 0.9 /* decay of mean square errors per value */

void slu_markov_init(struct slu_markov *m, uint32_t order)
{
	memset(m, 0, offsetof(struct slu_markov, value));
	m->order = order;
	m->period = 1;
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

/*
 * Four bits per state, the latest in the lowest: state + 3, or 0 before the
 * first. All places of the sequence are compared at once.
 */
#define EACH UINT64_C(0x1111111111111111)

static unsigned state_at(uint64_t states, unsigned ago)
{
	return states >> 4 * ago & 15;
}

/* Sets bit 3 of every place with this state. */
static uint64_t places_of(uint64_t states, unsigned state)
{
	return ~((states ^ state * EACH) + 7 * EACH) & 8 * EACH;
}

/* The most frequent state in these places, the latest among equals. */
static unsigned most_often(uint64_t states, uint64_t places)
{
	unsigned best = 0, most = 0;

	while (places) {
		unsigned ago = (unsigned)__builtin_ctzll(places) / 4;
		unsigned state = state_at(states, ago);
		uint64_t same = places & places_of(states, state);
		unsigned n = (unsigned)((same >> 3) * EACH >> 60);

		if (n > most) {
			most = n;
			best = state;
		}
		places &= ~same;
	}
	return best;
}

/* The most frequent successor of the last `order` states, or of fewer if they
 * did not occur before; else the state of the mean. */
static unsigned next_state(uint64_t states, unsigned order)
{
	uint64_t match = ~UINT64_C(0), best = 0;

	for (unsigned o = 0; o < order && state_at(states, o + 1); o++) {
		match &= places_of(states, state_at(states, o)) >> 4 * o;
		if (!(match >> 4))
			break;
		best = match >> 4;
	}
	return best ? most_often(states, best) : 3;
}

/* Statistics of the last values. */
struct training {
	double mean, deviation;
	uint64_t states;
};

/* slu_markov_state() + 3, without branches. */
static inline unsigned state_of(double off, double near, double far)
{
	return 3u + (off > near) + (off > far) - (off < -near) - (off < -far);
}

/* The last values, the latest first, as differences to the latest. */
struct tail {
	double latest, above[SLU_MARKOV_LENGTH];
	uint32_t n;
};

static void get_tail(const struct slu_markov *m, struct tail *t)
{
	t->n = m->n < SLU_MARKOV_LENGTH ? m->n : SLU_MARKOV_LENGTH;
	t->latest = m->n ? m->value[(m->n - 1) % SLU_MARKOV_LENGTH] : 0;
	for (uint32_t i = 0; i < t->n; i++)
		t->above[i] = m->value[(m->n - 1 - i) % SLU_MARKOV_LENGTH] -
			      t->latest;
}

/* From the sums of n differences and of their squares. */
static struct training train(const struct tail *tail, uint32_t n, double sum,
			     double squares)
{
	double mean = n ? sum / n : 0;
	double variance = n ? squares / n - mean * mean : 0;
	struct training t = {.mean = mean + tail->latest};
	double near, far;

	t.deviation = sqrt(variance > 0 ? variance : 0);
	if (t.deviation < 1e-9 * t.mean) /* rounding error */
		t.deviation = 0;
	near = t.deviation > 0 ? 0.25 * t.deviation : DBL_MAX;
	far = t.deviation > 0 ? 0.85 * t.deviation : DBL_MAX;
	for (uint32_t i = n; i-- > 0;)
		t.states = t.states << 4 |
			   state_of(tail->above[i] - mean, near, far);
	return t;
}

/* Statistics for each training length, in one pass. */
static void train_all(const struct tail *tail,
		      struct training t[SLU_MARKOV_LENGTHS])
{
	double sum = 0, squares = 0;
	uint32_t n = 0;

	for (uint32_t l = 0; l < SLU_MARKOV_LENGTHS; l++) {
		if (l && n == tail->n) {
			t[l] = t[l - 1];
			continue;
		}
		for (; n < tail->n && n < 2 * l + 2; n++) {
			sum += tail->above[n];
			squares += tail->above[n] * tail->above[n];
		}
		t[l] = train(tail, n, sum, squares);
	}
}

static double value_of(const struct training *t, unsigned state)
{
	return slu_markov_value((int)state - 3, t->mean, t->deviation);
}

/* The value so many steps ago. */
static double past(const struct slu_markov *m, uint32_t ago)
{
	return m->value[(m->n - 1 - ago) % SLU_MARKOV_LENGTH];
}

static double *guesses(struct slu_markov *m, uint32_t ago)
{
	return m->guess[(m->n - 1 - ago) % SLU_MARKOV_PERIOD];
}

uint32_t slu_markov_length(const struct slu_markov *m)
{
	return 2 * m->best + 2;
}

/* The number of last values that equal those a period before. */
static uint32_t count_same(const struct slu_markov *m, uint32_t period)
{
	uint32_t known = m->n < SLU_MARKOV_LENGTH ? m->n : SLU_MARKOV_LENGTH;
	uint32_t same = 0;

	while (period + same < known && past(m, same) == past(m, period + same))
		same++;
	return same;
}

/* Do all last values equal those a period before? When a value breaks the
 * period, another one is searched. */
static bool repeats(struct slu_markov *m)
{
	if (m->period < m->n && past(m, 0) == past(m, m->period)) {
		m->same++;
		return m->same >= SLU_MARKOV_LENGTH;
	}
	m->same = 0;
	for (uint32_t p = 1; p <= SLU_MARKOV_PERIOD; p++) {
		uint32_t same = count_same(m, p);

		if (same > m->same || p == 1) {
			m->same = same;
			m->period = p;
		}
	}
	return false;
}

/* Updates the predictions; longer trainings than there are values are equal. */
static void guess(struct slu_markov *m)
{
	struct training t[SLU_MARKOV_LENGTHS];
	double *to = guesses(m, 0);
	struct tail tail;

	get_tail(m, &tail);
	train_all(&tail, t);
	for (size_t l = 0; l < SLU_MARKOV_LENGTHS; l++)
		to[l] = l && 2 * l >= tail.n
				? to[l - 1]
				: value_of(&t[l],
					   next_state(t[l].states, m->order));
}

static void judge(double *restrict error, const double *restrict guess,
		  double value)
{
	for (size_t l = 0; l < SLU_MARKOV_LENGTHS; l++) {
		double off = guess[l] - value;

		error[l] = FADE * error[l] + (1 - FADE) * off * off;
	}
}

/* The longest of n lengths with the least error. */
static inline uint32_t best_of(const double *error, uint32_t n)
{
	double least = error[0];
	uint32_t best = 0;

	for (uint32_t l = 1; l < n; l++) {
		best = error[l] <= least ? l : best;
		least = error[l] <= least ? error[l] : least;
	}
	return best;
}

static uint32_t best_length(const struct slu_markov *m)
{
	uint32_t lengths = (m->n + 1) / 2; /* longer ones are equal */

	return lengths < SLU_MARKOV_LENGTHS
		       ? best_of(m->error, lengths)
		       : best_of(m->error, SLU_MARKOV_LENGTHS);
}

void slu_markov_learn(struct slu_markov *m, double value)
{
	if (m->n)
		judge(m->error, guesses(m, 0), value);
	m->value[m->n++ % SLU_MARKOV_LENGTH] = value;
	m->best = best_length(m);
	if (repeats(m))
		memcpy(guesses(m, 0), guesses(m, m->period),
		       sizeof(m->guess[0]));
	else
		guess(m);
}

static void predict_many(const struct slu_markov *m, double *next, size_t n)
{
	struct training t[SLU_MARKOV_LENGTHS];
	const struct training *use = &t[m->best];
	struct tail tail;
	uint64_t states;

	get_tail(m, &tail);
	train_all(&tail, t);
	states = use->states;
	for (size_t i = 0; i < n; i++) {
		unsigned state = next_state(states, m->order);

		next[i] = value_of(use, state);
		states = states << 4 | state;
	}
}

void slu_markov_predict(const struct slu_markov *m, double *next, size_t n)
{
	if (n == 1 && m->n) /* computed when the last value was added */
		*next = m->guess[(m->n - 1) % SLU_MARKOV_PERIOD][m->best];
	else
		predict_many(m, next, n);
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

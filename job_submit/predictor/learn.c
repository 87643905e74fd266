/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One lesson, from a job that has ended; predict.c says what is learnt. */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <math.h>
#include <string.h>
#include "job_submit/ended.h"
#include "job_submit/predictor/mixture.h"

static const float mixer_rate[SLU_VIEW_GATED] = {0.006f, 0.12f, 0.05f, 0.05f};
#define FIRST_RATE   0.3f /* of a class, divided by its jobs */
#define MIX_RATE     0.02f
#define KIND_RATE    0.1f
#define KIND_MOST    50.0f
#define KIND_SHARE   0.05f /* least, of a source that teaches */
#define LEVEL_RATE   0.04f
#define SOURCE_CROWD 2.0f  /* jobs */
#define LEVEL_CROWD  10.0f /* jobs */
/* Chosen on five logs; of little influence on four of them. */
#define EXCESS_JOBS  8000.0f /* after which it is forgotten */
#define EXCESS_RATE  0.002f  /* of the aim, per job too many below */
#define EXCESS_AIM   0.8f    /* of what is left of 0 or 1 */
#define MIN_SHARE    1e-3f

#define ERRORS_EVERY 16 /* lessons */

static inline float more(float a, float b)
{
	return a > b ? a : b;
}

/* How well each source, and each place in it, foretold the job. */
struct lesson {
	uint16_t run;
	struct slu_places in;
	float density[SLU_VIEW_POINTS];
	float foretold[SLU_VIEW_WIDTH];
	float total;
};

SLU_FAST static void weigh_lesson(const struct slu_predictor *p,
				  const struct slu_seen *seen, struct lesson *l)
{
	const uint16_t *at = seen->at;
	float by_place[SLU_VIEW_POINTS], total = 0;

	slu_view_places(p, seen, &l->in);
	for (int i = 0; i < SLU_VIEW_POINTS; i++)
		l->density[i] = slu_kernel_density(l->run, at[i]);
	for (int i = 0; i < SLU_VIEW_POINTS; i++)
		by_place[i] = l->in.place[i] * l->density[i];
	slu_sum_places(l->foretold, by_place);
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		l->foretold[s] *= l->in.per[s];
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		total += seen->weight[s] * l->foretold[s];
	l->total = total;
}

/* The share of what is said here that ends within `at`. */
SLU_FAST static float share_below(const struct slu_said *said, int at)
{
	const uint16_t *centre = said->seen.at;
	const float *weight = said->weight;
	float sum = 0, below = 0;

	for (int i = 0; i < SLU_VIEW_POINTS; i++) {
		sum += weight[i];
		below += weight[i] * slu_kernel_below(at, centre[i]);
	}
	return below / sum;
}

/* The last step before a run: a quantile beyond it is at least the run. */
static uint16_t step_before(int64_t run)
{
	float past = (float)run / (float)SLU_SPREAD_OFFSET;
	float at = (float)SLU_SPREAD_STEPS * slu_spread_log2(past + 1);

	return (uint16_t)(fminf(ceilf(at), UINT16_MAX) - 1);
}

/*
 * Many that were told the same say little more than a few of them do, so they
 * move the levels less; they are counted all the same, and the levels then aim
 * so that the share of the last thousands comes out right (the integral term
 * of conformal PID control, Angelopoulos, Candes and Tibshirani 2023).
 */
static void learn_levels(struct slu_predictor *p, float below, unsigned told,
			 const struct slu_job *job)
{
	const float *then =
		slu_said_levels(p, job->submit > 0 ? job->submit : INT64_MAX);
	float rate = LEVEL_RATE / (1 + (float)told / LEVEL_CROWD);

	for (int i = 0; i < SLU_VIEW_KNOTS; i++) {
		float knot = (float)slu_knot[i];
		float edge = knot < 0.5f ? knot : 1 - knot;
		float off = (below < then[i] ? 1.0f : 0) - knot;
		float most = EXCESS_AIM * edge, aim, level;

		p->excess[i] += off - p->excess[i] * (1 / EXCESS_JOBS);
		aim = EXCESS_RATE * p->excess[i];
		aim = aim < most ? aim : most;
		aim = aim > -most ? aim : -most;
		level = slu_get(&p->level[i]) - rate * edge * (off + aim);
		level = level > 0 ? level : 0;
		slu_set(&p->level[i], level < 0.99999f ? level : 0.99999f);
	}
	slu_said_note_levels(p, job->end);
}

SLU_FAST static void learn_places(struct slu_predictor *p,
				  const struct slu_seen *seen,
				  const struct lesson *l)
{
	float place[SLU_VIEW_LISTED], due[SLU_VIEW_WIDTH],
		rate[SLU_VIEW_POINTS], foretold[SLU_VIEW_POINTS];

	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		due[s] = seen->n[s] > 1
				 ? mixer_rate[0] * seen->weight[s] / l->total
				 : 0;
	slu_each_place(rate, due);
	slu_each_place(foretold, l->foretold);
	slu_fetch(place, p->place, SLU_VIEW_LISTED);
	for (int i = 0; i < SLU_VIEW_LISTED; i++) {
		float by = rate[i] * (l->density[i] - foretold[i]);
		float to = place[i] * (1 + (l->in.place[i] > 0 ? by : 0));

		place[i] = to > 1e-4f ? to : 1e-4f;
	}
	slu_store(p->place, place, SLU_VIEW_LISTED);
}

static void learn_mix(struct slu_predictor *p, const struct slu_view *v, int m,
		      float rate, float likelihood)
{
	unsigned when = slu_view_season(v, m);
	float sum = 0;

	if (!when)
		return;
	slu_set(&p->mix[when][m],
		more(slu_get(&p->mix[when][m]) * (1 + rate * (likelihood - 1)),
		     1e-3f));
	for (int i = 0; i < SLU_VIEW_MIXERS; i++)
		sum += slu_get(&p->mix[when][i]);
	for (int i = 0; i < SLU_VIEW_MIXERS; i++)
		slu_set(&p->mix[when][i],
			slu_get(&p->mix[when][i]) * SLU_VIEW_MIXERS / sum);
}

SLU_INLINE void store_weights(struct slu_predictor *p, struct slu_view *v,
			      int m, const float w[SLU_VIEW_WIDTH])
{
	uint16_t kept[SLU_VIEW_WIDTH];
	float to[SLU_VIEW_WIDTH];

	for (int s = 0; s < SLU_VIEW_WIDTH; s++) {
		to[s] = w[s] > MIN_SHARE ? w[s] : MIN_SHARE;
		kept[s] =
			(uint16_t)((to[s] < 1 ? to[s] : 1) * UINT16_MAX + 0.5f);
	}
	if (m)
		memcpy(v->class[slu_mixer_level[m]].weight, kept,
		       sizeof(v->class[0].weight));
	else
		slu_store(p->weight[v->seen.known], to, SLU_VIEW_KEPT);
}

SLU_FAST static void learn_kinds(struct slu_predictor *p,
				 const struct slu_seen *seen, float worth,
				 const struct lesson *l)
{
	const float *w = l->in.weight;
	float sum = 0, foretold = 0, to[SLU_VIEW_POINTS], per, each;

	for (int i = 0; i < SLU_VIEW_POINTS; i++) {
		sum += w[i];
		foretold += w[i] * l->density[i];
	}
	per = worth * KIND_RATE / foretold;
	each = worth * KIND_RATE / sum;
	for (int i = 0; i < SLU_VIEW_POINTS; i++)
		to[i] = 1 + w[i] * (l->density[i] * per - each);
	for (int s = 0; s < LEVELS; s++) {
		unsigned n = seen->weight[s] < KIND_SHARE ? 0 : seen->n[s];

		for (unsigned k = 0; k < n; k++) {
			slu_shared *kind =
				&p->kind[s]
					[seen->kind[s * SLU_VIEW_PLACES + k]];
			float is = slu_get(kind) *
				   to[s * SLU_VIEW_PLACES + (int)k];

			is = is > 1 / KIND_MOST ? is : 1 / KIND_MOST;
			slu_set(kind, is < KIND_MOST ? is : KIND_MOST);
		}
	}
}

/* The sum of these weights, and what they foretold, where there are runs. */
SLU_INLINE float sum_up(const struct slu_seen *seen,
			const float w[SLU_VIEW_WIDTH], const struct lesson *l,
			float *foretold)
{
	float sum = 0, all = 0;

	for (int s = 0; s < SLU_VIEW_WIDTH; s++) {
		float is = seen->n[s] ? w[s] : 0;

		sum += is;
		all += is * l->foretold[s];
	}
	*foretold = all;
	return sum;
}

/* A class that has not been taught begins with the weights of the next wider
 * one, or with the site's. */
SLU_FAST static void learn_sources(struct slu_predictor *p, struct slu_view *v,
				   int m, float worth, const struct lesson *l)
{
	uint32_t jobs = m ? v->class[slu_mixer_level[m]].jobs : UINT32_MAX;
	bool wider = m > 1 && v->class[slu_mixer_level[m - 1]].jobs;
	const float *from = v->own[jobs ? m : wider ? m - 1 : 0];
	float w[SLU_VIEW_WIDTH], sum, foretold, per;
	float rate = worth * more(mixer_rate[m],
				  m ? FIRST_RATE / ((float)jobs + 1) : 0);

	sum = sum_up(&v->seen, from, l, &foretold);
	if (jobs && sum > 0)
		learn_mix(p, v, m, worth * MIX_RATE, foretold / sum / l->total);
	per = foretold > 0 ? sum / foretold : 0;
	rate = foretold > 0 ? rate : 0;
	for (int s = 0; s < SLU_VIEW_WIDTH; s++) {
		float by = v->seen.n[s] ? l->foretold[s] * per - 1 : 0;

		w[s] = from[s] * (1 + rate * by);
	}
	store_weights(p, v, m, w);
}

/* It is everybody's: of those that were told the same few teach it. */
SLU_FAST static void learn_gate(struct slu_predictor *p,
				const struct slu_view *v, float worth,
				const struct lesson *l)
{
	const float *w = v->own[SLU_VIEW_GATED];
	float gain[SLU_VIEW_WIDTH], sum, foretold, per, each;

	sum = sum_up(&v->seen, w, l, &foretold);
	if (!(foretold > 0))
		return;
	learn_mix(p, v, SLU_VIEW_GATED, worth * MIX_RATE,
		  foretold / sum / l->total);
	per = worth * worth / foretold;
	each = worth * worth / sum;
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		gain[s] =
			v->seen.n[s] ? w[s] * (l->foretold[s] * per - each) : 0;
	slu_gate_learn(p, &v->seen, gain);
}

/* Moves towards the median of the errors, s. */
static void learn_median(slu_shared *median, double error)
{
	double was = (double)slu_get(median);
	double to = was * (error > was ? 1.04 : 1 / 1.04);

	slu_set(median, (float)fmin(fmax(to, 20), 1e6));
}

/* The mean and the medians of the errors of what would have been predicted; of
 * some lessons only, since they move slowly. */
static void learn_errors(struct slu_predictor *p, const struct slu_view *v,
			 double run)
{
	struct slu_spread points;
	double far = (double)slu_get(&p->far), error;

	if (atomic_fetch_add_explicit(&p->lessons, 1, memory_order_relaxed) %
	    ERRORS_EVERY)
		return;
	slu_view_spread(p, v, &points);
	error = fabs(slu_view_choice(p, &points) - run);
	slu_set(&p->far, (float)fmax(far + 0.008 * (error - far), 1));
	learn_median(&p->near, error);
	if (run >= SLU_SPREAD_LASTING)
		learn_median(&p->near_lasting, error);
}

static void remember(struct slu_predictor *p, struct slu_view *v,
		     const struct slu_job *job, uint16_t run)
{
	uint16_t asked = slu_spread_at((double)job->limit_asked * 60);
	unsigned failed = slu_failed(job);

	for (int l = 0; l < LEVELS; l++) {
		struct slu_class *c = &v->class[l];

		memmove(&c->run[1], c->run, sizeof(c->run) - sizeof(*c->run));
		memmove(&c->asked[1], c->asked,
			sizeof(c->asked) - sizeof(*c->asked));
		memmove(&c->end[1], c->end, sizeof(c->end) - sizeof(*c->end));
		c->run[0] = run;
		c->asked[0] = asked;
		c->end[0] = (uint32_t)job->end;
		c->jobs += c->jobs < SLU_CLASS_JOBS;
		c->failed = c->failed << 1 | failed;
		slu_classes_write(p->classes, c);
	}
}

/*
 * Jobs that were told the same are judged by what they were told. What is left
 * of it when the last of them end are the sources that are never new, the
 * request and the shares of it, which thousands of jobs would teach to do
 * without all others.
 */
void slu_learn(struct slu_predictor *p, const struct slu_job *job)
{
	int64_t run = slu_run_time(job);
	struct slu_said *said;
	struct lesson in;
	struct slu_view v;
	unsigned told;
	float worth = 1;

	if (run <= 0 || !slu_ended_own_way(job))
		return;
	slu_view_look(p, job, &v);
	slu_too_short_learn(p, &v, job, run);
	in.run = slu_spread_at((double)run);
	weigh_lesson(p, &v.seen, &in);
	said = slu_said_of(p, &v, job, in.total > 0 ? &in.in : NULL);
	told = said ? said->jobs++ : 0;
	if (in.total > 0) {
		learn_errors(p, &v, (double)run);
		learn_places(p, &v.seen, &in);
	}
	if (told && said->class == v.class[CLASS].key) {
		slu_view_recall(p, &said->seen, &v);
		weigh_lesson(p, &v.seen, &in);
		worth = 1 / (1 + (float)told / SOURCE_CROWD);
	}
	if (said)
		learn_levels(p, share_below(said, step_before(run)), told, job);
	if (in.total > 0)
		learn_kinds(p, &v.seen, worth, &in);
	slu_shares_learn(p, &v.seen, &in.density[SLU_VIEW_LISTED],
			 in.foretold[SHARES], worth);
	slu_attention_learn(
		p, &v.seen,
		&in.density[SLU_VIEW_LISTED + SLU_VIEW_SHARE_PLACES],
		in.foretold[ATTENDED], worth);
	learn_gate(p, &v, worth, &in);
	for (int m = SLU_VIEW_GATED - 1; m >= 0; m--)
		learn_sources(p, &v, m, worth, &in);
	slu_said_note(p, &v, job);
	slu_attention_remember(p, &v, job, in.run);
	remember(p, &v, job, in.run);
}

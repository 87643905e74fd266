/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One lesson, from a job that has ended; predict.c says what is learnt. */
#include "common/fast.h"
#include <math.h>
#include <string.h>
#include "job_submit/ended.h"
#include "job_submit/view.h"

static const float mixer_rate[GATED] = {0.006f, 0.12f, 0.05f, 0.05f};
#define FIRST_RATE   0.3f /* of a class, divided by its jobs */
#define MIX_RATE     0.02f
#define KIND_RATE    0.1f
#define KIND_MOST    50.0f
#define KIND_SHARE   0.05f /* least, of a source that teaches */
#define LEVEL_RATE   0.06
#define SOURCE_CROWD 2.0f /* jobs */
#define LEVEL_CROWD  10.0 /* jobs */
/* Chosen on five logs; of little influence on four of them. */
#define EXCESS_JOBS  8000.0 /* after which it is forgotten */
#define EXCESS_RATE  0.002  /* of the aim, per job too many below */
#define EXCESS_AIM   0.8    /* of what is left of 0 or 1 */
#define MIN_SHARE    1e-3f

#define ERRORS_EVERY 4 /* lessons */

static inline float more(float a, float b)
{
	return a > b ? a : b;
}

/* How well each source, and each place in it, foretold the job. */
struct lesson {
	uint16_t run;
	float foretold[SOURCES];
	float density[SOURCES][PLACES];
	float total;
};

static void weigh_lesson(const struct slu_predictor *p,
			 const struct slu_seen *seen, struct lesson *in)
{
	float total = 0; /* sums in registers, not in what `in` points to */

	for (int s = 0; s < SOURCES; s++) {
		float scale = slu_get(&p->scale[s][seen->n[s]]), sum = 0;

		for (unsigned k = 0; k < seen->n[s]; k++) {
			float density = slu_kernel_density(&p->kernel, in->run,
							   seen->at[s][k]);

			in->density[s][k] = density;
			sum += slu_get(&p->place[s][k]) * scale * density;
		}
		in->foretold[s] = sum;
		total += seen->weight[s] * sum;
	}
	in->total = total;
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
static void learn_levels(struct slu_predictor *p, const struct slu_said *said,
			 unsigned told, const struct slu_job *job, int64_t run)
{
	const float *then =
		slu_said_levels(p, job->submit > 0 ? job->submit : INT64_MAX);
	double rate = LEVEL_RATE / (1 + told / LEVEL_CROWD);
	struct slu_spread points;
	float below;

	slu_view_points(p, &said->seen, &points);
	slu_spread_scale(&points);
	below = (float)slu_spread_below(&points, step_before(run));
	for (size_t i = 0; i < KNOTS; i++) {
		double level = (double)slu_get(&p->level[i]);
		double edge = fmin(slu_knot[i], 1 - slu_knot[i]);
		double off = (below < then[i]) - slu_knot[i];
		double most = EXCESS_AIM * edge, aim;

		p->excess[i] += off - p->excess[i] * (1 / EXCESS_JOBS);
		aim = fmin(fmax(EXCESS_RATE * p->excess[i], -most), most);
		level -= rate * edge * (off + aim);
		slu_set(&p->level[i], (float)fmin(fmax(level, 0), 0.99999));
	}
	slu_said_note_levels(p, job->end);
}

static void learn_places(struct slu_predictor *p, const struct slu_view *v,
			 const struct lesson *in)
{
	for (int s = 0; s < SOURCES; s++) {
		float due = mixer_rate[0] * v->seen.weight[s] *
			    in->foretold[s] / in->total;
		float per;

		if (v->seen.n[s] < 2)
			continue;
		per = 1 / in->foretold[s];
		for (unsigned k = 0; k < v->seen.n[s]; k++) {
			float share = in->density[s][k] * per;
			float w = slu_get(&p->place[s][k]);

			w += due * w * (share - 1);
			slu_set(&p->place[s][k], more(w, 1e-4f));
		}
		slu_view_scale(p, s);
	}
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
	for (int i = 0; i < MIXERS; i++)
		sum += slu_get(&p->mix[when][i]);
	for (int i = 0; i < MIXERS; i++)
		slu_set(&p->mix[when][i],
			slu_get(&p->mix[when][i]) * MIXERS / sum);
}

static void store_weights(struct slu_predictor *p, struct slu_view *v, int m,
			  const float w[SOURCES])
{
	for (int s = 0; s < SOURCES; s++) {
		float least = more(w[s], MIN_SHARE);

		if (m)
			v->class[slu_mixer_level[m]].weight[s] =
				(uint16_t)((least < 1 ? least : 1) *
						   UINT16_MAX +
					   0.5f);
		else
			slu_set(&p->weight[v->seen.known][s], least);
	}
}

static void learn_kinds(struct slu_predictor *p, const struct slu_seen *seen,
			float worth, const struct lesson *in)
{
	float w[SOURCES][PLACES], sum = 0, foretold = 0;

	for (int s = 0; s < SOURCES; s++) {
		float scale =
			seen->weight[s] * slu_get(&p->scale[s][seen->n[s]]);

		for (unsigned k = 0; k < seen->n[s]; k++) {
			w[s][k] = scale * slu_get(&p->place[s][k]) *
				  slu_kind(p, seen, s, k);
			sum += w[s][k];
			foretold += w[s][k] * in->density[s][k];
		}
	}
	for (int s = 0; s < ASKED; s++) {
		if (seen->weight[s] < KIND_SHARE)
			continue;
		for (unsigned k = 0; k < seen->n[s]; k++) {
			slu_shared *kind = &p->kind[s][seen->kind[s][k]];
			float due = w[s][k] *
				    (in->density[s][k] / foretold - 1 / sum);
			float to =
				slu_get(kind) * (1 + worth * KIND_RATE * due);

			slu_set(kind,
				fminf(more(to, 1 / KIND_MOST), KIND_MOST));
		}
	}
}

/* The sum of these weights, and what they foretold, where there are runs. */
static float sum_up(const struct slu_seen *seen, const float w[SOURCES],
		    const struct lesson *in, float *foretold)
{
	float sum = 0;

	*foretold = 0;
	for (int s = 0; s < SOURCES; s++)
		if (seen->n[s]) {
			sum += w[s];
			*foretold += w[s] * in->foretold[s];
		}
	return sum;
}

/* A class that has not been taught begins with the weights of the next wider
 * one, or with the site's. */
static void learn_sources(struct slu_predictor *p, struct slu_view *v, int m,
			  float worth, const struct lesson *in)
{
	uint32_t jobs = m ? v->class[slu_mixer_level[m]].jobs : UINT32_MAX;
	bool wider = m > 1 && v->class[slu_mixer_level[m - 1]].jobs;
	const float *from = v->own[jobs ? m : wider ? m - 1 : 0];
	float w[SOURCES], sum, foretold;
	float rate = worth * more(mixer_rate[m],
				  m ? FIRST_RATE / ((float)jobs + 1) : 0);

	memcpy(w, from, sizeof(w));
	sum = sum_up(&v->seen, w, in, &foretold);
	if (jobs && sum > 0)
		learn_mix(p, v, m, worth * MIX_RATE,
			  foretold / sum / in->total);
	for (int s = 0; s < SOURCES; s++)
		if (v->seen.n[s] && foretold > 0)
			w[s] += rate * w[s] *
				(sum * in->foretold[s] / foretold - 1);
	store_weights(p, v, m, w);
}

/* It is everybody's: of those that were told the same few teach it. */
static void learn_gate(struct slu_predictor *p, const struct slu_view *v,
		       float worth, const struct lesson *in)
{
	const float *w = v->own[GATED];
	float gain[SOURCES], sum, foretold;

	sum = sum_up(&v->seen, w, in, &foretold);
	if (!(foretold > 0))
		return;
	learn_mix(p, v, GATED, worth * MIX_RATE, foretold / sum / in->total);
	for (int s = 0; s < SOURCES; s++) {
		float by = w[s] * (in->foretold[s] / foretold - 1 / sum);

		gain[s] = v->seen.n[s] ? by * (worth * worth) : 0;
	}
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

	for (int l = 0; l < LEVELS; l++) {
		struct slu_class *c = &v->class[l];

		memmove(&c->run[1], c->run, sizeof(c->run) - sizeof(*c->run));
		memmove(&c->asked[1], c->asked,
			sizeof(c->asked) - sizeof(*c->asked));
		memmove(&c->end[1], c->end, sizeof(c->end) - sizeof(*c->end));
		c->run[0] = run;
		c->asked[0] = asked;
		c->end[0] = (uint32_t)job->end;
		c->jobs++;
		slu_classes_write(p->classes, c);
	}
}

/*
 * Jobs that were told the same are judged by what they were told. What is left
 * of it when the last of them end are the sources that are never new, the
 * request and the shares of it, which thousands of jobs would teach to do
 * without all others.
 */
static void learn_said(struct slu_predictor *p, struct slu_view *v,
		       const struct slu_said *said, unsigned told,
		       struct lesson *in)
{
	float worth = 1;

	if (told && said->class == v->class[CLASS].key) {
		slu_view_recall(p, &said->seen, v);
		weigh_lesson(p, &v->seen, in);
		worth = 1 / (1 + (float)told / SOURCE_CROWD);
	}
	if (in->total > 0)
		learn_kinds(p, &v->seen, worth, in);
	learn_gate(p, v, worth, in);
	for (int m = GATED - 1; m >= 0; m--)
		learn_sources(p, v, m, worth, in);
}

void slu_learn(struct slu_predictor *p, const struct slu_job *job)
{
	int64_t run = slu_run_time(job);
	struct slu_said *said;
	struct lesson in;
	struct slu_view v;
	unsigned told;

	if (run <= 0 || !slu_ended_own_way(job))
		return;
	slu_view_look(p, job, &v);
	in.run = slu_spread_at((double)run);
	weigh_lesson(p, &v.seen, &in);
	said = slu_said_of(p, &v, job, in.total > 0);
	told = said ? said->jobs++ : 0;
	if (said)
		learn_levels(p, said, told, job, run);
	if (in.total > 0) {
		learn_errors(p, &v, (double)run);
		learn_places(p, &v, &in);
	}
	learn_said(p, &v, said, told, &in);
	slu_said_note(p, &v, job);
	remember(p, &v, job, in.run);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores forecasts as they were issued. Quantiles are calibrated, and experts
 * weighted, by the forecast of a job at its submission. Usually that can be
 * recomputed at the job's end, from the runs that had ended before its
 * submission. But when many jobs of a class end in between, they replace the
 * runs known then, and only jobs that do not wait would be training samples.
 */

/*
 * There are two such cases:
 *
 * - Many jobs that were submitted at about the same time: the forecast is
 *   stored when the first of them ends.
 * - A steady stream with a long queue: for each class that has lost runs, the
 *   forecast is stored every NOTE_EVERY ends.
 *
 * The stored forecasts of a stream cover its last hundred ends or so. Where
 * many jobs run at a time, that is enough for the short ones only, and
 * quantiles calibrated by these alone are too low. So for the calibration,
 * which needs only the distributions, some are kept longer: the older, the
 * fewer.
 *
 * The calibration's levels alpha_i (learn.c) change at each end, so their
 * history is stored, too: if errors were compared with the present levels, jobs
 * that wait long would hide the errors of the former ones.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "job_submit/predictor/issued.h"
#include "job_submit/predictor/mixture.h"

#define CROWDS	    512
#define SETS	    64
#define WAYS	    32
#define NOTE_EVERY  4 /* ends of a class */
#define ALPHAS	    1024
#define ALPHA_EVERY 8 /* ends */

struct slu_issued_all {
	struct slu_issued crowd[CROWDS]; /* when: the first end of these jobs */
	struct slu_issued stream[SETS][WAYS];
	struct slu_kept_forecast kept[SETS][WAYS];
	/* ring buffers */
	uint32_t since[ALPHAS]; /* Unix seconds */
	float alpha[ALPHAS][SLU_MIX_KNOTS];
	size_t noted;
};

struct slu_issued_all *slu_issued_new(void)
{
	return calloc(1, sizeof(struct slu_issued_all));
}

void slu_issued_free(struct slu_issued_all *all)
{
	free(all);
}

static struct slu_issued *fill(struct slu_issued *said,
			       const struct slu_mixture *mix,
			       const struct slu_components *in, int64_t when)
{
	said->key = mix->class[SLU_BY_SIZE].key;
	said->class = mix->class[SLU_BY_CLASS].key;
	said->when = when;
	said->jobs = 0;
	said->stream = false;
	said->inputs = mix->inputs;
	memcpy(said->weight, in->weight, sizeof(said->weight));
	return said;
}

static struct slu_issued *set_of(const struct slu_predictor *p, uint64_t key)
{
	return p->issued->stream[(key >> 32) % SETS];
}

/* The last stored forecast of the class up to then. */
static struct slu_issued *noted(const struct slu_predictor *p, uint64_t key,
				int64_t until)
{
	struct slu_issued *set = set_of(p, key), *best = NULL;

	for (struct slu_issued *s = set; s < set + WAYS; s++)
		if (s->key == key && s->when <= until &&
		    (!best || s->when > best->when))
			best = s;
	return best;
}

struct slu_issued *slu_issued_find(struct slu_predictor *p,
				   const struct slu_mixture *mix,
				   const struct slu_job *job,
				   const struct slu_components *known)
{
	const struct slu_class *c = &mix->class[SLU_BY_SIZE];
	struct slu_issued *crowd = &p->issued->crowd[(c->key >> 32) % CROWDS];

	if (crowd->key == c->key && job->submit && job->submit < crowd->when)
		return crowd;
	if (!mix->inputs.n[SLU_BY_SIZE] && c->jobs >= SLU_CLASS_RUNS)
		return noted(p, c->key, job->submit);
	return known ? fill(crowd, mix, known, job->end) : NULL;
}

static struct slu_kept_forecast *kept_of(const struct slu_predictor *p,
					 uint64_t key)
{
	return p->issued->kept[(key >> 32) % SETS];
}

struct slu_kept_forecast *slu_issued_kept(const struct slu_predictor *p,
					  const struct slu_mixture *mix,
					  const struct slu_job *job)
{
	uint64_t key = mix->class[SLU_BY_SIZE].key;
	struct slu_kept_forecast *set = kept_of(p, key), *best = NULL;

	for (struct slu_kept_forecast *k = set; k < set + WAYS; k++)
		if (k->key == key && k->when <= job->submit &&
		    (!best || k->when > best->when))
			best = k;
	return best;
}

/* The time between the stored forecasts of its class before and after it, as a
 * share of its age: dropping the one with the least keeps all ages covered. */
static double worth_of(const struct slu_kept_forecast *set,
		       const struct slu_kept_forecast *is, int64_t now)
{
	int64_t before = 0, after = now;

	if (!is->key)
		return -1;
	for (const struct slu_kept_forecast *k = set; k < set + WAYS; k++) {
		bool later =
			k->when > is->when || (k->when == is->when && k > is);

		if (k == is || k->key != is->key)
			continue;
		if (later && k->when < after)
			after = k->when;
		if (!later && k->when > before)
			before = k->when;
	}
	if (!before)
		before = 2 * is->when - after;
	return (double)(after - before) / (double)(now - is->when + 1);
}

static void keep(struct slu_predictor *p, const struct slu_issued *said)
{
	struct slu_kept_forecast *set = kept_of(p, said->key), *to = set;
	double least = INFINITY;

	for (struct slu_kept_forecast *k = set; k < set + WAYS; k++) {
		double worth = worth_of(set, k, said->when);

		if (worth < least) {
			least = worth;
			to = k;
		}
	}
	*to = (struct slu_kept_forecast){.key = said->key, .when = said->when};
	memcpy(to->at, said->inputs.at, sizeof(to->at));
	memcpy(to->weight, said->weight, sizeof(to->weight));
}

void slu_issued_note(struct slu_predictor *p, const struct slu_mixture *mix,
		     const struct slu_job *job)
{
	const struct slu_class *c = &mix->class[SLU_BY_SIZE];
	struct slu_issued *set = set_of(p, c->key), *oldest = set;
	struct slu_job next = *job;
	struct slu_mixture now;
	struct slu_components in;

	if (c->jobs < SLU_CLASS_RUNS || c->jobs % NOTE_EVERY != 0 ||
	    !job->submit || c->end[0] <= job->submit)
		return;
	next.submit = job->end;
	now = *mix;
	slu_mixture_at(p, &next, &now);
	slu_mixture_components(p, &now.inputs, &in);
	for (struct slu_issued *s = set; s < set + WAYS; s++)
		if (s->when < oldest->when)
			oldest = s;
	fill(oldest, &now, &in, job->end)->stream = true;
	keep(p, oldest);
}

void slu_issued_note_alpha(struct slu_predictor *p, int64_t now)
{
	size_t at = p->issued->noted / ALPHA_EVERY % ALPHAS;

	if (p->issued->noted++ % ALPHA_EVERY)
		return;
	p->issued->since[at] = (uint32_t)now;
	for (size_t i = 0; i < SLU_MIX_KNOTS; i++)
		p->issued->alpha[at][i] = slu_get(&p->alpha[i]);
}

/* Binary search without branches, which would be mispredicted. */
const float *slu_issued_alpha(const struct slu_predictor *p, int64_t then)
{
	const struct slu_issued_all *all = p->issued;
	size_t end = (all->noted + ALPHA_EVERY - 1) / ALPHA_EVERY,
	       at = end < ALPHAS ? 0 : end - ALPHAS;

	for (size_t step = ALPHAS / 2; step; step /= 2) {
		size_t next = at + step;
		bool is = all->since[next % ALPHAS] <= then;

		at += is & (next < end) ? step : 0;
	}
	return all->alpha[at % ALPHAS];
}

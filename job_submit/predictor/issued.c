/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was said of a job when it was submitted, by which at its end the
 * quantiles are corrected and the sources judged. Most often what is known now
 * of that time says it. But when many jobs of a class end between a job's
 * submission and its end, their runs push out those that were known then. There
 * are two such cases:
 *
 * - A crowd that was submitted at about the same time: what was said of it is
 *   noted when the first of them ends.
 * - A steady stream with a long queue: what is said is noted for each class
 *   that lost something, every NOTE_EVERY ends.
 *
 * Without them only jobs that need not wait would be heard.
 *
 * The levels (predict.c) move at each end, so they are noted at each: judged by
 * those of now, jobs that wait long would hide what was wrong with the ones of
 * then.
 */
#include <stdlib.h>
#include "job_submit/predictor/mixture.h"

#define CROWDS	     512
#define SETS	     64
#define WAYS	     32
#define NOTE_EVERY   4 /* ends of a class */
#define LEVELS_OF    1024
#define LEVELS_EVERY 8 /* ends */

struct slu_said_all {
	struct slu_said crowd[CROWDS]; /* when: its first end */
	struct slu_said stream[SETS][WAYS];
	/* rings */
	uint32_t since[LEVELS_OF]; /* Unix seconds */
	float level[LEVELS_OF][SLU_VIEW_KNOTS];
	size_t noted;
};

struct slu_said_all *slu_said_new(void)
{
	return calloc(1, sizeof(struct slu_said_all));
}

void slu_said_free(struct slu_said_all *all)
{
	free(all);
}

static struct slu_said *fill(struct slu_said *said, const struct slu_view *v,
			     const struct slu_places *in, int64_t when)
{
	said->key = v->class[SIZE].key;
	said->class = v->class[CLASS].key;
	said->when = when;
	said->jobs = 0;
	said->seen = v->seen;
	memcpy(said->weight, in->weight, sizeof(said->weight));
	return said;
}

static struct slu_said *set_of(const struct slu_predictor *p, uint64_t key)
{
	return p->said->stream[(key >> 32) % SETS];
}

/* The last that was noted of the class until then. */
static struct slu_said *noted(const struct slu_predictor *p, uint64_t key,
			      int64_t until)
{
	struct slu_said *set = set_of(p, key), *best = NULL;

	for (struct slu_said *s = set; s < set + WAYS; s++)
		if (s->key == key && s->when <= until &&
		    (!best || s->when > best->when))
			best = s;
	return best;
}

struct slu_said *slu_said_of(struct slu_predictor *p, const struct slu_view *v,
			     const struct slu_job *job,
			     const struct slu_places *known)
{
	const struct slu_class *c = &v->class[SIZE];
	struct slu_said *crowd = &p->said->crowd[(c->key >> 32) % CROWDS];

	if (crowd->key == c->key && job->submit && job->submit < crowd->when)
		return crowd;
	if (!v->seen.n[SIZE] && c->jobs >= SLU_CLASS_RUNS)
		return noted(p, c->key, job->submit);
	return known ? fill(crowd, v, known, job->end) : NULL;
}

void slu_said_note(struct slu_predictor *p, const struct slu_view *v,
		   const struct slu_job *job)
{
	const struct slu_class *c = &v->class[SIZE];
	struct slu_said *set = set_of(p, c->key), *oldest = set;
	struct slu_job next = *job;
	struct slu_view now;
	struct slu_places in;

	if (c->jobs < SLU_CLASS_RUNS || c->jobs % NOTE_EVERY != 0 ||
	    !job->submit || c->end[0] <= job->submit)
		return;
	next.submit = job->end;
	now = *v;
	slu_view_see(p, &next, &now);
	slu_view_places(p, &now.seen, &in);
	for (struct slu_said *s = set; s < set + WAYS; s++)
		if (s->when < oldest->when)
			oldest = s;
	fill(oldest, &now, &in, job->end);
}

void slu_said_note_levels(struct slu_predictor *p, int64_t now)
{
	size_t at = p->said->noted / LEVELS_EVERY % LEVELS_OF;

	if (p->said->noted++ % LEVELS_EVERY)
		return;
	p->said->since[at] = (uint32_t)now;
	for (size_t i = 0; i < SLU_VIEW_KNOTS; i++)
		p->said->level[at][i] = slu_get(&p->level[i]);
}

/* Halving without branches: none would be foreseen. */
const float *slu_said_levels(const struct slu_predictor *p, int64_t then)
{
	const struct slu_said_all *all = p->said;
	size_t end = (all->noted + LEVELS_EVERY - 1) / LEVELS_EVERY,
	       at = end < LEVELS_OF ? 0 : end - LEVELS_OF;

	for (size_t step = LEVELS_OF / 2; step; step /= 2) {
		size_t next = at + step;
		bool is = all->since[next % LEVELS_OF] <= then;

		at += is & (next < end) ? step : 0;
	}
	return all->level[at % LEVELS_OF];
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a job to the weighted points of its distribution: find its classes,
 * list the sources and their places, mix the sets of weights.
 */
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "job_submit/name.h"
#include "job_submit/view.h"

static const double grid[PLACES] = {0.001, 0.002, 0.005, 0.01, 0.02,
				    0.05,  0.1,	  0.17,	 0.25, 0.35,
				    0.5,   0.65,  0.8,	 0.92};
_Static_assert(PLACES >= SLU_CLASS_RUNS, "room for the runs of a class");
_Static_assert((LEVELS + 2) * SLU_CLASS_RUNS + 1 + PLACES < SLU_SPREAD_MAX,
	       "room for all points");

#define MIN_POINT 1e-3f

const enum slu_level slu_mixer_level[MIXERS] = {LEVELS, USER, REQUEST, SIZE};

static uint64_t hash(uint64_t key, const char *text)
{
	return text ? XXH3_64bits_withSeed(text, strlen(text), key) : key;
}

static void make_keys(const struct slu_job *job, uint64_t key[LEVELS])
{
	uint32_t uid = job->uid, nodes = job->node_cnt, ask = job->limit_asked;
	uint32_t with[LEVELS][4] = {
		{CLASS, uid, nodes, ask}, {SIZE, uid, nodes, ask},
		{REQUEST, uid, ask},	  {NAME, uid},
		{NODES, uid, nodes},	  {USER, uid},
		{ACCOUNT, ask},		  {SITE, nodes, ask},
	};
	char name[64];

	for (int l = 0; l < LEVELS; l++)
		key[l] = XXH3_64bits(with[l], sizeof(with[l]));
	slu_plain_name(job->name, name, sizeof(name));
	key[CLASS] = hash(hash(key[CLASS], name), job->partition);
	key[NAME] = hash(key[NAME], name);
	key[ACCOUNT] = hash(key[ACCOUNT], job->account);
	key[SITE] = hash(key[SITE], job->partition);
	for (int l = 0; l < LEVELS; l++)
		key[l] |= 1;
}

static inline void put(struct slu_view *v, unsigned source, int at, int most)
{
	at = at > most ? most : at;
	v->at[source][v->n[source]++] = (uint16_t)(at < 0 ? 0 : at);
}

/* The runs of a class that had ended when the job was submitted. */
static void put_runs(struct slu_view *v, enum slu_level l, int64_t submit,
		     int asked)
{
	static const enum slu_source share[LEVELS] = {
		[USER] = USER_SHARE, [ACCOUNT] = ACCOUNT_SHARE};
	const struct slu_class *c = &v->class[l];
	uint32_t n = c->jobs < SLU_CLASS_RUNS ? c->jobs : SLU_CLASS_RUNS;
	uint32_t i = c->jobs % SLU_CLASS_RUNS;

	for (uint32_t k = 0; k < n; k++) {
		i = (i ? i : SLU_CLASS_RUNS) - 1;
		if ((int64_t)c->end[i] > submit)
			continue;
		put(v, l, c->run[i], asked ? asked : UINT16_MAX);
		if (share[l] && asked && c->asked[i])
			put(v, share[l], asked + c->run[i] - c->asked[i],
			    asked);
	}
}

/* How alike the last two runs of a source are: 0 very, 2 not; 3: not two. */
static unsigned agreement(const struct slu_view *v, unsigned source)
{
	int apart = v->n[source] < 2 ? -1
				     : abs(v->at[source][0] - v->at[source][1]);

	return apart < 0 ? 3 : apart < 216 ? 0 : apart < 2164 ? 1 : 2;
}

static unsigned kind_of_knowledge(const struct slu_view *v)
{
	unsigned n = v->n[SIZE];
	unsigned amount = n == 0 ? 0 : n < 2 ? 1 : n < 5 ? 2 : 3;

	return amount * 4 + agreement(v, n > 1 ? SIZE : REQUEST);
}

static unsigned season(uint32_t jobs)
{
	return jobs < 1	   ? 0
	       : jobs < 3  ? 1
	       : jobs < 8  ? 2
	       : jobs < 20 ? 3
	       : jobs < 60 ? 4
			   : 5;
}

unsigned slu_view_season(const struct slu_view *v, int m)
{
	return m ? season(v->class[slu_mixer_level[m]].jobs) : SEASONS - 1;
}

/* One set of weights as numbers. */
void slu_view_weights(const struct slu_predictor *p, const struct slu_view *v,
		      int m, float out[SOURCES])
{
	for (int s = 0; s < SOURCES; s++)
		out[s] = m ? (float)v->class[slu_mixer_level[m]].weight[s] *
					 (1.0f / UINT16_MAX)
			   : slu_get(&p->weight[v->known][s]);
}

static void weigh_places(const struct slu_predictor *p, struct slu_view *v)
{
	for (int s = 0; s < SOURCES; s++) {
		float sum = 0;

		for (unsigned k = 0; k < v->n[s]; k++)
			sum += v->place[s][k] = slu_get(&p->place[s][k]);
		sum = v->n[s] ? 1 / sum : 0;
		for (unsigned k = 0; k < v->n[s]; k++)
			v->place[s][k] *= sum;
	}
}

static void weigh_sources(const struct slu_predictor *p, struct slu_view *v)
{
	float sum = 0;

	for (int m = 0; m < MIXERS; m++) {
		unsigned when = slu_view_season(v, m);

		v->mix[m] = when ? slu_get(&p->mix[when][m]) : 0;
		sum += v->mix[m];
	}
	memset(v->weight, 0, sizeof(v->weight));
	for (int m = 0; m < MIXERS; m++) {
		float w[SOURCES], in = 0;

		v->mix[m] /= sum;
		if (v->mix[m] <= 0)
			continue;
		slu_view_weights(p, v, m, w);
		for (int s = 0; s < SOURCES; s++)
			in += w[s] *= v->n[s] ? 1.0f : 0;
		in = in > 0 ? v->mix[m] / in : 0;
		for (int s = 0; s < SOURCES; s++)
			v->weight[s] += w[s] * in;
	}
}

void slu_view_look(const struct slu_predictor *p, const struct slu_job *job,
		   struct slu_view *v)
{
	double request = (double)job->limit_asked * 60;
	uint16_t asked = slu_spread_at(request);
	uint64_t key[LEVELS];

	make_keys(job, key);
	slu_classes_read(p->classes, key, LEVELS, v->class);
	memset(v->n, 0, sizeof(v->n));
	for (int l = 0; l < LEVELS; l++)
		put_runs(v, (enum slu_level)l,
			 job->submit > 0 ? job->submit : INT64_MAX, asked);
	if (asked) {
		put(v, ASKED, asked, asked);
		for (size_t i = 0; i < PLACES; i++)
			put(v, GRID, slu_spread_at(grid[i] * request), asked);
	}
	v->known = kind_of_knowledge(v);
	weigh_places(p, v);
	weigh_sources(p, v);
}

void slu_view_points(const struct slu_view *v, struct slu_spread *out)
{
	float sum = 0;

	out->n = 0;
	for (int s = 0; s < SOURCES; s++)
		for (unsigned k = 0; k < v->n[s]; k++) {
			float w = v->weight[s] * v->place[s][k];

			out->point[out->n] = (struct slu_point){v->at[s][k], w};
			if (w > MIN_POINT) {
				sum += w;
				out->n++;
			}
		}
	sum = 1 / sum;
	for (unsigned i = 0; i < out->n; i++)
		out->point[i].weight *= sum;
}

void slu_view_spread(const struct slu_view *v, struct slu_spread *out)
{
	slu_view_points(v, out);
	slu_spread_order(out);
}

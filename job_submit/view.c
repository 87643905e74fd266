/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a job to the weighted points of its distribution: find its classes,
 * list the sources and their places, mix the sets of weights.
 */
#include "common/fast.h"
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "job_submit/name.h"
#include "job_submit/view.h"

static const float grid[PLACES] = {0.001f, 0.002f, 0.005f, 0.01f, 0.02f,
				   0.05f,  0.1f,   0.17f,  0.25f, 0.35f,
				   0.5f,   0.65f,  0.8f,   0.92f};
_Static_assert(PLACES > LANES && LANES >= SLU_CLASS_RUNS, "room for all runs");
_Static_assert((LEVELS + 2) * SLU_CLASS_RUNS + 1 + PLACES < SLU_SPREAD_MAX,
	       "room for all points");

#define MIN_POINT 1e-3f

const enum slu_level slu_mixer_level[MIXERS] = {LEVELS, USER, REQUEST, SIZE,
						LEVELS};

static uint64_t hash(uint64_t key, const char *text, size_t len)
{
	return text ? XXH3_64bits_withSeed(text, len, key) : key;
}

static size_t length(const char *text)
{
	return text ? strlen(text) : 0;
}

/* What its jobs have in common are numbers alone. */
static bool is_of_numbers(int level)
{
	return level == SIZE || level == REQUEST || level == NODES ||
	       level == USER;
}

/* Memory is told early which classes will be read. */
static void make_keys(const struct slu_predictor *p, const struct slu_job *job,
		      uint64_t key[LEVELS])
{
	uint32_t uid = job->uid, nodes = job->node_cnt, ask = job->limit_asked;
	uint32_t with[LEVELS][4] = {
		{CLASS, uid, nodes, ask}, {SIZE, uid, nodes, ask},
		{REQUEST, uid, ask},	  {NAME, uid},
		{NODES, uid, nodes},	  {USER, uid},
		{ACCOUNT, ask},		  {SITE, nodes, ask},
	};
	const char *partition = job->partition;
	size_t in_name, in_partition = length(partition);
	char name[64];

	for (int l = 0; l < LEVELS; l++) {
		key[l] = XXH3_64bits(with[l], sizeof(with[l]));
		if (is_of_numbers(l))
			slu_classes_expect(p->classes, key[l] |= 1);
	}
	in_name = slu_plain_name(job->name, name, sizeof(name));
	key[CLASS] =
		hash(hash(key[CLASS], name, in_name), partition, in_partition);
	key[NAME] = hash(key[NAME], name, in_name);
	key[ACCOUNT] = hash(key[ACCOUNT], job->account, length(job->account));
	key[SITE] = hash(key[SITE], partition, in_partition);
	for (int l = 0; l < LEVELS; l++)
		if (!is_of_numbers(l))
			slu_classes_expect(p->classes, key[l] |= 1);
}

/* Runs that had ended when the job was submitted, the latest first: of each
 * class and, of those with a request, of two once more. All lists are worked on
 * at once, so what is behind their ends must not matter. */
struct runs {
	uint16_t run[ASKED * LANES], asked[ASKED * LANES];
};

/* Without branches, as any may be late. */
static unsigned take_ended(const struct slu_class *c, uint32_t submit,
			   uint16_t *run, uint16_t *asked)
{
	unsigned n = 0, fewer;

	for (unsigned k = 0; k < SLU_CLASS_RUNS; k++) {
		run[n] = c->run[k];
		asked[n] = c->asked[k];
		n += c->end[k] <= submit;
	}
	/* Those that there have never been seem to have ended at 0. */
	fewer = c->jobs < SLU_CLASS_RUNS ? SLU_CLASS_RUNS - c->jobs : 0;
	return n - fewer;
}

static unsigned take_asked(struct runs *r, unsigned from, unsigned to,
			   unsigned ended)
{
	const uint16_t *run = &r->run[from * LANES];
	const uint16_t *asked = &r->asked[from * LANES];
	unsigned n = 0;

	for (unsigned k = 0; k < SLU_CLASS_RUNS; k++) {
		r->run[to * LANES + n] = run[k];
		r->asked[to * LANES + n] = asked[k];
		n += (k < ended) & (asked[k] > 0);
	}
	return n;
}

/* Copied to a job that asks for `asked`. Time beyond the request is only
 * copied from a run that went beyond its own, since not all sites end jobs
 * there, and some do later. */
SLU_INLINE int copied(int run, int its_asked, int asked)
{
	int limit = its_asked ? its_asked : UINT16_MAX;
	int most = asked ? asked : UINT16_MAX;
	int within = run < limit ? run : limit;

	return (within < most ? within : most) + run - within;
}

/* The same share of `asked`. */
SLU_INLINE int share(int run, int its_asked, int asked)
{
	int at = asked + run - its_asked;

	at = at > 0 ? at : 0;
	return at < UINT16_MAX ? at : UINT16_MAX;
}

/* Kinds: 12 if the run before it is like the last (so this came after that,
 * then), 6 if it reached its request, 3 if it is like the one before it, 1 if
 * it is not like the one after it, 2 if it is the last. */
#define AFTER	12
#define REACHED 6
#define NEAR_BY 30 /* of `at`: 0.7 % */
SLU_FAST static void put_runs(const struct runs *r, int asked,
			      struct slu_seen *seen)
{
	uint16_t at[ASKED * LANES + 1], alike[ASKED * LANES + 1];
	uint16_t last[ASKED * LANES], after[ASKED * LANES + 1];
	uint8_t kind[ASKED * LANES];

	for (unsigned i = 0; i < LEVELS * LANES; i++)
		at[i] = (uint16_t)copied(r->run[i], r->asked[i], asked);
	for (unsigned i = LEVELS * LANES; i < ASKED * LANES; i++)
		at[i] = (uint16_t)share(r->run[i], r->asked[i], asked);
	at[ASKED * LANES] = 0;
	for (unsigned i = 0; i < ASKED * LANES; i++)
		last[i] = at[i / LANES * LANES];
	for (unsigned i = 0; i < ASKED * LANES; i++) {
		alike[i + 1] = abs(at[i] - at[i + 1]) < SLU_ALIKE;
		after[i + 1] = abs(last[i] - at[i + 1]) < SLU_ALIKE;
	}
	for (unsigned s = 0; s < ASKED; s++) {
		alike[s * LANES + seen->n[s]] = 0; /* the list's end */
		after[s * LANES + seen->n[s]] = 0;
		alike[s * LANES] = 1;
	}
	for (unsigned i = 0; i < ASKED * LANES; i++) {
		int reached = (r->asked[i] > 0) &
			      (r->run[i] + NEAR_BY >= r->asked[i]);

		kind[i] = (uint8_t)(AFTER * after[i + 1] + REACHED * reached +
				    3 * alike[i + 1] + 1 - alike[i]);
	}
	for (unsigned s = 0; s < ASKED; s++) {
		memcpy(seen->at[s], &at[s * LANES], LANES * sizeof(at[0]));
		memcpy(seen->kind[s], &kind[s * LANES], LANES);
		seen->kind[s][0] = (uint8_t)(seen->kind[s][0] + 2);
	}
}

static void look_at_runs(struct slu_view *v, int64_t submit, uint16_t asked)
{
	uint32_t until = submit > 0 && submit < UINT32_MAX ? (uint32_t)submit
							   : UINT32_MAX;
	struct runs r = {0};

	for (unsigned l = 0; l < LEVELS; l++)
		v->seen.n[l] =
			take_ended(&v->class[l], until, &r.run[l * LANES],
				   &r.asked[l * LANES]);
	v->seen.n[USER_SHARE] =
		take_asked(&r, USER, USER_SHARE, asked ? v->seen.n[USER] : 0);
	v->seen.n[ACCOUNT_SHARE] = take_asked(&r, ACCOUNT, ACCOUNT_SHARE,
					      asked ? v->seen.n[ACCOUNT] : 0);
	put_runs(&r, asked, &v->seen);
}

/* The request, and usual shares of it. */
static void put_asked(struct slu_view *v, uint32_t minutes, uint16_t asked)
{
	for (size_t i = 0; i < PLACES; i++)
		v->seen.at[GRID][i] =
			slu_spread_at_past(grid[i] * (float)minutes);
	v->seen.at[ASKED][0] = asked;
	v->seen.n[GRID] = minutes ? PLACES : 0;
	v->seen.n[ASKED] = minutes ? 1 : 0;
}

/* How alike the last two runs of a source are: 0 very, 2 not; 3: not two. */
static unsigned agreement(const struct slu_view *v, unsigned source)
{
	int apart =
		v->seen.n[source] < 2
			? -1
			: abs(v->seen.at[source][0] - v->seen.at[source][1]);

	return apart < 0 ? 3 : apart < SLU_ALIKE ? 0 : apart < 2164 ? 1 : 2;
}

static unsigned kind_of_knowledge(const struct slu_view *v)
{
	unsigned n = v->seen.n[SIZE];
	unsigned amount = n == 0 ? 0 : n < 2 ? 1 : n < 5 ? 2 : 3;

	return amount * 4 + agreement(v, n > 1 ? SIZE : REQUEST);
}

unsigned slu_season(uint32_t jobs)
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
	enum slu_level l = slu_mixer_level[m];

	return l < LEVELS ? slu_season(v->class[l].jobs) : SEASONS - 1;
}

/* The grid has all of its places, or none; others those of a class. */
static unsigned room(int s)
{
	return s == GRID ? PLACES : SLU_CLASS_RUNS;
}

void slu_view_scale(struct slu_predictor *p, int s)
{
	float sum[PLACES], in = 0;
	unsigned n = room(s);

	for (unsigned k = 0; k < n; k++) {
		in += slu_get(&p->place[s][k]);
		sum[k] = in;
	}
	if (s == GRID) {
		slu_set(&p->scale[s][PLACES], 1 / in);
		return;
	}
	for (unsigned k = 0; k < SLU_CLASS_RUNS; k++) /* several at once */
		sum[k] = 1 / sum[k];
	for (unsigned k = 0; k < SLU_CLASS_RUNS; k++)
		slu_set(&p->scale[s][k + 1], sum[k]);
}

/* The sets of weights as numbers. */
static void get_weights(const struct slu_predictor *p, struct slu_view *v)
{
	for (int s = 0; s < SOURCES; s++)
		v->own[0][s] = slu_get(&p->weight[v->seen.known][s]);
	slu_gate_weigh(p, &v->seen, v->own[GATED]);
	for (int m = 1; m < GATED; m++)
		for (int s = 0; s < SOURCES; s++)
			v->own[m][s] =
				(float)v->class[slu_mixer_level[m]].weight[s] *
				(1.0f / UINT16_MAX);
}

static void weigh_sources(const struct slu_predictor *p, struct slu_view *v)
{
	float have[SOURCES], in[MIXERS] = {0}, sum = 0;

	get_weights(p, v);
	for (int m = 0; m < MIXERS; m++) {
		unsigned when = slu_view_season(v, m);

		v->mix[m] = when ? slu_get(&p->mix[when][m]) : 0;
		sum += v->mix[m];
	}
	for (int s = 0; s < SOURCES; s++) {
		have[s] = v->seen.n[s] ? 1.0f : 0;
		v->seen.weight[s] = 0;
		for (int m = 0; m < MIXERS; m++)
			in[m] += v->own[m][s] * have[s];
	}
	for (int m = 0; m < MIXERS; m++) {
		float per;

		v->mix[m] /= sum;
		per = in[m] > 0 ? v->mix[m] / in[m] : 0;
		for (int s = 0; s < SOURCES; s++)
			v->seen.weight[s] += v->own[m][s] * have[s] * per;
	}
}

void slu_view_look(const struct slu_predictor *p, const struct slu_job *job,
		   struct slu_view *v)
{
	uint16_t asked = slu_spread_at_past((float)job->limit_asked);
	uint64_t key[LEVELS];

	make_keys(p, job, key);
	put_asked(v, job->limit_asked, asked);
	slu_classes_read(p->classes, key, LEVELS, v->class);
	look_at_runs(v, job->submit, asked);
	v->seen.known = kind_of_knowledge(v);
	slu_gate_look(v, job);
	weigh_sources(p, v);
}

void slu_view_recall(const struct slu_predictor *p, const struct slu_seen *seen,
		     struct slu_view *v)
{
	v->seen = *seen;
	weigh_sources(p, v);
}

void slu_view_points(const struct slu_predictor *p, const struct slu_seen *seen,
		     struct slu_spread *out)
{
	unsigned n = 0;

	for (int s = 0; s < SOURCES; s++) {
		float scale =
			seen->weight[s] * slu_get(&p->scale[s][seen->n[s]]);

		for (unsigned k = 0; k < room(s); k++) {
			float w = scale * slu_get(&p->place[s][k]) *
				  slu_kind(p, seen, s, k);

			/* kept if it counts */
			out->at[n] = seen->at[s][k];
			out->weight[n] = w;
			n += (k < seen->n[s]) & (w > MIN_POINT);
		}
	}
	slu_spread_end(out, n);
}

void slu_view_spread(const struct slu_predictor *p, const struct slu_view *v,
		     struct slu_spread *out)
{
	slu_view_points(p, &v->seen, out);
	slu_spread_order(out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a job to the weighted points of its distribution: find its classes,
 * list the sources and their places, mix the sets of weights.
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "job_submit/name.h"
#include "job_submit/predictor/mixture.h"

_Static_assert(SLU_VIEW_POINTS <= SLU_SPREAD_MAX, "room for all points");

#define MIN_POINT 3e-3f /* of the weight of all */

const enum slu_level slu_mixer_level[SLU_VIEW_MIXERS] = {LEVELS, USER, REQUEST,
							 SIZE, LEVELS};

/* 0: none. */
static uint64_t hash(const char *text)
{
	return text ? XXH3_64bits(text, strlen(text)) : 0;
}

/* Two words as one: both halves of their product, as in wyhash. */
static uint64_t mixed(uint64_t a, uint64_t b)
{
	unsigned __int128 product =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15) *
		(b ^ 0xe7037ed1a0b428db);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The classes that numbers alone make come first: memory is told early which
 * ones will be read. */
static void make_keys(const struct slu_predictor *p, const struct slu_job *job,
		      uint64_t key[LEVELS])
{
	uint64_t uid = job->uid, nodes = (uint64_t)job->node_cnt << 32,
		 ask = job->limit_asked, account, partition, in_name;
	char name[64];

	key[SIZE] = mixed(uid << 8 | SIZE, nodes | ask);
	key[REQUEST] = mixed(uid << 8 | REQUEST, ask);
	key[USER] = mixed(uid << 8 | USER, 0);
	slu_classes_expect(p->classes, key[SIZE] |= 1);
	slu_classes_expect(p->classes, key[REQUEST] |= 1);
	slu_classes_expect(p->classes, key[USER] |= 1);
	in_name = XXH3_64bits(name,
			      slu_plain_name(job->name, name, sizeof(name)));
	account = hash(job->account);
	partition = hash(job->partition);
	key[CLASS] = mixed(mixed(uid << 8 | CLASS, nodes | ask),
			   mixed(in_name, partition));
	key[NAME] = mixed(uid << 8 | NAME, in_name);
	key[ACCOUNT] = mixed(ask << 8 | ACCOUNT, account);
	key[SITE] = mixed(mixed(SITE, nodes | ask), partition);
	slu_classes_expect(p->classes, key[CLASS] |= 1);
	slu_classes_expect(p->classes, key[NAME] |= 1);
	slu_classes_expect(p->classes, key[ACCOUNT] |= 1);
	slu_classes_expect(p->classes, key[SITE] |= 1);
}

/* Runs that had ended when the job was submitted, the latest first: of each
 * class. All lists are worked on at once, so what is behind their ends must not
 * matter. */
struct runs {
	uint16_t run[LEVELS * SLU_VIEW_PLACES], asked[LEVELS * SLU_VIEW_PLACES];
	uint16_t failed[LEVELS * SLU_VIEW_PLACES];
};

/* Whole registers are copied: beyond the runs, but not beyond the class. */
SLU_INLINE unsigned take_ended(const struct slu_class *c, uint32_t until,
			       struct runs *r, unsigned list)
{
	unsigned late = slu_count_late(c->end, SLU_CLASS_RUNS, until);
	unsigned known = c->jobs < SLU_CLASS_RUNS ? c->jobs : SLU_CLASS_RUNS;
	unsigned failed = c->failed >> late;
	const char *from = (const char *)c + late * sizeof(c->run[0]);
	size_t to = (size_t)list * SLU_VIEW_PLACES;

	memcpy(&r->run[to], from + offsetof(struct slu_class, run),
	       SLU_VIEW_PLACES * sizeof(c->run[0]));
	memcpy(&r->asked[to], from + offsetof(struct slu_class, asked),
	       SLU_VIEW_PLACES * sizeof(c->asked[0]));
	for (unsigned k = 0; k < SLU_VIEW_PLACES; k++)
		r->failed[to + k] = (failed & 1u << k) > 0;
	return known > late ? known - late : 0;
}
_Static_assert(offsetof(struct slu_class, asked) +
			       (SLU_CLASS_RUNS + SLU_VIEW_PLACES) *
				       sizeof(uint16_t) <=
		       sizeof(struct slu_class),
	       "room to copy too much");

#define BY_PLACE 0, 1, 2, 3, 4, 5, 6, 7
static const uint16_t place_number[] = {BY_PLACE, BY_PLACE, BY_PLACE, BY_PLACE,
					BY_PLACE, BY_PLACE, BY_PLACE, BY_PLACE};
_Static_assert(sizeof(place_number) / sizeof(place_number[0]) ==
		       SLU_VIEW_LISTED,
	       "the number in its source of each");

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

/* Kinds: 24 if it failed, 12 if the run before it is like the last (so this
 * came after that, then), 6 if it reached its request, 3 if it is like the one
 * before it, 1 if it is not like the one after it, 2 if it is the last. */
#define FAILED	24
#define AFTER	12
#define REACHED 6
SLU_INLINE void put_runs(const struct runs *r, int asked, struct slu_seen *seen)
{
	uint16_t before[LEVELS * SLU_VIEW_PLACES],
		last[LEVELS * SLU_VIEW_PLACES];
	uint16_t end[LEVELS * SLU_VIEW_PLACES];
	uint16_t *at = seen->at;
	uint8_t *kind = seen->kind;

	for (int i = 0; i < LEVELS * SLU_VIEW_PLACES; i++)
		at[i] = (uint16_t)copied(r->run[i], r->asked[i], asked);
	before[0] = 0;
	memcpy(&before[1], at, sizeof(before) - sizeof(before[0]));
	for (int s = 0; s < LEVELS; s++)
		for (int k = 0; k < SLU_VIEW_PLACES; k++) {
			last[s * SLU_VIEW_PLACES + k] = at[s * SLU_VIEW_PLACES];
			end[s * SLU_VIEW_PLACES + k] = seen->n[s];
		}
	for (int i = 0; i < LEVELS * SLU_VIEW_PLACES; i++) {
		bool goes_on = place_number[i] + 1 < end[i];
		bool is_like_next =
			goes_on & (abs(at[i] - at[i + 1]) < SLU_ALIKE);
		bool came_after =
			goes_on & (abs(last[i] - at[i + 1]) < SLU_ALIKE);
		bool is_like_before = abs(before[i] - at[i]) < SLU_ALIKE;
		bool reached = (r->asked[i] > 0) &
			       (r->run[i] + SLU_NEAR_BY >= r->asked[i]);

		kind[i] = (uint8_t)(FAILED * r->failed[i] + AFTER * came_after +
				    REACHED * reached + 3 * is_like_next +
				    (place_number[i] ? !is_like_before : 2));
	}
}

SLU_FAST static void look_at_runs(struct slu_view *v, uint32_t until,
				  uint16_t asked)
{
	struct runs r;

	for (unsigned l = 0; l < LEVELS; l++)
		v->seen.n[l] = (uint8_t)take_ended(&v->class[l], until, &r, l);
	put_runs(&r, asked, &v->seen);
}

static void put_asked(struct slu_seen *seen, uint16_t asked)
{
	uint16_t *at = &seen->at[ASKED * SLU_VIEW_PLACES];

	memset(at, 0, SLU_VIEW_PLACES * sizeof(*at));
	at[0] = asked;
	memset(&seen->n[ASKED], 0, sizeof(seen->n) - ASKED);
	seen->n[ASKED] = asked > 0;
}

/* How alike the last two runs of a source are: 0 very, 2 not; 3: not two. */
static unsigned agreement(const struct slu_view *v, unsigned source)
{
	int apart = v->seen.n[source] < 2 ? -1
					  : abs(slu_run(&v->seen, source, 0) -
						slu_run(&v->seen, source, 1));

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
	return (jobs >= 1) + (jobs >= 3) + (jobs >= 8) + (jobs >= 20) +
	       (jobs >= 60);
}

unsigned slu_view_season(const struct slu_view *v, int m)
{
	enum slu_level l = slu_mixer_level[m];

	return l < LEVELS ? slu_season(v->class[l].jobs) : SLU_VIEW_SEASONS - 1;
}

/* The sets of weights as numbers. */
SLU_INLINE void get_weights(const struct slu_predictor *p, struct slu_view *v)
{
	uint16_t kept[SLU_VIEW_WIDTH] = {0};

	memset(v->own[0], 0, sizeof(v->own[0]));
	slu_fetch(v->own[0], p->weight[v->seen.known], SLU_VIEW_KEPT);
	slu_gate_weigh(p, &v->seen, v->own[0], v->own[SLU_VIEW_GATED]);
	for (int m = 1; m < SLU_VIEW_GATED; m++) {
		const struct slu_class *c = &v->class[slu_mixer_level[m]];

		memcpy(kept, c->weight, sizeof(c->weight));
		for (int s = 0; s < SLU_VIEW_WIDTH; s++)
			v->own[m][s] = (float)kept[s] * (1.0f / UINT16_MAX);
	}
}

SLU_FAST static void weigh_sources(const struct slu_predictor *p,
				   struct slu_view *v)
{
	float have[SLU_VIEW_WIDTH], mix[SLU_VIEW_MIXERS],
		weight[SLU_VIEW_WIDTH] = {0}, sum = 0;

	slu_shares_weigh(p, &v->seen);
	slu_attention_weigh(p, &v->seen);
	get_weights(p, v);
	for (int m = 0; m < SLU_VIEW_MIXERS; m++) {
		unsigned when = slu_view_season(v, m);

		mix[m] = when ? slu_get(&p->mix[when][m]) : 0;
		sum += mix[m];
	}
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		have[s] = v->seen.n[s] > 0;
	for (int m = 0; m < SLU_VIEW_MIXERS; m++) {
		float in = 0, per;

		for (int s = 0; s < SLU_VIEW_WIDTH; s++)
			in += v->own[m][s] * have[s];
		per = in > 0 ? mix[m] / (sum * in) : 0;
		for (int s = 0; s < SLU_VIEW_WIDTH; s++)
			weight[s] += v->own[m][s] * per;
	}
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		v->seen.weight[s] = weight[s] * have[s];
}

void slu_view_see(const struct slu_predictor *p, const struct slu_job *job,
		  struct slu_view *v)
{
	uint16_t asked = slu_spread_at_past((float)job->limit_asked);

	put_asked(&v->seen, asked);
	look_at_runs(v, slu_known_until(job), asked);
	v->seen.known = (uint8_t)kind_of_knowledge(v);
	slu_gate_look(v, job);
	slu_shares_look(job, v);
	slu_attention_look(job, v);
	weigh_sources(p, v);
}

void slu_view_look(const struct slu_predictor *p, const struct slu_job *job,
		   struct slu_view *v)
{
	slu_attention_expect(p, job->uid);
	make_keys(p, job, v->key);
	slu_shares_expect(p, v->key);
	slu_classes_read(p->classes, v->key, LEVELS, v->class);
	slu_attention_read(p, job->uid, v);
	slu_view_see(p, job, v);
}

void slu_view_recall(const struct slu_predictor *p, const struct slu_seen *seen,
		     struct slu_view *v)
{
	v->seen = *seen;
	weigh_sources(p, v);
}

SLU_INLINE void get_places(const struct slu_predictor *p,
			   const struct slu_seen *seen, struct slu_places *out)
{
	float n[SLU_VIEW_WIDTH], sum[SLU_VIEW_WIDTH], end[SLU_VIEW_POINTS],
		scale[SLU_VIEW_POINTS], kind[SLU_VIEW_POINTS];

	slu_fetch(out->place, p->place, SLU_VIEW_LISTED);
	memcpy(&out->place[SLU_VIEW_LISTED], seen->weighed,
	       sizeof(seen->weighed));
	for (int s = 0; s < LEVELS; s++)
		for (int k = 0; k < SLU_VIEW_PLACES; k++)
			kind[s * SLU_VIEW_PLACES + k] = slu_get(
				&p->kind[s]
					[seen->kind[s * SLU_VIEW_PLACES + k]]);
	for (int i = LEVELS * SLU_VIEW_PLACES; i < SLU_VIEW_POINTS; i++)
		kind[i] = 1;
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		n[s] = seen->n[s];
	slu_each_place(end, n);
	for (int i = 0; i < SLU_VIEW_LISTED; i++)
		out->place[i] = place_number[i] < end[i] ? out->place[i] : 0;
	slu_sum_places(sum, out->place);
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		out->per[s] = 1 / (sum[s] > 0 ? sum[s] : 1);
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		n[s] = out->per[s] * seen->weight[s];
	slu_each_place(scale, n);
	for (int i = 0; i < SLU_VIEW_POINTS; i++)
		out->weight[i] = out->place[i] * kind[i] * scale[i];
}

SLU_FAST void slu_view_places(const struct slu_predictor *p,
			      const struct slu_seen *seen,
			      struct slu_places *out)
{
	get_places(p, seen, out);
}

/* Without branches: of each point, whether it counts. */
SLU_FAST void slu_view_spread(const struct slu_predictor *p,
			      const struct slu_view *v, struct slu_spread *out)
{
	const uint16_t *at = v->seen.at;
	struct slu_places in;
	const float *weight = in.weight;
	unsigned n = 0;

	get_places(p, &v->seen, &in);
	for (unsigned i = 0; i < SLU_VIEW_POINTS; i++) {
		out->at[n] = at[i];
		out->weight[n] = weight[i];
		n += weight[i] > MIN_POINT;
	}
	slu_spread_end(out, n);
	slu_spread_order(out);
}

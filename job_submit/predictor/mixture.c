/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the mixture of a job: finds its classes, lists the components of each
 * expert, mixes the gates. The weight of a class's earlier run is the product
 * of two: one for its lag (how many runs ago it was), one for its kind. Kinds
 * tell apart runs that failed, that reached their request, that are like the
 * run before or after them, or that came after a run like the last one: some of
 * these predict the next run better than others.
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "job_submit/name.h"
#include "job_submit/predictor/mixture.h"
#include "job_submit/predictor/attention.h"
#include "job_submit/predictor/gate.h"
#include "job_submit/predictor/request_shares.h"

_Static_assert(SLU_MIX_COMPONENTS <= SLU_DISTRIBUTION_MAX,
	       "room for all points");

#define MIN_POINT 3e-3f /* of the total weight */

const enum slu_job_class slu_gate_class[SLU_MIX_GATES] = {
	SLU_JOB_CLASSES, SLU_BY_USER, SLU_BY_REQUEST, SLU_BY_SIZE,
	SLU_JOB_CLASSES};

/* 0: none. */
static uint64_t hash(const char *text)
{
	return text ? XXH3_64bits(text, strlen(text)) : 0;
}

/* Mixes two words: the XOR of both halves of their product, as in wyhash. */
static uint64_t mixed(uint64_t a, uint64_t b)
{
	unsigned __int128 product =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15) *
		(b ^ 0xe7037ed1a0b428db);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Keys that need no text hash come first, so that their memory can be
 * prefetched early. */
static void make_keys(const struct slu_predictor *p, const struct slu_job *job,
		      uint64_t key[SLU_JOB_CLASSES])
{
	uint64_t uid = job->uid, nodes = (uint64_t)job->node_cnt << 32,
		 ask = job->limit_asked, account, partition, in_name;
	char name[64];

	key[SLU_BY_SIZE] = mixed(uid << 8 | SLU_BY_SIZE, nodes | ask);
	key[SLU_BY_REQUEST] = mixed(uid << 8 | SLU_BY_REQUEST, ask);
	key[SLU_BY_USER] = mixed(uid << 8 | SLU_BY_USER, 0);
	slu_classes_prefetch(p->classes, key[SLU_BY_SIZE] |= 1);
	slu_classes_prefetch(p->classes, key[SLU_BY_REQUEST] |= 1);
	slu_classes_prefetch(p->classes, key[SLU_BY_USER] |= 1);
	in_name = XXH3_64bits(name,
			      slu_plain_name(job->name, name, sizeof(name)));
	account = hash(job->account);
	partition = hash(job->partition);
	key[SLU_BY_CLASS] = mixed(mixed(uid << 8 | SLU_BY_CLASS, nodes | ask),
				  mixed(in_name, partition));
	key[SLU_BY_NAME] = mixed(uid << 8 | SLU_BY_NAME, in_name);
	key[SLU_BY_ACCOUNT] = mixed(ask << 8 | SLU_BY_ACCOUNT, account);
	key[SLU_BY_SITE] = mixed(mixed(SLU_BY_SITE, nodes | ask), partition);
	slu_classes_prefetch(p->classes, key[SLU_BY_CLASS] |= 1);
	slu_classes_prefetch(p->classes, key[SLU_BY_NAME] |= 1);
	slu_classes_prefetch(p->classes, key[SLU_BY_ACCOUNT] |= 1);
	slu_classes_prefetch(p->classes, key[SLU_BY_SITE] |= 1);
}

/* The runs of each class that had ended when the job was submitted, the latest
 * first. All lists are processed at once, so values behind their ends must have
 * no effect. */
struct runs {
	uint16_t run[SLU_JOB_CLASSES * SLU_MIX_LAGS],
		asked[SLU_JOB_CLASSES * SLU_MIX_LAGS];
	uint16_t failed[SLU_JOB_CLASSES * SLU_MIX_LAGS];
};

/* Copies whole registers: reads beyond the runs, but inside the class. */
SLU_INLINE unsigned take_ended(const struct slu_class *c, uint32_t until,
			       struct runs *r, unsigned list)
{
	unsigned late = slu_count_unended(c->end, SLU_CLASS_RUNS, until);
	unsigned known = c->jobs < SLU_CLASS_RUNS ? c->jobs : SLU_CLASS_RUNS;
	unsigned failed = c->failed >> late;
	const char *from = (const char *)c + late * sizeof(c->run[0]);
	size_t to = (size_t)list * SLU_MIX_LAGS;

	memcpy(&r->run[to], from + offsetof(struct slu_class, run),
	       SLU_MIX_LAGS * sizeof(c->run[0]));
	memcpy(&r->asked[to], from + offsetof(struct slu_class, asked),
	       SLU_MIX_LAGS * sizeof(c->asked[0]));
	for (unsigned k = 0; k < SLU_MIX_LAGS; k++)
		r->failed[to + k] = (failed & 1u << k) > 0;
	return known > late ? known - late : 0;
}
_Static_assert(offsetof(struct slu_class, asked) +
			       (SLU_CLASS_RUNS + SLU_MIX_LAGS) *
				       sizeof(uint16_t) <=
		       sizeof(struct slu_class),
	       "room to copy too much");

#define BY_LAG 0, 1, 2, 3, 4, 5, 6, 7
static const uint16_t lag_number[] = {BY_LAG, BY_LAG, BY_LAG, BY_LAG,
				      BY_LAG, BY_LAG, BY_LAG, BY_LAG};
_Static_assert(sizeof(lag_number) / sizeof(lag_number[0]) == SLU_MIX_LAGGED,
	       "the lag of each");

/* A run time as a prediction for a job that requests `asked`: capped at the
 * request, except for a run that exceeded its own, since some sites end jobs
 * late or not at all. */
SLU_INLINE int copied(int run, int its_asked, int asked)
{
	int limit = its_asked ? its_asked : UINT16_MAX;
	int most = asked ? asked : UINT16_MAX;
	int within = run < limit ? run : limit;

	return (within < most ? within : most) + run - within;
}

/* Run kinds: 24 if it failed, 12 if the run before it is like the latest one
 * (it followed the same situation), 6 if it reached its request, 3 if it is
 * like the one before it, 1 if it is unlike the one after it, 2 if it is the
 * latest. */
#define FAILED	24
#define AFTER	12
#define REACHED 6
SLU_INLINE void put_runs(const struct runs *r, int asked,
			 struct slu_inputs *inputs)
{
	uint16_t before[SLU_JOB_CLASSES * SLU_MIX_LAGS],
		last[SLU_JOB_CLASSES * SLU_MIX_LAGS];
	uint16_t end[SLU_JOB_CLASSES * SLU_MIX_LAGS];
	uint16_t *at = inputs->at;
	uint8_t *kind = inputs->kind;

	for (int i = 0; i < SLU_JOB_CLASSES * SLU_MIX_LAGS; i++)
		at[i] = (uint16_t)copied(r->run[i], r->asked[i], asked);
	before[0] = 0;
	memcpy(&before[1], at, sizeof(before) - sizeof(before[0]));
	for (int s = 0; s < SLU_JOB_CLASSES; s++)
		for (int k = 0; k < SLU_MIX_LAGS; k++) {
			last[s * SLU_MIX_LAGS + k] = at[s * SLU_MIX_LAGS];
			end[s * SLU_MIX_LAGS + k] = inputs->n[s];
		}
	for (int i = 0; i < SLU_JOB_CLASSES * SLU_MIX_LAGS; i++) {
		bool goes_on = lag_number[i] + 1 < end[i];
		bool is_like_next =
			goes_on & (abs(at[i] - at[i + 1]) < SLU_MIX_ALIKE);
		bool came_after =
			goes_on & (abs(last[i] - at[i + 1]) < SLU_MIX_ALIKE);
		bool is_like_before = abs(before[i] - at[i]) < SLU_MIX_ALIKE;
		bool reached = (r->asked[i] > 0) &
			       (r->run[i] + SLU_MIX_EQUAL >= r->asked[i]);

		kind[i] = (uint8_t)(FAILED * r->failed[i] + AFTER * came_after +
				    REACHED * reached + 3 * is_like_next +
				    (lag_number[i] ? !is_like_before : 2));
	}
}

SLU_FAST static void look_at_runs(struct slu_mixture *mix, uint32_t until,
				  uint16_t asked)
{
	struct runs r;

	for (unsigned l = 0; l < SLU_JOB_CLASSES; l++)
		mix->inputs.n[l] =
			(uint8_t)take_ended(&mix->class[l], until, &r, l);
	put_runs(&r, asked, &mix->inputs);
}

static void put_asked(struct slu_inputs *inputs, uint16_t asked)
{
	uint16_t *at = &inputs->at[SLU_EXPERT_REQUEST * SLU_MIX_LAGS];

	memset(at, 0, SLU_MIX_LAGS * sizeof(*at));
	at[0] = asked;
	memset(&inputs->n[SLU_EXPERT_REQUEST], 0,
	       sizeof(inputs->n) - SLU_EXPERT_REQUEST);
	inputs->n[SLU_EXPERT_REQUEST] = asked > 0;
}

/* Similarity of the last two runs of a class: 0 equal to 2 unlike; 3: no two.
 */
static unsigned agreement(const struct slu_mixture *mix, unsigned source)
{
	int apart = mix->inputs.n[source] < 2
			    ? -1
			    : abs(slu_lagged_run(&mix->inputs, source, 0) -
				  slu_lagged_run(&mix->inputs, source, 1));

	return apart < 0 ? 3 : apart < SLU_MIX_ALIKE ? 0 : apart < 2164 ? 1 : 2;
}

static unsigned context_of(const struct slu_mixture *mix)
{
	unsigned n = mix->inputs.n[SLU_BY_SIZE];
	unsigned amount = n == 0 ? 0 : n < 2 ? 1 : n < 5 ? 2 : 3;

	return amount * 4 +
	       agreement(mix, n > 1 ? SLU_BY_SIZE : SLU_BY_REQUEST);
}

unsigned slu_mixture_stage(const struct slu_mixture *mix, int m)
{
	enum slu_job_class l = slu_gate_class[m];

	return l < SLU_JOB_CLASSES ? slu_stage_of(mix->class[l].jobs)
				   : SLU_MIX_STAGES - 1;
}

/* Gets the gating weights of each gate. */
SLU_INLINE void get_weights(const struct slu_predictor *p,
			    struct slu_mixture *mix)
{
	uint16_t kept[SLU_MIX_WIDTH] = {0};

	memset(mix->gate[0], 0, sizeof(mix->gate[0]));
	slu_fetch(mix->gate[0], p->site_gate[mix->inputs.context],
		  SLU_MIX_STORED);
	slu_gate_weigh(p, &mix->inputs, mix->gate[0],
		       mix->gate[SLU_MIX_FEATURE_GATE]);
	for (int m = 1; m < SLU_MIX_FEATURE_GATE; m++) {
		const struct slu_class *c = &mix->class[slu_gate_class[m]];

		memcpy(kept, c->weight, sizeof(c->weight));
		for (int s = 0; s < SLU_MIX_WIDTH; s++)
			mix->gate[m][s] = (float)kept[s] * (1.0f / UINT16_MAX);
	}
}

SLU_FAST static void weigh_experts(const struct slu_predictor *p,
				   struct slu_mixture *mix)
{
	float have[SLU_MIX_WIDTH], top[SLU_MIX_GATES],
		weight[SLU_MIX_WIDTH] = {0}, sum = 0;

	slu_shares_weigh(p, &mix->inputs);
	slu_attention_weigh(p, &mix->inputs);
	get_weights(p, mix);
	for (int m = 0; m < SLU_MIX_GATES; m++) {
		unsigned when = slu_mixture_stage(mix, m);

		top[m] = when ? slu_get(&p->top_gate[when][m]) : 0;
		sum += top[m];
	}
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		have[s] = mix->inputs.n[s] > 0;
	for (int m = 0; m < SLU_MIX_GATES; m++) {
		float in = 0, per;

		for (int s = 0; s < SLU_MIX_WIDTH; s++)
			in += mix->gate[m][s] * have[s];
		per = in > 0 ? top[m] / (sum * in) : 0;
		for (int s = 0; s < SLU_MIX_WIDTH; s++)
			weight[s] += mix->gate[m][s] * per;
	}
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		mix->inputs.gating[s] = weight[s] * have[s];
}

void slu_mixture_at(const struct slu_predictor *p, const struct slu_job *job,
		    struct slu_mixture *mix)
{
	uint16_t asked = slu_logtime_scaled((float)job->limit_asked);

	put_asked(&mix->inputs, asked);
	look_at_runs(mix, slu_known_until(job), asked);
	mix->inputs.context = (uint8_t)context_of(mix);
	slu_gate_features(mix, job);
	slu_shares_inputs(job, mix);
	slu_attention_inputs(job, mix);
	weigh_experts(p, mix);
}

void slu_mixture_read(const struct slu_predictor *p, const struct slu_job *job,
		      struct slu_mixture *mix)
{
	slu_attention_prefetch(p, job->uid);
	make_keys(p, job, mix->key);
	slu_shares_prefetch(p, mix->key);
	slu_classes_read(p->classes, mix->key, SLU_JOB_CLASSES, mix->class);
	slu_attention_read(p, job->uid, mix);
	slu_mixture_at(p, job, mix);
}

void slu_mixture_reweigh(const struct slu_predictor *p,
			 const struct slu_inputs *inputs,
			 struct slu_mixture *mix)
{
	mix->inputs = *inputs;
	weigh_experts(p, mix);
}

SLU_INLINE void get_components(const struct slu_predictor *p,
			       const struct slu_inputs *inputs,
			       struct slu_components *out)
{
	float n[SLU_MIX_WIDTH], sum[SLU_MIX_WIDTH], end[SLU_MIX_COMPONENTS],
		scale[SLU_MIX_COMPONENTS], kind[SLU_MIX_COMPONENTS];

	slu_fetch(out->within, p->lag, SLU_MIX_LAGGED);
	memcpy(&out->within[SLU_MIX_LAGGED], inputs->conditional,
	       sizeof(inputs->conditional));
	for (int s = 0; s < SLU_JOB_CLASSES; s++)
		for (int k = 0; k < SLU_MIX_LAGS; k++)
			kind[s * SLU_MIX_LAGS + k] = slu_get(
				&p->kind[s]
					[inputs->kind[s * SLU_MIX_LAGS + k]]);
	for (int i = SLU_JOB_CLASSES * SLU_MIX_LAGS; i < SLU_MIX_COMPONENTS;
	     i++)
		kind[i] = 1;
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		n[s] = inputs->n[s];
	slu_each_component(end, n);
	for (int i = 0; i < SLU_MIX_LAGGED; i++)
		out->within[i] = lag_number[i] < end[i] ? out->within[i] : 0;
	slu_sum_components(sum, out->within);
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		out->norm[s] = 1 / (sum[s] > 0 ? sum[s] : 1);
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		n[s] = out->norm[s] * inputs->gating[s];
	slu_each_component(scale, n);
	for (int i = 0; i < SLU_MIX_COMPONENTS; i++)
		out->weight[i] = out->within[i] * kind[i] * scale[i];
}

SLU_FAST void slu_mixture_components(const struct slu_predictor *p,
				     const struct slu_inputs *inputs,
				     struct slu_components *out)
{
	get_components(p, inputs, out);
}

/* Branch-free: a mask says which components are used. */
SLU_FAST void slu_mixture_distribution(const struct slu_predictor *p,
				       const struct slu_mixture *mix,
				       struct slu_distribution *out)
{
	const uint16_t *at = mix->inputs.at;
	struct slu_components in;
	const float *weight = in.weight;
	unsigned n = 0;

	get_components(p, &mix->inputs, &in);
	for (unsigned i = 0; i < SLU_MIX_COMPONENTS; i++) {
		out->at[n] = at[i];
		out->weight[n] = weight[i];
		n += weight[i] > MIN_POINT;
	}
	slu_distribution_end(out, n);
	slu_distribution_sort(out);
}

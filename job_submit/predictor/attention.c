/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights a user's last runs by softmax attention, as components of the mixture
 * (model.h). Run k proposes the share of its request that it took, with the
 * weight
 *
 *	w_k = softmax over k of: sum over tables t: theta[t][row_t(k)].
 */

/*
 * The rows are the run's age, the features that it shares with the job in
 * question, and what followed runs like the last ones. theta is the same for
 * all users, learnt by gradient ascent on log p_e(y | x), e being this expert.
 * Since runs are addressed by content, the list may be longer than that of a
 * class, which needs equality.
 *
 * A ring buffer of runs is guarded by a seqlock. Users whose ids map to the
 * same ring evict each other; rings are indexed by user id, and sites assign
 * these in sequence.
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <stdlib.h>
#include <string.h>
#include "job_submit/predictor/attention.h"
#include "job_submit/predictor/seqlock.h"

#define USERS 16384
#define N     SLU_MIX_ATTENDED
#define RATE  0.03f
#define NONE  -100.0f /* a logit */

#define WORDS (sizeof(struct slu_ring) / sizeof(uint64_t))
_Static_assert(WORDS * sizeof(uint64_t) == sizeof(struct slu_ring),
	       "whole words");

struct slot {
	_Atomic uint64_t word[WORDS];
	_Atomic uint32_t seq; /* odd: being written */
};
struct slu_rings {
	struct slot slot[USERS];
};

struct slu_rings *slu_rings_new(void)
{
	return calloc(1, sizeof(struct slu_rings));
}

void slu_rings_free(struct slu_rings *rings)
{
	free(rings);
}

static struct slot *slot_of(const struct slu_predictor *p, uint32_t uid)
{
	return &p->rings->slot[uid % USERS];
}

void slu_attention_prefetch(const struct slu_predictor *p, uint32_t uid)
{
	const char *slot = (const char *)slot_of(p, uid);

	for (size_t at = 0; at < sizeof(struct slot); at += 64)
		__builtin_prefetch(slot + at);
}

/* Empty if it is another user's, or is being written. */
static void ring_read(const struct slot *s, uint32_t uid, struct slu_ring *out)
{
	for (int try = 0; try < SLU_SEQ_TRIES; try++) {
		uint32_t seq = slu_seq_before_read(&s->seq);

		slu_words_read(out, s->word, WORDS);
		if (!slu_seq_after_read(&s->seq, seq))
			continue;
		if (out->uid == uid)
			return;
		break;
	}
	*out = (struct slu_ring){.uid = uid};
}

static void ring_write(struct slot *s, const struct slu_ring *in)
{
	slu_seq_before_write(&s->seq);
	slu_words_write(s->word, in, WORDS);
	slu_seq_after_write(&s->seq);
}

static uint16_t name_tag(const struct slu_mixture *mix)
{
	return (uint16_t)(mix->key[SLU_BY_NAME] >> 40);
}

static uint16_t nodes_tag(uint32_t nodes)
{
	return (uint16_t)(nodes ^ nodes >> 16);
}

/* The age of a run, as its index, in widening steps: 0 to 10, times 8. */
static const uint8_t age[N] = {0,  8,  16, 24, 32, 32, 40, 40, 48, 48, 48, 48,
			       56, 56, 56, 56, 64, 64, 64, 64, 64, 64, 64, 64,
			       72, 72, 72, 72, 72, 72, 72, 72, 80, 80, 80, 80,
			       80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80};

/* Runs that had ended when the job was submitted. */
struct ended {
	uint16_t run[N + 2], asked[N], name[N], nodes[N];
	int n;
};

/* Copies whole arrays: reads beyond the list's end, but inside the ring. */
static void list_ended(const struct slu_mixture *mix, unsigned late,
		       struct ended *out)
{
	const char *from = (const char *)mix + late * sizeof(out->run[0]);

	memcpy(out->run, from + offsetof(struct slu_mixture, ring.run),
	       sizeof(out->run));
	memcpy(out->asked, from + offsetof(struct slu_mixture, ring.asked),
	       sizeof(out->asked));
	memcpy(out->name, from + offsetof(struct slu_mixture, ring.name),
	       sizeof(out->name));
	memcpy(out->nodes, from + offsetof(struct slu_mixture, ring.nodes),
	       sizeof(out->nodes));
	out->n = mix->ring.n > late ? (int)(mix->ring.n - late) : 0;
}
_Static_assert(offsetof(struct slu_mixture, ring.nodes) + 2 * 2 * N <=
		       sizeof(struct slu_mixture),
	       "room to copy too much");

SLU_INLINE int like(int a, int b)
{
	return abs(a - b) < SLU_MIX_ALIKE;
}

/* The rows of the tables: by age and shared features; by the ratio of the
 * requests; by the runs before and after it; and by its length. */
SLU_FAST static void put_rows(const struct ended *r, int asked, uint16_t name,
			      uint16_t nodes, struct slu_inputs *inputs)
{
	uint16_t *at = &inputs->at[SLU_MIX_LAGGED + SLU_MIX_SHARE_BINS];
	uint8_t(*row)[N] = inputs->attention_row;
	uint16_t newer[N];

	newer[0] = 0;
	memcpy(&newer[1], r->run, (N - 1) * sizeof(r->run[0]));
	for (unsigned k = 0; k < N; k++)
		row[0][k] = (uint8_t)(age[k] + (r->name[k] == name) +
				      2 * (r->nodes[k] == nodes) +
				      4 * (r->asked[k] == asked));
	for (int k = 0; k < N; k++) {
		int run = r->run[k], its = r->asked[k];
		int share = asked && its ? asked + run - its : run;
		int apart = (its - asked + 20500) / 1000;
		int is = 0;

		share = share > 0 ? share : 0;
		at[k] = (uint16_t)(share < UINT16_MAX ? share : UINT16_MAX);
		apart = apart > 0 ? apart : 0;
		row[1][k] = (uint8_t)(apart < 40 ? apart : 40);
		is += like(r->run[k + 1], r->run[0]) & (k + 1 < r->n);
		is += (like(r->run[k + 2], r->run[1]) & (k + 2 < r->n)) << 1;
		is += (run + SLU_MIX_EQUAL >= its) << 2;
		is += (like(r->run[k + 1], run) & (k + 1 < r->n)) << 3;
		is += (like(newer[k], run) & (k > 0)) << 4;
		row[2][k] = (uint8_t)(is + ((k == 0) << 5));
		row[3][k] = (uint8_t)(run / 1500);
	}
}

void slu_attention_read(const struct slu_predictor *p, uint32_t uid,
			struct slu_mixture *mix)
{
	ring_read(slot_of(p, uid), uid, &mix->ring);
}

SLU_FAST void slu_attention_inputs(const struct slu_job *job,
				   struct slu_mixture *mix)
{
	struct ended r;

	list_ended(mix,
		   slu_count_unended(mix->ring.end, N, slu_known_until(job)),
		   &r);
	mix->inputs.n[SLU_EXPERT_ATTENTION] = (uint8_t)r.n;
	put_rows(&r, mix->inputs.at[SLU_EXPERT_REQUEST * SLU_MIX_LAGS],
		 name_tag(mix), nodes_tag(job->node_cnt), &mix->inputs);
}

SLU_FAST void slu_attention_weigh(const struct slu_predictor *p,
				  struct slu_inputs *inputs)
{
	float logit[N];

	for (int k = 0; k < N; k++)
		logit[k] =
			slu_get(&p->attention[0][inputs->attention_row[0][k]]) +
			slu_get(&p->attention[1][inputs->attention_row[1][k]]) +
			slu_get(&p->attention[2][inputs->attention_row[2][k]]) +
			slu_get(&p->attention[3][inputs->attention_row[3][k]]);
	for (int k = 0; k < N; k++)
		logit[k] =
			k < inputs->n[SLU_EXPERT_ATTENTION] ? logit[k] : NONE;
	slu_softmax(logit, &inputs->conditional[SLU_MIX_SHARE_BINS], N);
	for (int k = 0; k < N; k++)
		if (k >= inputs->n[SLU_EXPERT_ATTENTION])
			inputs->conditional[SLU_MIX_SHARE_BINS + k] = 0;
}

void slu_attention_learn(struct slu_predictor *p,
			 const struct slu_inputs *inputs, const float *density,
			 float likelihood, float worth)
{
	const float *w = &inputs->conditional[SLU_MIX_SHARE_BINS];

	if (!(likelihood > 0))
		return;
	for (int k = 0; k < inputs->n[SLU_EXPERT_ATTENTION]; k++) {
		float by = RATE * worth * w[k] * (density[k] / likelihood - 1);

		for (int t = 0; t < SLU_MIX_ATTENTION_TABLES; t++) {
			slu_shared *x =
				&p->attention[t][inputs->attention_row[t][k]];

			slu_set(x, slu_get(x) + by);
		}
	}
}

void slu_attention_remember(struct slu_predictor *p,
			    const struct slu_mixture *mix,
			    const struct slu_job *job, uint16_t run)
{
	const struct slu_ring *was = &mix->ring;
	struct slu_ring is;

	is.uid = job->uid;
	is.n = was->n + (was->n < N);
	memcpy(&is.end[1], was->end, sizeof(is.end) - sizeof(is.end[0]));
	memcpy(&is.run[1], was->run, sizeof(is.run) - sizeof(is.run[0]));
	memcpy(&is.asked[1], was->asked,
	       sizeof(is.asked) - sizeof(is.asked[0]));
	memcpy(&is.name[1], was->name, sizeof(is.name) - sizeof(is.name[0]));
	memcpy(&is.nodes[1], was->nodes,
	       sizeof(is.nodes) - sizeof(is.nodes[0]));
	is.end[0] = (uint32_t)job->end;
	is.run[0] = run;
	is.asked[0] = slu_logtime_scaled((float)job->limit_asked);
	is.name[0] = name_tag(mix);
	is.nodes[0] = nodes_tag(job->node_cnt);
	ring_write(slot_of(p, job->uid), &is);
}

/* Initial parameters: the latest runs, and those with many shared features. */
void slu_attention_init(struct slu_predictor *p)
{
	for (unsigned k = 0; k < N; k++)
		for (unsigned b = 0; b < 8; b++)
			slu_set(&p->attention[0][age[k] + b],
				(float)__builtin_popcount(b) -
					0.35f * (float)(age[k] / 8));
}

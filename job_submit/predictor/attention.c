/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attention over the last jobs of the user: each says what share of its request
 * it took, and how far that is believed depends on how long ago it ended, on
 * what it has in common with the job that is asked about, and on what came
 * after runs like the last ones. Each of these has a table of logits, the same
 * for all users, which are learnt by gradient descent on the logarithm of what
 * was foretold; the weights are the softmax of their sums. So a list may be
 * long, and is read by content, where classes read it by what is equal.
 *
 * A ring is a seqlock. Who has the same place as another user begins anew with
 * each job of theirs; places are by the user's number, of which sites give one
 * after the other.
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <stdlib.h>
#include <string.h>
#include "job_submit/predictor/seqlock.h"
#include "job_submit/predictor/mixture.h"

#define USERS 16384
#define N     SLU_VIEW_ATTENDED_PLACES
#define RATE  0.03f
#define NONE  -100.0f /* a logit */

#define WORDS (sizeof(struct slu_ring) / sizeof(uint64_t))
_Static_assert(WORDS * sizeof(uint64_t) == sizeof(struct slu_ring),
	       "whole words");

struct slot {
	_Atomic uint64_t word[WORDS];
	_Atomic uint32_t seq; /* odd: it is written */
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

void slu_attention_expect(const struct slu_predictor *p, uint32_t uid)
{
	const char *slot = (const char *)slot_of(p, uid);

	for (size_t at = 0; at < sizeof(struct slot); at += 64)
		__builtin_prefetch(slot + at);
}

/* Empty if it is another's, or while the writer is in it. */
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

static uint16_t name_tag(const struct slu_view *v)
{
	return (uint16_t)(v->key[NAME] >> 40);
}

static uint16_t nodes_tag(uint32_t nodes)
{
	return (uint16_t)(nodes ^ nodes >> 16);
}

/* How long ago, by fewer and fewer steps: 0 to 10, times 8. */
static const uint8_t age[N] = {0,  8,  16, 24, 32, 32, 40, 40, 48, 48, 48, 48,
			       56, 56, 56, 56, 64, 64, 64, 64, 64, 64, 64, 64,
			       72, 72, 72, 72, 72, 72, 72, 72, 80, 80, 80, 80,
			       80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80, 80};

/* Those that were known. */
struct ended {
	uint16_t run[N + 2], asked[N], name[N], nodes[N];
	int n;
};

/* Whole arrays are copied: beyond their ends, but not beyond the view. */
static void list_ended(const struct slu_view *v, unsigned late,
		       struct ended *out)
{
	const char *from = (const char *)v + late * sizeof(out->run[0]);

	memcpy(out->run, from + offsetof(struct slu_view, ring.run),
	       sizeof(out->run));
	memcpy(out->asked, from + offsetof(struct slu_view, ring.asked),
	       sizeof(out->asked));
	memcpy(out->name, from + offsetof(struct slu_view, ring.name),
	       sizeof(out->name));
	memcpy(out->nodes, from + offsetof(struct slu_view, ring.nodes),
	       sizeof(out->nodes));
	out->n = v->ring.n > late ? (int)(v->ring.n - late) : 0;
}
_Static_assert(offsetof(struct slu_view, ring.nodes) + 2 * 2 * N <=
		       sizeof(struct slu_view),
	       "room to copy too much");

SLU_INLINE int like(int a, int b)
{
	return abs(a - b) < SLU_ALIKE;
}

/* The tables: by age and what it has in common with the job; by how much more
 * it asked for; by what came before and after it; and by how long it was. */
SLU_FAST static void put_rows(const struct ended *r, int asked, uint16_t name,
			      uint16_t nodes, struct slu_seen *seen)
{
	uint16_t *at = &seen->at[SLU_VIEW_LISTED + SLU_VIEW_SHARE_PLACES];
	uint8_t(*row)[N] = seen->attend_row;
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
		is += (run + SLU_NEAR_BY >= its) << 2;
		is += (like(r->run[k + 1], run) & (k + 1 < r->n)) << 3;
		is += (like(newer[k], run) & (k > 0)) << 4;
		row[2][k] = (uint8_t)(is + ((k == 0) << 5));
		row[3][k] = (uint8_t)(run / 1500);
	}
}

void slu_attention_read(const struct slu_predictor *p, uint32_t uid,
			struct slu_view *v)
{
	ring_read(slot_of(p, uid), uid, &v->ring);
}

SLU_FAST void slu_attention_look(const struct slu_job *job, struct slu_view *v)
{
	struct ended r;

	list_ended(v, slu_count_late(v->ring.end, N, slu_known_until(job)), &r);
	v->seen.n[ATTENDED] = (uint8_t)r.n;
	put_rows(&r, v->seen.at[ASKED * SLU_VIEW_PLACES], name_tag(v),
		 nodes_tag(job->node_cnt), &v->seen);
}

SLU_FAST void slu_attention_weigh(const struct slu_predictor *p,
				  struct slu_seen *seen)
{
	float logit[N];

	for (int k = 0; k < N; k++)
		logit[k] = slu_get(&p->attend[0][seen->attend_row[0][k]]) +
			   slu_get(&p->attend[1][seen->attend_row[1][k]]) +
			   slu_get(&p->attend[2][seen->attend_row[2][k]]) +
			   slu_get(&p->attend[3][seen->attend_row[3][k]]);
	for (int k = 0; k < N; k++)
		logit[k] = k < seen->n[ATTENDED] ? logit[k] : NONE;
	slu_softmax(logit, &seen->weighed[SLU_VIEW_SHARE_PLACES], N);
	for (int k = 0; k < N; k++)
		if (k >= seen->n[ATTENDED])
			seen->weighed[SLU_VIEW_SHARE_PLACES + k] = 0;
}

void slu_attention_learn(struct slu_predictor *p, const struct slu_seen *seen,
			 const float *density, float foretold, float worth)
{
	const float *w = &seen->weighed[SLU_VIEW_SHARE_PLACES];

	if (!(foretold > 0))
		return;
	for (int k = 0; k < seen->n[ATTENDED]; k++) {
		float by = RATE * worth * w[k] * (density[k] / foretold - 1);

		for (int t = 0; t < SLU_VIEW_ATTEND_TABLES; t++) {
			slu_shared *x = &p->attend[t][seen->attend_row[t][k]];

			slu_set(x, slu_get(x) + by);
		}
	}
}

void slu_attention_remember(struct slu_predictor *p, const struct slu_view *v,
			    const struct slu_job *job, uint16_t run)
{
	const struct slu_ring *was = &v->ring;
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
	is.asked[0] = slu_spread_at_past((float)job->limit_asked);
	is.name[0] = name_tag(v);
	is.nodes[0] = nodes_tag(job->node_cnt);
	ring_write(slot_of(p, job->uid), &is);
}

/* Before anything has been seen: the latest, and those that have much in
 * common. */
void slu_attention_begin(struct slu_predictor *p)
{
	for (unsigned k = 0; k < N; k++)
		for (unsigned b = 0; b < 8; b++)
			slu_set(&p->attend[0][age[k] + b],
				(float)__builtin_popcount(b) -
					0.35f * (float)(age[k] / 8));
}

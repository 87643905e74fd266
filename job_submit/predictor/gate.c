/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gate, as in a mixture of experts (Jordan and Jacobs 1994): how far each
 * source is believed for a job with these features. The weight of a source is
 * the site's times a factor per feature, the same for all users, learnt by
 * gradient descent on the logarithm of what was foretold. So a new user, or a
 * new request, is met with what was learnt of others like it.
 *
 * Factors are kept as logarithms to base 2.
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "job_submit/predictor/mixture.h"

#define RATE 0.05f
#define MOST 8.0f /* of a factor's logarithm */

_Static_assert(SLU_VIEW_GATE_ROWS >= 1 << 4 &&
		       SLU_VIEW_GATE_ROWS >=
			       SLU_VIEW_SEASONS * SLU_VIEW_SEASONS,
	       "room for four bits, and for the seasons of two classes");

static uint8_t below(unsigned value)
{
	return (uint8_t)(value < SLU_VIEW_GATE_ROWS ? value
						    : SLU_VIEW_GATE_ROWS - 1);
}

/* Runs of a row are up to 1.65 times as long as those of the row before. */
static uint8_t row_of_run(const struct slu_seen *seen, enum slu_level l)
{
	return seen->n[l] ? below(1 + (unsigned)slu_run(seen, l, 0) / 2164) : 0;
}

static unsigned agree(const struct slu_seen *seen, enum slu_level a,
		      enum slu_level b)
{
	return seen->n[a] && seen->n[b] &&
	       abs(slu_run(seen, a, 0) - slu_run(seen, b, 0)) < SLU_ALIKE;
}

/* Whether the user has just seen a run end, or comes back after a night. */
static uint8_t row_of_pause(const struct slu_class *user, unsigned ended,
			    int64_t submit)
{
	static const int64_t pause[] = {30,	  120,	     600,      3600,
					5 * 3600, 16 * 3600, 3 * 86400};
	unsigned known =
		user->jobs < SLU_CLASS_RUNS ? user->jobs : SLU_CLASS_RUNS;
	int64_t last = ended ? user->end[known - ended] : 0;
	uint8_t row = 0;

	for (size_t i = 0; i < sizeof(pause) / sizeof(pause[0]); i++)
		row = (uint8_t)(row + (submit - last >= pause[i]));
	return row;
}

void slu_gate_look(struct slu_view *v, const struct slu_job *job)
{
	struct slu_seen *seen = &v->seen;
	int64_t submit = job->submit;
	unsigned ended = seen->n[USER];
	uint8_t *row = seen->row;

	if (submit <= 0)
		submit = time(NULL);
	row[0] = below(slu_season(v->class[SIZE].jobs) * SLU_VIEW_SEASONS +
		       slu_season(v->class[USER].jobs));
	row[1] = row_of_pause(&v->class[USER], ended, submit);
	row[2] = below((unsigned)(slu_run(seen, ASKED, 0) / SLU_SPREAD_STEPS));
	row[3] = row_of_run(seen, USER);
	row[4] = row_of_run(seen, SIZE);
	row[5] = (uint8_t)(agree(seen, SIZE, USER) |
			   agree(seen, REQUEST, USER) << 1 |
			   agree(seen, REQUEST, SIZE) << 2 |
			   agree(seen, CLASS, SIZE) << 3);
	row[6] = below(
		(unsigned)(2 * slu_spread_log2((float)job->node_cnt + 1)));
}

SLU_FAST void slu_gate_weigh(const struct slu_predictor *p,
			     const struct slu_seen *seen,
			     const float site[SLU_VIEW_WIDTH],
			     float weight[SLU_VIEW_WIDTH])
{
	float factor[SLU_VIEW_GATE_FEATURES][SLU_VIEW_KEPT],
		all[SLU_VIEW_WIDTH] = {0};

	for (int f = 0; f < SLU_VIEW_GATE_FEATURES; f++)
		slu_fetch(factor[f], p->gate[f][seen->row[f]], SLU_VIEW_KEPT);
	for (int f = 0; f < SLU_VIEW_GATE_FEATURES; f++)
		for (int s = 0; s < SLU_VIEW_KEPT; s++)
			all[s] += factor[f][s];
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		weight[s] = site[s] * slu_spread_exp2(all[s]);
}

SLU_FAST void slu_gate_learn(struct slu_predictor *p,
			     const struct slu_seen *seen,
			     const float gain[SLU_VIEW_WIDTH])
{
	float to[SLU_VIEW_GATE_FEATURES][SLU_VIEW_KEPT];

	for (int f = 0; f < SLU_VIEW_GATE_FEATURES; f++)
		slu_fetch(to[f], p->gate[f][seen->row[f]], SLU_VIEW_KEPT);
	for (int f = 0; f < SLU_VIEW_GATE_FEATURES; f++)
		for (int s = 0; s < SLU_VIEW_KEPT; s++) {
			float is = to[f][s] + RATE * gain[s];

			is = is < MOST ? is : MOST;
			to[f][s] = is > -MOST ? is : -MOST;
		}
	for (int f = 0; f < SLU_VIEW_GATE_FEATURES; f++)
		slu_store(p->gate[f][seen->row[f]], to[f], SLU_VIEW_KEPT);
}

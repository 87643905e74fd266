/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Weights the experts e of the mixture by features of the job x (the feature
 * gate), so that a new user or request, without runs of its own, gets the
 * weights that were learnt from other jobs with equal features.
 */

/*
 * It is a gating network as of Jordan and Jacobs (1994), log-linear in one-hot
 * features. A feature f has the value x_f, one of SLU_MIX_FEATURE_ROWS rows of
 * the table theta (p->feature_gate), which all users share. The weight g_e is
 * the site's weight times a factor for each feature,
 *
 *	log2 g_e(x) = log2 g_e(site) + sum over f: theta[f][x_f][e],
 *
 * and theta is learnt by gradient ascent on log p(y | x), y being the run time.
 * The weights are not normalised: only their ratios are used.
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "job_submit/predictor/gate.h"

#define RATE 0.05f /* step of the gradient ascent */
#define MOST 8.0f  /* bound for |theta| */

_Static_assert(SLU_MIX_FEATURE_ROWS >= 1 << 4 &&
		       SLU_MIX_FEATURE_ROWS >= SLU_MIX_STAGES * SLU_MIX_STAGES,
	       "room for four bits, and for the seasons of two classes");

/* Values too large for the table count as its last row. */
static uint8_t below(unsigned value)
{
	return (uint8_t)(value < SLU_MIX_FEATURE_ROWS
				 ? value
				 : SLU_MIX_FEATURE_ROWS - 1);
}

/* The class's last run time, in logarithmic bins of a factor of 1.65; 0: the
 * class has no runs. */
static uint8_t row_of_run(const struct slu_inputs *inputs, enum slu_job_class l)
{
	return inputs->n[l] ? below(1 + (unsigned)slu_lagged_run(inputs, l, 0) /
						2164)
			    : 0;
}

/* Are the last runs of two classes equal, within SLU_MIX_ALIKE? */
static unsigned agree(const struct slu_inputs *inputs, enum slu_job_class a,
		      enum slu_job_class b)
{
	return inputs->n[a] && inputs->n[b] &&
	       abs(slu_lagged_run(inputs, a, 0) -
		   slu_lagged_run(inputs, b, 0)) < SLU_MIX_ALIKE;
}

/* The time since the user's last run ended, in bins from seconds to days. */
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

/*
 * Sets the x_f:
 *	0	how many jobs the classes by size and by user have (stages)
 *	1	the time since the user's last run
 *	2	the requested time, by doublings
 *	3, 4	the last run time of the user, and of the class by size
 *	5	which pairs of classes agree (four bits)
 *	6	the number of nodes, two bins for each doubling
 */
void slu_gate_features(struct slu_mixture *mix, const struct slu_job *job)
{
	struct slu_inputs *inputs = &mix->inputs;
	int64_t submit = job->submit;
	unsigned ended = inputs->n[SLU_BY_USER];
	uint8_t *row = inputs->feature;

	if (submit <= 0)
		submit = time(NULL);
	row[0] = below(slu_stage_of(mix->class[SLU_BY_SIZE].jobs) *
			       SLU_MIX_STAGES +
		       slu_stage_of(mix->class[SLU_BY_USER].jobs));
	row[1] = row_of_pause(&mix->class[SLU_BY_USER], ended, submit);
	row[2] =
		below((unsigned)(slu_lagged_run(inputs, SLU_EXPERT_REQUEST, 0) /
				 SLU_LOGTIME_STEPS));
	row[3] = row_of_run(inputs, SLU_BY_USER);
	row[4] = row_of_run(inputs, SLU_BY_SIZE);
	row[5] = (uint8_t)(agree(inputs, SLU_BY_SIZE, SLU_BY_USER) |
			   agree(inputs, SLU_BY_REQUEST, SLU_BY_USER) << 1 |
			   agree(inputs, SLU_BY_REQUEST, SLU_BY_SIZE) << 2 |
			   agree(inputs, SLU_BY_CLASS, SLU_BY_SIZE) << 3);
	row[6] = below((unsigned)(2 * slu_fast_log2((float)job->node_cnt + 1)));
}

SLU_FAST void slu_gate_weigh(const struct slu_predictor *p,
			     const struct slu_inputs *inputs,
			     const float site[SLU_MIX_WIDTH],
			     float weight[SLU_MIX_WIDTH])
{
	float factor[SLU_MIX_FEATURES][SLU_MIX_STORED],
		all[SLU_MIX_WIDTH] = {0};

	for (int f = 0; f < SLU_MIX_FEATURES; f++)
		slu_fetch(factor[f], p->feature_gate[f][inputs->feature[f]],
			  SLU_MIX_STORED);
	for (int f = 0; f < SLU_MIX_FEATURES; f++)
		for (int s = 0; s < SLU_MIX_STORED; s++)
			all[s] += factor[f][s];
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		weight[s] = site[s] * slu_fast_exp2(all[s]);
}

SLU_FAST void slu_gate_learn(struct slu_predictor *p,
			     const struct slu_inputs *inputs,
			     const float gain[SLU_MIX_WIDTH])
{
	float to[SLU_MIX_FEATURES][SLU_MIX_STORED];

	for (int f = 0; f < SLU_MIX_FEATURES; f++)
		slu_fetch(to[f], p->feature_gate[f][inputs->feature[f]],
			  SLU_MIX_STORED);
	for (int f = 0; f < SLU_MIX_FEATURES; f++)
		for (int s = 0; s < SLU_MIX_STORED; s++) {
			float is = to[f][s] + RATE * gain[s];

			is = is < MOST ? is : MOST;
			to[f][s] = is > -MOST ? is : -MOST;
		}
	for (int f = 0; f < SLU_MIX_FEATURES; f++)
		slu_store(p->feature_gate[f][inputs->feature[f]], to[f],
			  SLU_MIX_STORED);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_MODEL_H
#define SLU_JOB_SUBMIT_PREDICTOR_MODEL_H

/*
 * Defines the model behind a prediction, a mixture of experts (Jacobs, Jordan,
 * Nowlan and Hinton 1991): its dimensions, x for one job, and what is computed
 * from x. The parameters are in predictor_state.h, the computation in
 * mixture.c.
 */

/*
 * Given what is known of a job, x, its run time y has the density
 *
 *	p(y | x) = sum over experts e: g_e(x) p_e(y | x)
 *	p_e(y | x) = sum over components i of e: w_i(x) K(y - mu_i)
 *
 * An expert is something that a run time may be copied from: the last runs of
 * one class of similar jobs, the request, the usual shares of requests
 * (request_shares.c), or the shares of their requests that the user's last jobs
 * took (attention.c). mu_i are run times (`at`), K the kernel of
 * distribution.h, w_i the weights of components within their expert, g_e the
 * gating weights.
 */

#include "job_submit/predictor/job_classes.h"
#include "job_submit/predictor/predict.h"

enum slu_job_class {
	SLU_BY_CLASS,
	SLU_BY_SIZE,
	SLU_BY_REQUEST,
	SLU_BY_NAME,
	SLU_BY_USER,
	SLU_BY_ACCOUNT,
	SLU_BY_SITE,
};
/* The experts: one for each class of jobs, and three more. */
enum slu_expert {
	SLU_EXPERT_REQUEST = SLU_JOB_CLASSES,
	SLU_EXPERT_SHARES,
	SLU_EXPERT_ATTENTION,
	SLU_EXPERTS
};
_Static_assert(SLU_BY_SITE + 1 == SLU_JOB_CLASSES, "predict.h lists them");
_Static_assert(SLU_EXPERTS <= SLU_CLASS_EXPERTS,
	       "classes keep a weight of each");

/* The components of the experts: the last runs of a class, by how long ago they
 * ended (lag 0 is the latest), whose weights are learnt; the bins of the shares
 * of requests and the runs that are attended to, whose weights depend on the
 * job. All dimensions are padded to whole vector registers. */
#define SLU_MIX_LAGS	   8
#define SLU_MIX_SHARE_BINS 24
#define SLU_MIX_ATTENDED   48
/* of the experts with lags, the request's among them, together */
#define SLU_MIX_LAGGED	    (SLU_EXPERT_SHARES * SLU_MIX_LAGS)
#define SLU_MIX_CONDITIONAL (SLU_MIX_SHARE_BINS + SLU_MIX_ATTENDED)
#define SLU_MIX_COMPONENTS  (SLU_MIX_LAGGED + SLU_MIX_CONDITIONAL)
#define SLU_MIX_WIDTH	    16 /* of an array by expert */
#define SLU_MIX_STORED	    12 /* of one of which there are many */
_Static_assert(SLU_MIX_LAGS >= SLU_CLASS_RUNS && SLU_MIX_STORED >= SLU_EXPERTS,
	       "room for all");

#define SLU_MIX_SHARE_TABLES	 4   /* of request_shares.c */
#define SLU_MIX_ATTENTION_TABLES 4   /* of attention.c */
#define SLU_MIX_ATTENTION_ROWS	 128 /* of a table */

/* Five gates, mixed by a gate above them (a hierarchical mixture of experts,
 * Jordan and Jacobs 1994): the site's by context, those of three classes of
 * jobs, and the one that sees features of the job (gate.c). */
#define SLU_MIX_GATES	      5
#define SLU_MIX_FEATURE_GATE  4 /* the last of them */
#define SLU_MIX_FEATURES      7
#define SLU_MIX_FEATURE_ROWS  36 /* values of a feature */
#define SLU_MIX_CONTEXTS      16 /* of the site's gate */
#define SLU_MIX_STAGES	      6 /* of a gate, by how many jobs have taught it */

#define SLU_MIX_RUN_KINDS     48  /* see mixture.c */
#define SLU_MIX_ALIKE	      216 /* steps of `at`: run times within 5 % */
#define SLU_MIX_EQUAL	      30  /* within 0.7 % */

#define SLU_MIX_KNOTS	      7	 /* quantiles that are calibrated */
#define SLU_MIX_WARNING_KINDS 72 /* kinds of evidence; too_short.c */

/* The class of jobs that has a gate's weights; SLU_JOB_CLASSES: none. */
extern const enum slu_job_class slu_gate_class[SLU_MIX_GATES];
/* The shares of jobs, tau, whose quantiles are calibrated. */
extern const double slu_knot[SLU_MIX_KNOTS];

/* What experts and gates know of one job: x of the formulas. */
struct slu_inputs {
	uint8_t context; /* how much is known, below SLU_MIX_CONTEXTS */
	uint8_t feature[SLU_MIX_FEATURES]; /* below SLU_MIX_FEATURE_ROWS */
	uint8_t n[SLU_MIX_WIDTH];	   /* components of each expert */
	/* of each run of a class, below SLU_MIX_RUN_KINDS */
	uint8_t kind[SLU_JOB_CLASSES * SLU_MIX_LAGS];
	uint16_t at[SLU_MIX_COMPONENTS]; /* mu_i */
	/* w_i of the shares and of the attended runs, of sum 1 each */
	float conditional[SLU_MIX_CONDITIONAL];
	uint16_t share_row[SLU_MIX_SHARE_TABLES];
	uint8_t attention_row[SLU_MIX_ATTENTION_TABLES][SLU_MIX_ATTENDED];
	float gating[SLU_MIX_WIDTH]; /* g_e, of sum 1; 0 where n is 0 */
};

static inline int slu_lagged_run(const struct slu_inputs *inputs,
				 unsigned expert, unsigned lag)
{
	return inputs->at[expert * SLU_MIX_LAGS + lag];
}

/* What had ended by then was known when the job was submitted. */
static inline uint32_t slu_known_until(const struct slu_job *job)
{
	return job->submit > 0 && job->submit < UINT32_MAX
		       ? (uint32_t)job->submit
		       : UINT32_MAX;
}

/* Of n runs, the latest first: those up to the last one that ended later. */
SLU_LOGTIME_INLINE unsigned slu_count_unended(const uint32_t *end, unsigned n,
					      uint32_t until)
{
	unsigned late = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned is = end[k] > until ? k + 1 : 0;

		late = is > late ? is : late;
	}
	return late;
}

/* A class's stage, by its jobs; 0: none. Below SLU_MIX_STAGES. */
static inline unsigned slu_stage_of(uint32_t jobs)
{
	return (jobs >= 1) + (jobs >= 3) + (jobs >= 8) + (jobs >= 20) +
	       (jobs >= 60);
}

/* The weights of all components of a job; 0 of those that it has not. */
struct slu_components {
	float within[SLU_MIX_COMPONENTS]; /* w_i, of any sum */
	float weight[SLU_MIX_COMPONENTS]; /* g_e w_i, by the run's kind, too */
	float norm[SLU_MIX_WIDTH];	  /* 1 / the sum of an expert's w_i */
};

/* From a number by expert to one for each of its components; and the sums over
 * each expert's components. Loops of this form are vectorized. */
SLU_LOGTIME_INLINE void
slu_each_component(float to[restrict SLU_MIX_COMPONENTS],
		   const float x[restrict SLU_MIX_WIDTH])
{
	for (int s = 0; s < SLU_EXPERT_SHARES; s++)
		for (int k = 0; k < SLU_MIX_LAGS; k++)
			to[s * SLU_MIX_LAGS + k] = x[s];
	for (int k = 0; k < SLU_MIX_SHARE_BINS; k++)
		to[SLU_MIX_LAGGED + k] = x[SLU_EXPERT_SHARES];
	for (int k = 0; k < SLU_MIX_ATTENDED; k++)
		to[SLU_MIX_LAGGED + SLU_MIX_SHARE_BINS + k] =
			x[SLU_EXPERT_ATTENTION];
}

SLU_LOGTIME_INLINE void
slu_sum_components(float to[restrict SLU_MIX_WIDTH],
		   const float x[restrict SLU_MIX_COMPONENTS])
{
	float by_2[SLU_MIX_COMPONENTS / 2], by_4[SLU_MIX_COMPONENTS / 4],
		by_8[SLU_MIX_COMPONENTS / 8];
	const float *rest = &by_8[SLU_EXPERT_SHARES];

	for (int i = 0; i < SLU_MIX_COMPONENTS / 2; i++)
		by_2[i] = x[2 * i] + x[2 * i + 1];
	for (int i = 0; i < SLU_MIX_COMPONENTS / 4; i++)
		by_4[i] = by_2[2 * i] + by_2[2 * i + 1];
	for (int i = 0; i < SLU_MIX_COMPONENTS / 8; i++)
		by_8[i] = by_4[2 * i] + by_4[2 * i + 1];
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		to[s] = s < SLU_EXPERT_SHARES ? by_8[s] : 0;
	to[SLU_EXPERT_SHARES] = rest[0] + rest[1] + rest[2];
	to[SLU_EXPERT_ATTENTION] =
		rest[3] + rest[4] + rest[5] + rest[6] + rest[7] + rest[8];
}
_Static_assert(SLU_MIX_LAGS == 8 && SLU_MIX_SHARE_BINS == 3 * 8 &&
		       SLU_MIX_ATTENDED == 6 * 8,
	       "added by eight");

/* The last runs of a user, the latest first; attention.c. */
struct slu_ring {
	uint32_t uid, n;		/* at most SLU_MIX_ATTENDED */
	uint32_t end[SLU_MIX_ATTENDED]; /* Unix seconds */
	uint16_t run[SLU_MIX_ATTENDED], asked[SLU_MIX_ATTENDED];
	uint16_t name[SLU_MIX_ATTENDED], nodes[SLU_MIX_ATTENDED]; /* hashes */
};

/* All that is read and computed for one job. */
struct slu_mixture {
	uint64_t key[SLU_JOB_CLASSES];
	struct slu_class class[SLU_JOB_CLASSES];
	struct slu_ring ring;
	struct slu_inputs inputs;
	/* the gating weights that each gate gives, of any sum */
	float gate[SLU_MIX_GATES][SLU_MIX_WIDTH];
};

#endif

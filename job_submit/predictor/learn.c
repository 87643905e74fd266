/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learns online from one ended job, a training sample: every parameter of the
 * mixture (model.h, which defines the symbols) takes a gradient step. The
 * inputs are those that were known at the job's submission. For many jobs with
 * the same forecast (issued.c) the learning rate decreases: they are not
 * independent samples.
 */

/*
 * Gating weights and the weights of lags: one step of the EM algorithm for
 * mixtures, with a forgetting rate eta. With the likelihoods p_e(y | x) and
 * p(y | x) of the run time y, the posterior of expert e is
 * h_e = g_e p_e(y | x) / p(y | x), and
 *
 *	g_e <- (1 - eta) g_e + eta h_e = g_e (1 + eta (p_e / p - 1)).
 *
 * The feature gate, attention and the shares of requests: gradient ascent on
 * log p(y | x), in their files.
 *
 * Calibration: with F the distribution that was forecast, alpha_i the level at
 * which it is read for the quantile tau_i (slu_knot), err_i = 1 if F(y) <
 * alpha_i, else 0, r_i the integral of errors, and gamma_i the step size,
 *
 *	alpha_i <- alpha_i + gamma_i (tau_i - err_i - r_i),
 *
 * adaptive conformal inference (Gibbs and Candes 2021) with the integral term
 * of conformal PID control (Angelopoulos, Candes and Tibshirani 2023).
 */
#define SLU_ANY_ORDER
#include "common/fast.h"
#include <math.h>
#include <string.h>
#include "job_submit/ended.h"
#include "job_submit/predictor/attention.h"
#include "job_submit/predictor/gate.h"
#include "job_submit/predictor/issued.h"
#include "job_submit/predictor/mixture.h"
#include "job_submit/predictor/request_shares.h"
#include "job_submit/predictor/too_short.h"

static const float gate_rate[SLU_MIX_FEATURE_GATE] = {0.006f, 0.12f, 0.05f,
						      0.05f};
#define FIRST_RATE    0.3f /* of a class, divided by its number of jobs */
#define TOP_GATE_RATE 0.02f
#define KIND_RATE     0.1f
#define KIND_MOST     50.0f
#define KIND_SHARE    0.05f /* minimum g_e of an expert that is updated */
#define ALPHA_RATE    0.04f
#define EXPERT_CROWD  2.0f  /* jobs */
#define ALPHA_CROWD   10.0f /* jobs */
/* Tuned on five logs; four of them are insensitive to it. */
#define INTEGRAL_JOBS 8000.0f /* time constant of the integral */
#define INTEGRAL_RATE 0.002f  /* of the target, per excess job */
#define INTEGRAL_MOST 0.8f    /* bound, of the distance to 0 or 1 */
/* Weight of a job of a stream there. Chosen on RICC, HPC2N and SDSC-SP2. */
#define INTEGRAL_STREAM 0.4f
#define MIN_SHARE	1e-3f

#define ERRORS_EVERY	16 /* samples */

static inline float more(float a, float b)
{
	return a > b ? a : b;
}

/* A training sample: the kernel K at its run time, p_e and p. */
struct sample {
	uint16_t run;
	struct slu_components in;
	float density[SLU_MIX_COMPONENTS];
	float likelihood[SLU_MIX_WIDTH];
	float total;
};

SLU_FAST static void weigh_sample(const struct slu_predictor *p,
				  const struct slu_inputs *inputs,
				  struct sample *l)
{
	const uint16_t *at = inputs->at;
	float by_place[SLU_MIX_COMPONENTS], total = 0;

	slu_mixture_components(p, inputs, &l->in);
	for (int i = 0; i < SLU_MIX_COMPONENTS; i++)
		l->density[i] = slu_kernel_density(l->run, at[i]);
	for (int i = 0; i < SLU_MIX_COMPONENTS; i++)
		by_place[i] = l->in.within[i] * l->density[i];
	slu_sum_components(l->likelihood, by_place);
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		l->likelihood[s] *= l->in.norm[s];
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		total += inputs->gating[s] * l->likelihood[s];
	l->total = total;
}

/* F(at) of a forecast. */
SLU_FAST static float cdf_of(const uint16_t *centre, const float *weight,
			     int at)
{
	float sum = 0, below = 0;

	for (int i = 0; i < SLU_MIX_COMPONENTS; i++) {
		sum += weight[i];
		below += weight[i] * slu_kernel_below(at, centre[i]);
	}
	return below / sum;
}

/* The last logarithmic step before a run: a quantile above it covers the run.
 */
static uint16_t step_before(int64_t run)
{
	float past = (float)run / (float)SLU_LOGTIME_OFFSET;
	float at = (float)SLU_LOGTIME_STEPS * slu_fast_log2(past + 1);

	return (uint16_t)(fminf(ceilf(at), UINT16_MAX) - 1);
}

/* told: the number of earlier jobs with the same forecast, which decreases the
 * rate. The integral counts all of them alike, so that the long-run coverage is
 * exact; those of streams by less, as they are judged long after they were
 * told, and one user may have thousands. */
static void learn_alpha(struct slu_predictor *p, const struct slu_job *job,
			float below, unsigned told, bool stream)
{
	const float *then =
		slu_issued_alpha(p, job->submit > 0 ? job->submit : INT64_MAX);
	float rate = ALPHA_RATE / (1 + (float)told / ALPHA_CROWD);
	float counts = stream ? INTEGRAL_STREAM : 1;

	for (int i = 0; i < SLU_MIX_KNOTS; i++) {
		float knot = (float)slu_knot[i];
		float edge = knot < 0.5f ? knot : 1 - knot;
		float off = (below < then[i] ? 1.0f : 0) - knot;
		float most = INTEGRAL_MOST * edge, aim, level;

		p->integral[i] +=
			counts * (off - p->integral[i] * (1 / INTEGRAL_JOBS));
		aim = INTEGRAL_RATE * p->integral[i];
		aim = aim < most ? aim : most;
		aim = aim > -most ? aim : -most;
		level = slu_get(&p->alpha[i]) - rate * edge * (off + aim);
		level = level > 0 ? level : 0;
		slu_set(&p->alpha[i], level < 0.99999f ? level : 0.99999f);
	}
	slu_issued_note_alpha(p, job->end);
}

/* A lost forecast is judged by what was kept of it, if anything. */
static void learn_calibration(struct slu_predictor *p,
			      const struct slu_mixture *mix,
			      const struct slu_job *job,
			      const struct slu_issued *said, unsigned told)
{
	uint16_t at = step_before(slu_run_time(job));
	struct slu_kept_forecast *kept =
		said ? NULL : slu_issued_kept(p, mix, job);

	if (said)
		learn_alpha(p, job, cdf_of(said->inputs.at, said->weight, at),
			    told, said->stream);
	else if (kept)
		learn_alpha(p, job, cdf_of(kept->at, kept->weight, at),
			    kept->jobs++, true);
}

SLU_FAST static void learn_lags(struct slu_predictor *p,
				const struct slu_inputs *inputs,
				const struct sample *l)
{
	float place[SLU_MIX_LAGGED], due[SLU_MIX_WIDTH],
		rate[SLU_MIX_COMPONENTS], likelihood[SLU_MIX_COMPONENTS];

	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		due[s] = inputs->n[s] > 1
				 ? gate_rate[0] * inputs->gating[s] / l->total
				 : 0;
	slu_each_component(rate, due);
	slu_each_component(likelihood, l->likelihood);
	slu_fetch(place, p->lag, SLU_MIX_LAGGED);
	for (int i = 0; i < SLU_MIX_LAGGED; i++) {
		float by = rate[i] * (l->density[i] - likelihood[i]);
		float to = place[i] * (1 + (l->in.within[i] > 0 ? by : 0));

		place[i] = to > 1e-4f ? to : 1e-4f;
	}
	slu_store(p->lag, place, SLU_MIX_LAGGED);
}

static void learn_top_gate(struct slu_predictor *p,
			   const struct slu_mixture *mix, int m, float rate,
			   float likelihood)
{
	unsigned when = slu_mixture_stage(mix, m);
	float sum = 0;

	if (!when)
		return;
	slu_set(&p->top_gate[when][m],
		more(slu_get(&p->top_gate[when][m]) *
			     (1 + rate * (likelihood - 1)),
		     1e-3f));
	for (int i = 0; i < SLU_MIX_GATES; i++)
		sum += slu_get(&p->top_gate[when][i]);
	for (int i = 0; i < SLU_MIX_GATES; i++)
		slu_set(&p->top_gate[when][i],
			slu_get(&p->top_gate[when][i]) * SLU_MIX_GATES / sum);
}

SLU_INLINE void store_weights(struct slu_predictor *p, struct slu_mixture *mix,
			      int m, const float w[SLU_MIX_WIDTH])
{
	uint16_t kept[SLU_MIX_WIDTH];
	float to[SLU_MIX_WIDTH];

	for (int s = 0; s < SLU_MIX_WIDTH; s++) {
		to[s] = w[s] > MIN_SHARE ? w[s] : MIN_SHARE;
		kept[s] =
			(uint16_t)((to[s] < 1 ? to[s] : 1) * UINT16_MAX + 0.5f);
	}
	if (m)
		memcpy(mix->class[slu_gate_class[m]].weight, kept,
		       sizeof(mix->class[0].weight));
	else
		slu_store(p->site_gate[mix->inputs.context], to,
			  SLU_MIX_STORED);
}

SLU_FAST static void learn_kinds(struct slu_predictor *p,
				 const struct slu_inputs *inputs, float worth,
				 const struct sample *l)
{
	const float *w = l->in.weight;
	float sum = 0, likelihood = 0, to[SLU_MIX_COMPONENTS], per, each;

	for (int i = 0; i < SLU_MIX_COMPONENTS; i++) {
		sum += w[i];
		likelihood += w[i] * l->density[i];
	}
	per = worth * KIND_RATE / likelihood;
	each = worth * KIND_RATE / sum;
	for (int i = 0; i < SLU_MIX_COMPONENTS; i++)
		to[i] = 1 + w[i] * (l->density[i] * per - each);
	for (int s = 0; s < SLU_JOB_CLASSES; s++) {
		unsigned n = inputs->gating[s] < KIND_SHARE ? 0 : inputs->n[s];

		for (unsigned k = 0; k < n; k++) {
			slu_shared *kind =
				&p->kind[s][inputs->kind[s * SLU_MIX_LAGS + k]];
			float is =
				slu_get(kind) * to[s * SLU_MIX_LAGS + (int)k];

			is = is > 1 / KIND_MOST ? is : 1 / KIND_MOST;
			slu_set(kind, is < KIND_MOST ? is : KIND_MOST);
		}
	}
}

/* The sum of the weights w, and that of w times p_e, over experts that have
 * components. */
SLU_INLINE float sum_up(const struct slu_inputs *inputs,
			const float w[SLU_MIX_WIDTH], const struct sample *l,
			float *likelihood)
{
	float sum = 0, all = 0;

	for (int s = 0; s < SLU_MIX_WIDTH; s++) {
		float is = inputs->n[s] ? w[s] : 0;

		sum += is;
		all += is * l->likelihood[s];
	}
	*likelihood = all;
	return sum;
}

/* The EM step of a gate. A class without samples begins with the weights of the
 * next wider class, or with the site's. */
SLU_FAST static void learn_experts(struct slu_predictor *p,
				   struct slu_mixture *mix, int m, float worth,
				   const struct sample *l)
{
	uint32_t jobs = m ? mix->class[slu_gate_class[m]].jobs : UINT32_MAX;
	bool wider = m > 1 && mix->class[slu_gate_class[m - 1]].jobs;
	const float *from = mix->gate[jobs ? m : wider ? m - 1 : 0];
	float w[SLU_MIX_WIDTH], sum, likelihood, per;
	float rate = worth *
		     more(gate_rate[m], m ? FIRST_RATE / ((float)jobs + 1) : 0);

	sum = sum_up(&mix->inputs, from, l, &likelihood);
	if (jobs && sum > 0)
		learn_top_gate(p, mix, m, worth * TOP_GATE_RATE,
			       likelihood / sum / l->total);
	per = likelihood > 0 ? sum / likelihood : 0;
	rate = likelihood > 0 ? rate : 0;
	for (int s = 0; s < SLU_MIX_WIDTH; s++) {
		float by = mix->inputs.n[s] ? l->likelihood[s] * per - 1 : 0;

		w[s] = from[s] * (1 + rate * by);
	}
	store_weights(p, mix, m, w);
}

/* The gate is shared by all users: repeated forecasts have less weight. */
SLU_FAST static void learn_gate(struct slu_predictor *p,
				const struct slu_mixture *mix, float worth,
				const struct sample *l)
{
	const float *w = mix->gate[SLU_MIX_FEATURE_GATE];
	float gain[SLU_MIX_WIDTH], sum, likelihood, per, each;

	sum = sum_up(&mix->inputs, w, l, &likelihood);
	if (!(likelihood > 0))
		return;
	learn_top_gate(p, mix, SLU_MIX_FEATURE_GATE, worth * TOP_GATE_RATE,
		       likelihood / sum / l->total);
	per = worth * worth / likelihood;
	each = worth * worth / sum;
	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		gain[s] = mix->inputs.n[s]
				  ? w[s] * (l->likelihood[s] * per - each)
				  : 0;
	slu_gate_learn(p, &mix->inputs, gain);
}

/* Moves the estimate of the median error one step, s. */
static void learn_median(slu_shared *median, double error)
{
	double was = (double)slu_get(median);
	double to = was * (error > was ? 1.04 : 1 / 1.04);

	slu_set(median, (float)fmin(fmax(to, 20), 1e6));
}

/* The mean and the medians of the prediction errors; from a subset of samples,
 * since they change slowly. */
static void learn_errors(struct slu_predictor *p, const struct slu_mixture *mix,
			 double run)
{
	struct slu_distribution points;
	double far = (double)slu_get(&p->far), error;

	if (atomic_fetch_add_explicit(&p->samples, 1, memory_order_relaxed) %
	    ERRORS_EVERY)
		return;
	slu_mixture_distribution(p, mix, &points);
	error = fabs(slu_predict_choice(p, &points) - run);
	slu_set(&p->far, (float)fmax(far + 0.008 * (error - far), 1));
	learn_median(&p->near, error);
	if (run >= SLU_DISTRIBUTION_LASTING)
		learn_median(&p->near_lasting, error);
}

static void remember(struct slu_predictor *p, struct slu_mixture *mix,
		     const struct slu_job *job, uint16_t run)
{
	uint16_t asked = slu_logtime((double)job->limit_asked * 60);
	unsigned failed = slu_failed(job);

	for (int l = 0; l < SLU_JOB_CLASSES; l++) {
		struct slu_class *c = &mix->class[l];

		memmove(&c->run[1], c->run, sizeof(c->run) - sizeof(*c->run));
		memmove(&c->asked[1], c->asked,
			sizeof(c->asked) - sizeof(*c->asked));
		memmove(&c->end[1], c->end, sizeof(c->end) - sizeof(*c->end));
		c->run[0] = run;
		c->asked[0] = asked;
		c->end[0] = (uint32_t)job->end;
		c->jobs += c->jobs < SLU_CLASS_JOBS;
		c->failed = c->failed << 1 | failed;
		slu_classes_write(p->classes, c);
	}
}

/*
 * Jobs with the same forecast are evaluated by the stored one. When the last of
 * them end, the only experts that can be recomputed for the time of submission
 * are those without runs, the request and its shares: trained on these,
 * thousands of jobs would shift all weight to them.
 */
void slu_learn(struct slu_predictor *p, const struct slu_job *job)
{
	int64_t run = slu_run_time(job);
	struct slu_issued *said;
	struct sample in;
	struct slu_mixture mix;
	unsigned told;
	float worth = 1;

	if (run <= 0 || !slu_ended_own_way(job))
		return;
	slu_mixture_read(p, job, &mix);
	slu_too_short_learn(p, &mix, job, run);
	in.run = slu_logtime((double)run);
	weigh_sample(p, &mix.inputs, &in);
	said = slu_issued_find(p, &mix, job, in.total > 0 ? &in.in : NULL);
	told = said ? said->jobs++ : 0;
	if (in.total > 0) {
		learn_errors(p, &mix, (double)run);
		learn_lags(p, &mix.inputs, &in);
	}
	if (told && said->class == mix.class[SLU_BY_CLASS].key) {
		slu_mixture_reweigh(p, &said->inputs, &mix);
		weigh_sample(p, &mix.inputs, &in);
		worth = 1 / (1 + (float)told / EXPERT_CROWD);
	}
	learn_calibration(p, &mix, job, said, told);
	if (in.total > 0)
		learn_kinds(p, &mix.inputs, worth, &in);
	slu_shares_learn(p, &mix.inputs, &in.density[SLU_MIX_LAGGED],
			 in.likelihood[SLU_EXPERT_SHARES], worth);
	slu_attention_learn(p, &mix.inputs,
			    &in.density[SLU_MIX_LAGGED + SLU_MIX_SHARE_BINS],
			    in.likelihood[SLU_EXPERT_ATTENTION], worth);
	learn_gate(p, &mix, worth, &in);
	for (int m = SLU_MIX_FEATURE_GATE - 1; m >= 0; m--)
		learn_experts(p, &mix, m, worth, &in);
	slu_issued_note(p, &mix, job);
	slu_attention_remember(p, &mix, job, in.run);
	remember(p, &mix, job, in.run);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers queries of the predictor: the run time of a job, its quantiles, also
 * for a job that has run for some time, and the time with which backfill is
 * planned. model.h has the mixture that they come from, mixture.c computes it
 * for a job, learn.c adjusts its parameters to each job that has ended.
 *
 * Calibration of quantiles: alpha_i is the level of the distribution below
 * which a share tau_i (slu_knot) of recent jobs has ended. It is tracked by
 * adaptive conformal inference (Gibbs and Candes 2021), see learn.c.
 */
#include <math.h>
#include <stdlib.h>
#include "job_submit/predictor/attention.h"
#include "job_submit/predictor/issued.h"
#include "job_submit/predictor/mixture.h"
#include "job_submit/predictor/request_shares.h"

static const char *const class_name[SLU_JOB_CLASSES] = {
	"class", "size", "request", "name", "user", "account", "site"};

const double slu_knot[SLU_MIX_KNOTS] = {0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99};

/* Bonus for an exact prediction; see slu_distribution_choice(). */
#define WORTH	      0.2
#define WORTH_LASTING 0.4

static double higher(double a, double b)
{
	return a > b ? a : b;
}

/* alpha for any tau: linear interpolation between the knots. */
static double alpha_of(const struct slu_predictor *p, double share)
{
	double x0 = 0, y0 = 0, x1 = 1, y1 = 1;

	for (size_t i = 0; i < SLU_MIX_KNOTS; i++)
		if (slu_knot[i] <= share) {
			x0 = slu_knot[i];
			y0 = higher(y0, (double)slu_get(&p->alpha[i]));
		} else {
			x1 = slu_knot[i];
			y1 = (double)slu_get(&p->alpha[i]);
			break;
		}
	return y0 + (share - x0) / (x1 - x0) * higher(y1 - y0, 0);
}

double slu_predict_quantile(const struct slu_predictor *p,
			    const struct slu_outlook *outlook, double share,
			    double elapsed)
{
	return slu_distribution_quantile(&outlook->spread, alpha_of(p, share),
					 elapsed);
}

static int64_t at_most(int64_t seconds, int64_t asked)
{
	return asked && seconds > asked ? asked : seconds;
}

static int64_t at_least(int64_t seconds, int64_t least)
{
	return seconds < least ? least : seconds;
}

static int64_t careful(const struct slu_predictor *p,
		       const struct slu_distribution *spread, int64_t seconds,
		       int64_t asked)
{
	double level = alpha_of(p, p->quantile), q;

	/* Fast path: usually the quantile is the request, or the floor. */
	if (asked &&
	    slu_distribution_cdf(spread, slu_logtime((double)asked)) < level)
		return asked;
	if (p->floor && slu_distribution_cdf(
				spread, slu_logtime((double)p->floor)) >= level)
		q = 0;
	else
		q = slu_distribution_quantile(spread, level, 0);
	q = fmax(ceil(q), (double)p->floor);
	return at_most(at_least((int64_t)q, seconds), asked);
}

double slu_predict_choice(const struct slu_predictor *p,
			  const struct slu_distribution *spread)
{
	struct slu_loss loss = {
		.far = (double)slu_get(&p->far),
		.any = {(double)slu_get(&p->near), WORTH},
		.lasting = {(double)slu_get(&p->near_lasting), WORTH_LASTING},
	};

	return slu_distribution_choice(spread, &loss);
}

void slu_predict(const struct slu_predictor *p, const struct slu_job *job,
		 struct slu_prediction *out)
{
	int64_t asked = (int64_t)job->limit_asked * 60;
	uint32_t samples =
		atomic_load_explicit(&p->samples, memory_order_relaxed);
	struct slu_distribution spread;
	struct slu_mixture mix;
	int l = 0;

	slu_mixture_read(p, job, &mix);
	while (l < SLU_JOB_CLASSES && !mix.inputs.n[l])
		l++;
	*out = (struct slu_prediction){
		.seconds = asked,
		.careful = asked,
		.from = asked ? "asked" : "none",
	};
	if (l == SLU_JOB_CLASSES && (!asked || !samples))
		return;
	slu_mixture_distribution(p, &mix, &spread);
	out->seconds = llround(slu_predict_choice(p, &spread));
	out->careful = careful(p, &spread, out->seconds, asked);
	out->from = l < SLU_JOB_CLASSES ? class_name[l] : "shares";
	out->jobs = l < SLU_JOB_CLASSES ? mix.class[l].jobs : samples;
}

void slu_predict_outlook(const struct slu_predictor *p,
			 const struct slu_job *job, struct slu_outlook *out)
{
	struct slu_mixture mix;

	slu_mixture_read(p, job, &mix);
	slu_mixture_distribution(p, &mix, &out->spread);
	for (int l = 0; l < SLU_JOB_CLASSES; l++)
		out->class[l] = (struct slu_evidence){
			class_name[l], mix.class[l].jobs, mix.inputs.gating[l]};
	out->class[SLU_JOB_CLASSES] = (struct slu_evidence){
		"alike", mix.inputs.n[SLU_EXPERT_ATTENTION],
		mix.inputs.gating[SLU_EXPERT_ATTENTION]};
	out->asked = job->limit_asked * 60;
}

int64_t slu_predict_early(const struct slu_predictor *p,
			  const struct slu_job *job)
{
	struct slu_outlook o;
	int64_t q;

	slu_predict_outlook(p, job, &o);
	q = (int64_t)ceil(slu_predict_quantile(p, &o, SLU_PREDICT_SOON, 0));
	return q > 0 ? at_most(at_least(q, p->floor), o.asked) : 0;
}

/* The initial parameters. */
static void begin(struct slu_predictor *p)
{
	static const float first[SLU_MIX_WIDTH] = {
		[SLU_BY_CLASS] = 1,	    [SLU_BY_SIZE] = 0.8f,
		[SLU_BY_REQUEST] = 0.4f,    [SLU_BY_NAME] = 0.05f,
		[SLU_BY_USER] = 0.1f,	    [SLU_BY_ACCOUNT] = 0.05f,
		[SLU_BY_SITE] = 0.02f,	    [SLU_EXPERT_REQUEST] = 0.1f,
		[SLU_EXPERT_SHARES] = 0.1f, [SLU_EXPERT_ATTENTION] = 0.2f};
	float weight[SLU_MIX_WIDTH], place[SLU_MIX_LAGGED];

	for (int s = 0; s < SLU_MIX_WIDTH; s++)
		weight[s] = first[s] / 2.6f;
	for (int i = 0; i < SLU_MIX_CONTEXTS; i++)
		slu_store(p->site_gate[i], weight, SLU_MIX_STORED);
	for (int i = 0; i < SLU_MIX_LAGGED; i++)
		place[i] = powf(0.8f, (float)(i % SLU_MIX_LAGS));
	slu_store(p->lag, place, SLU_MIX_LAGGED);
	slu_attention_init(p);
	for (int s = 0; s < SLU_JOB_CLASSES; s++)
		for (size_t k = 0; k < SLU_MIX_RUN_KINDS; k++)
			slu_set(&p->kind[s][k], 1);
	for (int i = 0; i < SLU_MIX_STAGES; i++)
		for (int m = 0; m < SLU_MIX_GATES; m++)
			slu_set(&p->top_gate[i][m], 1);
	for (size_t i = 0; i < SLU_MIX_KNOTS; i++)
		slu_set(&p->alpha[i], (float)slu_knot[i]);
	slu_issued_note_alpha(p, 0);
	slu_set(&p->far, 4000);
	slu_set(&p->near, 200);
	slu_set(&p->near_lasting, 800);
}

struct slu_predictor *slu_predictor_new(size_t max_classes, double quantile,
					int64_t floor, struct slu_err *err)
{
	struct slu_predictor *p;

	if (!(quantile > 0.5 && quantile < 1) || floor < 0) {
		slu_err(err, SLU_INVALID, "quantile %g, floor %lld", quantile,
			(long long)floor);
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p) {
		slu_err(err, SLU_NOMEM, "out of memory");
		return NULL;
	}
	p->issued = slu_issued_new();
	p->rings = slu_rings_new();
	p->shares = slu_shares_new();
	if (p->issued && p->rings && p->shares)
		p->classes = slu_classes_new(max_classes, err);
	else
		slu_err(err, SLU_NOMEM, "out of memory");
	if (!p->classes) {
		slu_predictor_free(p);
		return NULL;
	}
	p->quantile = quantile;
	p->floor = floor;
	begin(p);
	return p;
}

void slu_predictor_free(struct slu_predictor *p)
{
	if (p) {
		slu_classes_free(p->classes);
		slu_issued_free(p->issued);
		slu_rings_free(p->rings);
		slu_shares_free(p->shares);
	}
	free(p);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements the estimates of guides.h as one oracle of the simulator:
 * predict() has a case for each kind of estimate, and renew() one for the time
 * after a job has run longer than estimated.
 */
#include <math.h>
#include <stdlib.h>
#include "bench/guides.h"
#include "bench/rivals.h"
#include "bench/predictor_job.h"
#include "job_submit/predictor/predict.h"

#define LEAD 120 /* s between an extension and the limit */

const char *const guide_name[GUIDES] = {
	"request",	   "clairvoyant", "last-2/request", "last-2/steps",
	"last-2/doubling", "ours",	  "ours/request",   "early",
	"tighten",	   "early/limit", "early/steps"};

struct guide_state {
	const struct swf_log *log;
	enum guide guide;
	double lambda;
	struct rivals *rivals;
	struct slu_predictor *ours;
	double *predicted; /* for each job, at its submission */
	struct slu_easy_oracle oracle;
};

static double by_quantile(const struct guide_state *s,
			  const struct swf_job *job, double share,
			  int64_t elapsed)
{
	struct predictor_names names;
	struct slu_job j = predictor_job(job, &names);
	struct slu_outlook o;

	slu_predict_outlook(s->ours, &j, &o);
	return slu_predict_quantile(s->ours, &o, share, (double)elapsed);
}

static double whole_minutes(int64_t seconds)
{
	return (double)((seconds + 59) / 60 * 60);
}

static double by_predictor(const struct guide_state *s,
			   const struct swf_job *job)
{
	struct predictor_names names;
	struct slu_job j = predictor_job(job, &names);
	struct slu_prediction got;

	if (s->guide == EARLY_LIMIT || s->guide == EARLY_STEPS)
		return whole_minutes(slu_predict_early(s->ours, &j));
	slu_predict(s->ours, &j, &got);
	if (s->guide == TIGHTEN)
		return whole_minutes(got.careful);
	return (double)got.seconds;
}

static double predict(void *arg, size_t i, int64_t now)
{
	struct guide_state *s = arg;
	const struct swf_job *job = &s->log->job[i];
	double run = (double)easy_run_time(job);
	double p = (double)job->request;

	(void)now;
	switch (s->guide) {
	case REQUEST:
		break;
	case CLAIRVOYANT:
		p = run;
		break;
	case LAMBDA:
		p = run + s->lambda * (p - run);
		break;
	case LAST_2_REQUEST:
	case LAST_2_STEPS:
	case LAST_2_DOUBLING:
		p = rivals_predict(s->rivals, RIVAL_LAST_2, job);
		break;
	case OURS:
	case OURS_REQUEST:
	case TIGHTEN:
	case EARLY_LIMIT:
	case EARLY_STEPS:
		run = by_predictor(s, job);
		p = run > 0 ? run : p;
		break;
	case EARLY:
		run = by_quantile(s, job, SLU_PREDICT_SOON, 0);
		p = run > 0 ? run : p;
	}
	s->predicted[i] = fmax(p, 1);
	return p;
}

static double steps(double predicted, int64_t elapsed)
{
	static const double add[] = {60,    300,   900,	  1800,	  3600,	 7200,
				     18000, 36000, 72000, 180000, 360000};
	size_t i = 0;

	while (i < 10 && predicted + add[i] <= (double)elapsed)
		i++;
	return predicted + add[i];
}

static double renew(void *arg, size_t i, int64_t elapsed)
{
	struct guide_state *s = arg;
	const struct swf_job *job = &s->log->job[i];

	switch (s->guide) {
	case LAST_2_STEPS:
		return steps(s->predicted[i], elapsed);
	case LAST_2_DOUBLING:
		return 2 * (double)elapsed;
	case OURS:
	case EARLY_STEPS:
		return by_quantile(s, job, 0.5, elapsed);
	case REQUEST:
	case CLAIRVOYANT:
	case LAST_2_REQUEST:
	case OURS_REQUEST:
	case EARLY:
	case TIGHTEN:
	case EARLY_LIMIT:
	case LAMBDA:
		break;
	}
	return (double)job->request;
}

static bool uses_ours(enum guide g)
{
	return g >= OURS && g <= EARLY_STEPS;
}

static bool uses_rivals(enum guide g)
{
	return g == LAST_2_REQUEST || g == LAST_2_STEPS || g == LAST_2_DOUBLING;
}

/* By the times of the simulation, not those of the log. */
static void learn(void *arg, size_t i, int64_t start, int64_t end)
{
	struct guide_state *s = arg;
	struct swf_job job = s->log->job[i];
	struct predictor_names names;
	struct slu_job j;

	job.start = start;
	job.end = end;
	if (uses_ours(s->guide)) {
		j = predictor_job(&job, &names);
		slu_learn(s->ours, &j);
	} else if (uses_rivals(s->guide)) {
		rivals_learn(s->rivals, &job);
	}
}

struct guide_state *guide_new(const struct swf_log *log, enum guide guide,
			      double lambda)
{
	struct guide_state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct guide_state){
		.log = log,
		.guide = guide,
		.lambda = lambda,
		.rivals = rivals_new(uses_rivals(guide) ? log->n : 1),
		.ours = slu_predictor_new(uses_ours(guide) ? 8 * log->n : 8,
					  PREDICTOR_QUANTILE, PREDICTOR_FLOOR,
					  NULL),
		.predicted = calloc(log->n + 1, sizeof(double)),
		.oracle = {predict, renew, learn, s,
			   guide >= TIGHTEN && guide <= EARLY_STEPS ? LEAD : 0},
	};
	if (s->rivals && s->ours && s->predicted)
		return s;
	guide_free(s);
	return NULL;
}

void guide_free(struct guide_state *s)
{
	if (!s)
		return;
	rivals_free(s->rivals);
	slu_predictor_free(s->ours);
	free(s->predicted);
	free(s);
}

const struct slu_easy_oracle *guide_oracle(const struct guide_state *s)
{
	return &s->oracle;
}

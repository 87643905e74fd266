/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replays submissions and ends of the same jobs, merged by time: at a
 * submission, all runs that have ended up to that second have been learnt.
 * Forecasts are the same in all modes, so one pass serves all.
 */
#include "job_submit/simulation/workload_replay.h"

#include <stdlib.h>
#include "job_submit/ended.h"
#include "job_submit/predictor/predict.h"
#include "job_submit/predictor/too_short.h"

const char *const slu_backtest_name[SLU_BACKTEST_MODES] = {"advise", "fill",
							   "tighten", "early"};
static const enum slu_predict_mode mode_of[SLU_BACKTEST_MODES] = {
	SLU_PREDICT_ADVISE, SLU_PREDICT_FILL, SLU_PREDICT_TIGHTEN,
	SLU_PREDICT_EARLY};

const double slu_workload_replay_share[SLU_WORKLOAD_REPLAY_SHARES] = {0.5, 0.9,
								      0.99};

struct replay {
	const struct slu_workload *past;
	const struct slu_backtest_options *ask;
	struct slu_predictor *p;
	uint32_t *ended;   /* jobs by end */
	size_t learnt;	   /* number of these that have been learnt */
	uint32_t *longest; /* minutes, of each partition so far */
};

uint32_t slu_workload_replay_whole(const struct slu_workload_job *job)
{
	if (job->asked)
		return job->asked;
	return job->limit && !job->ours ? job->limit : SLU_LIMIT_NONE;
}

/* Learns from the runs that have ended up to then. */
static void learn_until(struct replay *r, int64_t when)
{
	const struct slu_workload *past = r->past;

	for (; r->learnt < past->n; r->learnt++) {
		uint32_t i = r->ended[r->learnt];
		struct slu_job job;

		if (past->job[i].end > when)
			return;
		job = slu_workload_job(past, i);
		slu_learn(r->p, &job);
	}
}

static struct slu_limit_rules rules_of(const struct replay *r,
				       const struct slu_workload_job *job)
{
	uint32_t whole = slu_workload_replay_whole(job);
	uint32_t most = r->longest[job->partition];

	return (struct slu_limit_rules){
		.given = job->asked,
		.unknown = !job->asked && (job->ours || !job->limit),
		.whole = whole,
		.most = most > whole ? most : whole,
	};
}

static void note_longest(struct replay *r, const struct slu_workload_job *job)
{
	uint32_t whole = slu_workload_replay_whole(job);

	if (whole != SLU_LIMIT_NONE && whole > r->longest[job->partition])
		r->longest[job->partition] = whole;
}

static void grant(const struct replay *r, const struct slu_workload_job *past,
		  const struct slu_limit_needs *needs,
		  struct slu_workload_replayed *out)
{
	struct slu_limit_rules rules = rules_of(r, past);

	for (int m = 0; m < SLU_BACKTEST_MODES; m++) {
		struct slu_limit_grant grant =
			slu_limit_decide(mode_of[m], &rules, needs);

		if (grant.deed != SLU_LIMIT_KEPT)
			out->limit[m] = grant.minutes;
	}
}

static void judge_shares(const struct replay *r, const struct slu_job *job,
			 int64_t run, struct slu_workload_replayed *out)
{
	struct slu_outlook outlook;

	slu_predict_outlook(r->p, job, &outlook);
	for (int q = 0; q < SLU_WORKLOAD_REPLAY_SHARES; q++)
		out->below[q] =
			(double)run <=
			slu_predict_quantile(r->p, &outlook,
					     slu_workload_replay_share[q], 0);
}

/* As ctl/jobs/pending/submit.c does. */
static void submit(struct replay *r, size_t i,
		   struct slu_workload_replayed *out)
{
	const struct slu_workload_job *past = &r->past->job[i];
	struct slu_job job = slu_workload_job(r->past, i);
	uint32_t whole = slu_workload_replay_whole(past);
	struct slu_limit_needs needs;
	struct slu_too_short is;
	struct slu_prediction got;

	*out = (struct slu_workload_replayed){
		.judged = past->submit >= r->ask->since && past->run > 0 &&
			  slu_ended_own_way(&job)};
	for (int m = 0; m < SLU_BACKTEST_MODES; m++)
		out->limit[m] = whole;
	if (past->submit < r->ask->since)
		return;
	slu_predict(r->p, &job, &got);
	if (!got.jobs || got.seconds <= 0)
		return;
	out->predicted = (uint32_t)got.seconds;
	needs = slu_predict_needs(r->p, &job, &got);
	grant(r, past, &needs, out);
	judge_shares(r, &job, past->run, out);
	out->warned =
		whole != SLU_LIMIT_NONE &&
		slu_predict_too_short(r->p, &job, (int64_t)whole * 60, &is);
}

static int prepare(struct replay *r, struct slu_err *err)
{
	const struct slu_workload *past = r->past;

	r->p = slu_predictor_new(SLU_PREDICT_CLASSES, r->ask->quantile,
				 r->ask->floor, err);
	if (!r->p)
		return -1;
	r->ended = calloc(past->n + 1, sizeof(*r->ended));
	r->longest = calloc(slu_intern_count(past->names), sizeof(*r->longest));
	if (!r->ended || !r->longest)
		return slu_err(err, SLU_NOMEM, "out of memory");
	slu_workload_by_end(past, r->ended);
	return 0;
}

int slu_workload_replay(const struct slu_workload *past,
			const struct slu_backtest_options *ask,
			struct slu_workload_replayed *out, struct slu_err *err)
{
	struct replay r = {.past = past, .ask = ask};
	int rc = prepare(&r, err);

	for (size_t i = 0; rc == 0 && i < past->n; i++) {
		learn_until(&r, past->job[i].submit);
		submit(&r, i, &out[i]);
		note_longest(&r, &past->job[i]);
		slu_progress_report(ask->progress, "predicting", i + 1,
				    past->n);
	}
	slu_predictor_free(r.p);
	free(r.ended);
	free(r.longest);
	return rc;
}

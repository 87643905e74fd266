/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the mean size of each job's RPCs, where tokens are bytes: a rule's
 * rate, which Lustre counts in RPCs, is bytes/s divided by that size. Both
 * sums, bytes and RPCs in job_stats, fade, rather than their quotient, so that
 * a period of few RPCs has little weight. A job with fewer than FEW RPCs is
 * filled up to that number with RPCs of the mean size of all jobs.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

#include <math.h>

#define FADE 1.0 /* s: to 1/e */
#define FEW  4.0 /* RPCs */

static void fade(struct rpc_sizes *s, double keep, double rpcs, double tokens)
{
	s->rpcs = s->rpcs * keep + rpcs;
	s->tokens = s->tokens * keep + tokens;
}

/* With as many RPCs more, of the size that is known otherwise, as are missing
 * to a few. */
static double size_of(const struct rpc_sizes *s, double otherwise)
{
	double more = fmax(FEW - s->rpcs, 0);

	return (s->tokens + more * otherwise) / (s->rpcs + more);
}

void slu_tbf_measure_sizes(struct slu_tbf *tbf)
{
	double keep = exp(-tbf->elapsed / FADE), rpcs = 0, tokens = 0;

	for (size_t i = 0; i < tbf->n; i++) {
		rpcs += tbf->job[i].rpcs;
		tokens += tbf->job[i].served;
	}
	if (rpcs > 0) /* without RPCs the sizes stay as they are */
		fade(&tbf->sizes, keep, rpcs, tokens);
	tbf->others.size = size_of(&tbf->sizes, SLU_TBF_AT_FIRST);
	for (size_t i = 0; i < tbf->n; i++) {
		struct job *job = &tbf->job[i];

		if (job->rpcs > 0)
			fade(&job->sizes, keep, job->rpcs, job->served);
		job->size = size_of(&job->sizes, tbf->others.size);
		if (job->written > 0)
			job->written = slu_tbf_passes(tbf, job);
	}
	if (tbf->others.written > 0)
		tbf->others.written = slu_tbf_passes(tbf, &tbf->others);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether a job is going to reach its limit. The evidence is in the
 * last runs of its class, or else of its name, whatever they requested. A run
 * that was ended at its own limit is a censored observation: it would have
 * taken longer than that, so it is used only if its limit was at least the
 * job's.
 *
 * A majority of longer runs is not enough for a warning: for each kind of
 * evidence the share of recent jobs for which it was right is tracked, and has
 * to be nearly 1. Only runs of the same name that all exceeded the limit are
 * trusted until they prove misleading.
 */
#include "job_submit/predictor/too_short.h"

#include <math.h>
#include <stdlib.h>
#include "job_submit/ended.h"
#include "job_submit/predictor/mixture.h"

/* Tuned on KTH-SP2, HPC2N and LANL-CM5, a little to the safe side. */
#define LEAST_RUNS 3
#define LATELY	   200.0f /* jobs; time constant of the decay */
#define ENOUGH	   20.0f  /* jobs before the share is used */
#define TRUST	   0.95f  /* minimum share of correct evidence */
#define ROUNDING   2	  /* steps of `at` */

/* A run that failed this close to its limit was ended by it. */
static int64_t slack(int64_t limit)
{
	return limit / 10 < 60 ? limit / 10 : 60;
}

/* The last runs of a class compared with a limit. */
struct evidence {
	unsigned known;	 /* runs that can be compared */
	unsigned longer; /* of these, longer than the limit */
	unsigned beyond; /* of these, with a longer limit of their own */
	uint16_t run[SLU_CLASS_RUNS]; /* of the longer ones */
};

static void add(struct evidence *e, uint16_t run, uint16_t asked, int limit)
{
	bool cut = asked && run + ROUNDING >= asked;

	if (run + ROUNDING >= limit) {
		e->run[e->longer++] = run;
		e->beyond += !asked || asked > limit + ROUNDING;
	} else if (cut) {
		return;
	}
	e->known++;
}

static struct evidence weigh(const struct slu_class *c, uint32_t until,
			     int64_t limit)
{
	unsigned late = slu_count_unended(c->end, SLU_CLASS_RUNS, until);
	unsigned known = c->jobs < SLU_CLASS_RUNS ? c->jobs : SLU_CLASS_RUNS;
	struct evidence e = {0};

	for (unsigned k = late; k < known; k++)
		add(&e, c->run[k], c->asked[k], slu_logtime((double)limit));
	return e;
}

/* Index of the kind of evidence, below SLU_MIX_WARNING_KINDS; -1: none. */
static int kind_of(bool named, bool by_name, const struct evidence *e)
{
	int share = e->longer == e->known	    ? 2
		    : 4 * e->longer >= 3 * e->known ? 1
						    : 0;
	int own = !e->beyond ? 0 : e->beyond < e->longer ? 1 : 2;

	if (2 * e->longer <= e->known)
		return -1;
	return (((named * 2 + by_name) * 3 + share) * 3 + own) * 2 +
	       (e->known >= 6);
}
_Static_assert(SLU_MIX_WARNING_KINDS == 2 * 2 * 3 * 3 * 2, "kinds of it");

static bool is_named(const struct slu_job *job)
{
	return job->name && *job->name;
}

static int find(const struct slu_mixture *mix, const struct slu_job *job,
		int64_t limit, struct evidence *e)
{
	uint32_t until = slu_known_until(job);

	*e = weigh(&mix->class[SLU_BY_CLASS], until, limit);
	if (e->known >= LEAST_RUNS)
		return kind_of(is_named(job), false, e);
	*e = weigh(&mix->class[SLU_BY_NAME], until, limit);
	return e->known >= LEAST_RUNS ? kind_of(is_named(job), true, e) : -1;
}

static bool is_trusted(const struct slu_predictor *p, int kind,
		       const struct slu_job *job, const struct evidence *e)
{
	bool plain = is_named(job) && e->beyond == e->known;
	float right = slu_get(&p->right[kind]) + (plain ? ENOUGH : 0);
	float all = right + slu_get(&p->wrong[kind]);

	return all >= ENOUGH && right >= TRUST * all;
}

static int shortest_first(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

bool slu_predict_too_short(const struct slu_predictor *p,
			   const struct slu_job *job, int64_t limit,
			   struct slu_too_short *out)
{
	struct evidence e;
	struct slu_mixture mix;
	int kind;

	slu_mixture_read(p, job, &mix);
	kind = limit > 0 ? find(&mix, job, limit, &e) : -1;
	if (kind < 0 || !is_trusted(p, kind, job, &e))
		return false;
	qsort(e.run, e.longer, sizeof(e.run[0]), shortest_first);
	*out = (struct slu_too_short){
		.limit = limit,
		.known = e.known,
		.longer = e.longer,
		.least = llround(slu_logtime_seconds(e.run[0])),
		.half = llround(slu_logtime_seconds(e.run[e.longer / 2])),
		.enough = llround(slu_logtime_seconds(e.run[e.longer - 1] +
						      ROUNDING + 1)),
	};
	if (out->half < limit)
		out->half = limit;
	return true;
}

struct slu_limit_needs slu_predict_needs(const struct slu_predictor *p,
					 const struct slu_job *job,
					 const struct slu_prediction *got)
{
	struct slu_limit_needs needs = {got->careful,
					slu_predict_early(p, job)};
	struct slu_too_short runs;

	if (!job->limit_asked &&
	    slu_predict_too_short(p, job, got->careful, &runs))
		needs.careful = runs.enough;
	return needs;
}

static bool is_right(const struct slu_job *job, int64_t run, int64_t limit)
{
	return run >= limit || (slu_failed(job) && run >= limit - slack(limit));
}

bool slu_was_too_short(const struct slu_job *job, int64_t limit)
{
	return is_right(job, slu_run_time(job), limit);
}

void slu_too_short_learn(struct slu_predictor *p, const struct slu_mixture *mix,
			 const struct slu_job *job, int64_t run)
{
	int64_t limit = (int64_t)job->limit_asked * 60;
	struct evidence e;
	int kind = limit ? find(mix, job, limit, &e) : -1;
	float fade = 1 - 1 / LATELY;
	bool right = is_right(job, run, limit);

	if (kind < 0)
		return;
	slu_set(&p->right[kind], slu_get(&p->right[kind]) * fade + right);
	slu_set(&p->wrong[kind], slu_get(&p->wrong[kind]) * fade + !right);
}

void slu_too_short_say(struct slu_buf *text, const struct slu_too_short *is)
{
	slu_buf_printf(
		text, "%u of the last %u runs like this one took its limit of ",
		is->longer, is->known);
	slu_limit_hms(text, is->limit);
	slu_buf_puts(text, " or longer, half of these ");
	slu_limit_hms(text, is->half);
	slu_buf_puts(text, " or more: it may end unfinished (--time)");
}

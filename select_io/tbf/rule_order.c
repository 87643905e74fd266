/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides the place of a job's rule: Lustre uses the first rule that matches an
 * RPC. Rules of jobs with more nodes come first; among equals that of the job
 * that was known first (jobs keep their order in the table); rules that may
 * match other jobs come last, followed by the rule of the crowd.
 *
 * A rule that has not been moved yet is sorted by the number of nodes with
 * which it was placed, so these rules, without those whose place is unknown,
 * are sorted at any time, and a rule that moves is inserted at its place among
 * them.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

/* Is a rule of job a, placed by so many nodes, before one of job b? */
static bool before(const struct job *a, double a_nodes, const struct job *b,
		   double b_nodes)
{
	if (a->wild != b->wild)
		return b->wild;
	return a_nodes != b_nodes ? a_nodes > b_nodes : a < b;
}

const char *slu_tbf_rank(const struct slu_tbf *tbf, const struct job *job)
{
	const struct job *next = NULL, *j;

	for (j = tbf->job; job != &tbf->others && j < tbf->job + tbf->n; j++)
		if (j != job && j->written > 0 && j->placed > 0 &&
		    before(job, job->nodes, j, j->placed) &&
		    (!next || before(j, j->placed, next, next->placed)))
			next = j;
	if (next)
		return next->name;
	return job != &tbf->others && tbf->others.written > 0 &&
			       tbf->others.placed > 0
		       ? SLU_RULE_OTHERS
		       : "default";
}

static bool is_between(const struct job *above, const struct job *job)
{
	return !above || before(above, above->nodes, job, job->nodes);
}

void slu_tbf_stands(struct standing *s, struct job *job)
{
	bool in_place = is_between(s->last, job);

	job->placed = job->nodes;
	if (in_place) {
		s->above = s->last;
		s->last = job;
	} else if (is_between(s->above, job)) {
		s->last->placed = 0; /* it is too high */
		s->last = job;
	} else {
		job->placed = 0;
	}
}

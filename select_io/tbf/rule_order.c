/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which order the rules of jobs stand: more nodes before fewer; of as many,
 * who was known first (jobs keep their order in the table); those that may
 * match others come last, and behind them the rule of the crowd. A rule that
 * has not moved yet stands by the nodes by which it was placed, so those,
 * without the ones whose place nobody knows, are in order at every moment, and
 * one that moves is put right among them.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

/* Does a rule of a's, placed by so many nodes, stand before one of b's? */
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
		s->last->placed = 0; /* that one stands too high */
		s->last = job;
	} else {
		job->placed = 0;
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the token step with loops, without regard to speed. */
#include "config.h"
#include "tests/unit/select_io/token_oracle.h"

#include <math.h>
#include <string.h>

/* The job with the largest remainder (down: the smallest, of those that have
 * tokens), but for those used in this round; n: none. */
static size_t largest(double *whole, double **rest, const bool *used, size_t n,
		      bool down)
{
	size_t best = n;

	for (size_t i = 0; i < n; i++)
		if (!used[i] && (!down || whole[i] > 0) &&
		    (best == n ||
		     (down ? *rest[i] < *rest[best] : *rest[i] > *rest[best])))
			best = i;
	return best;
}

/* (23) to (25) and the corrections, in the words of the paper: one token after
 * the other, for the largest remainder as it is then. Mended, each job is
 * corrected once before one is again, and an excess is taken from the smallest.
 */
static void divide_slowly(double *raw, double *whole, double **rest, size_t n,
			  double total, bool literal)
{
	bool used[MAX_JOBS] = {false};
	double have = 0;

	for (size_t i = 0; i < n; i++) {
		double all = raw[i] + *rest[i];

		whole[i] = literal ? floor(all) : floor(fmax(all, 0));
		*rest[i] = (literal ? raw[i] : all) - whole[i];
		have += whole[i];
	}
	while (have != total) {
		double step = have < total ? 1 : -1;
		size_t best =
			largest(whole, rest, used, n, !literal && step < 0);

		if (best == n) {
			memset(used, 0, sizeof(used));
			continue;
		}
		used[best] = !literal;
		whole[best] += step;
		*rest[best] -= step;
		have += step;
	}
}

static double quotient(double d, double tokens, bool literal)
{
	return d / fmax(tokens, literal ? 1e-200 : 1);
}

/* A step of all jobs that is worked out in the open. */
struct slow {
	const struct slu_tokens_settings *set;
	struct job *job;
	size_t n;
	double nodes;  /* of all */
	double budget; /* tokens of the period */
	bool by_need;  /* there are hungry jobs */
	size_t lender[MAX_JOBS], n_lender;
	double lent;	/* of each token, what borrowers owe them: eq. of c */
	double records; /* of the lenders */
};

/* Those that used up their limit, if there are any, share by their nodes. */
static void prefer_hungry(struct slow *s)
{
	bool hungry[MAX_JOBS], some = false;

	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];

		hungry[i] =
			j->demand >= 0.9 * (j->limit < 0 ? j->share : j->limit);
		some |= hungry[i];
	}
	s->by_need = some;
	for (size_t i = 0; some && i < s->n; i++)
		s->job[i].factor = hungry[i] ? s->job[i].nodes : 0;
}

/* By the nodes, and how much each has used of what it had. */
static void share_slowly(struct slow *s, double budget, double seconds)
{
	double raw[MAX_JOBS], whole[MAX_JOBS], *rest[MAX_JOBS];

	for (size_t i = 0; i < s->n; i++)
		s->nodes += s->job[i].nodes;
	for (size_t i = 0; i < s->n; i++) {
		raw[i] = s->job[i].nodes * (s->set->rate * seconds / s->nodes);
		rest[i] = &s->job[i].remainder;
	}
	divide_slowly(raw, whole, rest, s->n, budget, s->set->literal);
	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];
		double p = j->nodes * (1 / s->nodes);

		j->share = whole[i];
		j->u = quotient(j->demand, j->before < 0 ? j->share : j->before,
				s->set->literal);
		j->factor = j->u > 1 ? j->u + j->u * p : j->u * p;
		j->r0 = j->record;
	}
}

/* What is over of the shares goes to all by their factors. */
static void lend_slowly(struct slow *s)
{
	double raw[MAX_JOBS], whole[MAX_JOBS], *rest[MAX_JOBS];
	double total = 0, factors = 0;
	size_t taker[MAX_JOBS], n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];
		double over = fmax(j->share - j->demand, 0);

		total += over;
		factors += j->factor;
		j->tokens = j->share - over;
		j->record += over;
		if (j->factor > 0)
			taker[n++] = i;
	}
	for (size_t k = 0; k < n; k++) {
		raw[k] = s->job[taker[k]].factor * (total / factors);
		rest[k] = &s->job[taker[k]].remainder;
	}
	divide_slowly(raw, whole, rest, n, total, s->set->literal);
	for (size_t k = 0; k < n; k++) {
		s->job[taker[k]].tokens += whole[k];
		s->job[taker[k]].record -= whole[k];
	}
	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];

		j->lent = j->r0 > 0 && j->record > 0 && j->factor > 0;
		if (!j->lent)
			continue;
		s->lender[s->n_lender++] = i;
		s->records += j->record;
		s->lent += j->nodes / s->nodes *
			   (fmax(1, j->u) +
			    fmax(0, 1 - quotient(j->demand, j->tokens,
						 s->set->literal))) /
			   2;
	}
}

/* What the borrowers give, in tokens: by need up to half of what they have,
 * until the lenders have all of it. */
static double take_back(struct slow *s)
{
	double back = 0;

	if (s->by_need)
		s->lent = fmin(s->records / fmax(s->budget, 1), 0.5);

	for (size_t i = 0; i < s->n && s->n_lender > 0; i++) {
		struct job *j = &s->job[i];
		double take;

		if (!(j->r0 < 0 && j->record < 0))
			continue;
		take = fmin(-j->r0, floor(s->lent * j->tokens + 1e-9));
		if (!s->set->literal)
			take = fmin(take, j->tokens);
		if (take > 0) {
			j->tokens -= take;
			j->record += take;
			back += take;
		}
	}
	return back;
}

/* To the lenders, by their factors, or by what each has lent. */
static void give_back(struct slow *s, double back)
{
	double raw[MAX_JOBS], whole[MAX_JOBS], *rest[MAX_JOBS], factors = 0;

	for (size_t k = 0; k < s->n_lender; k++) {
		struct job *j = &s->job[s->lender[k]];

		raw[k] = s->by_need ? j->record : j->factor;
		factors += raw[k];
	}
	for (size_t k = 0; k < s->n_lender; k++) {
		raw[k] *= back / factors;
		rest[k] = &s->job[s->lender[k]].remainder;
	}
	divide_slowly(raw, whole, rest, s->n_lender, back, s->set->literal);
	for (size_t k = 0; k < s->n_lender; k++) {
		s->job[s->lender[k]].tokens += whole[k];
		s->job[s->lender[k]].record -= whole[k];
	}
}

void step_slowly(const struct slu_tokens_settings *set, struct job *job,
		 size_t n, double seconds, double *carry)
{
	struct slow s = {.set = set, .job = job, .n = n};
	double exact = set->rate * seconds + (set->literal ? 0 : *carry);
	double budget = floor(exact + 1e-9);
	double back;

	*carry = fmax(exact - budget, 0);
	s.budget = budget;
	share_slowly(&s, budget, seconds);
	if (set->hungry)
		prefer_hungry(&s);
	lend_slowly(&s);
	back = take_back(&s);
	if (back > 0)
		give_back(&s, back);
	for (size_t i = 0; i < n; i++)
		job[i].limit =
			fmax(job[i].tokens, set->instant ? job[i].share : 0);
}

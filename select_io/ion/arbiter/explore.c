/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tries numbers of I/O nodes with which a job class has run seldom or never
 * (Explore=), by upper confidence bound (UCB): a starting job is given the
 * number that would be best if each number reached the upper end of its
 * confidence interval, and keeps it as long as it runs. The number that STATIC
 * gives a job is not tried but measured first (policy.h).
 */

/*
 * Trials are paid from a budget: the configured share of the best division's
 * bandwidth is saved, at most that of a day, and the predicted loss of running
 * trials is subtracted. A trial begins only if the uncommitted budget covers
 * its loss over the job's expected run time, so in the long run trials cost no
 * more than the share. The loss is computed from the estimates, which for an
 * unmeasured number are those of its neighbours (curves.h): an optimistic bound
 * is paid for in full.
 *
 * Where running jobs may be remapped, trials end when the budget is spent, and
 * no division with trials is below that of STATIC. Where they may not, a trial
 * has fewer I/O nodes than STATIC gives, and stays.
 *
 * The granting division was solved without trials before; after each further
 * solve the jobs with changed grants are touched, since the last one takes
 * effect.
 */
#include <math.h>
#include "select_io/ion/arbiter/arbiter_private.h"

#define AT_ONCE 4	/* new trials after one event */
#define HOPE	2.0	/* standard errors */
#define UNIT	1e-3	/* MB/s, the knapsack's */
#define MOST	86400.0 /* s of the share that can be saved */
#define USUAL	3600.0	/* s, expected run time if nothing is known */

double slu_ion_optimistic_curve(void *arg, const struct slu_job *job,
				uint32_t ions)
{
	(void)arg;
	(void)job;
	(void)ions;
	return HOPE;
}

static void touch_changed(struct slu_arbiter *a)
{
	size_t n;
	const uint32_t *id = slu_ion_division_changed(slu_ion_granting(a), &n);

	for (size_t i = 0; i < n; i++)
		slu_ion_touch(a, slu_ion_find(a, id[i]));
}

static int solve(struct slu_arbiter *a, double *total, struct slu_err *err)
{
	struct slu_ion_division *d = slu_ion_granting(a);

	if (slu_ion_division_solve(d, NULL, err) < 0)
		return -1;
	touch_changed(a);
	*total = slu_ion_division_worth(d);
	return 0;
}

/* The job's curve with each number at its upper confidence bound. */
static void hope(const struct slu_arbiter *a, const struct running *r,
		 struct slu_curve *out)
{
	*out = (struct slu_curve){0};
	for (size_t i = 0; i < r->n_choice && out->n < SLU_CURVE_POINTS; i++) {
		uint32_t ions = r->choice[i];
		double error = slu_curve_error(&r->curve, ions, a->now);

		slu_curve_add(out, ions,
			      fmax(slu_curve_at(&r->curve, ions), 0) +
				      a->hope(a->hope_arg, &r->job, ions) *
					      error);
	}
}

static struct slu_ion_grant granted(const struct slu_arbiter *a,
				    const struct running *r)
{
	return slu_ion_division_grant(slu_ion_granting(a),
				      r->slot[slu_ion_granting_slot(a)]);
}

static int drop(struct slu_arbiter *a, struct running *r, struct slu_err *err)
{
	r->tries = false;
	return slu_ion_put_trial(a, r, NULL, err);
}

static double expected(const struct slu_job *job)
{
	if (job->predicted)
		return job->predicted;
	return job->limit ? job->limit * 60.0 : USUAL;
}

/* The budget without what is committed to running trials. */
static double available(const struct slu_arbiter *a)
{
	double saved = a->saved;

	for (size_t i = 0; i < a->n_run; i++)
		if (a->run[i]->tries)
			saved -= a->run[i]->loss * expected(&a->run[i]->job);
	return saved;
}

/* Begins a trial with the number that has the best bound, unless the job gets
 * that number anyway or the budget is too small. *total is updated to the total
 * bandwidth with all trials. */
static int try_new(struct slu_arbiter *a, struct running *r, double *total,
		   double least, struct slu_err *err)
{
	struct slu_ion_grant now = granted(a, r), then;
	double saved = available(a), before = *total;
	struct slu_curve hoped;

	hope(a, r, &hoped);
	if (slu_ion_put_trial(a, r, &hoped, err) < 0 ||
	    solve(a, total, err) < 0)
		return -1;
	then = granted(a, r);
	r->trial = then.ions;
	r->tries = !then.shared && !now.shared && now.ions != then.ions;
	if (slu_ion_put_trial(a, r, NULL, err) < 0 || solve(a, total, err) < 0)
		return -1;
	r->loss = fmax(before - *total, 0);
	if (!r->tries ||
	    (*total >= least - UNIT && r->loss * expected(&r->job) <= saved))
		return 0;
	if (drop(a, r, err) < 0)
		return -1;
	return solve(a, total, err);
}

/* A job that starts, has a choice, and whose class has been measured, first of
 * all with the number of STATIC. */
static bool may_try(const struct slu_arbiter *a, const struct running *r)
{
	return !r->granted && r->n_choice > 1 &&
	       (r->from == FROM_RUNS || r->from == FROM_BOTH) &&
	       slu_curve_known(&r->curve) &&
	       slu_ion_division_static_grant(slu_ion_granting(a),
					     r->slot[slu_ion_granting_slot(a)])
			       .bandwidth > 0;
}

/* Updates the budget for the time since the last event. */
static void save(struct slu_arbiter *a, double best)
{
	double passed = (double)(a->now - a->saved_at);

	if (a->saved_at && passed > 0)
		a->saved += passed * (a->explore * a->best - a->lost);
	a->saved = fmin(a->saved, MOST * a->explore * fmax(best, a->best));
	a->saved_at = a->now;
	a->best = best;
}

/* Continues running trials; the newest are dropped while they cost too much. */
static int go_on(struct slu_arbiter *a, double *total, double least,
		 struct slu_err *err)
{
	bool any = false;

	for (size_t i = 0; i < a->n_run; i++)
		if (a->run[i]->tries) {
			any = true;
			if (slu_ion_put_trial(a, a->run[i], NULL, err) < 0)
				return -1;
		}
	if (any && solve(a, total, err) < 0)
		return -1;
	for (size_t i = a->n_run; any && a->remap && i-- > 0;)
		if (a->run[i]->tries &&
		    (*total < least - UNIT ||
		     (a->saved < 0 && *total < a->best - UNIT)) &&
		    (drop(a, a->run[i], err) < 0 || solve(a, total, err) < 0))
			return -1;
	return 0;
}

/* MB/s that the trials cost now. */
static double lost(struct slu_arbiter *a, double total)
{
	double sum = 0;

	a->trying = false;
	for (size_t i = 0; i < a->n_run; i++)
		if (a->run[i]->tries) {
			a->trying = true;
			sum += a->run[i]->loss;
		}
	return a->remap ? fmax(a->best - total, 0) : sum;
}

int slu_ion_explore(struct slu_arbiter *a, struct slu_err *err)
{
	struct slu_ion_division *d = slu_ion_granting(a);
	double total = slu_ion_division_worth(d), least = 0;
	size_t left = AT_ONCE, n = a->n_dirty;

	if (a->remap)
		least = slu_ion_division_static_worth(d);
	save(a, total);
	touch_changed(a);
	if (go_on(a, &total, least, err) < 0)
		return -1;
	for (size_t i = 0; i < n && left; i++)
		if (may_try(a, a->dirty[i])) {
			left--;
			if (try_new(a, a->dirty[i], &total, least, err) < 0)
				return -1;
		}
	a->lost = lost(a, total);
	return 0;
}

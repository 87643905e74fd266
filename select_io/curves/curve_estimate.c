/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates one application's bandwidth by number of I/O nodes, from the
 * bandwidth that its runs had: exponentially weighted means, shrunk differences
 * between them, their standard errors, and the updates from a run with several
 * numbers or from a performance table.
 */
#include <math.h>
#include <string.h>
#include "select_io/curves/curves.h"

#define LEAST_WEIGHT 1e-12 /* to which a run's weight decays */

/* The point for this number, made if there is space; else NULL. */
static struct slu_curve_point *point_for(struct slu_curve *c, uint32_t ions)
{
	uint32_t i = 0;

	while (i < c->n && c->point[i].ions < ions)
		i++;
	if (i < c->n && c->point[i].ions == ions)
		return &c->point[i];
	if (c->n == SLU_CURVE_POINTS)
		return NULL;
	memmove(&c->point[i + 1], &c->point[i],
		(c->n - i) * sizeof(c->point[0]));
	c->n++;
	c->point[i] = (struct slu_curve_point){.ions = ions};
	return &c->point[i];
}

static bool is_plausible(double bandwidth)
{
	return bandwidth > 0 && bandwidth <= SLU_CURVE_MAX;
}

/* Unbiased sample variance; 0 with a single run. */
static double variance(const struct slu_curve_point *p)
{
	double rest = p->weight > 0 ? p->weight - p->weight2 / p->weight : 0;

	return p->runs > 1 && rest > 1e-9 ? p->squares / rest : 0;
}

double slu_curve_deviation(const struct slu_curve_point *p)
{
	return sqrt(variance(p));
}

/* Effective sample size: as many runs of equal weight. */
static double effective_runs(const struct slu_curve_point *p)
{
	return p->weight2 > 0 ? p->weight * p->weight / p->weight2 : 0;
}

/* Adjacent points pooled into one: runs, mean, squared standard error. */
struct pool {
	double runs, mean, error2;
};

static struct pool join(const struct pool *a, const struct pool *b)
{
	double runs = a->runs + b->runs;

	return (struct pool){
		.runs = runs,
		.mean = (a->mean * a->runs + b->mean * b->runs) / runs,
		.error2 = (a->error2 * a->runs * a->runs +
			   b->error2 * b->runs * b->runs) /
			  (runs * runs),
	};
}

static bool alike(const struct pool *a, const struct pool *b)
{
	double d = a->mean - b->mean;

	return d * d < a->error2 + b->error2;
}

/* Bandwidths that are used: adjacent means that do not differ significantly are
 * pooled. */
static void pool_points(struct slu_curve *c)
{
	struct pool pool = {0};
	uint32_t first = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		struct slu_curve_point *p = &c->point[i];
		struct pool one = {effective_runs(p), p->mean,
				   variance(p) / effective_runs(p)};

		p->value = p->mean;
		if (p->ions == 0)
			continue;
		if (pool.runs > 0 && alike(&pool, &one)) {
			pool = join(&pool, &one);
			for (uint32_t k = first; k <= i; k++)
				c->point[k].value = pool.mean;
		} else {
			pool = one;
			first = i;
		}
	}
}

static double decay_after(int64_t seconds)
{
	return exp2(-fmax((double)seconds, 0) / SLU_CURVE_HALF_LIFE);
}

static void decay(struct slu_curve_point *p, double by)
{
	by = fmin(fmax(by, LEAST_WEIGHT / p->weight), 1);
	p->weight *= by;
	p->weight2 *= by * by;
	p->squares *= by;
}

/* Weights are kept as of the newest run's end: the others decay when a newer
 * one comes. Returns the weight of a run that ended at `when`. */
static double weigh_at(struct slu_curve *c, int64_t when)
{
	if (when <= 0)
		return 1;
	if (when <= c->at)
		return fmax(decay_after(c->at - when), LEAST_WEIGHT);
	for (uint32_t i = 0; c->at && i < c->n; i++)
		decay(&c->point[i], decay_after(when - c->at));
	c->at = when;
	return 1;
}

static void add(struct slu_curve *c, uint32_t ions, double bandwidth,
		double weight, bool is_run)
{
	struct slu_curve_point *p = is_plausible(bandwidth) && weight > 0
					    ? point_for(c, ions)
					    : NULL;
	double off;

	if (!p)
		return;
	off = bandwidth - p->mean;
	p->runs += is_run;
	p->weight += weight;
	p->weight2 += weight * weight;
	p->mean += off * weight / p->weight;
	p->squares += weight * off * (bandwidth - p->mean);
	pool_points(c);
}

void slu_curve_add(struct slu_curve *curve, uint32_t ions, double bandwidth)
{
	add(curve, ions, bandwidth, 1, true);
}

/*
 * Uncertainty: the squared relative error of a point's mean, plus half a
 * doubling of the bandwidth for each doubling of I/O nodes between the point
 * and the number. The spread of a single run is assumed to be a fifth until
 * there are more runs.
 */
#define USUAL_SPREAD 0.2
#define USUAL_TRUST  2.0 /* runs */
#define PER_DOUBLING 0.5

static double relative_variance(const struct slu_curve *c)
{
	double runs = USUAL_TRUST;
	double squares = USUAL_TRUST * USUAL_SPREAD * USUAL_SPREAD;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct slu_curve_point *p = &c->point[i];

		if (p->runs < 2 || effective_runs(p) <= 1)
			continue;
		runs += effective_runs(p) - 1;
		squares += (effective_runs(p) - 1) * variance(p) /
			   (p->mean * p->mean);
	}
	return squares / runs;
}

static double doublings(uint32_t ions)
{
	return ions ? log2(ions) : -2;
}

double slu_curve_error(const struct slu_curve *c, uint32_t ions, int64_t now)
{
	double one = relative_variance(c), least = 1, most = 0, at;
	double left = now > c->at && c->at ? decay_after(now - c->at) : 1;

	for (uint32_t i = 0; i < c->n; i++) {
		const struct slu_curve_point *p = &c->point[i];
		double far = doublings(p->ions) - doublings(ions);
		double error2 = one / fmax(left * p->weight, 1e-9) +
				PER_DOUBLING * PER_DOUBLING * fabs(far);

		least = fmin(least, error2);
		most = fmax(most, p->value);
	}
	at = slu_curve_at(c, ions);
	return fmin(sqrt(least) * (at > 0 ? at : most), most);
}

/*
 * A run with several numbers of I/O nodes is one observation of the mean over
 * its time. Bayesian update with normal distributions: for each number the
 * observation is what remains after subtracting the curve's prediction for the
 * others, and its variance is that of the run plus that of these predictions.
 * Weights are in runs that had the number all of the time; an observation with
 * less than LEAST_WORTH is dropped.
 */
#define LEAST_WORTH 0.1

struct prior {
	double share, rate, variance; /* of the time; the curve's estimate */
};

static double likely(const struct slu_curve *c, uint32_t ions, double bandwidth)
{
	double at = slu_curve_at(c, ions);

	if (!(at > 0)) /* direct access, never measured */
		at = slu_curve_at(c, 1);
	return at > 0 ? at : bandwidth;
}

static void get_priors(const struct slu_curve *c, const struct slu_ion_times *t,
		       double bandwidth, struct prior *prior)
{
	double all = slu_ion_times_sum(t);

	for (uint32_t i = 0; i < t->n; i++) {
		double error = slu_curve_error(c, t->time[i].ions, c->at);

		prior[i].share = t->time[i].seconds / all;
		prior[i].rate = likely(c, t->time[i].ions, bandwidth);
		error = c->n ? error : prior[i].rate;
		prior[i].variance = error * error;
	}
}

/* The observation for number `which`, combined with the prior where the number
 * was not measured yet; *worth is its weight. */
static double observe(const struct slu_curve *c, const struct slu_ion_times *t,
		      const struct prior *prior, uint32_t which,
		      double bandwidth, double *worth)
{
	double one = relative_variance(c), error2, mean = 0, others = 0,
	       observed;
	const struct prior *w = &prior[which];
	double full = one * w->rate * w->rate, before = full / w->variance;

	for (uint32_t i = 0; i < t->n; i++) {
		mean += prior[i].share * prior[i].rate;
		if (i != which)
			others += prior[i].share * prior[i].share *
				  prior[i].variance;
	}
	error2 = (others + one * mean * mean) / (w->share * w->share);
	observed = w->rate + (bandwidth - mean) / w->share;
	*worth = fmin(full / error2, 1);
	for (uint32_t i = 0; i < c->n; i++)
		if (c->point[i].ions == t->time[which].ions)
			before = 0;
	return fmax((before * w->rate + *worth * observed) / (before + *worth),
		    w->rate / 100);
}

static void add_mixed(struct slu_curve *c, double weight,
		      const struct slu_ion_times *t, double bandwidth)
{
	struct prior prior[SLU_ION_TIMES_MOST];
	struct slu_curve before = *c;

	get_priors(&before, t, bandwidth, prior);
	for (uint32_t i = 0; i < t->n; i++) {
		double worth, observed;

		observed = observe(&before, t, prior, i, bandwidth, &worth);
		if (worth >= LEAST_WORTH)
			add(c, t->time[i].ions, observed, weight * worth, true);
	}
}

void slu_curve_add_run(struct slu_curve *c, int64_t when,
		       const struct slu_ion_times *t, double bandwidth)
{
	double weight;

	if (!is_plausible(bandwidth) || !(slu_ion_times_sum(t) > 0))
		return;
	weight = weigh_at(c, when);
	if (t->n == 1)
		add(c, t->time[0].ions, bandwidth, weight, true);
	else
		add_mixed(c, weight, t, bandwidth);
}

/* Seconds per MB outside of I/O; if negative (0), how many times faster the
 * runs are than the table. */
static void compare(const struct slu_curve *own, const struct slu_curve *table,
		    double *rest, double *faster)
{
	double weight = 0, off = 0, times = 0;

	for (uint32_t i = 0; i < own->n; i++) {
		const struct slu_curve_point *p = &own->point[i];
		double there = slu_curve_at(table, p->ions);

		if (!(there > 0 && p->value > 0))
			continue;
		weight += p->weight;
		off += p->weight * (1 / p->value - 1 / there);
		times += p->weight * p->value / there;
	}
	*rest = weight > 0 ? fmax(off / weight, 0) : 0;
	*faster = weight > 0 && off < 0 ? times / weight : 1;
}

void slu_curve_mix(const struct slu_curve *own, const struct slu_curve *table,
		   double weight, struct slu_curve *out)
{
	struct slu_curve mixed = *own;
	double rest, faster;

	compare(own, table, &rest, &faster);
	for (uint32_t i = 0; i < table->n; i++)
		add(&mixed, table->point[i].ions,
		    faster / (rest + 1 / table->point[i].value), weight, false);
	*out = mixed;
}

bool slu_curve_known(const struct slu_curve *curve)
{
	return curve && slu_curve_most(curve) > 0;
}

uint32_t slu_curve_most(const struct slu_curve *curve)
{
	return curve->n > 0 ? curve->point[curve->n - 1].ions : 0;
}

double slu_curve_measured(const struct slu_curve *curve, uint32_t ions)
{
	for (uint32_t i = 0; i < curve->n; i++)
		if (curve->point[i].ions == ions)
			return curve->point[i].value;
	return 0;
}

double slu_curve_at(const struct slu_curve *curve, uint32_t ions)
{
	const struct slu_curve_point *p, *low = NULL;

	for (p = curve->point; p < curve->point + curve->n; p++) {
		if (p->ions == ions)
			return p->value;
		if (p->ions > ions)
			break;
		if (p->ions > 0)
			low = p;
	}
	if (p == curve->point + curve->n)
		return low ? low->value : 0;
	if (!low)
		return p->value * ions / p->ions;
	return low->value + (p->value - low->value) * (ions - low->ions) /
				    (p->ions - low->ions);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the capacity of a file system from ended runs (ran_well.h): the
 * total bandwidth of all jobs above which runs of the same kind take longer.
 * Tests 64 quantiles of the total, each by a regression of the run times; the
 * best wins.
 */
#include "select_io/bandwidth/ran_well.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOISE	  0.01 /* of what was moved at most: such a run says nothing */
#define FEW	  4    /* runs of a kind can be compared */
#define KINDS	  5    /* of which some runs are above, and some below */
#define QUANTILES 64
#define UPPER	  0.5 /* of what was met at most */
#define SURE	  3.0 /* errors */
#define LONGER	  1.05
#define TINY	  1e-12
#define MOST	  4.0 /* times as long: more is not the file system */

struct point {	       /* a run */
	double met;    /* bytes/s */
	double longer; /* logarithm of its run time, from its kind's mean */
	uint64_t kind;
};

/* Sums of a regression of `longer` on "has met more than x". */
struct sums {
	double cross, square, scores;
	size_t above, kinds;
};

static int by_kind(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static size_t make_points(const struct slu_ended_run *run, size_t n,
			  const struct slu_rate_step *step, struct point *out,
			  double *most)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		double span = run[i].end - run[i].start;
		double bytes =
			slu_rate_step_at(step, 2 * n, run[i].end)->moved -
			slu_rate_step_at(step, 2 * n, run[i].start)->moved;

		out[i] = (struct point){bytes / span, log(span), run[i].kind};
		*most = fmax(*most, out[i].met);
	}
	for (size_t i = 0; i < n; i++)
		if (run[i].rate > NOISE * *most)
			out[kept++] = out[i];
	return kept;
}

/* The runs of the first kind. */
static size_t count_kind(const struct point *point, size_t n)
{
	size_t i = 1;

	while (i < n && point[i].kind == point[0].kind)
		i++;
	return i;
}

static void centre(struct point *point, size_t n)
{
	double mean = 0, most = log(MOST);

	for (size_t i = 0; i < n; i++)
		mean += point[i].longer / (double)n;
	for (size_t i = 0; i < n; i++)
		point[i].longer =
			fmin(fmax(point[i].longer - mean, -most), most);
}

/* Runs of one kind. effect: the slope, if it is known already. */
static void add_kind(const struct point *point, size_t n, double x,
		     double effect, struct sums *s)
{
	double above = 0, longer = 0, score = 0;

	for (size_t i = 0; i < n; i++) {
		above += point[i].met > x;
		longer += point[i].longer / (double)n;
	}
	if (n < FEW || above == 0 || above == (double)n)
		return;
	for (size_t i = 0; i < n; i++) {
		double off = (point[i].met > x) - above / (double)n;
		double by = point[i].longer - longer;

		s->cross += off * by;
		s->square += off * off;
		score += off * (by - effect * off);
	}
	s->scores += score * score;
	s->above += (size_t)above;
	s->kinds++;
}

static struct sums add_kinds(const struct point *point, size_t n, double x,
			     double effect)
{
	struct sums s = {0};
	size_t of_kind;

	for (size_t i = 0; i < n; i += of_kind) {
		of_kind = count_kind(&point[i], n - i);
		add_kind(&point[i], of_kind, x, effect, &s);
	}
	return s;
}

/* What it says about runs above x that they are. */
struct verdict {
	double effect;	  /* logarithm: so much longer */
	double explained; /* sum of squares */
	double sure;	  /* errors from chance; 0: nothing can be said */
	size_t above;
};

static struct verdict judge(const struct point *point, size_t n, double x)
{
	struct sums s = add_kinds(point, n, x, 0);
	struct verdict v = {.above = s.above};

	if (s.kinds < KINDS)
		return v;
	v.effect = s.cross / s.square;
	v.explained = s.cross * v.effect;
	s = add_kinds(point, n, x, v.effect);
	v.sure = v.effect * s.square / sqrt(fmax(s.scores, TINY));
	return v;
}

static void look(const struct point *point, size_t n, const double *met,
		 struct slu_ran_well *out)
{
	double most = 0;

	for (size_t q = 1; q < QUANTILES; q++) {
		double x = met[n * q / QUANTILES];
		struct verdict v = {0};

		if (x >= UPPER * out->met)
			v = judge(point, n, x);
		if (v.sure < SURE || v.effect < log(LONGER) ||
		    v.explained <= most)
			continue;
		most = v.explained;
		out->capacity = x;
		out->slow = v.above;
		out->longer = exp(v.effect);
	}
}

int slu_ran_well(struct slu_ended_run *run, size_t n, struct slu_ran_well *out)
{
	struct slu_rate_step *step = calloc(2 * n + 1, sizeof(*step));
	struct point *point = calloc(n + 1, sizeof(*point));
	double *met = calloc(n + 1, sizeof(*met));
	int rc = step && point && met ? 0 : -1;
	size_t of_kind;

	*out = (struct slu_ran_well){0};
	if (rc == 0 && n) {
		slu_rate_steps_make(run, n, step);
		rc = slu_rate_steps_limit(step, 2 * n);
	}
	if (rc == 0 && n) {
		n = make_points(run, n, step, point, &out->met);
		out->judged = n;
		qsort(point, n, sizeof(*point), by_kind);
		for (size_t i = 0; i < n; i += of_kind) {
			of_kind = count_kind(&point[i], n - i);
			centre(&point[i], of_kind);
		}
		for (size_t i = 0; i < n; i++)
			met[i] = point[i].met;
		qsort(met, n, sizeof(*met), by_value);
		look(point, n, met, out);
	}
	free(step);
	free(point);
	free(met);
	return rc;
}

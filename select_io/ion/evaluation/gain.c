/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Estimates the gain as one ratio, the sum of what runs reached to the sum of
 * what they would have reached under STATIC. Its confidence interval (Student's
 * t) is from the residues of the applications and the errors of their
 * estimates.
 */
#include "select_io/ion/evaluation/gain.h"

#include <math.h>
#include <stdlib.h>

/* Student's t, two-sided 5 %, for so many degrees of freedom. */
static double student_t(size_t df)
{
	static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57,
				   2.45,  2.36, 2.31, 2.26, 2.23};

	if (df <= sizeof(t) / sizeof(*t))
		return t[df - 1];
	return 1.96 + 2.6 / (double)df;
}

struct sums {
	double reached, fixed, error, seconds;
};

static void add(struct sums *s, const struct slu_ion_run *r)
{
	s->reached += r->reached * r->seconds;
	s->fixed += r->f.fixed * r->seconds;
	s->error += r->f.error * r->seconds;
	s->seconds += r->seconds;
}

/* Sums up one application's runs, from *i on; advances *i. */
static struct sums next_app(const struct slu_ion_run *run, size_t n, size_t *i)
{
	struct sums s = {0};
	uint64_t app = run[*i].app;

	for (; *i < n && run[*i].app == app; ++*i)
		add(&s, &run[*i]);
	return s;
}

void slu_ion_gain(const struct slu_ion_run *run, size_t n,
		  struct slu_ion_gain *out)
{
	double squares = 0, unsure = 0, off;
	struct sums all = {0};

	*out = (struct slu_ion_gain){.runs = n};
	for (size_t i = 0; i < n; i++)
		add(&all, &run[i]);
	if (!(all.seconds > 0))
		return;
	out->reached = all.reached / all.seconds;
	out->fixed = all.fixed / all.seconds;
	if (!(all.fixed > 0))
		return;
	out->ratio = all.reached / all.fixed;
	for (size_t i = 0; i < n; out->apps++) {
		struct sums app = next_app(run, n, &i);
		double residue = app.reached - out->ratio * app.fixed;

		squares += residue * residue;
		unsure += out->ratio * app.error * out->ratio * app.error;
	}
	if (out->apps < 2)
		return;
	squares *= (double)out->apps / (double)(out->apps - 1);
	off = student_t(out->apps - 1) * sqrt(squares + unsure) / all.fixed;
	out->known = true;
	out->low = fmax(out->ratio - off, 0);
	out->high = out->ratio + off;
}

double slu_ion_mean_error(const struct slu_ion_run *run, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(run[i].f.predicted - run[i].reached) /
		       run[i].reached;
	return n ? sum / (double)n : 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct slu_ion_five slu_ion_five(double *value, size_t n)
{
	struct slu_ion_five five = {{0}};

	if (!n)
		return five;
	qsort(value, n, sizeof(*value), by_value);
	for (int k = 0; k < 5; k++) {
		double at = (double)(n - 1) * k / 4;
		size_t low = (size_t)at;
		double more = low + 1 < n ? value[low + 1] - value[low] : 0;

		five.at[k] = value[low] + (at - (double)low) * more;
	}
	return five;
}

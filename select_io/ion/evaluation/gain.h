/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_GAIN_H
#define SLU_ION_GAIN_H

/*
 * Estimates how much bandwidth ended runs gained over STATIC, and compares what
 * they reached with what was predicted (forecast.h). What STATIC would have
 * reached was not measured: it is estimated from runs of the same application
 * with STATIC's number, so the gain has a confidence interval. No clock, no
 * memory of its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "select_io/ion/arbiter/forecast.h"

struct slu_ion_run {
	uint64_t app; /* equal for runs of the same application */
	int64_t start, end;
	double seconds; /* > 0 */
	double reached; /* MB/s, > 0 */
	struct slu_ion_forecast f;
};

struct slu_ion_gain {
	size_t runs, apps;
	double reached;		 /* MB/s, mean by time */
	double fixed;		 /* estimate for STATIC, likewise */
	bool known;		 /* at least two applications: */
	double ratio, low, high; /* reached / fixed with its 95 % interval */
};

/*
 * Runs are in the order of their `app`. The ratio is that of the sums over
 * time. Errors of runs of the same application are correlated: the interval is
 * that of a ratio of sums over applications, from their residuals and the
 * uncertainty of STATIC's bandwidths, with Student's t for few applications.
 */
void slu_ion_gain(const struct slu_ion_run *run, size_t n,
		  struct slu_ion_gain *out);

/* Mean of |predicted - reached| / reached; 0 for no runs. */
double slu_ion_mean_error(const struct slu_ion_run *run, size_t n);

/* Minimum, quartiles and maximum; sorts. All 0 for no values. */
struct slu_ion_five {
	double at[5];
};
struct slu_ion_five slu_ion_five(double *value, size_t n);

#endif

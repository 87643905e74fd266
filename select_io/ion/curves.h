/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_CURVES_H
#define SLU_ION_CURVES_H

/*
 * What an application reaches with how many I/O nodes, learnt from its ended
 * runs. An application is a class of jobs: same user, name and number of nodes.
 *
 * A curve has a point per number of I/O nodes that was ever used, its mean over
 * all runs with that number. Runs differ; what does not stand out of their
 * spread is not believed: from the lowest number up, a point that differs from
 * the ones before it by less than the standard error of the difference is
 * taken together with them, all having their common mean (a single run has no
 * spread and is believed). Between points it is linear, below the lowest
 * proportional, above the highest flat: nothing is promised that was not seen.
 * 0 I/O nodes (direct access) stands apart: it is known when it was measured
 * and worth nothing otherwise.
 *
 * Bandwidth is MB/s, bytes over run time. One thread.
 */

#include "wire/job.h"

#define SLU_CURVE_POINTS 16
#define SLU_CURVE_MAX	 1e9 /* MB/s; what claims to be faster is ignored */

struct slu_curve_point {
	uint32_t ions;
	uint32_t runs;
	double mean;
	double squares; /* sum of squared differences from the mean */
	double value;	/* what is believed, MB/s */
};

struct slu_curve {
	uint32_t n;
	struct slu_curve_point point[SLU_CURVE_POINTS]; /* by ions */
};

/* One more run. A bandwidth outside (0, SLU_CURVE_MAX], and a number of I/O
 * nodes for which there is no point left, changes nothing. */
void slu_curve_add(struct slu_curve *curve, uint32_t ions, double bandwidth);

/* Standard deviation of a point's runs, MB/s; 0 for a single one. */
double slu_curve_spread(const struct slu_curve_point *point);

/* Some number of I/O nodes above 0 was measured. NULL is not known. */
bool slu_curve_known(const struct slu_curve *curve);

/* The most I/O nodes that were measured; 0 when none were. */
uint32_t slu_curve_most(const struct slu_curve *curve);

/* MB/s with this many I/O nodes; 0 when nothing is known of it. */
double slu_curve_at(const struct slu_curve *curve, uint32_t ions);

struct slu_curves;

/* max_classes bounds the memory, at 536 bytes each; rounded as in a set table:
 * sets of 8, a full one drops the class that was taught longest ago. */
struct slu_curves *slu_curves_new(size_t max_classes, struct slu_err *err);
void slu_curves_free(struct slu_curves *curves);

/* The name of the job's class; never 0. */
uint64_t slu_curves_class(const struct slu_job *job);

/* A run of this job's class used `ions` and reached `bandwidth`. Returns the
 * class that was dropped to make room for it, 0 when none was. */
uint64_t slu_curves_learn(struct slu_curves *curves, const struct slu_job *job,
			  uint32_t ions, double bandwidth);

/* The curve of a class or NULL; borrowed until the next learn. */
const struct slu_curve *slu_curves_find(const struct slu_curves *curves,
					uint64_t class);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_CURVES_CURVES_H
#define SLU_SELECT_IO_CURVES_CURVES_H

/*
 * Estimates the bandwidth of an application with each number of I/O nodes, from
 * its ended runs, or from the site's performance table. An application is a
 * class of jobs: same user, name and number of nodes. One thread. No clock.
 */

/*
 * The unit is MB/s, bytes over run time. A table has the bandwidth of a
 * benchmark that does only I/O, which is not comparable: slu_curve_mix()
 * converts it.
 *
 * A curve has a point per number of I/O nodes that was ever used, its weighted
 * mean over all runs with that number. A run has the weight 1 and loses half of
 * it in SLU_CURVE_HALF_LIFE; a run with several numbers counts for each of them
 * as far as possible (slu_curve_add_run). Runs vary, so insignificant
 * differences are ignored: from the lowest number up, a point that differs from
 * the ones before it by less than the standard error of the difference is
 * merged with them, with their common mean (a single run has no variance and is
 * always significant). Between points it is linear, below the lowest
 * proportional, above the highest flat: nothing is predicted that was not
 * measured. 0 I/O nodes (direct access) is separate: without a measurement its
 * value is 0.
 *
 * slu_curve_error() gives the uncertainty, also for numbers that were never
 * used, or not recently.
 */

#include "select_io/curves/ion_times.h"
#include "wire/job.h"

#define SLU_CURVE_POINTS    16
#define SLU_CURVE_MAX	    1e9		 /* MB/s; larger values are ignored */
#define SLU_CURVE_HALF_LIFE (30 * 86400) /* s */

struct slu_curve_point {
	uint32_t ions;
	uint32_t runs;	/* with this number; 0: only from a table */
	double weight;	/* sum of its runs' decayed weights */
	double weight2; /* sum of their squared weights */
	double mean;
	double squares; /* weighted sum of squared differences from the mean */
	double value;	/* the estimate, MB/s */
};

struct slu_curve {
	uint32_t n;
	int64_t at; /* Unix seconds of the weights; 0: no decay yet */
	struct slu_curve_point point[SLU_CURVE_POINTS]; /* by ions */
};

/* Adds a run. A bandwidth outside (0, SLU_CURVE_MAX] is ignored, and so is a
 * number of I/O nodes for which there is no point left. */
void slu_curve_add(struct slu_curve *curve, uint32_t ions, double bandwidth);

/* Add a run that ended at `when` (Unix seconds; 0: unknown, its weight does not
 * fade), had these numbers in turn, and reached `bandwidth` on average. What it
 * reached with each number is not known: each number gets what remains if the
 * others did as in the present curve, with the weight by Bayes' rule, and
 * nothing if that is less than a tenth of a run. The order in which runs with
 * only one number are added does not matter. */
void slu_curve_add_run(struct slu_curve *curve, int64_t when,
		       const struct slu_ion_times *times, double bandwidth);

/*
 * Combines the curve of a job's own runs with a table's curve: *out has points
 * at the numbers of both. The time per byte is that of its I/O plus that of
 * everything else, and the latter does not depend on the number of I/O nodes;
 * so 1 / (MB/s of its runs) and 1 / (MB/s of the table) differ by a constant,
 * which is estimated from the runs. If the table is slower than the runs, it is
 * scaled instead. Each of the table's numbers has the weight of `weight` runs.
 */
void slu_curve_mix(const struct slu_curve *own, const struct slu_curve *table,
		   double weight, struct slu_curve *out);

/* Standard deviation of a point's runs, MB/s; 0 for a single one. */
double slu_curve_deviation(const struct slu_curve_point *point);

/* Standard error of the curve at this number of I/O nodes, MB/s; at most the
 * greatest known bandwidth. It is that of the mean for numbers with many recent
 * runs, and grows with the distance in doublings from those, and with the age
 * of runs at `now` (Unix seconds; 0: they do not fade). 0 I/O nodes counts as
 * two doublings below 1. Returns 0 if nothing is known. */
double slu_curve_error(const struct slu_curve *curve, uint32_t ions,
		       int64_t now);

/* Was any number of I/O nodes above 0 measured? NULL is not known. */
bool slu_curve_known(const struct slu_curve *curve);

/* The most I/O nodes that were measured; 0: none. */
uint32_t slu_curve_most(const struct slu_curve *curve);

/* MB/s of the point with exactly this number of I/O nodes; 0: there is none. */
double slu_curve_measured(const struct slu_curve *curve, uint32_t ions);

/* The estimate for this number of I/O nodes, MB/s; 0: nothing is known. */
double slu_curve_at(const struct slu_curve *curve, uint32_t ions);

struct slu_curves;

/* max_classes bounds the memory, at 936 bytes each; rounded as in a set table:
 * sets of 8, a full one evicts the class that was updated longest ago. */
struct slu_curves *slu_curves_new(size_t max_classes, struct slu_err *err);
void slu_curves_free(struct slu_curves *curves);

/* The key of the job's class; never 0. */
uint64_t slu_curves_class(const struct slu_job *job);

/* The key of all jobs of the same user and number of nodes; never 0. */
uint64_t slu_curves_user(const struct slu_job *job);

/* How many I/O nodes an ended job had; false: that is not known, or 0 at some
 * time although direct access is not allowed. */
bool slu_curves_times(const struct slu_job *job, bool direct,
		      struct slu_ion_times *out);

/* Adds a run of this job's class, which ended at job->end, had these numbers
 * and reached `bandwidth`. Returns the class that was evicted for it; 0: none.
 */
uint64_t slu_curves_learn(struct slu_curves *curves, const struct slu_job *job,
			  const struct slu_ion_times *times, double bandwidth);

/* The curve of a class or NULL; borrowed until the next learn. */
const struct slu_curve *slu_curves_find(const struct slu_curves *curves,
					uint64_t class);

/* MB/s: less is no significant I/O. */
#define SLU_CURVE_IDLE 1.0

/* Was a job of this user and size measured that does significant I/O? */
bool slu_curves_user_known(const struct slu_curves *curves, uint64_t user);

#endif

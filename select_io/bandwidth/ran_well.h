/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_RAN_WELL_H
#define SLU_SELECT_IO_RAN_WELL_H

/*
 * Learns from ended runs the bandwidth of a file system: the most that was
 * moved together while runs took no longer than others of their kind. The
 * result is "unknown" if that is less than sure, or if the file system was
 * never full, since it may be able to do more.
 */

/*
 * Each run counts with what was moved together on average during it, without
 * rates that did not last (slu_rate_steps_limit()). For each of 64 quantiles of
 * that, runs above it are compared with runs of their kind below it: a
 * regression of the logarithm of the run time, each kind from its own mean,
 * with a standard error that takes runs of a kind for dependent. The capacity
 * is the quantile that explains most of the differences, of those above which
 * runs take longer by at least five hundredths, with three standard errors from
 * chance, and which exceed half of the most that any run has met.
 */

#include "select_io/bandwidth/rate_steps.h"

struct slu_ran_well {
	double capacity; /* bytes/s; 0: not known */
	double met;	 /* the most that any run has met, bytes/s, mean */
	size_t judged;	 /* runs that moved more than noise, */
	size_t slow;	 /* and those of them that met more than capacity */
	double longer;	 /* times as long these took */
};

/* In O(n log n). The runs are put into another order. -1 without memory. */
int slu_ran_well(struct slu_ended_run *run, size_t n, struct slu_ran_well *out);

#endif

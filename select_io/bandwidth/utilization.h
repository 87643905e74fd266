/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_UTILIZATION_H
#define SLU_SELECT_IO_UTILIZATION_H

/*
 * Computes how busy ended runs kept a file system, and how much longer they
 * took for it, to tell whether it is a bottleneck and whether holding jobs back
 * would help (admission.h). Each run is assumed to have moved its bytes evenly,
 * and I/O without records is missing, so real peaks were higher.
 */

#include <stddef.h>
#include <stdint.h>
#include "select_io/bandwidth/rate_steps.h"

struct slu_utilization {
	double capacity; /* bytes/s: as given, or else the highest */
	/* bytes/s moved together: at most, without what did not last
	 * (slu_rate_steps_limit()), and for 99 % and half of the time in which
	 * any run moved something at most */
	double highest, most_99, median;
	double busy; /* share of that time with 80 % of the capacity in use */
	double node_seconds;	  /* of runs that moved more than 1 % of it, */
	double busy_node_seconds; /* of these while it was busy */
	size_t crowded; /* of these began when there was no room for them */
	/* Runs of one kind of which some ran mostly while it was busy and some
	 * hardly ever: their number, and how much longer the former took,
	 * median of the kinds' ratios of geometric means; 0: unknown */
	size_t kinds;
	double slower;
};

/* In O(n log n). The runs are put in the order of their starts. capacity 0:
 * not known. -1 without memory. */
int slu_utilization_look(struct slu_ended_run *run, size_t n, double capacity,
			 struct slu_utilization *out);

#endif

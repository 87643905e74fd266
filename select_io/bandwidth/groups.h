/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_GROUPS_H
#define SLU_SELECT_IO_GROUPS_H

/*
 * Decides how many jobs with much I/O may run at a time: the "two-group" rule
 * of Goponenko, Allan, Brandt and Dechev (PMBS 2024,
 * doi:10.1109/SCW63240.2024.00190). If all jobs with much I/O started first,
 * the file system would be idle later, so they are started in proportion to the
 * others.
 *
 * The waiting jobs are divided into a light and a heavy half (equal node hours)
 * by bytes/s per node. Light jobs always start; heavy ones as long as the
 * running jobs exceed the light half's mean rate by no more than all jobs,
 * running and waiting, would if they were spread evenly over time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a job. */
struct slu_demand {
	double nodes;	/* > 0 */
	double rate;	/* bytes/s that it is expected to move, mean */
	double seconds; /* that it is expected to run, from now on; > 0 */
	uint32_t id;	/* of slu_admission_ended(); else it may be 0 */
};

struct slu_groups {
	double light;  /* bytes/s by node that the light half reaches at most */
	double mean;   /* and on average */
	double target; /* bytes/s above that mean; INFINITY: no job waits */
	double above;  /* the same of the running jobs */
};

/* In O(n log n); the machine has so many nodes. -1 without memory. */
int slu_groups_divide(const struct slu_demand *running, size_t n_running,
		      const struct slu_demand *waiting, size_t n_waiting,
		      double nodes, struct slu_groups *out);

/* May it start? A job that reaches the target may pass it by half of its own
 * part at most. */
bool slu_groups_fit(const struct slu_groups *groups,
		    const struct slu_demand *job);
/* Adds a job that has started. */
void slu_groups_begun(struct slu_groups *groups, const struct slu_demand *job);

#endif

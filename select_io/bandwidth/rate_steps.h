/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_RATE_STEPS_H
#define SLU_SELECT_IO_RATE_STEPS_H

/*
 * Computes the total bandwidth of ended runs over time. Each run is assumed to
 * move its bytes evenly, so the total is a step function: it changes only where
 * a run starts or ends.
 */

#include <stddef.h>
#include <stdint.h>

struct slu_ended_run {
	double start, end; /* s; end > start */
	double nodes;
	double rate;   /* bytes/s, mean; >= 0 */
	uint64_t kind; /* equal for runs that should take as long */
};

struct slu_rate_step {
	double at, change; /* at first; then */
	double rate, span; /* bytes/s until the next step, s until then */
	double busy;	   /* s, before it; the caller's */
	double moved;	   /* bytes, before it */
};

/* step[2 * n], in the order of time; O(n log n). */
void slu_rate_steps_make(const struct slu_ended_run *run, size_t n,
			 struct slu_rate_step *step);
/* The n steps' rates are bounded by the highest that was had, or exceeded, for
 * ten minutes in all, and for a thousandth of the time in which any was moved:
 * what a short run with a wrong number of bytes adds is left out. Where there
 * is no such rate they stay. O(n log n); -1 without memory. */
int slu_rate_steps_limit(struct slu_rate_step *step, size_t n);
/* The last one at that time or before; of n > 0. */
const struct slu_rate_step *slu_rate_step_at(const struct slu_rate_step *step,
					     size_t n, double at);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_REACHED_H
#define SLU_SELECT_IO_REACHED_H

/*
 * Learns the bandwidth that a storage server reaches under load, from the
 * reports that it sends every few seconds (sluice-tbfd --publish): means over a
 * minute, counted in classes a tenth apart, which fade over a month.
 *
 * The capacity is the highest rate that was held for SLU_REACHED_MINUTES, with
 * an error of a tenth, provided the server was full then: with more active jobs
 * it did no more, and it spent at least as long at that rate as at the rates
 * right below. (A server that works for one steady job has a highest rate, too,
 * which is the job's.)
 */

#include <stddef.h>
#include <stdint.h>

#define SLU_REACHED_MINUTES 10
#define SLU_REACHED_CLASSES 128 /* from the lowest rate that counts on */

struct slu_reached {	       /* from {.lowest = ...}; else private */
	double lowest;	       /* lower rates do not count; 0: 1 MB/s */
	double time;	       /* of the last report */
	double bytes, seconds; /* since the last whole minute */
	uint32_t jobs;	       /* the fewest in it */
	struct slu_reached_class {
		float minutes, bytes; /* the mean is bytes / minutes */
		uint32_t least, most; /* jobs */
	} class[SLU_REACHED_CLASSES];
};

/* Adds a report: since the last one the server moved `rate` bytes/s for so many
 * jobs. now: seconds of any clock. A gap of more than a minute is left out. */
void slu_reached_add(struct slu_reached *r, double rate, uint32_t jobs,
		     double now);
/* A lower bound of the capacity, bytes/s: the highest rate that was held for
 * SLU_REACHED_MINUTES, whether the server was full or not. 0: there is none. */
double slu_reached_held(const struct slu_reached *r);
/* The capacity, bytes/s; 0: the server was never full. */
double slu_reached_capacity(const struct slu_reached *r);

/* A server, and all of them. */
struct slu_reached_server {
	double capacity; /* bytes/s; 0: it was never full */
	uint32_t targets, degraded;
	double held; /* bytes/s */
};
struct slu_reached_sum {
	double capacity; /* bytes/s, with all targets; 0: not known */
	double held;	 /* bytes/s: it is as much at least */
	uint32_t servers, full;
	uint32_t targets, degraded;
};
/* Servers that were never full are assumed to have the same capacity per target
 * as the others, if those have at least half of the targets. */
struct slu_reached_sum
slu_reached_add_up(const struct slu_reached_server *server, size_t n);
/* The part that is left without the degraded targets, 0 to 1. */
static inline double slu_reached_left(uint32_t targets, uint32_t degraded)
{
	return targets ? 1 - (double)degraded / targets : 1;
}

#endif

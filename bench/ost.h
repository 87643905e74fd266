/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_OST_H
#define SLU_BENCH_OST_H

/* The two parts of bench/ost. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* End with a word why. */
void ost_die(const char *what);

/* ost_time.c: time of placing; `lemon` is the rival's program, which may be
 * missing. */
void ost_run_times(bool csv, const char *lemon);

/* ost_sim.c: files come and go. Who places them: */
enum ost_who {
	ROUND_ROBIN,
	QOS,
	RANDOM,
	FLOW,
	OURS,
	ALLOCATORS,
};

struct ost_outcome {
	double space_at, load_at; /* hours; < 0 never */
	double space_end, bandwidth, first;
};

/* Sizes of files, one after the other, instead of drawn ones; borrowed. */
void ost_take_sizes(const double *bytes, size_t n);

/* `m` targets, so many on each server. The trace is the same for all. */
struct ost_outcome ost_simulate(enum ost_who who, uint32_t m,
				uint32_t per_server, double hours);

#endif

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

#define OST_TARGETS 3600
#define OST_LINK    0.75
#define OST_PLACED  (1u << 20)

/* ost_sim.c: files come and go. Who places them: */
enum ost_who {
	ROUND_ROBIN,
	QOS,
	RANDOM,
	FLOW_RAW, /* the paper's costs as they are: percents, MB/s, KiB */
	FLOW,	  /* each on a scale of 0 to 1 */
	OURS,
	ALLOCATORS,
	/* To see what makes files fast: round-robin by the targets' numbers,
	 * and with its servers, or its targets, in a new order each round; our
	 * costs, with each file on the cheapest neighbours: by their numbers,
	 * in Lustre's order, and in that of the cheaper targets alone. */
	ROBIN_NUMBERS = ALLOCATORS,
	ROBIN_SERVERS,
	ROBIN_TARGETS,
	NEAR_NUMBERS,
	NEAR_LUSTRE,
	NEAR_CHEAPER,
	/* Our costs as sluiced places: by a question for each file, on as many
	 * servers as that is worth. (OURS places all of a second together, and
	 * knows no servers.) */
	SHIPPED,
	/* To see what is possible: each stripe on the target that will be the
	 * emptiest, or of the server that will have moved least in this hour,
	 * by what is true and under way, and nothing else; or such a server's,
	 * of the targets that have little more than the mean, or least. */
	EMPTIEST,
	IDLEST,
	BOTH,
	KINDS,
};

#define OST_HOURS 48 /* at most */

struct ost_outcome {
	double bandwidth; /* of files, MB/s */
	double decide;	  /* seconds of the processor for a file */
	/* Fullest target to mean at the end of each sixth of an hour, busiest
	 * server to mean in each hour; and what of it comes of the old files,
	 * which nobody can move. */
	double space[6 * OST_HOURS], load[OST_HOURS];
	double old_space[6 * OST_HOURS], old_load[OST_HOURS];
	double first;		     /* space at the start */
	struct ost_windows *windows; /* to be added to; NULL: none */
};

/* How many times the mean a target may have for BOTH to go by load (1.03). */
void ost_take_even(double even);

/* Sizes of files, one after the other, instead of drawn ones; borrowed. */
void ost_take_sizes(const double *bytes, size_t n);

/* `m` targets, so many on each server, that are busy so much of the time: half
 * of it is written, half read. The trace is the same for all, one for each
 * seed. */
void ost_simulate(enum ost_who who, uint32_t m, uint32_t per_server,
		  double hours, double busy, uint64_t seed,
		  struct ost_outcome *outcome);

#endif

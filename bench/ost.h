/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_OST_H
#define SLU_BENCH_OST_H

/*
 * Shared by the two parts of bench/ost: the time of a placement (ost_time.c),
 * and the simulation of allocators over hours (ost_sim.c).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prints the reason and exits. */
void ost_die(const char *what);

/* ost_time.c: time of placement; `lemon` is the rival's program, which may be
 * missing. */
void ost_run_times(bool csv, const char *lemon);

#define OST_TARGETS 3600
#define OST_LINK    0.75
#define OST_PLACED  (1u << 20)

/* ost_sim.c: simulates files over time. Its allocators: */
enum ost_allocator {
	ROUND_ROBIN,
	QOS,
	RANDOM,
	FLOW_RAW, /* the paper's costs in their units: percent, MB/s, KiB */
	FLOW,	  /* each normalised to 0 to 1 */
	OURS,
	ALLOCATORS,
	/* Ablations: round-robin by the targets' numbers, and with servers, or
	 * targets, in a new order each round; our costs with each file on the
	 * cheapest window of adjacent targets: by their numbers, in Lustre's
	 * order, and in that of the cheaper targets only. */
	ROBIN_NUMBERS = ALLOCATORS,
	ROBIN_SERVERS,
	ROBIN_TARGETS,
	NEAR_NUMBERS,
	NEAR_LUSTRE,
	NEAR_CHEAPER,
	/* Our costs as sluiced uses them: a query for each file, on as many
	 * servers as are worth it. (OURS places all files of a second together,
	 * without servers.) */
	SHIPPED,
	/* Bounds with perfect knowledge: each stripe on the target that will be
	 * the emptiest, or of the server that will have moved least in this
	 * hour; or on such a server's, among targets that are little fuller
	 * than the mean, or the emptiest. */
	EMPTIEST,
	IDLEST,
	BOTH,
	KINDS,
};

#define OST_HOURS 48 /* at most */

struct ost_outcome {
	double bandwidth; /* of files, MB/s */
	double decide;	  /* seconds of processor time for a file */
	/* Ratio of the fullest target to the mean at the end of each ten
	 * minutes, of the busiest server to the mean in each hour; and the
	 * part due to old files, which no strategy can move. */
	double space[6 * OST_HOURS], load[OST_HOURS];
	double old_space[6 * OST_HOURS], old_load[OST_HOURS];
	double first;		     /* space at the start */
	struct ost_windows *windows; /* is added to; NULL: none */
};

/* Above how many times the mean BOTH excludes a target (1.03). */
void ost_take_even(double even);

/* Sizes of files in sequence, instead of random ones; borrowed. */
void ost_take_sizes(const double *bytes, size_t n);

/* `m` targets, so many on each server, with this utilisation: half of it
 * writes, half reads. All strategies get the same trace, which depends on the
 * seed. */
void ost_simulate(enum ost_allocator by, uint32_t m, uint32_t per_server,
		  double hours, double busy, uint64_t seed,
		  struct ost_outcome *outcome);

#endif

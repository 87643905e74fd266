/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_STRIPE_SIM_H
#define SLU_BENCH_STRIPE_SIM_H

/* Part of bench/stripe: simulates reads of files with a stripe layout. One
 * thread. */

#include "select_io/stripe/composite_layout.h"

#define MIB	(UINT64_C(1) << 20)
#define GIB	(UINT64_C(1) << 30)
#define TARGETS 1008
#define CLIENTS 512

struct work {
	const char *name;
	uint64_t size, part; /* bytes; scale: 1 / part of the paper's */
	uint32_t clients;
	bool shared;	 /* every client reads all, else its share */
	uint32_t random; /* random reads of each client afterwards */
	const struct site *site;
	uint32_t tasks; /* per node */
	uint64_t file;	/* bytes of a file; 0: one file for each part */
};

struct site {
	uint32_t targets, per_server;
	double node, server; /* bytes/s of the networks */
};

/* Allocates for jobs of 64 GiB, CLIENTS clients and TARGETS targets at most.
 * False: out of memory. */
bool stripe_sim_begin(void);
void stripe_sim_end(void);

/* Seconds until all clients have read all, or (random) have done their random
 * reads. */
double stripe_sim(const struct work *work,
		  const struct slu_stripe_layout *planned, bool random);

#endif

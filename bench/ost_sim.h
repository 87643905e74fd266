/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_OST_SIM_H
#define SLU_BENCH_OST_SIM_H

/*
 * Defines the simulated targets and servers of ost_sim.c (struct world), and
 * the interface of the allocators.
 */

#include "bench/ost.h"
#include "select_io/ost/server_report.h"

#define MEGABYTES (1 << 22) /* of a target: 4 TiB */
#define SPEED	  500.0	    /* MB/s of a target */
#define LINK	  OST_LINK  /* of its targets' speed: a server's network */
#define MOST	  16	    /* stripes of a file */

struct world {
	uint32_t m, servers, per_server;
	double now;
	double *used, *load, *rate; /* by target: MB; files in transfer; MB/s */
	double *server_rate;	    /* MB/s */
	double *server_moved;	    /* MB since the last statistics */
	double *hour_moved;	    /* MB in this hour */
	double *coming;		    /* by target: MB still to be transferred, */
	double *growing;	    /* and still to be written */
	/* The last statistics. */
	double *seen_used, *seen_rate, *seen_server_rate;
	struct slu_ost_moved *seen_moved; /* of servers */
	/* Stripes that were placed in the last minute, each counting less and
	 * less; as select_io/ost/recent_placements.h. */
	double *count, *when; /* and the sum of their times */
	/* MB of them that were not written yet at `queued`, as far as an
	 * allocator can know */
	double *queue, queued;
	struct placed {
		uint32_t j;
		double when;
	} * placed;
	size_t placed_first, n_placed;
	uint32_t robin, robin_offset;
	/* Penalties of Lustre's QOS, subtracted from free space, in MB. */
	struct penalty {
		double now, each, used; /* of one use; time of the last use */
	} * penalty, *server_penalty;
	uint64_t dice;		    /* random state; the trace has its own */
	double seen_time, qos_seen; /* of the statistics */
	double decide;		    /* processor time in ost_allocate, s */
	double clock;		    /* s to read that clock */
	uint64_t decided;	    /* files */
};

struct request {
	uint32_t stripes;
	double size, life;
};

/* Chooses the targets of n requests in one second; MOST entries each. */
void ost_allocate(struct world *w, enum ost_allocator by,
		  const struct request *r, uint32_t n, uint32_t *chosen);
/* ost_rivals.c: strategies that place a file by an order, chance or free space.
 */
bool ost_is_rival(enum ost_allocator by);
void ost_rival_allocate(struct world *w, enum ost_allocator by, uint32_t n,
			uint32_t *out);
/* The i-th target in Lustre's order (lod_qos_calc_rr), in which each server's
 * targets are as far apart as possible. */
uint32_t ost_lustre_order(const struct world *w, uint32_t i);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_OST_SIM_H
#define SLU_BENCH_OST_SIM_H

/* The targets and servers of ost_sim.c, and the interface of the strategies. */

#include "bench/ost.h"
#include "select_io/ost/server_report.h"

#define MEGABYTES (1 << 22) /* of a target: 4 TiB */
#define SPEED	  500.0	    /* MB/s of a target */
#define LINK	  OST_LINK  /* of its targets' speed: a server's network */
#define MOST	  16	    /* stripes of a file */

struct world {
	uint32_t m, servers, per_server;
	double now;
	double *used, *load, *rate; /* of targets: MB; files that write or read
				     * there; MB/s */
	double *server_rate;	    /* MB/s */
	double *server_moved;	    /* MB, since the last look */
	double *hour_moved;	    /* MB, in this hour */
	double *coming;		    /* of targets: MB, of what moves now: to be
				     * written or read, */
	double *growing;	    /* and written alone */
	/* What the statistics said last. */
	double *seen_used, *seen_rate, *seen_server_rate;
	struct slu_ost_moved *seen_moved; /* of servers */
	/* Stripes that were placed in the last minute, each counting less and
	 * less; as select_io/ost/recent_placements.h. */
	double *count, *when; /* and the sum of their times */
	struct placed {
		uint32_t j;
		double when;
	} * placed;
	size_t placed_first, n_placed;
	uint32_t robin, robin_offset;
	/* Lustre's QOS: MB that are taken off the free space. */
	struct penalty {
		double now, each, used; /* of one use; when it was used last */
	} * penalty, *server_penalty;
	uint64_t dice;		    /* of allocators: the trace has its own */
	double seen_time, qos_seen; /* of the statistics */
	double decide;		    /* seconds of the processor in ost_pick */
	double clock;		    /* seconds that reading it takes */
	uint64_t decided;	    /* files */
};

struct request {
	uint32_t stripes;
	double size, life;
};

/* Targets of n requests of one moment, one after the other, MOST each. */
void ost_pick(struct world *w, enum ost_who who, const struct request *r,
	      uint32_t n, uint32_t *chosen);
/* ost_rivals.c: those who place a file of n stripes by an order, chance or free
 * space. */
bool ost_is_rival(enum ost_who who);
void ost_rival_pick(struct world *w, enum ost_who who, uint32_t n,
		    uint32_t *out);
/* The target in a place of Lustre's order (lod_qos_calc_rr): each server's lie
 * as far from each other as they can. */
uint32_t ost_lustre_order(const struct world *w, uint32_t i);

#endif

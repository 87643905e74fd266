/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_FLOW_FLOW_PRIVATE_H
#define SLU_SELECT_IO_FLOW_FLOW_PRIVATE_H

/*
 * Private to select_io/flow: the placer's state, shared by its methods
 * (flow_solve.c and the files that it calls).
 */

#include "select_io/flow/min_cost_flow.h"

/* Below this range of costs no buckets are used; keeps 1 / range finite. */
#define SLU_PLACE_ALIKE 1e-200

/* A target, or one more stripe on it, and what that costs. */
struct slu_place_key {
	double cost;
	uint32_t j;
};

/* Requests, in the order of what they want, that want equally much: from where
 * the run before ends. */
struct slu_place_run {
	uint32_t value, end;
};

struct slu_flow_place {
	struct slu_place_problem p;
	size_t slots;	 /* stripes that can be placed at most */
	uint64_t wanted; /* that are asked for */
	uint32_t active; /* requests that want more */
	/* n_targets each */
	uint32_t *count; /* stripes on it */
	uint32_t *room;	 /* no more than there are requests */
	uint32_t *order; /* targets, the cheapest first */
	/* The same by places, which the convex solver changes: it has twice as
	 * many, half of them to spare. In the beginning place and target are
	 * the same. */
	double *cost, *step;
	double *per_step, *rooms; /* 1 / step; room */
	uint32_t *id;		  /* the target of a place */
	uint32_t *level;	  /* stripes; n_targets */
	/* n_requests each */
	uint32_t *want;		   /* stripes, falling; as it was at first */
	struct slu_place_run *run; /* and what is left of it */
	uint32_t n_runs;
	uint32_t *who;	/* the request that this is */
	uint32_t *slot; /* in chosen, of its next target */
	/* n_requests each, by request */
	uint32_t *first, *got;
	uint32_t *at_least;	    /* targets with so many stripes (or more) */
	uint64_t *most;		    /* stripes that fit on so many targets */
	struct slu_place_key *keys; /* for sorting, and the heap */
	int64_t *least, *add;	    /* the tree of slu_place_greedy */
	size_t leaves;		    /* a power of two, n_targets at least */
	uint32_t *chosen;
	char *memory;
};

/* cost_order.c: fill in order; place and target are still the same. */
void slu_place_order(struct slu_flow_place *s);
/* linear_costs.c: all of it, where the cheapest targets have room for all.
 * False: nothing was done. */
bool slu_place_linear_fast(struct slu_flow_place *s);
void slu_place_bounds(struct slu_flow_place *s);
/* Costs and room, each target in its place. */
void slu_place_load(struct slu_flow_place *s);
/* convex_costs.c: fill in count. False: too many splits; places are then as
 * they may be. */
bool slu_place_fill(struct slu_flow_place *s);
void slu_place_greedy(struct slu_flow_place *s);

#endif

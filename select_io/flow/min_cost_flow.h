/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_FLOW_MIN_COST_FLOW_H
#define SLU_SELECT_IO_FLOW_MIN_COST_FLOW_H

/*
 * Chooses the storage targets (OSTs) of the stripes of requests: the
 * minimum-cost maximum flow of Paul et al., "I/O Load Balancing for Big Data
 * HPC Applications" (source -> requests, capacity their stripes; request ->
 * target, capacity 1; target -> sink, capacity its free space), solved exactly
 * without a graph. One placer belongs to one thread.
 */

/*
 * As many stripes as possible are placed; among all ways to do so one of least
 * cost is taken. The cost of x stripes on a target is
 *
 *	linear (Paul et al.):  x * cost
 *	convex:		       x * cost + step * x * (x + 1) / 2
 *
 * Linear costs balance nothing while there is room: every request gets the
 * same cheapest targets. With convex ones each stripe makes its target dearer.
 *
 * Why a greedy is exact: numbers of stripes x can be handed to the requests
 * iff, sorted downwards, every sum of the first k is at most the sum over the
 * requests of min(stripes, k) (Gale, Ryser); such x form a polymatroid, on
 * which the greedy is optimal for separable convex costs.
 *
 * The same problem has always the same solution: among equal costs the target
 * with the lower number is taken.
 */

#include "common/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLU_PLACE_MAX	   (1u << 20) /* targets; requests */
#define SLU_PLACE_MAX_COST 1e12

struct slu_place_target {
	double cost;   /* of each stripe, 0 .. SLU_PLACE_MAX_COST */
	double step;   /* convex only: how much dearer the next is, > 0 */
	uint32_t room; /* stripes that fit; 0: do not use it */
};

struct slu_place_problem {
	const struct slu_place_target *target;
	uint32_t n_targets;
	const uint32_t *stripes; /* of each request */
	uint32_t n_requests;
	bool convex;
};

struct slu_place_solution {
	uint64_t placed, wanted; /* stripes in all */
	double cost;
	uint32_t *count; /* stripes on each target */
	/* Request i has the targets chosen[first[i] .. first[i] + got[i] - 1],
	 * all different, the cheapest first. */
	uint32_t *chosen, *first, *got;
};

struct slu_flow_place;

/* Check the problem and take the memory for it; nothing of it is kept but
 * what slu_place_solve reads again: it must stay as it is until then.
 * SLU_INVALID: a number out of range; SLU_NOMEM. */
struct slu_flow_place *slu_place_setup(const struct slu_place_problem *problem,
				       struct slu_err *err);
/* Solve. The solution's arrays belong to the placer. */
void slu_place_solve(struct slu_flow_place *place,
		     struct slu_place_solution *solution);
void slu_place_free(struct slu_flow_place *place);

/*
 * Requests that an application is predicted to make may not push out those
 * that it makes: when not all fit, the predicted ones are left out one at a
 * time, the farthest first, and the rest is solved again. ahead[i] is 0 for a
 * current request, else how many steps ahead it is. Requests that are left out
 * have got 0, and left_out[i] (room for n_requests) says so. What does not fit
 * then is wanted - placed.
 */
int slu_place_predicted(const struct slu_place_problem *problem,
			const uint32_t *ahead, bool *left_out,
			struct slu_flow_place **place,
			struct slu_place_solution *solution,
			struct slu_err *err);

/*
 * Alike files over failure domains: beside what targets cost, the k-th stripe
 * that one file has on a server costs (k - 1) * again, and the k-th in a rack
 * (k - 1) * rack_again: each gains less than the one before it. What is
 * minimised is
 *
 *	sum over targets of the cost above
 *	+ again      * sum over files and servers of k * (k - 1) / 2
 *	+ rack_again * sum over files and racks of k * (k - 1) / 2
 *
 * where as many stripes are placed as can be.
 *
 * Why a greedy is exact: files are alike, so what counts is how many stripes n
 * lie on each target, server and rack. n stripes of a server cost least when
 * every file has n / files of them, rounded down or up, and that can be had for
 * all servers, racks and targets (n <= files) at once: stripes in the order of
 * the tree, dealt to the files in turn. What is left is a sum of convex
 * functions of the n of a laminar family, on which taking the cheapest next
 * stripe is optimal (Murota, Discrete Convex Analysis, 2003, section 6.3).
 *
 * Files that are not alike, as those that are predicted, have no such term:
 * choose.c first places all by the above, and then the alike ones anew beside
 * what the others have got.
 */
struct slu_place_alike {
	const struct slu_place_target *target;
	uint32_t n_targets;
	uint32_t files, stripes; /* of each; files > 0 */
	bool convex;
	const uint32_t *server; /* of each target, < n_servers */
	const uint32_t *rack;	/* of each server, < n_racks; NULL: none */
	uint32_t n_servers, n_racks;
	double again, rack_again; /* >= 0 */
	/* What costs the same is taken in an order that this decides, another
	 * for each file; 0: lower numbers first. */
	uint64_t seed;
};

/* chosen (room for files * stripes): the targets of file i from i * stripes on,
 * got[i] of them, all different, the cheapest first. cost: the above sum.
 * SLU_INVALID: a number out of range; SLU_NOMEM. O((targets + all stripes) *
 * log(targets)). */
int slu_place_alike(const struct slu_place_alike *problem, uint32_t *chosen,
		    uint32_t *got, double *cost, struct slu_err *err);

/* One request against targets of which nothing else is wanted: the `stripes`
 * cheapest that have room, the cheapest first. Returns how many there are.
 * chosen has to have room for all n targets. O(n). */
uint32_t slu_place_one(const struct slu_place_target *target, uint32_t n,
		       uint32_t stripes, bool convex, uint32_t *chosen);

#endif

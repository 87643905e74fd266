/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assigns I/O nodes to jobs; the owner of each node is the whole state. Three
 * passes: jobs give up nodes beyond their numbers, the shared node is kept if
 * that is possible, missing nodes are assigned.
 */
#include <stdlib.h>
#include "select_io/ion/placement.h"

static int by_id(const void *key, const void *seat)
{
	uint32_t a = *(const uint32_t *)key;
	uint32_t b = ((const struct slu_ion_seat *)seat)->job_id;

	return (a > b) - (a < b);
}

static uint32_t far_from(const struct slu_ion_seat *s,
			 const struct slu_ion_node *node)
{
	return s->far ? s->far[node->place] : 0;
}

/* Counts each job's working nodes; frees those that do not work. */
static void count(struct slu_ion_node *node, size_t n_nodes,
		  struct slu_ion_seat *seat, size_t n_seats)
{
	for (size_t i = 0; i < n_nodes; i++) {
		struct slu_ion_seat *s = bsearch(&node[i].owner, seat, n_seats,
						 sizeof(*seat), by_id);

		if (s && node[i].available)
			s->have++;
		else if (s)
			node[i].owner = SLU_ION_FREE;
	}
}

/* Frees the farthest of its nodes, the last among equals. */
static void give_back(struct slu_ion_node *node, size_t n_nodes,
		      struct slu_ion_seat *s)
{
	struct slu_ion_node *worst = NULL;

	for (size_t i = 0; i < n_nodes; i++)
		if (node[i].owner == s->job_id &&
		    (!worst || far_from(s, &node[i]) >= far_from(s, worst)))
			worst = &node[i];
	worst->owner = SLU_ION_FREE;
	s->have--;
}

static bool is_free(const struct slu_ion_node *node, size_t i, size_t shared)
{
	return node[i].owner == SLU_ION_FREE && node[i].available &&
	       i != shared;
}

/* The nearest free node, the first among equals, or n. There is none before
 * `from`. */
static size_t nearest(const struct slu_ion_node *node, size_t n, size_t from,
		      const struct slu_ion_seat *s, size_t shared)
{
	size_t best = n;

	for (size_t i = from; i < n; i++)
		if (is_free(node, i, shared) &&
		    (best == n ||
		     far_from(s, &node[i]) < far_from(s, &node[best]))) {
			best = i;
			if (!s->far)
				break;
		}
	return best;
}

/* False: there are not enough free nodes. */
static bool give(struct slu_ion_node *node, size_t n_nodes,
		 struct slu_ion_seat *seat, size_t n_seats, size_t shared)
{
	size_t from = 0, i;

	for (size_t k = 0; k < n_seats; k++)
		while (seat[k].have < seat[k].ions) {
			while (from < n_nodes && !is_free(node, from, shared))
				from++;
			i = nearest(node, n_nodes, from, &seat[k], shared);
			if (i == n_nodes)
				return false;
			node[i].owner = seat[k].job_id;
			seat[k].have++;
		}
	return true;
}

static size_t last_of(const struct slu_ion_node *node, size_t n, uint32_t job)
{
	while (n-- > 0)
		if (node[n].owner == job)
			return n;
	return SLU_ION_NOBODY;
}

/* The previous shared node, if its jobs may not move; else a free node; else
 * the previous one; else the last node of the job with the most. */
static size_t pick_shared(const struct slu_ion_node *node, size_t n,
			  uint32_t most, bool move, size_t before)
{
	if (!move && before != SLU_ION_NOBODY)
		return before;
	for (size_t i = 0; i < n; i++)
		if (is_free(node, i, SLU_ION_NOBODY))
			return i;
	return before != SLU_ION_NOBODY ? before : last_of(node, n, most);
}

void slu_ion_place(struct slu_ion_node *node, size_t n_nodes,
		   struct slu_ion_seat *seat, size_t n_seats, bool share,
		   uint32_t most, bool move, size_t *shared)
{
	for (size_t k = 0; k < n_seats; k++)
		seat[k].have = 0;
	if (n_seats)
		count(node, n_nodes, seat, n_seats);
	for (size_t k = 0; k < n_seats; k++)
		while (seat[k].have > seat[k].ions)
			give_back(node, n_nodes, &seat[k]);
	if (!share || (*shared != SLU_ION_NOBODY && !node[*shared].available))
		*shared = SLU_ION_NOBODY;
	if (!give(node, n_nodes, seat, n_seats, *shared)) {
		give(node, n_nodes, seat, n_seats, SLU_ION_NOBODY);
		if (move)
			*shared = SLU_ION_NOBODY;
	}
	if (share &&
	    (*shared == SLU_ION_NOBODY || node[*shared].owner != SLU_ION_FREE))
		*shared = pick_shared(node, n_nodes, most, move, *shared);
}
